"""A conversation from the first question on: what is shown, what is kept, and what goes wrong."""

import sqlite3
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, Signal, Slot
from pytestqt.qtbot import QtBot

from app.core.errors import UserError
from app.core.events import LoadStage, TextDelta
from app.core.loading import Loading
from app.core.messages import DocumentPart, Message, Role, TextPart
from app.core.model_options import key_of
from app.core.model_ref import GUIDE_REF, ModelRef
from app.core.overflow import Overflow
from app.core.sampling import Sampling
from app.core.settings import Interface
from app.services.chat.chat_controller import ChatController
from app.services.chat.conversation_size import conversation_size
from app.services.engine.service import EngineService
from app.services.engine.states import (
    EngineState,
    Generating,
    Idle,
    ModelLoading,
    ModelReady,
    OpenConversation,
    Prefilling,
    ReplyFailed,
    ReplyUpdate,
    Waiting,
    known_model,
)
from app.services.runtime.settings_service import SettingsService
from app.storage.conversations import ConversationStore, MessageState, StoredMessage
from app.storage.database import Database
from app.storage.options import OptionsStore
from tests.services.asking import is_written
from tests.services.conftest import Load
from tests.ui.fakes import MODEL, READY
from tests.waits import WAIT


class Screen(QObject):
    """What a window would show, from the controller's signals alone."""

    def __init__(self, controller: ChatController) -> None:
        super().__init__()
        self.messages: dict[int, StoredMessage] = {}
        self.streamed: dict[int, str] = {}
        self.titles: list[str] = []
        self.errors: list[UserError] = []
        self.told: list[UserError] = []
        self.notices: list[str] = []
        self.activities: list[object] = []
        controller.active.opened.connect(self.open)
        controller.active.path_changed.connect(self.open)
        controller.active.message_added.connect(self.put)
        controller.active.message_changed.connect(self.put)
        self._replies = controller.replies
        controller.replies.said.connect(self.grow)
        controller.active.listed.connect(self.show_titles)
        controller.notices.failed.connect(self.errors.append)
        controller.notices.load_failed.connect(self.errors.append)
        controller.notices.answer_failed.connect(self.told.append)
        controller.notices.noticed.connect(self.notices.append)
        controller.replies.activity_changed.connect(self.activities.append)

    @Slot(object)
    def open(self, opened: OpenConversation | None) -> None:
        self.messages = {each.id: each for each in opened.messages} if opened else {}

    @Slot(object)
    def put(self, stored: StoredMessage) -> None:
        self.messages[stored.id] = stored

    @Slot(object)
    def grow(self, said: ReplyUpdate | ReplyFailed) -> None:
        match said:
            case ReplyUpdate(TextDelta(text)):
                answer = self._replies.answer
                assert answer is not None and answer.stored.message.text.endswith(text), "it is in there already"
                number = answer.message_id
                self.streamed[number] = self.streamed.get(number, "") + text

    @Slot(object)
    def show_titles(self, conversations: object) -> None:
        assert isinstance(conversations, tuple)
        self.titles = [each.title for each in conversations]

    @property
    def talk(self) -> list[tuple[Role, str]]:
        return [(each.message.role, each.message.text) for each in self.messages.values()]

    @property
    def predicted(self) -> object:
        """Tokens of the last answer."""
        return (self.last.figures or {}).get("predicted_n")

    @property
    def state(self) -> MessageState:
        return self.last.state

    @property
    def last(self) -> StoredMessage:
        return list(self.messages.values())[-1]


@pytest.fixture
def screen(controller: ChatController) -> Screen:
    return Screen(controller)


def say(controller: ChatController, text: str, qtbot: QtBot) -> None:
    assert controller.send(text)
    qtbot.waitUntil(lambda: isinstance(controller.replies.activity, Idle), timeout=WAIT)


def test_what_is_on_screen_is_told_before_and_after_its_messages(controller: ChatController, load: Load) -> None:
    load("llama")
    told: list[object] = []
    active = controller.active
    active.switched.connect(told.append)
    active.message_added.connect(lambda stored: told.append(stored.message.role))
    active.changed.connect(lambda: told.append(len(active.path)))
    assert controller.send("Why?")
    number = active.conversation_id
    assert told == [number, Role.USER, 1, Role.ASSISTANT, 2]
    controller.replies.stop()
    told.clear()
    controller.new_conversation()
    assert told == [None, 0]


