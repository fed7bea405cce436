"""Tools: from the button at the composer and the calls in the conversation to the services."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from app.services.chat.conversation_tools import ConversationTools
from app.services.engine.states import known_model
from app.ui.formatting.numbers import count, duration
from app.ui.theme.appearance import Appearance
from app.ui.tools.tools_button import Source, ToolsButton, ToolsPopover
from app.ui.tools.words import reckoned_price, source_title
from app.ui.transcript.message_actions import AskAgain, DecideCall, FillForm, MessageAction, UndoCall
from app.ui.transcript.transcript import Transcript

if TYPE_CHECKING:
    from app.services.chat.chat_controller import ChatController
    from app.services.chat.tool_loops import ToolLoops
    from app.services.engine.service import EngineService


class ToolsPresenter(QObject):
    """`window` owns it; `button` is to be put where people write."""

    def __init__(
        self,
        appearance: Appearance,
        loops: "ToolLoops",
        controller: "ChatController",
        engine: "EngineService",
        transcript: Transcript,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._loops = loops
        self._tools: ConversationTools = loops.tools
        self._active = controller.active
        self._engine = engine
        assert controller.prices is not None
        self._prices = controller.prices
        self._transcript = transcript
        self.button = ToolsButton(appearance, window)
        self.popover = ToolsPopover(window)
        self.button.clicked.connect(self._open)
        self.popover.switched.connect(self._switch)
        transcript.offer_again()
        transcript.wished.connect(self._do)
        loops.changed.connect(self._show_states)
        self._tools.changed.connect(self._renew)
        self._prices.changed.connect(self._refresh)
        engine.state_changed.connect(self._refresh)
        controller.active.switched.connect(self._switched)
        controller.active.listed.connect(self._refresh)
        controller.replies.ended.connect(self._renew)
        application = QGuiApplication.instance()
        assert isinstance(application, QGuiApplication)
        application.applicationStateChanged.connect(self._hear_focus)
        self._refresh()

    @Slot(Qt.ApplicationState)
    def _hear_focus(self, state: Qt.ApplicationState) -> None:
        """Whoever comes back may have been editing the file of servers."""
        if state is Qt.ApplicationState.ApplicationActive:
            self._tools.servers.look()

    @Slot()
    def _open(self) -> None:
        self._tools.servers.look()
        self._prices.look()
        self.popover.open_above(self.button, self._sources(), self._told())

    @Slot()
    def _renew(self) -> None:
        """What things cost is another matter now."""
        if self.popover.isVisible():
            self._prices.look()
        self._refresh()

    def _switch(self, source: str, on: bool) -> None:
        self._tools.switch(self._active.conversation_id, source, on)

    @Slot(object)
    def _do(self, wish: MessageAction) -> None:
        match wish:
            case DecideCall(message_id, call_id, answer):
                self._loops.decide(
                    message_id, call_id, answer.decision, reason=answer.reason, arguments=answer.arguments
                )
            case FillForm(message_id, call_id, answer):
                self._loops.fill(message_id, call_id, answer)
            case AskAgain(message_id):
                self._loops.ask_again(message_id)
            case UndoCall(message_id):
                self._loops.written.undo(message_id)

    @Slot(int)
    def _show_states(self, message_id: int) -> None:
        self._transcript.show_call_states(message_id, self._loops.states(message_id))

    @Slot()
    def _switched(self) -> None:
        self._refresh()
        for each in self._active.path:
            if each.message.tool_calls:
                self._show_states(each.id)

    @Slot()
    def _refresh(self) -> None:
        conversation_id = self._active.conversation_id
        has_any = bool(self._tools.sources)
        n_tools = sum(len(self._tools.tools_of(each) or ()) for each in self._tools.on(conversation_id))
        self.button.show_tools(n_tools if has_any else None, self._refusal())
        if self.popover.isVisible():
            self.popover.show_sources(self._sources(), self._told())

    def _refusal(self) -> str:
        """Why the model is told of no tools; empty where it is."""
        info = known_model(self._engine.state)
        if info is None or info.capabilities.tools or not self._tools.on(self._active.conversation_id):
            return ""
        return self.tr("{model} does not know how to use tools. It answers without them.").format(model=info.name)

    def _told(self) -> str:
        if refusal := self._refusal():
            return refusal
        info = known_model(self._engine.state)
        offered = self._tools.offered(self._active.conversation_id, info.n_ctx if info is not None else 0)
        if any(each.waits for each in offered):
            return self.tr("There are many tools: the model looks for those that it needs.")
        if self._active.path and offered:
            return self.tr("What is switched off here stays in the prompt, and is refused.")
        return ""

    def _sources(self) -> list[Source]:
        on = self._tools.on(self._active.conversation_id)
        return [
            Source(each, self._title(each), self._cost(each), self._cost_now(each), each in on)
            for each in self._tools.sources
        ]

    def _title(self, source: str) -> str:
        return source_title(source) if source in self._tools.servers.built_in else source

    def _cost(self, source: str) -> str:
        tools, price = self._tools.tools_of(source), self._prices.of(source)
        if tools is None:
            return self.tr("starts with the next question")
        if price is None:
            told = self.tr("%n tool(s), about {tokens} tokens", "", len(tools))
            return told.format(tokens=reckoned_price(source, tools))
        told = self.tr("%n tool(s), {tokens} tokens, {time}", "", len(tools))
        return told.format(tokens=count(price.tokens), time=duration(price.seconds))

    def _cost_now(self, source: str) -> str:
        """What switching it on has read again."""
        price = self._prices.of(source)
        if price is None or not price.again:
            return ""
        told = self.tr("Switched on now, {tokens} tokens are read again: {time}.")
        return told.format(tokens=count(price.again), time=duration(price.again_seconds))
