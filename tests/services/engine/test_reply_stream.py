"""Replies that another thread's event loop asks for, from a real engine thread."""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import aclosing
from pathlib import Path
from typing import Any, TypeVar

import pytest
from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot

from app.core.errors import ContextFullError, ModelError, UserError
from app.core.events import Finished, FinishReason, PromptProgress, ReplyEvent, TextDelta
from app.core.likelihood import TextToScore, Windows
from app.core.messages import Message, Role
from app.core.model_ref import ModelRef
from app.core.requests import ChatRequest, SpellRequest, TokenizeRequest
from app.core.sampling import Sampling
from app.services.engine.futures import Hear, Reply
from app.services.engine.reply_stream import ReplyStream, _asking
from app.services.engine.service import EngineService
from tests.services.asking import Heard, watch
from tests.services.conftest import Load
from tests.waits import WAIT

Result = TypeVar("Result")
LONG = "the rain in the mountains is heard on another hill and in the valley too. " * 4


def request(text: str, **sampling: object) -> ChatRequest:
    values = {"temperature": 0.0, "max_tokens": 20, **sampling}
    return ChatRequest((Message.of(Role.USER, text),), Sampling(**values))  # type: ignore[arg-type]  # names as given


@pytest.fixture
def endings(engine: EngineService, monkeypatch: pytest.MonkeyPatch) -> Heard:
    """How replies end in the engine."""
    return watch(engine, monkeypatch)


def reasons(heard: Heard) -> list[FinishReason]:
    return [each.reason for each in heard.ends]