def test_a_question_is_answered_shown_and_kept(
    controller: ChatController, screen: Screen, load: Load, store: ConversationStore, qtbot: QtBot
) -> None:
    load("llama")
    say(controller, "Why is the sky blue?\nReally.", qtbot)
    question, answer = screen.messages.values()
    assert question.message.text == "Why is the sky blue?\nReally."
    assert answer.state is MessageState.COMPLETE
    assert screen.streamed[answer.id] == answer.message.text != ""
    assert answer.figures is not None
    assert answer.figures["predicted_n"] == 40
    assert answer.figures["model"] == "llama"
    assert screen.titles == ["Why is the sky blue? Really."]
    conversation = store.all()[0]
    assert store.path(conversation.id) == tuple(screen.messages.values())
    kinds = [type(each) for each in screen.activities]
    assert kinds[0] is Waiting
    assert kinds[-1] is Idle
    assert Prefilling in kinds
    assert Generating in kinds


def test_the_second_question_reuses_the_first(
    controller: ChatController, screen: Screen, load: Load, qtbot: QtBot
) -> None:
    load("llama")
    say(controller, "one " * 60, qtbot)
    held = screen.last.figures
    assert held is not None
    say(controller, "two", qtbot)
    figures = screen.last.figures
    assert figures is not None
    assert figures["cache_n"] == held["n_past"]


def test_the_answers_own_tokens_survive_a_restart(
    controller: ChatController, store: ConversationStore, load: Load, screen: Screen, qtbot: QtBot
) -> None:
    load("llama")
    say(controller, "hello", qtbot)
    kept = store.path(store.all()[0].id)[-1].message
    assert kept.generation is not None
    assert len(kept.generation.tokens) == 40


def test_nothing_is_taken_without_a_model(controller: ChatController, screen: Screen, store: ConversationStore) -> None:
    assert not controller.send("hello")
    assert "Choose one" in screen.errors[0].sentence
    assert not store.all()
    assert not controller.send("   ")


def test_a_question_waits_for_the_model_to_load(
    controller: ChatController, engine: EngineService, screen: Screen, tiny_models: dict[str, Path], qtbot: QtBot
) -> None:
    engine.load(ModelRef.of_file(tiny_models["llama"]))
    say(controller, "hello", qtbot)
    assert isinstance(engine.state, ModelReady)
    assert screen.state is MessageState.COMPLETE


def test_a_model_that_fails_to_load_ends_the_wait(
    controller: ChatController, engine: EngineService, screen: Screen, tmp_path: Path, qtbot: QtBot
) -> None:
    (tmp_path / "bad.gguf").write_text("no")
    engine.load(ModelRef.of_file(tmp_path / "bad.gguf"))
    say(controller, "hello", qtbot)
    assert screen.state is MessageState.CANCELLED
    assert "bad.gguf" in screen.errors[-1].sentence


def test_stop_keeps_what_was_written(
    controller: ChatController, settings: SettingsService, screen: Screen, load: Load, qtbot: QtBot
) -> None:
    settings.update(Loading, ctx_size=8192)
    load("llama")
    settings.update(Sampling, max_tokens=0)
    with qtbot.waitSignal(controller.replies.said, timeout=WAIT, check_params_cb=is_written):
        controller.send("talk for ever")
    controller.replies.stop()
    qtbot.waitUntil(lambda: isinstance(controller.replies.activity, Idle), timeout=WAIT)
    assert screen.last.state == "cancelled"
    assert screen.last.message.text == screen.streamed[screen.last.id] != ""
    settings.update(Sampling, max_tokens=5)
    say(controller, "go on", qtbot)
    assert screen.state is MessageState.COMPLETE


def test_stop_while_waiting_for_the_model(
    controller: ChatController, engine: EngineService, screen: Screen, tiny_models: dict[str, Path], qtbot: QtBot
) -> None:
    engine.load(ModelRef.of_file(tiny_models["llama"]))
    controller.send("hello")
    controller.replies.stop()
    assert isinstance(controller.replies.activity, Idle)
    assert screen.last.state == "cancelled"
    qtbot.waitUntil(lambda: isinstance(engine.state, ModelReady), timeout=WAIT)
    say(controller, "and now?", qtbot)
    assert screen.state is MessageState.COMPLETE


