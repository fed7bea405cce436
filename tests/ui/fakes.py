"""Stand-ins for the services at the window's seam: the same signals and methods, and a record of calls."""

import itertools
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.core.events import ModelInfo
from app.core.messages import Message, Role
from app.core.settings import Settings
from app.services.states import EngineState, ModelReady, NoModel, OpenConversation
from app.storage.conversations import Conversation, MessageState, StoredMessage

_numbers = itertools.count(1)

MODEL = ModelInfo(
    path=Path("/models/Qwen3-8B-Instruct-Q4_K_M.gguf"),
    name="Qwen3-8B-Instruct Q4_K_M",
    architecture="qwen3",
    size=5 << 30,
    n_params=8_000_000_000,
    n_ctx=8192,
    n_ctx_train=32768,
    vocab="v",
    has_template=True,
)
READY = ModelReady(MODEL)


def conversation(title: str, updated_at: float = 0.0, number: int = 0) -> Conversation:
    return Conversation(number or next(_numbers), title, None, updated_at, updated_at)


def stored(
    role: Role,
    text: str,
    *,
    conversation_id: int = 1,
    state: MessageState = MessageState.COMPLETE,
    figures: Mapping[str, object] | None = None,
) -> StoredMessage:
    return StoredMessage(next(_numbers), conversation_id, None, Message.of(role, text), state, 0.0, figures)


def opened(title: str, *messages: StoredMessage, number: int = 1) -> OpenConversation:
    return OpenConversation(conversation(title, number=number), messages)


class FakeController(QObject):
    conversations_changed = Signal(object)
    opened = Signal(object)
    message_added = Signal(object)
    message_changed = Signal(object)
    answer_grew = Signal(object)
    activity_changed = Signal(object)
    failed = Signal(object)
    noticed = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[tuple[object, ...]] = []
        self.takes = True

    def send(self, text: str) -> bool:
        self.calls.append(("send", text))
        return self.takes

    def stop(self) -> None:
        self.calls.append(("stop",))

    def regenerate(self) -> None:
        self.calls.append(("regenerate",))

    def new_conversation(self) -> None:
        self.calls.append(("new_conversation",))

    def open_conversation(self, conversation_id: int) -> None:
        self.calls.append(("open_conversation", conversation_id))

    def rename(self, conversation_id: int, title: str) -> None:
        self.calls.append(("rename", conversation_id, title))

    def delete(self, conversation_id: int) -> None:
        self.calls.append(("delete", conversation_id))

    def undo_delete(self, conversation_id: int) -> None:
        self.calls.append(("undo_delete", conversation_id))


class FakeEngine(QObject):
    state_changed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.state: EngineState = NoModel()
        self.calls: list[tuple[object, ...]] = []

    def enter(self, state: EngineState) -> None:
        self.state = state
        self.state_changed.emit(state)

    def load(self, path: Path) -> None:
        self.calls.append(("load", path))

    def cancel_load(self) -> None:
        self.calls.append(("cancel_load",))

    def unload(self) -> None:
        self.calls.append(("unload",))


class FakeSettings(QObject):
    changed = Signal(object)
    failed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.settings = Settings()

    def update(self, section: str, **values: object) -> None:
        self.settings = replace(self.settings, **{section: replace(getattr(self.settings, section), **values)})
        self.changed.emit(self.settings)
