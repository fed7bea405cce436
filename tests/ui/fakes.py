"""Stand-ins for the services at the window's seam: the same signals and methods, and a record of calls."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from PySide6.QtCore import QObject, Signal

from app.core.capabilities import Capabilities
from app.core.events import Looking, ModelInfo, PromptProgress, SlotStatus, TextDelta, ToolCallDelta
from app.core.likelihood import Likelihood
from app.core.messages import Attachment, MediaPart, Message, Part, Role, TextPart
from app.core.model_options import ModelOptions
from app.core.model_ref import ModelRef
from app.core.preset import Preset
from app.core.setting import check
from app.core.settings import SECTIONS, Settings
from app.engine.reply.session import Session
from app.services.chat.answer_with_model import Replaced
from app.services.chat.conversation_options import ConversationOptions
from app.services.chat.notices import ChatNotices
from app.services.chat.reply_controller import AnswerUpdate
from app.services.chat.streaming_message import StreamingMessage
from app.services.chat.tool_prices import ToolPrice
from app.services.engine.futures import Future
from app.services.engine.jobs import Answer, Question
from app.services.engine.states import (
    Activity,
    EngineState,
    Idle,
    ModelOnServer,
    ModelReady,
    NoModel,
    OpenConversation,
    ReplyUpdate,
    SnapshotStatus,
)
from app.storage.conversations import Conversation, ConversationStore, MessageState, StoredMessage
from app.storage.options import OptionsStore, Scope

_numbers = itertools.count(1)

MODEL = ModelInfo(
    ref=ModelRef.of_file(Path("/models/Qwen3-8B-Instruct-Q4_K_M.gguf")),
    name="Qwen3-8B-Instruct Q4_K_M",
    architecture="qwen3",
    size=5 << 30,
    n_params=8_000_000_000,
    n_ctx=8192,
    n_ctx_train=32768,
    vocab="v",
    has_template=True,
    n_layer=36,
    n_embd=4096,
    n_vocab=151_936,
)
READY = ModelReady(MODEL)
THERE = ModelInfo(
    ref=ModelRef.of_server("a1", "Qwen/Qwen3-32B"),
    name="Qwen3-32B · Attic",
    architecture="",
    size=0,
    n_params=0,
    n_ctx=0,
    n_ctx_train=0,
    vocab="",
    has_template=True,
    capabilities=Capabilities(sees=True, tools=True, states=False),
    host="attic.lan",
)
"""A server's model, of which little is told."""
HEARING = ModelReady(replace(MODEL, name="Voxtral-3B", capabilities=Capabilities(hears=True, hears_seconds=600)))
SEEING = ModelReady(replace(MODEL, name="Qwen3-VL-8B", capabilities=Capabilities(sees=True)))


def conversation(title: str, updated_at: float = 0.0, number: int = 0) -> Conversation:
    return Conversation(number or next(_numbers), title, None, updated_at, updated_at)


def stored(
    role: Role,
    text: str,
    *,
    conversation_id: int = 1,
    state: MessageState = MessageState.COMPLETE,
    figures: Mapping[str, object] | None = None,
    pictures: tuple[MediaPart, ...] = (),
    version: int = 1,
    n_versions: int = 1,
) -> StoredMessage:
    message = Message(role, (*pictures, *((TextPart(text),) if text or not pictures else ())))
    return StoredMessage(
        next(_numbers), conversation_id, None, message, state, 0.0, figures, version=version, n_versions=n_versions
    )


def opened(title: str, *messages: StoredMessage, number: int = 1) -> OpenConversation:
    return OpenConversation(conversation(title, number=number), messages)


class FakeOptions:
    """Stands in for `OptionsStore`, in memory."""

    def __init__(self) -> None:
        self.kept: dict[tuple[Scope, str], dict[str, object]] = {}

    def get(self, scope: Scope, name: str) -> dict[str, object]:
        return dict(self.kept.get((scope, name), {}))

    def all(self, scope: Scope) -> tuple[tuple[str, dict[str, object]], ...]:
        return tuple((name, dict(value)) for (of, name), value in self.kept.items() if of is scope)

    def put(self, scope: Scope, name: str, value: Mapping[str, object]) -> None:
        self.kept.pop((scope, name), None)
        if value:
            self.kept[scope, name] = dict(value)