def test_one_question_at_a_time(
    controller: ChatController, screen: Screen, load: Load, store: ConversationStore, qtbot: QtBot
) -> None:
    load("llama")
    assert controller.send("one")
    assert not controller.send("two")
    qtbot.waitUntil(lambda: isinstance(controller.replies.activity, Idle), timeout=WAIT)
    assert len(store.path(store.all()[0].id)) == 2


def test_regenerating_keeps_both_answers(
    controller: ChatController, screen: Screen, load: Load, store: ConversationStore, qtbot: QtBot
) -> None:
    load("llama")
    say(controller, "hello", qtbot)
    question = next(iter(screen.messages.values()))
    controller.regenerate()
    qtbot.waitUntil(lambda: isinstance(controller.replies.activity, Idle), timeout=WAIT)
    assert len(store.children(question.id, question.conversation_id)) == 2
    assert [role for role, _ in screen.talk] == [Role.USER, Role.ASSISTANT]
    assert screen.last.figures is not None
    assert screen.last.figures["prompt_n"] == 1


def test_a_reply_goes_on_while_another_conversation_is_on_screen(
    controller: ChatController, screen: Screen, load: Load, store: ConversationStore, qtbot: QtBot
) -> None:
    load("llama")
    controller.send("first")
    controller.new_conversation()
    assert not screen.messages
    qtbot.waitUntil(lambda: isinstance(controller.replies.activity, Idle), timeout=WAIT)
    assert not screen.messages
    conversation = store.all()[0]
    controller.open_conversation(conversation.id)
    assert screen.state is MessageState.COMPLETE


def test_a_growing_answer_is_on_disk_before_it_ends(
    controller: ChatController, settings: SettingsService, load: Load, store: ConversationStore, qtbot: QtBot
) -> None:
    settings.update(Loading, ctx_size=8192)
    load("llama")
    settings.update(Sampling, max_tokens=0)
    with qtbot.waitSignal(controller.replies.said, timeout=WAIT, check_params_cb=is_written):
        controller.send("talk")
    answer = store.path(store.all()[0].id)[-1]
    assert answer.state is MessageState.WRITING
    controller.replies.save()
    assert store.path(store.all()[0].id)[-1].message.text
    controller.replies.stop()
    qtbot.waitUntil(lambda: isinstance(controller.replies.activity, Idle), timeout=WAIT)


def test_what_a_crash_cut_off_is_shown_as_such(
    controller: ChatController, screen: Screen, store: ConversationStore
) -> None:
    conversation = store.create("cut")
    asked = store.append(conversation.id, None, Message.of(Role.USER, "q"))
    half = Message(Role.ASSISTANT, (TextPart("half an ans"),))
    store.append(conversation.id, asked.id, half, MessageState.WRITING)
    controller.start()
    assert screen.last.state is MessageState.INTERRUPTED
    assert screen.last.message.text == "half an ans"
    assert not screen.notices, "the answer says it, and that the program crashed is told at the start"


def test_a_disk_that_may_not_be_written_shows_what_is_there(
    controller: ChatController, screen: Screen, store: ConversationStore, database: Database
) -> None:
    conversation = store.create("cut")
    asked = store.append(conversation.id, None, Message.of(Role.USER, "q"))
    store.append(conversation.id, asked.id, Message(Role.ASSISTANT), MessageState.WRITING)
    database.execute("PRAGMA query_only = ON")
    controller.start()
    assert screen.titles == ["cut"]
    assert screen.talk[0][1] == "q"
    assert len(screen.errors) == 1


class SlowEngine(QObject):
    """It has been loading a model, and is ready when it is told."""

    state_changed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.state: EngineState = ModelLoading(MODEL.ref, LoadStage.LOADING, 0.0)

    def bring_back(self, conversation: str) -> None:
        """Nothing was kept."""


def test_a_question_that_can_not_be_read_again_is_not_waited_for(
    store: ConversationStore, database: Database, settings: SettingsService
) -> None:
    engine = SlowEngine()
    controller = ChatController(store, engine, settings, OptionsStore(database))  # type: ignore[arg-type]
    screen = Screen(controller)
    assert controller.send("hello")
    assert isinstance(controller.replies.activity, Waiting)
    database._connection.set_authorizer(lambda *_: sqlite3.SQLITE_DENY)
    engine.state = READY
    engine.state_changed.emit(READY)
    database._connection.set_authorizer(None)
    assert isinstance(controller.replies.activity, Idle)
    assert screen.state is MessageState.FAILED
    assert (screen.last.figures or {})["error"]


