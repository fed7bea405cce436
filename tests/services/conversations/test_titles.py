"""Titles that the model makes when nobody wants anything else of it."""

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, Signal
from pytestqt.qtbot import QtBot

from app.core.events import Finished, FinishReason, Timings
from app.core.loading import Loading
from app.core.messages import Generation, Message, Role
from app.core.model_ref import GUIDE_REF
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.core.settings import Interface
from app.core.speculation import DraftFigures
from app.services.chat.chat_controller import ChatController
from app.services.chat.conversation_options import ConversationOptions
from app.services.chat.notices import ChatNotices
from app.services.chat.request_builder import RequestBuilder
from app.services.conversations.titles import TitleMaker, clean_title
from app.services.engine.futures import Hear, Reply
from app.services.engine.service import EngineService
from app.services.engine.states import Activity, Generating, Idle, ModelReady, ReplyFailed, ReplyUpdate
from app.services.runtime.settings_service import SettingsService
from app.storage.conversations import Conversation, ConversationStore, MessageState, StoredMessage, TitledBy
from app.storage.database import Database
from app.storage.options import OptionsStore
from tests.services.asking import Heard, is_written, watch
from tests.services.asking import answer as answer_to
from tests.services.conftest import Load
from tests.waits import WAIT


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Why the sky is blue", "Why the sky is blue"),
        ('"Why the sky is blue."', "Why the sky is blue"),
        ("**Title:** Blue skies\n\nI hope that helps!", "Blue skies"),
        ("Titel: „Blauer Himmel“", "Blauer Himmel"),
        ("# Blue `skies`", "Blue skies"),
        ("Blue skies [1], and red ones [2, 3].", "Blue skies, and red ones"),
        ("<think>They ask about…\nlight</think>\nBlue skies", "Blue skies"),
        ("<think>They ask about light and I", ""),
        ("「青い空」", "青い空"),
        ("Is the sky blue?", "Is the sky blue?"),
        ("", ""),
        (" \n… - **", ""),
    ],
)
def test_a_title_is_one_plain_line(text: str, title: str) -> None:
    assert clean_title(text) == title


def test_half_words_and_sermons_are_cut() -> None:
    assert clean_title("Why the sky is so bl", cut_off=True) == "Why the sky is so"
    assert clean_title("Blue", cut_off=True) == "Blue"
    long = clean_title("word " * 40)
    assert len(long) <= 61
    assert long.endswith("word…")


@pytest.fixture
def titles(
    store: ConversationStore, database: Database, engine: EngineService, settings: SettingsService,
    controller: ChatController,
) -> Iterator[TitleMaker]:  # fmt: skip
    requests = RequestBuilder(settings, ConversationOptions(OptionsStore(database), ChatNotices()))
    maker = TitleMaker(store, engine, settings, controller, requests)
    yield maker
    maker.close()


class Bench(QObject):
    """The engine and the controller as a title maker sees them."""

    ended = Signal(object)
    changed = Signal()

    def __init__(self, state: object) -> None:
        super().__init__()
        self.state = state
        self.is_busy = False
        self.conversations: dict[int, Activity] = {}
        self.asked: list[ChatRequest] = []
        self.hear: list[Hear] = []
        """Of each that was asked."""
        self.cancelled: list[int] = []
        self.n_refreshed = 0

    def is_writing_in(self, conversation: int | None) -> bool:
        return conversation in self.conversations

    def generate(self, request: ChatRequest, hear: Hear, *, idle: bool, visits: bool) -> Reply:
        assert idle and not visits
        self.asked.append(request)
        self.hear.append(hear)
        return Reply(hear, partial(self.cancelled.append, len(self.asked)))

    @property
    def replies(self) -> "Bench":
        return self

    def refresh(self) -> None:
        self.n_refreshed += 1

    def say(self, text: str, reason: FinishReason = FinishReason.STOP) -> None:
        finished = Finished(reason, text, Generation("v", ()), Timings(), 0, 0)
        self.hear[-1](ReplyUpdate(finished))


@pytest.fixture
def bench(
    store: ConversationStore, database: Database, settings: SettingsService
) -> Iterator[tuple[Bench, TitleMaker]]:
    from tests.ui.fakes import READY

    stand_in = Bench(READY)
    requests = RequestBuilder(settings, ConversationOptions(OptionsStore(database), ChatNotices()))
    maker = TitleMaker(store, stand_in, settings, stand_in, requests)  # type: ignore[arg-type]
    yield stand_in, maker
    maker.close()