class FakeScreenVersions:
    def __init__(self, controller: "FakeController") -> None:
        self._controller = controller

    def edit(self, message_id: int, text: str) -> bool:
        self._controller.calls.append(("edit", message_id, text))
        return self._controller.takes

    def walk(self, message_id: int, step: int) -> None:
        self._controller.calls.append(("walk", message_id, step))

    def branch(self, message_id: int) -> None:
        self._controller.calls.append(("branch", message_id))

    def delete(self, message_id: int) -> bool:
        self._controller.calls.append(("delete_message", message_id))
        return self._controller.takes

    def undo_delete(self, message_id: int) -> None:
        self._controller.calls.append(("undo_delete_message", message_id))


class FakeAnswerWithModel(QObject):
    answered = Signal(object)

    def __init__(self, controller: "FakeController") -> None:
        super().__init__(controller)
        self._controller = controller

    def answer(self, message_id: int, model: ModelRef) -> None:
        self._controller.calls.append(("answer_with", message_id, model))

    def back(self, replaced: Replaced) -> None:
        self._controller.calls.append(("back", replaced.before.ref))


class FakeAnswerLikelihood:
    """Notes what is asked; a test answers."""

    def __init__(self) -> None:
        self.asked: list[int] = []
        self.cancelled = 0
        self.takes = True
        self.done: Callable[[Likelihood | Exception | None], None] = lambda _: None
        self.progress: Callable[[PromptProgress | Looking], None] = lambda _: None

    def ask(
        self,
        message_id: int,
        done: Callable[[Likelihood | Exception | None], None],
        progress: Callable[[PromptProgress | Looking], None],
    ) -> Future[Likelihood | None] | None:
        self.asked.append(message_id)
        future: Future[Likelihood | None] = Future(done, self._cancel, progress)
        self.done, self.progress = future.end, future.tell
        return future if self.takes else None

    def _cancel(self) -> None:
        self.cancelled += 1


class FakeActive(QObject):
    listed = Signal(object)
    opened = Signal(object)
    path_changed = Signal(object)
    message_added = Signal(object)
    message_changed = Signal(object)
    switched = Signal(object)
    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.conversation: Conversation | None = None
        self.conversation_id: int | None = None
        self.path: tuple[StoredMessage, ...] = ()

    def open(self, opened: OpenConversation | None) -> None:
        self.conversation = opened.conversation if opened is not None else None
        self.conversation_id = opened.conversation.id if opened is not None else None
        self.path = opened.messages if opened is not None else ()
        self.opened.emit(opened)
        self.switched.emit(self.conversation_id)
        self.changed.emit()

    def find(self, message_id: int) -> StoredMessage | None:
        return next((each for each in self.path if each.id == message_id), None)

    def go(self, opened: OpenConversation) -> None:
        """Another way through the conversation."""
        self.path = opened.messages
        self.path_changed.emit(opened)
        self.changed.emit()

    def add(self, stored: StoredMessage) -> None:
        if stored.conversation_id != self.conversation_id:
            self.conversation_id, self.path = stored.conversation_id, ()
            self.switched.emit(stored.conversation_id)
        self.path = (*self.path, stored)
        self.message_added.emit(stored)
        self.changed.emit()

    def change(self, stored: StoredMessage) -> None:
        self.path = tuple(stored if each.id == stored.id else each for each in self.path)
        self.message_changed.emit(stored)
        self.changed.emit()


