"""A conversation from the first question on: what is shown, what is kept, and what goes wrong."""

import sqlite3
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from pytestqt.qtbot import QtBot

from app.core.events import LoadStage
from app.core.loading import Loading
from app.core.messages import DocumentPart, Message, Role, TextPart
from app.core.model_options import key_of
from app.core.model_ref import GUIDE_REF
from app.core.overflow import Overflow
from app.core.sampling import Sampling
from app.core.settings import Interface
from app.services.chat.chat_controller import ChatController
from app.services.chat.conversation_size import conversation_size
from app.services.engine.states import (
    EngineState,
    Generating,
    Idle,
    ModelLoading,
    ModelReady,
    Prefilling,
    Stopping,
    Waiting,
    known_model,
)
from app.services.runtime.settings_service import SettingsService
from app.storage.conversations import ConversationStore, MessageState
from app.storage.database import Database
from app.storage.options import OptionsStore
from tests.services.chatting import Chat
from tests.ui.fakes import MODEL, READY
from tests.waits import WAIT


def test_what_is_on_screen_is_told_before_and_after_its_messages(chat: Chat) -> None:
    chat.load("llama")
    told: list[object] = []
    active = chat.active
    active.switched.connect(told.append)
    active.message_added.connect(lambda stored: told.append(stored.message.role))
    active.changed.connect(lambda: told.append(len(active.path)))
    assert chat.controller.send("Why?")
    number = active.conversation_id
    assert told == [number, Role.USER, 1, Role.ASSISTANT, 2]
    chat.replies.stop()
    told.clear()
    chat.controller.new_conversation()
    assert told == [None, 0]


def test_a_question_is_answered_shown_and_kept(chat: Chat) -> None:
    chat.load("llama")
    chat.say("Why is the sky blue?\nReally.")
    question, answer = chat.messages
    assert question.message.text == "Why is the sky blue?\nReally."
    assert answer.state is MessageState.COMPLETE
    assert chat.streamed[answer.id] == answer.message.text != ""
    assert (chat.figures["predicted_n"], chat.figures["model"]) == (40, "llama")
    assert answer.message.generation is not None
    assert len(answer.message.generation.tokens) == 40
    assert chat.titles == ["Why is the sky blue? Really."]
    assert chat.kept() == tuple(chat.messages)
    kinds = [type(each) for each in chat.activities]
    assert kinds[0] is Waiting
    assert kinds[-1] is Idle
    assert Prefilling in kinds
    assert Generating in kinds


def test_the_second_question_reuses_the_first(chat: Chat) -> None:
    chat.load("llama")
    chat.say("one " * 60)
    held = chat.figures
    chat.say("two")
    assert chat.figures["cache_n"] == held["n_past"]


def test_nothing_is_taken_without_a_model(chat: Chat) -> None:
    assert not chat.controller.send("hello")
    assert "Choose one" in chat.errors[0].sentence
    assert not chat.store.all()
    assert not chat.controller.send("   ")


def test_a_question_waits_for_the_model_to_load(chat: Chat, tiny_models: dict[str, Path]) -> None:
    chat.load_file(tiny_models["llama"])
    chat.say("hello")
    assert isinstance(chat.engine.state, ModelReady)
    assert chat.state == "complete"


def test_a_model_that_fails_to_load_ends_the_wait(chat: Chat, tmp_path: Path) -> None:
    (tmp_path / "bad.gguf").write_text("no")
    chat.load_file(tmp_path / "bad.gguf")
    chat.say("hello")
    assert chat.state == "cancelled"
    assert "bad.gguf" in chat.errors[-1].sentence


def test_stop_keeps_what_was_written(chat: Chat, settings: SettingsService) -> None:
    settings.update(Loading, ctx_size=8192)
    chat.load("llama")
    settings.update(Sampling, max_tokens=0)
    chat.begin("talk for ever")
    chat.replies.stop()
    chat.rest()
    assert chat.state == "cancelled"
    assert chat.last.message.text == chat.streamed[chat.last.id] != ""
    settings.update(Sampling, max_tokens=5)
    chat.say("go on")
    assert chat.state == "complete"


def test_stop_while_waiting_for_the_model(chat: Chat, tiny_models: dict[str, Path]) -> None:
    """Two questions in a row would make this one's template refuse; they are joined."""
    chat.load_file(tiny_models["gemma3"])
    chat.controller.send("hello")
    chat.replies.stop()
    assert isinstance(chat.replies.activity, Idle)
    assert chat.state == "cancelled"
    chat.until(lambda: isinstance(chat.engine.state, ModelReady))
    chat.say("and now?")
    assert chat.state == "complete"
    assert not chat.errors


def test_one_question_at_a_time(chat: Chat) -> None:
    chat.load("llama")
    assert chat.controller.send("one")
    assert not chat.controller.send("two")
    chat.rest()
    assert len(chat.kept()) == 2