def test_deleting_and_undoing(controller: ChatController, screen: Screen, load: Load, qtbot: QtBot) -> None:
    load("llama")
    say(controller, "keep me", qtbot)
    conversation = controller.active.conversation
    assert conversation is not None
    controller.delete(conversation.id)
    assert not screen.titles
    assert not screen.messages
    controller.undo_delete(conversation.id)
    assert screen.titles == ["keep me"]
    assert screen.talk[0][1] == "keep me"
    controller.rename(conversation.id, "another name")
    assert screen.titles == ["another name"]


def test_the_system_prompt_reaches_the_model(
    controller: ChatController, settings: SettingsService, screen: Screen, load: Load, qtbot: QtBot
) -> None:
    load("llama")
    say(controller, "hello", qtbot)
    plain = screen.last.figures
    settings.update(Interface, system_prompt="You speak like a pirate.")
    controller.new_conversation()
    say(controller, "hello", qtbot)
    assert plain is not None
    assert screen.last.figures is not None
    total = [figures["cache_n"] + figures["prompt_n"] for figures in (plain, screen.last.figures)]  # type: ignore[operator]  # both are numbers
    assert total[1] > total[0] + 10


def test_a_stopped_empty_answer_does_not_confuse_the_next(
    controller: ChatController, engine: EngineService, screen: Screen, tiny_models: dict[str, Path], qtbot: QtBot
) -> None:
    """Two questions in a row would make many templates refuse; they are joined."""
    engine.load(ModelRef.of_file(tiny_models["gemma3"]))
    controller.send("hello")
    controller.replies.stop()
    qtbot.waitUntil(lambda: isinstance(engine.state, ModelReady), timeout=WAIT)
    say(controller, "again", qtbot)
    assert screen.state is MessageState.COMPLETE
    assert not screen.errors


def test_a_disk_that_refuses_loses_nothing_in_memory(
    engine: EngineService, settings: SettingsService, load: Load, tmp_path: Path, qtbot: QtBot
) -> None:
    with Database.open(tmp_path / "full.sqlite3") as database:
        controller = ChatController(ConversationStore(database), engine, settings, OptionsStore(database))
        screen = Screen(controller)
        load("llama")
        assert controller.send("hello")
        pages = database.query("PRAGMA page_count", ())[0][0]
        database.execute(f"PRAGMA max_page_count = {pages}", ())
        qtbot.waitUntil(lambda: isinstance(controller.replies.activity, Idle), timeout=WAIT)
        assert screen.last.message.text, "the answer is on screen in any case"
        assert screen.state is MessageState.COMPLETE


def test_a_disk_that_is_full_takes_no_question_and_loses_none(
    engine: EngineService, settings: SettingsService, load: Load, tmp_path: Path, qtbot: QtBot
) -> None:
    with Database.open(tmp_path / "full.sqlite3") as database:
        controller = ChatController(ConversationStore(database), engine, settings, OptionsStore(database))
        screen = Screen(controller)
        load("llama")
        say(controller, "hello", qtbot)
        before = list(screen.messages)
        pages = database.query("PRAGMA page_count", ())[0][0]
        database.execute(f"PRAGMA max_page_count = {pages}", ())
        assert not controller.send("x" * 200_000), "the composer keeps the text"
        assert list(screen.messages) == before
        assert screen.errors
        assert isinstance(controller.replies.activity, Idle)
        database.execute("PRAGMA max_page_count = 1000000", ())
        say(controller, "x" * 100, qtbot)
        assert screen.last.state == "complete"


def test_a_peek_tells_what_a_send_then_reads(
    controller: ChatController, screen: Screen, load: Load, qtbot: QtBot
) -> None:
    load("llama")
    say(controller, "one " * 30, qtbot)
    with qtbot.waitSignal(controller.peeked, timeout=WAIT) as peeked:
        controller.peek("and now?")
    say(controller, "and now?", qtbot)
    figures = screen.last.figures
    assert figures is not None
    assert (figures["cache_n"], figures["prompt_n"]) == (
        peeked.args[0].keep,
        peeked.args[0].total - peeked.args[0].keep,
    )