class FakeReplies(QObject):
    said = Signal(object)
    calls_asked = Signal(object)
    calls_stopped = Signal(object)
    ended = Signal(object)
    activity_changed = Signal(object)
    changed = Signal()

    def __init__(self, controller: "FakeController") -> None:
        super().__init__(controller)
        self._controller = controller
        self.activity: Activity = Idle()
        self.elsewhere: dict[int, Activity] = {}
        """What is being done in conversations that are not on screen."""

    @property
    def conversations(self) -> dict[int, Activity]:
        number = self._controller.active.conversation_id
        here = {number: self.activity} if self.is_writing_in(number) and number is not None else {}
        return {**here, **self.elsewhere}

    @property
    def is_busy(self) -> bool:
        return not isinstance(self.activity, Idle) or bool(self.elsewhere)

    def activity_of(self, _message_id: int) -> Activity:
        return self.activity

    def is_writing_in(self, conversation_id: int | None) -> bool:
        here = conversation_id == self._controller.active.conversation_id
        return conversation_id in self.elsewhere or (here and not isinstance(self.activity, Idle))

    def enter(self, activity: Activity) -> None:
        self.activity = activity
        self.activity_changed.emit(activity)
        self.changed.emit()

    def write(self, stored: StoredMessage, text: str) -> None:
        """More of an answer comes."""
        answer = StreamingMessage(cast(ConversationStore, None), stored)
        self.said.emit(AnswerUpdate(answer, ReplyUpdate(TextDelta(text))))

    def call(self, stored: StoredMessage, delta: ToolCallDelta) -> None:
        """An answer asks for a tool."""
        answer = StreamingMessage(cast(ConversationStore, None), stored)
        answer.add_call(delta)
        self.said.emit(AnswerUpdate(answer, ReplyUpdate(delta)))

    def stop(self) -> None:
        self._controller.calls.append(("stop",))


class FakeSideBySide(QObject):
    changed = Signal(object)

    def __init__(self, controller: "FakeController") -> None:
        super().__init__(controller)
        self._controller = controller

    def begin(self, message_id: int, presets: Sequence[Preset | None]) -> bool:
        self._controller.calls.append(("begin_side_by_side", message_id, tuple(presets)))
        return self._controller.takes

    def begin_last(self, presets: Sequence[Preset | None]) -> bool:
        self._controller.calls.append(("begin_side_by_side", tuple(presets)))
        return self._controller.takes

    def keep(self, message_id: int) -> None:
        self._controller.calls.append(("keep", message_id))

    def stop(self, message_id: int) -> None:
        self._controller.calls.append(("stop_one", message_id))


class FakePrices(QObject):
    changed = Signal()

    def __init__(self, controller: "FakeController") -> None:
        super().__init__(controller)
        self.known: dict[str, ToolPrice] = {}
        self.looks = 0

    def of(self, source: str) -> ToolPrice | None:
        return self.known.get(source)

    def look(self) -> None:
        self.looks += 1

    def tell(self, **known: ToolPrice) -> None:
        self.known = known
        self.changed.emit()


class FakeController(QObject):
    peeked = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[tuple[object, ...]] = []
        self.takes = True
        self.likelihood = FakeAnswerLikelihood()
        self.notices = ChatNotices(self)
        self.active = FakeActive(self)
        self.replies = FakeReplies(self)
        self.options = ConversationOptions(cast(OptionsStore, FakeOptions()), self.notices, self)
        self.versions = FakeScreenVersions(self)
        self.answer_with = FakeAnswerWithModel(self)
        self.side_by_side = FakeSideBySide(self)
        self.prices = FakePrices(self)
        self.passages = None

    def refresh(self) -> None:
        self.calls.append(("refresh",))

    def peek(self, text: str, attachments: tuple[Attachment, ...] = ()) -> None:
        self.calls.append(("peek", text, attachments) if attachments else ("peek", text))

    def send(self, text: str, attachments: tuple[Attachment, ...] = ()) -> bool:
        self.calls.append(("send", text, attachments) if attachments else ("send", text))
        return self.takes

    def send_to(self, conversation_id: int | None, text: str, attachments: tuple[Attachment, ...] = ()) -> int | None:
        self.calls.append(("send_to", conversation_id, text, attachments))
        return (conversation_id or 99) if self.takes else None

    def keeps_on_disk(self, conversation_id: int) -> bool | None:
        return self.options.keeps_on_disk(conversation_id)

    def set_keeps_on_disk(self, conversation_id: int, keeps: bool) -> None:
        self.options.set_keeps_on_disk(conversation_id, keeps)

    def regenerate(self) -> None:
        self.calls.append(("regenerate",))

    def regenerate_answer(self, message_id: int) -> None:
        self.calls.append(("regenerate_answer", message_id))

    def continue_answer(self) -> None:
        self.calls.append(("continue_answer",))

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


