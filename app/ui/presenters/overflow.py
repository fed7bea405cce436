"""What can be done here where a conversation has outgrown its context, from the composer to the services."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from app.core.messages import Message, Role
from app.core.overflow import Overflow, reckoned
from app.services.drafts.draft_size import DraftSize, Fit
from app.services.engine.states import ready_model
from app.storage.conversations import MessageState
from app.ui.composer.composer import Composer
from app.ui.composer.context_gauge import ContextGauge
from app.ui.composer.notice_line import Action
from app.ui.formatting.numbers import compact, size_text
from app.ui.presenters.composer import ComposerPresenter

if TYPE_CHECKING:
    from app.services.chat.chat_controller import ChatController
    from app.services.engine.service import EngineService
    from app.services.models.models import Models

_SHARE = 0.7
"""Of a context, what a question may take of it alone, for its answer to have room."""
_MARGIN = 1.15
"""What is reckoned may be more, and an answer wants room."""


class OverflowPresenter(QObject):
    """`parent` owns it."""

    def __init__(
        self,
        controller: "ChatController",
        engine: "EngineService",
        models: "Models | None",
        composer: Composer,
        gauge: ContextGauge,
        writing: ComposerPresenter,
        parent: QObject,
    ) -> None:
        """Without `models` no larger context is offered."""
        super().__init__(parent)
        self._controller = controller
        self._engine = engine
        self._models = models
        self._composer = composer
        self._gauge = gauge
        self._writing = writing
        writing.sized.connect(self._show_size)
        engine.state_changed.connect(self._look)
        controller.active.changed.connect(self._look)

    @Slot()
    def _look(self) -> None:
        """Whether the last question was refused because the conversation is too long."""
        question, info = self._refused(), ready_model(self._engine.state)
        if question is None or info is None:
            self._composer.show_full("", ())
            return
        ways: list[Action] = []
        fits = reckoned(question.text) + sum(reckoned(each.text) for each in question.documents)
        alone = not info.n_ctx or fits < _SHARE * info.n_ctx
        if alone and len(self._controller.active.path) > 2:
            ways.append(self._action(self.tr("Leave out the oldest messages"), self._drop_and_ask))
        ways += self._larger(self._gauge.used, asks=True)
        if alone and len(self._controller.active.path) > 2:
            ways.append(self._action(self.tr("New chat with this question"), self._ask_in_new_chat))
        self._composer.show_full(self.tr("This conversation is too long for the model's context."), ways)

    @Slot(object)
    def _show_size(self, size: DraftSize | None) -> None:
        self._composer.show_size(size, self._ways_of(size) if size is not None else ())

    def _refused(self) -> Message | None:
        """The question at the end that had no room; None where there is none."""
        path = self._controller.active.path
        if len(path) < 2:
            return None
        question, answer = path[-2:]
        figures = answer.figures or {}
        # Without a count something else of it was too much for the model.
        full = figures.get("reason") == "context_full" and figures.get("n_prompt")
        failed = answer.state is MessageState.FAILED and question.message.role is Role.USER
        return question.message if full and failed else None

    def _ways_of(self, size: DraftSize) -> Sequence[Action]:
        """About a message that is being written."""
        match size.fit:
            case Fit.REFUSED:
                return (
                    self._action(self.tr("Leave out the oldest messages"), self._drop),
                    *self._larger(self._gauge.used + size.count.n, asks=False),
                    self._action(self.tr("Move it to a new chat"), self._writing.move_to_new_chat),
                )
            case Fit.TOO_LONG:
                return self._larger(self._gauge.used + size.count.n, asks=False)
        return ()

    def _larger(self, entries: int, *, asks: bool) -> tuple[Action, ...]:
        """A context for so much, with its price. With `asks` the last question is asked again in it."""
        larger = self._models.larger_context(round(entries * _MARGIN)) if self._models is not None else None
        if larger is None:
            return ()
        text = self.tr("Context of {n_ctx} ({memory} more)")
        told = text.format(n_ctx=compact(larger.n_ctx), memory=size_text(max(0, larger.more)))
        return (self._action(told, lambda: self._load(larger.n_ctx, asks=asks)),)

    def _action(self, text: str, act: Callable[[], None]) -> Action:
        """The button goes with what it was about, and the keyboard back to the text."""

        def act_and_write() -> None:
            act()
            self._composer.focus_text()

        return Action(text, act_and_write)

    def _drop(self) -> None:
        self._controller.options.set_overflow(self._controller.active.conversation_id, Overflow.DROP_OLDEST)

    def _drop_and_ask(self) -> None:
        self._drop()
        self._controller.regenerate()

    def _load(self, n_ctx: int, *, asks: bool) -> None:
        assert self._models is not None
        self._models.load_with_context(n_ctx)
        if asks:
            self._controller.regenerate()

    def _ask_in_new_chat(self) -> None:
        question = self._refused()
        if question is None:
            return
        self._controller.new_conversation()
        self._controller.send(question.text, question.attachments)