def test_the_slot_is_told_with_each_answer(
    controller: ChatController, engine: EngineService, load: Load, qtbot: QtBot
) -> None:
    load("qwen35")
    assert engine.slot is not None
    assert engine.slot.n_past == 0
    say(controller, "one " * 30, qtbot)
    assert engine.slot.n_past > 100
    assert engine.slot.checkpoints


def test_a_full_context_is_met_as_the_conversation_asks(
    controller: ChatController, settings: SettingsService, screen: Screen, load: Load, qtbot: QtBot
) -> None:
    settings.update(Loading, ctx_size=256)
    load("llama")
    for _ in range(2):
        say(controller, "x" * 60, qtbot)
    say(controller, "y" * 80, qtbot)
    assert "the context holds 256" in screen.told[-1].sentence
    assert (screen.last.figures or {})["error"] == screen.told[-1].sentence
    assert screen.errors == [], "it is told once"
    controller.options.set_overflow(controller.active.conversation_id, Overflow.DROP_OLDEST)
    controller.regenerate()
    qtbot.waitUntil(lambda: isinstance(controller.replies.activity, Idle), timeout=WAIT)
    assert screen.last.state == "complete"
    assert any("left out" in note for note in screen.notices)


def test_a_models_own_sampling_is_used_for_it_alone(
    controller: ChatController, screen: Screen, load: Load, qtbot: QtBot
) -> None:
    model = load("llama").info.ref
    controller.options.set_sampling_of_model(key_of(model), {"max_tokens": 3})
    say(controller, "hello", qtbot)
    lengths = [screen.predicted]
    load("gemma3")
    say(controller, "hello", qtbot)
    lengths.append(screen.predicted)
    assert lengths == [3, 40]


def test_reloading_keeps_the_conversation(
    controller: ChatController,
    engine: EngineService,
    settings: SettingsService,
    screen: Screen,
    load: Load,
    qtbot: QtBot,
) -> None:
    load("llama")
    say(controller, "hello", qtbot)
    settings.update(Loading, ctx_size=512)
    with qtbot.waitSignal(engine.state_changed, timeout=WAIT, check_params_cb=lambda s: isinstance(s, ModelReady)):
        engine.reload()
    assert isinstance(engine.state, ModelReady)
    assert engine.state.info.n_ctx == 512
    assert len(screen.messages) == 2
    say(controller, "and now?", qtbot)
    assert screen.last.state == "complete"


def test_an_answer_that_fails_out_of_sight_is_told_in_the_window(
    controller: ChatController, settings: SettingsService, screen: Screen, load: Load, qtbot: QtBot
) -> None:
    settings.update(Loading, ctx_size=256)
    load("llama")
    controller.send("x" * 400)
    controller.new_conversation()
    qtbot.waitUntil(lambda: isinstance(controller.replies.activity, Idle), timeout=WAIT)
    assert ["the context holds 256" in each.sentence for each in screen.errors] == [True]
    assert screen.told == []


def test_the_guide_is_sent_no_document(
    controller: ChatController, screen: Screen, engine: EngineService, store: ConversationStore, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(
        engine.state_changed, timeout=WAIT, check_params_cb=lambda state: isinstance(state, ModelReady)
    ):
        engine.load(GUIDE_REF)
    assert not controller.send("Summarise this file", (DocumentPart("hash", "notes.txt", "Two words."),))
    assert not controller.send("a word or two " * 160)
    told = "This is too much for the guide; a larger model can read it."
    assert [each.sentence for each in screen.errors] == [told, told]
    assert not store.all()


def test_a_question_that_had_no_room_is_asked_again_without_the_oldest(
    controller: ChatController, screen: Screen, engine: EngineService, load: Load, qtbot: QtBot
) -> None:
    load("llama")
    say(controller, "the rain in the mountains " * 50, qtbot)
    assert [screen.state] == [MessageState.COMPLETE]
    say(controller, "and the river under it " * 50, qtbot)
    assert [screen.state] == [MessageState.FAILED]
    assert (screen.last.figures or {})["reason"] == "context_full"
    assert conversation_size(controller.active.path, known_model(engine.state)).n > 1024
    controller.options.set_overflow(controller.active.conversation_id, Overflow.DROP_OLDEST)
    controller.regenerate()
    qtbot.waitUntil(lambda: isinstance(controller.replies.activity, Idle), timeout=WAIT)
    assert [screen.state] == [MessageState.COMPLETE]
    assert screen.last.message.text