class FakeSession:
    """Notes what it is asked."""

    def __init__(self) -> None:
        self.looked: MediaPart | None = None
        self.sized: list[Part] = []

    def encode(self, part: MediaPart) -> bool:
        self.looked = part
        return True

    def size_of(self, part: Part, _cancelled: object) -> int:
        self.sized.append(part)
        return 0


class FakeKept(QObject):
    changed = Signal(object)
    status = SnapshotStatus()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.was_emptied = False
        self.forgotten: list[str] = []

    def forget(self, conversation: str) -> None:
        self.forgotten.append(conversation)

    def empty(self) -> None:
        self.was_emptied = True


class FakeEngine(QObject):
    state_changed = Signal(object)
    local_changed = Signal(object)
    slot_changed = Signal(object)
    used = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.state: EngineState = NoModel()
        self.slot: SlotStatus | None = None
        self.is_busy = False
        self.is_running = False
        self.snapshots = FakeKept(self)
        self.own_options = ModelOptions()
        """What is set for a model alone, whichever it is."""
        self.calls: list[tuple[object, ...]] = []
        self.encoding: list[MediaPart] = []
        """Pictures that it was asked to look at, and has said nothing of."""
        self.counting: list[tuple[Part, ...]] = []
        """What it was asked to count, and has said nothing of."""
        self._encodings: list[Future[Any]] = []
        self._counts: list[Future[Any]] = []

    def options_of(self, model: ModelRef) -> ModelOptions:
        return self.own_options

    def settings_for(self, model: ModelRef) -> Settings:
        return self.options_of(model).applied(Settings())

    def refresh_adapters(self) -> None:
        self.calls.append(("refresh_adapters",))

    def ask(
        self, question: Question[Answer], done: Callable[[Answer | Exception], None], *, waits: bool = False
    ) -> Future[Answer]:
        asked = FakeSession()
        future: Future[Answer]
        question(cast(Session, asked), lambda: False)
        if asked.looked is not None:
            part = asked.looked
            future = Future(done, lambda: self.calls.append(("cancel_encode", part.name)))
            self.encoding.append(part)
            self._encodings.append(future)
            self.calls.append(("encode", part.name))
        else:
            assert waits
            future = Future(done, lambda: None)
            self.counting.append(tuple(asked.sized))
            self._counts.append(future)
        return future

    def end_count(self, *counts: int) -> None:
        """Answer the count that was asked for first."""
        del self.counting[0]
        self._counts.pop(0).end(list(counts))

    def end_encode(self, ended: bool | Exception = True) -> None:
        """Say of the first picture that it was looked at, or not."""
        del self.encoding[0]
        self._encodings.pop(0).end(ended)

    def hold(self, slot: SlotStatus | None) -> None:
        self.slot = slot
        self.slot_changed.emit(slot)

    @property
    def local_state(self) -> EngineState:
        return NoModel() if isinstance(self.state, ModelOnServer) else self.state

    def enter(self, state: EngineState) -> None:
        self.state = state
        self.local_changed.emit(self.local_state)
        self.state_changed.emit(state)

    def load(self, model: ModelRef, mmproj: Path | None = None) -> None:
        self.calls.append(("load", model) if mmproj is None else ("load", model, mmproj))

    def cancel_load(self) -> None:
        self.calls.append(("cancel_load",))

    def wake(self) -> None:
        self.calls.append(("wake",))

    def deactivate(self) -> None:
        self.calls.append(("deactivate",))

    def rest(self) -> None:
        self.calls.append(("rest",))

    def load_ahead(self) -> None:
        self.calls.append(("load_ahead",))

    def reload(self) -> None:
        self.calls.append(("reload",))

    def unload(self) -> None:
        self.calls.append(("unload",))


class FakeSettings(QObject):
    changed = Signal(object)
    failed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.settings = Settings()

    def update(self, section: type, **values: object) -> None:
        name = SECTIONS[section]
        checked = {each: check(section, each, value) for each, value in values.items()}
        self.settings = replace(self.settings, **{name: replace(getattr(self.settings, name), **checked)})
        self.changed.emit(self.settings)