def test_regenerating_keeps_both_answers(chat: Chat) -> None:
    chat.load("llama")
    chat.say("hello")
    question = chat.messages[0]
    chat.regenerate()
    assert len(chat.store.children(question.id, question.conversation_id)) == 2
    assert [role for role, _ in chat.talk] == [Role.USER, Role.ASSISTANT]
    assert chat.figures["prompt_n"] == 1


def test_a_reply_goes_on_while_another_conversation_is_on_screen(chat: Chat) -> None:
    chat.load("llama")
    chat.controller.send("first")
    chat.controller.new_conversation()
    assert not chat.messages
    chat.rest()
    assert not chat.messages
    conversation = chat.store.all()[0]
    chat.controller.open_conversation(conversation.id)
    assert chat.state == "complete"


def test_a_growing_answer_is_on_disk_before_it_ends(chat: Chat, settings: SettingsService) -> None:
    settings.update(Loading, ctx_size=8192)
    chat.load("llama")
    settings.update(Sampling, max_tokens=0)
    chat.begin("talk")
    answer = chat.kept()[-1]
    assert answer.state is MessageState.WRITING
    chat.replies.save()
    assert chat.kept()[-1].message.text
    chat.replies.stop()
    chat.rest()


def test_what_a_crash_cut_off_is_shown_as_such(chat: Chat) -> None:
    conversation = chat.store.create("cut")
    asked = chat.store.append(conversation.id, None, Message.of(Role.USER, "q"))
    half = Message(Role.ASSISTANT, (TextPart("half an ans"),))
    chat.store.append(conversation.id, asked.id, half, MessageState.WRITING)
    chat.controller.start()
    assert chat.state == "interrupted"
    assert chat.last.message.text == "half an ans"
    assert not chat.notices, "the answer says it, and that the program crashed is told at the start"


def test_a_disk_that_may_not_be_written_shows_what_is_there(chat: Chat, database: Database) -> None:
    conversation = chat.store.create("cut")
    asked = chat.store.append(conversation.id, None, Message.of(Role.USER, "q"))
    chat.store.append(conversation.id, asked.id, Message(Role.ASSISTANT), MessageState.WRITING)
    database.execute("PRAGMA query_only = ON")
    chat.controller.start()
    assert chat.titles == ["cut"]
    assert chat.talk[0][1] == "q"
    assert len(chat.errors) == 1


class NothingKept:
    def bring_back(self, conversation: str) -> None:
        """There is nothing."""


class SlowEngine(QObject):
    """It has been loading a model, and is ready when it is told."""

    state_changed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.state: EngineState = ModelLoading(MODEL.ref, LoadStage.LOADING, 0.0)
        self.snapshots = NothingKept()

    def wake(self) -> None:
        """It is on its way."""


def test_a_question_that_can_not_be_read_again_is_not_waited_for(
    store: ConversationStore, database: Database, settings: SettingsService
) -> None:
    engine = SlowEngine()
    controller = ChatController(store, engine, settings, OptionsStore(database))  # type: ignore[arg-type]
    assert controller.send("hello")
    assert isinstance(controller.replies.activity, Waiting)
    database._connection.set_authorizer(lambda *_: sqlite3.SQLITE_DENY)
    engine.state = READY
    engine.state_changed.emit(READY)
    database._connection.set_authorizer(None)
    assert isinstance(controller.replies.activity, Idle)
    answer = controller.active.path[-1]
    assert answer.state is MessageState.FAILED
    assert (answer.figures or {})["error"]


def test_deleting_and_undoing(chat: Chat) -> None:
    chat.load("llama")
    chat.say("keep me")
    conversation = chat.active.conversation
    assert conversation is not None
    chat.controller.delete(conversation.id)
    assert not chat.titles
    assert not chat.messages
    chat.controller.undo_delete(conversation.id)
    assert chat.titles == ["keep me"]
    assert chat.talk[0][1] == "keep me"
    chat.controller.rename(conversation.id, "another name")
    assert chat.titles == ["another name"]


def test_the_system_prompt_reaches_the_model(chat: Chat, settings: SettingsService) -> None:
    chat.load("llama")
    chat.say("hello")
    plain = chat.figures
    settings.update(Interface, system_prompt="You speak like a pirate.")
    chat.controller.new_conversation()
    chat.say("hello")
    before, after = (figures["cache_n"] + figures["prompt_n"] for figures in (plain, chat.figures))
    assert after > before + 10


def fill_up(database: Database) -> None:
    """As a disk without room."""
    database.execute(f"PRAGMA max_page_count = {database.query('PRAGMA page_count', ())[0][0]}", ())


def test_a_disk_that_refuses_loses_nothing_in_memory(chat: Chat, database: Database) -> None:
    chat.load("llama")
    assert chat.controller.send("hello")
    fill_up(database)
    chat.rest()
    assert chat.last.message.text, "the answer is on screen in any case"
    assert chat.state == "complete"


def test_a_disk_that_is_full_takes_no_question_and_loses_none(chat: Chat, database: Database) -> None:
    chat.load("llama")
    chat.say("hello")
    before = list(chat.messages)
    fill_up(database)
    assert not chat.controller.send("x" * 200_000), "the composer keeps the text"
    assert chat.messages == before
    assert chat.errors
    assert isinstance(chat.replies.activity, Idle)
    database.execute("PRAGMA max_page_count = 1000000", ())
    chat.say("x" * 100)
    assert chat.state == "complete"