def answer(store: ConversationStore, bench: Bench, maker: TitleMaker, n: int = 1) -> Conversation:
    """A conversation with `n` questions and answers, and a moment's rest."""
    chat = store.create("First line").id
    parent = None
    stored = None
    for _ in range(n):
        parent = store.append(chat, parent, Message.of(Role.USER, "Why?")).id
        stored = store.append(chat, parent, Message.of(Role.ASSISTANT, "Because."))
        parent = stored.id
    bench.ended.emit(stored)
    maker.make()
    found = store.get(chat)
    assert found is not None
    return found


def test_the_title_goes_on_from_the_conversation(
    store: ConversationStore, bench: tuple[Bench, TitleMaker], qtbot: QtBot
) -> None:
    stand_in, maker = bench
    chat = answer(store, *bench)
    (request,) = stand_in.asked
    assert [each.text for each in request.messages[:2]] == ["Why?", "Because."]
    assert request.conversation == str(chat.id)
    assert request.sampling.max_tokens == 16
    with qtbot.waitSignal(maker.titled):
        stand_in.say('"The reason why"')
    renamed = store.get(chat.id)
    assert renamed is not None
    assert (renamed.title, renamed.titled_by) == ("The reason why", TitledBy.MODEL)
    assert stand_in.n_refreshed == 1
    maker.make()
    assert len(stand_in.asked) == 1, "once is enough"


def test_what_the_user_typed_is_never_replaced(store: ConversationStore, bench: tuple[Bench, TitleMaker]) -> None:
    stand_in, maker = bench
    chat = answer(store, *bench)
    store.rename(chat.id, "Mine")
    stand_in.say("Something better")
    assert [each.title for each in store.all()] == ["Mine"]
    stored = store.append(chat.id, None, Message.of(Role.ASSISTANT, "More."))
    stand_in.ended.emit(stored)
    maker.make()
    assert len(stand_in.asked) == 1


@pytest.mark.parametrize("reason", [FinishReason.CANCELLED, FinishReason.CONTEXT_FULL])
def test_a_title_that_did_not_come_changes_nothing(
    store: ConversationStore, bench: tuple[Bench, TitleMaker], reason: FinishReason
) -> None:
    stand_in, _ = bench
    answer(store, *bench)
    stand_in.say("Half a ti", reason)
    assert [each.title for each in store.all()] == ["First line"]
    answer(store, *bench)
    stand_in.hear[1](ReplyFailed(RuntimeError()))
    answer(store, *bench)
    assert len(stand_in.asked) == 3, "another conversation gets its chance"


def test_who_gets_none(
    store: ConversationStore, bench: tuple[Bench, TitleMaker], settings: SettingsService, tmp_path: Path
) -> None:
    stand_in, _ = bench
    answer(store, *bench, n=4)
    assert stand_in.asked == [], "a long one keeps what it has"
    settings.update(Interface, model_titles=False)
    answer(store, *bench)
    settings.update(Interface, model_titles=True)
    assert isinstance(stand_in.state, ModelReady)
    stand_in.state = ModelReady(replace(stand_in.state.info, ref=GUIDE_REF))
    answer(store, *bench)
    assert stand_in.asked == []


def say(controller: ChatController, text: str, qtbot: QtBot) -> None:
    assert controller.send(text)
    qtbot.waitUntil(lambda: isinstance(controller.replies.activity, Idle), timeout=WAIT)


def reused(store: ConversationStore, chat: int) -> int:
    """Of the last answer: the entries that were not read again."""
    figures = store.path(chat)[-1].figures
    assert figures is not None
    n_reused = figures["cache_n"]
    assert isinstance(n_reused, int)
    return n_reused


@pytest.mark.parametrize("family", ["llama", "sliding", "hybrid", "recurrent"])
def test_the_next_question_reads_nothing_twice_after_a_title(
    family: str, titles: TitleMaker, controller: ChatController, store: ConversationStore, load: Load, qtbot: QtBot
) -> None:
    load(FAMILIES[family])
    for with_title in (False, True):
        controller.new_conversation()
        say(controller, "Why is the sky blue?", qtbot)
        if with_title:
            titles.make()
            assert titles._reply is not None
            qtbot.waitUntil(lambda: titles._reply is None, timeout=WAIT)
        say(controller, "And at night?", qtbot)
    # What the title's question begins with is the beginning of any other question too.
    assert reused(store, 2) >= reused(store, 1) > 40