class Elsewhere:
    """Another thread with an event loop of its own, while this one runs Qt's."""

    def __init__(self, replies: ReplyStream, qtbot: QtBot) -> None:
        self._replies, self._qtbot = replies, qtbot

    def hear(self, asked: ChatRequest) -> list[ReplyEvent]:
        return self.run(lambda: collect(self._replies, asked))

    def finish(self, text: str) -> Finished:
        last = self.hear(request(text))[-1]
        assert isinstance(last, Finished)
        return last

    def run(self, main: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
        results: list[Result | BaseException] = []

        def work() -> None:
            try:
                results.append(asyncio.run(main()))
            except BaseException as error:  # noqa: BLE001 - handed to the test
                results.append(error)

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        self._qtbot.waitUntil(lambda: not thread.is_alive(), timeout=WAIT)
        if isinstance(results[0], BaseException):
            raise results[0]
        return results[0]


@pytest.fixture
def replies(engine: EngineService) -> Iterator[ReplyStream]:
    stream = ReplyStream(engine)
    yield stream
    stream.deleteLater()


@pytest.fixture
def elsewhere(replies: ReplyStream, qtbot: QtBot) -> Elsewhere:
    return Elsewhere(replies, qtbot)


async def collect(replies: ReplyStream, asked: ChatRequest) -> list[ReplyEvent]:
    async with aclosing(replies.reply(asked)) as events:
        return [event async for event in events]


def test_a_reply_comes_whole_and_in_order(replies: ReplyStream, load: Load, elsewhere: Elsewhere) -> None:
    load("llama")
    first, *_, finished = events = elsewhere.hear(request(LONG))
    assert isinstance(first, PromptProgress)
    assert isinstance(finished, Finished)
    assert finished.text
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == finished.text
    again = elsewhere.finish(LONG)
    assert again.text == finished.text
    assert again.timings.prompt_n == 1


def test_several_at_once_each_get_their_own(replies: ReplyStream, load: Load, elsewhere: Elsewhere) -> None:
    load("llama")
    questions = [LONG + word for word in ("one", "two", "three")]

    async def together() -> list[list[ReplyEvent]]:
        return await asyncio.gather(*(collect(replies, request(each)) for each in questions))

    alone = [elsewhere.finish(each).text for each in questions]
    assert [each[-1].text for each in elsewhere.run(together) if isinstance(each[-1], Finished)] == alone
    assert len(set(alone)) == 3


def test_closing_the_iterator_cancels_the_reply(
    replies: ReplyStream, load: Load, elsewhere: Elsewhere, endings: Heard, qtbot: QtBot
) -> None:
    load("llama")

    async def leave_early() -> ReplyEvent:
        async with aclosing(replies.reply(request(LONG, max_tokens=0))) as events:
            return await anext(events)

    assert isinstance(elsewhere.run(leave_early), PromptProgress)
    qtbot.waitUntil(lambda: reasons(endings) == [FinishReason.CANCELLED], timeout=WAIT)
    assert elsewhere.finish("hello").reason is not FinishReason.CANCELLED


def test_cancelling_who_waits_cancels_its_reply_alone(
    replies: ReplyStream, load: Load, elsewhere: Elsewhere, endings: Heard, qtbot: QtBot
) -> None:
    load("llama")

    async def give_up_the_second() -> ReplyEvent:
        async with aclosing(replies.reply(request(LONG, max_tokens=300))) as first:
            await anext(first)
            second = asyncio.ensure_future(collect(replies, request(LONG + "two")))
            await asyncio.sleep(0)
            second.cancel()
            with pytest.raises(asyncio.CancelledError):
                await second
            return [event async for event in first][-1]

    last = elsewhere.run(give_up_the_second)
    qtbot.waitUntil(lambda: len(reasons(endings)) == 2, timeout=WAIT)
    assert isinstance(last, Finished)
    assert reasons(endings) == [FinishReason.CANCELLED, last.reason], "the second one had begun beside the first"
    assert last.reason is not FinishReason.CANCELLED


def test_what_the_engine_refuses_is_raised(replies: ReplyStream, load: Load, elsewhere: Elsewhere) -> None:
    with pytest.raises(UserError, match="No model is loaded"):
        elsewhere.finish("hello")
    load("llama")
    with pytest.raises(ContextFullError):
        elsewhere.finish("word " * 3000)


def test_a_bug_is_raised_as_it_is(replies: ReplyStream, load: Load, elsewhere: Elsewhere) -> None:
    load("llama")
    broken = ChatRequest(("no message",))  # type: ignore[arg-type]  # that is the bug
    with pytest.raises(AttributeError):
        elsewhere.hear(broken)


def test_a_loop_that_is_gone_hurts_nobody(
    replies: ReplyStream, load: Load, elsewhere: Elsewhere, endings: Heard, qtbot: QtBot
) -> None:
    load("llama")
    left = []

    def work() -> None:
        loop = asyncio.new_event_loop()
        events = replies.reply(request(LONG))
        loop.run_until_complete(anext(events))
        loop.close()
        left.append(events)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    qtbot.waitUntil(lambda: endings.has_ended and not thread.is_alive(), timeout=WAIT)
    elsewhere.finish("hello")


def test_the_engine_is_only_spoken_to_in_its_own_thread(
    engine: EngineService, replies: ReplyStream, load: Load, elsewhere: Elsewhere, monkeypatch: pytest.MonkeyPatch
) -> None:
    load("llama")
    threads = []

    def generate(asked: ChatRequest, hear: Hear, *, visits: bool, direct: bool) -> Reply:
        threads.append(threading.current_thread())
        return EngineService.generate(engine, asked, hear)

    monkeypatch.setattr(engine, "generate", generate)
    elsewhere.finish("hello")
    assert threads == [threading.main_thread()]


def test_text_comes_while_the_window_is_busy(
    engine: EngineService, replies: ReplyStream, load: Load, elsewhere: Elsewhere
) -> None:
    """It goes from the engine's thread to its own loop, and by no other thread."""
    load("llama")
    written, waited = threading.Event(), list[bool]()

    def be_busy() -> None:
        if not waited:
            waited.append(written.wait(10))

    async def read() -> None:
        async with aclosing(replies.reply(request(LONG))) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    written.set()

    engine.used.connect(be_busy)
    elsewhere.run(read)
    assert waited == [True]


def test_it_knows_the_model_that_is_ready(engine: EngineService, replies: ReplyStream, load: Load) -> None:
    known = [replies.model]
    info = load("llama").info
    known += [replies.model, ReplyStream(engine, engine).model]
    engine.load(info.ref)
    known.append(replies.model)
    assert known == [None, info, info, None]


def test_who_waits_for_a_model_gets_it(
    engine: EngineService, replies: ReplyStream, tiny_models: dict[str, Path], elsewhere: Elsewhere
) -> None:
    assert elsewhere.run(replies.loaded) is None, "none is being loaded"
    engine.load(ModelRef.of_file(tiny_models["llama"]))
    assert replies.is_loading
    found = elsewhere.run(replies.loaded)
    assert found is not None
    assert found.ref.file == tiny_models["llama"]
    assert not replies.is_loading


def test_who_waits_for_a_model_hears_that_there_will_be_none(
    engine: EngineService, tmp_path: Path, elsewhere: Elsewhere
) -> None:
    (tmp_path / "letter.gguf").write_text("Dear model,")
    replies = ReplyStream(engine, engine, expects_model=True)
    assert replies.is_loading, "before anybody has asked for it"

    QTimer.singleShot(0, engine, lambda: engine.load(ModelRef.of_file(tmp_path / "letter.gguf")))
    assert elsewhere.run(replies.loaded) is None
    assert not replies.is_loading


def test_tokens_are_told_and_spelled(replies: ReplyStream, load: Load, elsewhere: Elsewhere) -> None:
    with pytest.raises(UserError, match="No model is loaded"):
        elsewhere.run(lambda: replies.tokens(TokenizeRequest("hello")))
    load("llama")
    told = elsewhere.run(lambda: replies.tokens(TokenizeRequest("the <|im_end|>", add_special=True)))
    assert b"".join(told.pieces) == b"<s>the <|im_end|>"
    assert len(told.ids) == len(told.pieces)
    assert elsewhere.run(lambda: replies.tokens(SpellRequest(told.ids))) == told
    spelled_out = elsewhere.run(lambda: replies.tokens(TokenizeRequest("<|im_end|>", parse_special=False)))
    assert told.ids[-1] not in spelled_out.ids


def test_tokens_are_counted_while_a_reply_runs(
    engine: EngineService, replies: ReplyStream, load: Load, elsewhere: Elsewhere
) -> None:
    load("llama")
    told = []

    async def ask() -> None:
        nonlocal told
        text, chat = TokenizeRequest("hello"), request("Is this counted?")
        told = [len((await replies.tokens(text)).ids), (await replies.prompt(chat)).n_tokens]

    async def both() -> list[object]:
        async with aclosing(replies.reply(request(LONG, max_tokens=4000))) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    await ask()
                    return [engine.is_busy, *told]
        return []

    busy, *counted = elsewhere.run(both)
    assert busy
    assert counted == elsewhere.run(lambda: _asked_of_the_engine(replies))


async def _asked_of_the_engine(replies: ReplyStream) -> list[int]:
    tokens = await replies._ask(_asking(lambda session, _: session.tokens(TokenizeRequest("hello"))))
    prompt = await replies._ask(_asking(lambda session, _: session.written(request("Is this counted?"))))
    return [len(tokens.ids), prompt.n_tokens]


def test_who_counts_aside_holds_up_the_models_end(
    engine: EngineService, replies: ReplyStream, load: Load, elsewhere: Elsewhere, qtbot: QtBot
) -> None:
    load("llama")
    with engine.aside._lock:
        engine.unload()
        qtbot.wait(100)
        assert engine.is_running
        assert engine._worker._open_session is not None
    qtbot.waitUntil(lambda: engine._worker._open_session is None, timeout=WAIT)
    assert engine.aside.tokens(TokenizeRequest("hello")) is None


def test_how_likely_a_text_is_comes_from_the_engine(replies: ReplyStream, load: Load, elsewhere: Elsewhere) -> None:
    load("llama")
    found = elsewhere.run(lambda: replies.likelihood(TextToScore(LONG, Windows(64))))
    assert found is not None
    assert found.n_windows > 2
    assert 1 < found.perplexity < 1e6
    with pytest.raises(ModelError, match="too little"):
        elsewhere.run(lambda: replies.likelihood(TextToScore((5,))))


def test_who_waits_no_more_for_a_likelihood_stops_it(
    engine: EngineService, replies: ReplyStream, load: Load, elsewhere: Elsewhere, qtbot: QtBot
) -> None:
    load("llama")
    jobs: list[object] = []
    engine.used.connect(lambda: jobs.append(engine.is_busy))

    async def leave() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.3):
                await replies.likelihood(TextToScore(LONG * 5000, Windows(1024)))

    elsewhere.run(leave)
    # All of it would take minutes.
    qtbot.waitUntil(lambda: not engine.is_busy, timeout=30_000)
    assert jobs == [True, False]


def test_a_state_goes_to_a_file_and_comes_back(
    replies: ReplyStream, load: Load, elsewhere: Elsewhere, tmp_path: Path
) -> None:
    load("llama")
    path = tmp_path / "a.hearthstate"
    with pytest.raises(UserError, match="holds nothing"):
        elsewhere.run(lambda: replies.save_state(path))
    first = elsewhere.finish(LONG)
    saved = elsewhere.run(lambda: replies.save_state(path))
    assert saved is not None
    assert elsewhere.run(replies.erase_slot) == saved.n_entries
    cold = elsewhere.finish(LONG)
    assert elsewhere.run(replies.erase_slot) > 0
    assert elsewhere.run(lambda: replies.restore_state(path)) == saved
    warm = elsewhere.finish(LONG)
    assert (cold.timings.cache_n, warm.timings.prompt_n) == (0, 1)
    assert warm.text == cold.text == first.text