def test_a_peek_tells_what_a_send_then_reads(chat: Chat, qtbot: QtBot) -> None:
    chat.load("llama")
    chat.say("one " * 30)
    with qtbot.waitSignal(chat.controller.peeked, timeout=WAIT) as peeked:
        chat.controller.peek("and now?")
    chat.say("and now?")
    [peek] = peeked.args
    assert (chat.figures["cache_n"], chat.figures["prompt_n"]) == (peek.keep, peek.total - peek.keep)


def test_the_slot_is_told_with_each_answer(chat: Chat) -> None:
    chat.load("qwen35")
    assert chat.engine.slot is not None
    assert chat.engine.slot.n_past == 0
    chat.say("one " * 30)
    assert chat.engine.slot.n_past > 100
    assert chat.engine.slot.checkpoints


def test_a_full_context_is_met_as_the_conversation_asks(chat: Chat, settings: SettingsService) -> None:
    settings.update(Loading, ctx_size=256)
    chat.load("llama")
    for _ in range(2):
        chat.say("x" * 60)
    chat.say("y" * 80)
    assert "the context holds 256" in chat.told[-1].sentence
    assert chat.figures["error"] == chat.told[-1].sentence
    assert chat.errors == [], "it is told once"
    chat.options.set_overflow(chat.active.conversation_id, Overflow.DROP_OLDEST)
    chat.regenerate()
    assert chat.state == "complete"
    assert any("left out" in note for note in chat.notices)


def test_a_models_own_sampling_is_used_for_it_alone(chat: Chat) -> None:
    model = chat.load("llama").info.ref
    chat.options.set_sampling_of_model(key_of(model), {"max_tokens": 3})
    chat.say("hello")
    assert chat.figures["predicted_n"] == 3
    chat.load("gemma3")
    chat.say("hello")
    assert chat.figures["predicted_n"] == 40


def test_reloading_keeps_the_conversation(chat: Chat, settings: SettingsService) -> None:
    chat.load("llama")
    chat.say("hello")
    settings.update(Loading, ctx_size=512)
    with chat.becomes(ModelReady):
        chat.engine.reload()
    assert isinstance(chat.engine.state, ModelReady)
    assert chat.engine.state.info.n_ctx == 512
    assert len(chat.messages) == 2
    chat.say("and now?")
    assert chat.state == "complete"


def test_an_answer_that_fails_out_of_sight_is_told_in_the_window(chat: Chat, settings: SettingsService) -> None:
    settings.update(Loading, ctx_size=256)
    chat.load("llama")
    chat.controller.send("x" * 400)
    chat.controller.new_conversation()
    chat.rest()
    assert ["the context holds 256" in each.sentence for each in chat.errors] == [True]
    assert chat.told == []


def test_the_guide_is_sent_no_document(chat: Chat) -> None:
    with chat.becomes(ModelReady):
        chat.engine.load(GUIDE_REF)
    assert not chat.controller.send("Summarise this file", (DocumentPart("hash", "notes.txt", "Two words."),))
    assert not chat.controller.send("a word or two " * 160)
    told = "This is too much for the guide; a larger model can read it."
    assert [each.sentence for each in chat.errors] == [told, told]
    assert not chat.store.all()


def test_a_question_that_had_no_room_is_asked_again_without_the_oldest(chat: Chat) -> None:
    chat.load("llama")
    chat.say("the rain in the mountains " * 50)
    assert chat.state == "complete"
    chat.say("and the river under it " * 50)
    assert chat.state == "failed"
    assert chat.figures["reason"] == "context_full"
    assert conversation_size(chat.active.path, known_model(chat.engine.state)).n > 1024
    chat.options.set_overflow(chat.active.conversation_id, Overflow.DROP_OLDEST)
    chat.regenerate()
    assert chat.state == "complete"
    assert chat.last.message.text


def test_a_disk_that_keeps_a_conversation_lets_its_answer_go_on(
    chat: Chat, settings: SettingsService, database: Database
) -> None:
    settings.update(Loading, ctx_size=8192)
    settings.update(Sampling, max_tokens=0)
    chat.load("llama")
    chat.begin("talk for ever")
    number = chat.active.conversation_id
    assert number is not None
    denied = lambda action, table, *_: (  # noqa: E731 - SQLite asks it what is allowed
        sqlite3.SQLITE_DENY if (action, table) == (sqlite3.SQLITE_UPDATE, "conversation") else sqlite3.SQLITE_OK
    )
    database._connection.set_authorizer(denied)
    chat.controller.delete(number)
    database._connection.set_authorizer(None)
    assert chat.errors and chat.replies.is_writing_in(number)
    assert not isinstance(chat.replies.activity, Stopping)
    chat.controller.delete(number)
    chat.rest()
    assert not chat.store.all()