def test_a_question_does_not_wait_for_a_title(
    titles: TitleMaker, controller: ChatController, store: ConversationStore, engine: EngineService, load: Load,
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    load("llama")
    say(controller, "Why is the sky blue?", qtbot)
    heard = watch(engine, monkeypatch)
    titles.make()
    say(controller, "And at night?", qtbot)
    first, second = heard.ends
    assert first.reason is FinishReason.CANCELLED
    assert second.reason is not FinishReason.CANCELLED
    assert [each.titled_by for each in store.all()] == [TitledBy.PROGRAM]


def test_a_title_does_not_wait_for_an_answer_elsewhere(
    titles: TitleMaker, controller: ChatController, engine: EngineService, settings: SettingsService, load: Load,
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    settings.update(Loading, ctx_size=4096)
    load("llama")
    say(controller, "Why is the sky blue?", qtbot)
    settings.update(Sampling, max_tokens=0)
    controller.new_conversation()
    with qtbot.waitSignal(controller.replies.said, timeout=WAIT, check_params_cb=is_written):
        assert controller.send("And at night?")
    heard = watch(engine, monkeypatch)
    titles.make()
    qtbot.waitUntil(lambda: bool(heard.ends), timeout=WAIT)
    assert heard.ends[0].reason in (FinishReason.STOP, FinishReason.LENGTH)
    assert controller.replies.is_busy, "the answer goes on"
    controller.replies.stop_all()
    qtbot.waitUntil(lambda: not controller.replies.is_busy, timeout=WAIT)


def test_a_title_waits_for_the_end_of_an_answer_that_drafts_help(
    store: ConversationStore, bench: tuple[Bench, TitleMaker]
) -> None:
    """They end where somebody else is written beside it."""
    stand_in, maker = bench
    assert isinstance(stand_in.state, ModelReady)
    stand_in.state = ModelReady(replace(stand_in.state.info, n_parallel=4))
    stand_in.conversations = {7: Generating(9.0, 60, DraftFigures(rounds=5, drafted=40, accepted=35, gain=1.6))}
    chat = answer(store, *bench)
    assert stand_in.asked == []
    stand_in.conversations = {7: Generating(9.0, 60, DraftFigures(rounds=5, drafted=40, accepted=3, gain=0.99))}
    maker.make()
    (request,) = stand_in.asked
    assert request.conversation == str(chat.id)


def test_anything_else_that_is_asked_ends_an_idle_reply(
    engine: EngineService, settings: SettingsService, load: Load, qtbot: QtBot
) -> None:
    load("llama")
    request = ChatRequest((Message.of(Role.USER, "hi"),), replace(settings.settings.sampling, max_tokens=900))
    heard = Heard()
    engine.generate(request, heard.append, idle=True)
    answer_to(engine, lambda session, _: session.peek(request), qtbot)
    assert [each.reason for each in heard.ends] == [FinishReason.CANCELLED]


FAMILIES = {"llama": "llama", "sliding": "gemma3", "hybrid": "lfm2", "recurrent": "mamba"}


def test_nothing_is_asked_once_it_is_closed(store: ConversationStore, bench: tuple[Bench, TitleMaker]) -> None:
    stand_in, maker = bench
    chat = store.create("First line").id
    question = store.append(chat, None, Message.of(Role.USER, "Why?"))
    stand_in.ended.emit(store.append(chat, question.id, Message.of(Role.ASSISTANT, "Because.")))
    maker.close()
    assert not maker.calm.isActive()
    maker.make()
    assert stand_in.asked == []


def test_a_disk_that_refuses_costs_the_title_alone(
    store: ConversationStore, database: Database, bench: tuple[Bench, TitleMaker]
) -> None:
    stand_in, maker = bench
    answer(store, *bench)
    database._connection.set_authorizer(lambda *_: sqlite3.SQLITE_DENY)
    stand_in.say("A title")
    for number in (2, 1):
        stored = StoredMessage(2, number, 1, Message.of(Role.ASSISTANT, "x"), MessageState.COMPLETE, 0.0, None)
        stand_in.ended.emit(stored)
    maker.calm.stop()
    maker.make()
    assert maker.calm.isActive(), "the other one has its turn"
    database._connection.set_authorizer(None)
    assert len(stand_in.asked) == 1
    assert [each.title for each in store.all()] == ["First line"]


def test_after_a_failure_the_next_one_has_its_turn(store: ConversationStore, bench: tuple[Bench, TitleMaker]) -> None:
    stand_in, maker = bench
    answer(store, *bench)
    answer(store, *bench)
    maker.calm.stop()
    assert len(stand_in.asked) == 1
    stand_in.hear[0](ReplyFailed(RuntimeError()))
    assert maker.calm.isActive(), "nobody has to be answered first"
    maker.make()
    assert len(stand_in.asked) == 2
    maker.calm.stop()
    stand_in.hear[1](ReplyFailed(RuntimeError()))
    assert not maker.calm.isActive(), "it is let go"
