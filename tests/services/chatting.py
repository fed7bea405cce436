"""Talking to a real engine thread: what is done in the window, and what it would show."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Slot
from pytestqt.qtbot import QtBot

from app.core.errors import UserError
from app.core.events import DeltaKind, TextDelta
from app.core.messages import Attachment, Role
from app.core.model_ref import ModelRef
from app.services.chat.chat_controller import ChatController
from app.services.chat.reply_controller import AnswerUpdate
from app.services.engine.service import EngineService
from app.services.engine.states import ModelReady, OpenConversation, ReplyUpdate
from app.storage.conversations import Conversation, ConversationStore, StoredMessage
from tests.services.asking import becomes, is_written
from tests.waits import WAIT


class Chat(QObject):
    """What a window shows comes from the controller's signals alone."""

    def __init__(
        self,
        controller: ChatController,
        engine: EngineService,
        store: ConversationStore,
        load: Callable[[str], ModelReady],
        qtbot: QtBot,
    ) -> None:
        super().__init__()
        self.controller, self.engine, self.store, self.load, self._qtbot = controller, engine, store, load, qtbot
        self.active, self.replies, self.versions = controller.active, controller.replies, controller.versions
        self.options = controller.options
        self.messages: list[StoredMessage] = []
        self.n_opened = 0
        self.streamed: dict[int, str] = {}
        self.titles: list[str] = []
        self.errors: list[UserError] = []
        """In the window."""
        self.told: list[UserError] = []
        """At the answer."""
        self.notices: list[str] = []
        self.activities: list[object] = []
        self.active.opened.connect(self.open)
        self.active.path_changed.connect(self.lead)
        self.active.message_added.connect(self.add)
        self.active.message_changed.connect(self.change)
        self.active.listed.connect(self.show_titles)
        self.replies.said.connect(self.grow)
        self.replies.activity_changed.connect(self.activities.append)
        controller.notices.failed.connect(self.errors.append)
        controller.notices.load_failed.connect(self.errors.append)
        controller.notices.answer_failed.connect(self.told.append)
        controller.notices.noticed.connect(self.notices.append)

    @Slot(object)
    def open(self, opened: OpenConversation | None) -> None:
        self.n_opened += 1
        self.messages = list(opened.messages) if opened else []

    @Slot(object)
    def lead(self, opened: OpenConversation) -> None:
        self.messages = list(opened.messages)

    @Slot(object)
    def add(self, stored: StoredMessage) -> None:
        self.messages.append(stored)

    @Slot(object)
    def change(self, stored: StoredMessage) -> None:
        self.messages = [stored if each.id == stored.id else each for each in self.messages]

    @Slot(object)
    def grow(self, update: AnswerUpdate) -> None:
        match update.said:
            case ReplyUpdate(TextDelta(text, kind=DeltaKind.CONTENT)):
                assert update.answer.stored.message.text.endswith(text), "it is in there already"
                number = update.answer.message_id
                self.streamed[number] = self.streamed.get(number, "") + text

    @Slot(object)
    def show_titles(self, conversations: tuple[Conversation, ...]) -> None:
        self.titles = [each.title for each in conversations]

    @property
    def talk(self) -> list[tuple[Role, str]]:
        return [(each.message.role, each.message.text) for each in self.messages]

    @property
    def texts(self) -> list[str]:
        return [each.message.text for each in self.messages]

    @property
    def places(self) -> list[str]:
        return [f"{each.version}/{each.n_versions}" for each in self.messages]

    @property
    def last(self) -> StoredMessage:
        return self.messages[-1]

    @property
    def state(self) -> str:
        """Of the last message."""
        return self.last.state

    @property
    def figures(self) -> dict[str, Any]:
        """Of the last answer."""
        return dict(self.last.figures or {})

    def kept(self, n: int = 0) -> tuple[StoredMessage, ...]:
        """The path of the `n`th conversation, as the disk has it."""
        return self.store.path(self.store.all()[n].id)

    def say(self, text: str, attachments: tuple[Attachment, ...] = ()) -> None:
        """And wait for the answer."""
        assert self.controller.send(text, attachments)
        self.rest()

    def begin(self, text: str) -> None:
        """And wait for the answer's first words."""
        with self._qtbot.waitSignal(self.replies.said, timeout=WAIT, check_params_cb=is_written):
            assert self.controller.send(text)

    def regenerate(self) -> None:
        self.controller.regenerate()
        self.rest()

    def rest(self) -> None:
        """Until no answer is being written."""
        self.until(lambda: not self.replies.is_busy)

    def until(self, holds: Callable[[], bool]) -> None:
        self._qtbot.waitUntil(holds, timeout=WAIT)

    def becomes(self, *kinds: type) -> AbstractContextManager[object]:
        return becomes(self.engine, self._qtbot, *kinds)

    def load_file(self, path: Path) -> None:
        """Nobody waits for it."""
        self.engine.load(ModelRef.of_file(path))
