"""Counting what is being written: one question to the engine at a time, and the newest wins."""

from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from pytestqt.qtbot import QtBot

from app.core.messages import DocumentPart, ImagePart, Message, Part, Role, TextPart
from app.core.model_ref import ModelRef
from app.core.overflow import Overflow
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.services.drafts.draft_size import Fit, weigh
from app.services.engine.service import EngineService
from app.services.engine.states import ModelReady
from app.services.engine.token_counts import TokenCount, TokenCounts
from tests.services.asking import answer, begin
from tests.services.conftest import Load
from tests.ui.fakes import MODEL, READY, FakeEngine
from tests.waits import WAIT


@pytest.fixture
def engine_(qapp: object) -> FakeEngine:
    made = FakeEngine()
    made.enter(READY)
    return made


@pytest.fixture
def counts(engine_: FakeEngine) -> TokenCounts:
    return TokenCounts(cast(EngineService, engine_))


def words(*texts: str) -> tuple[Part, ...]:
    return tuple(TextPart(each) for each in texts)


def test_what_is_known_is_not_asked_again(engine_: FakeEngine, counts: TokenCounts) -> None:
    counts.want(words("a", "b", ""))
    assert engine_.counting == [words("a", "b")]
    engine_.end_count(3, 4)
    assert counts.total(words("a", "b", "")) == TokenCount(7, exact=True)
    counts.want(words("a", "b"))
    assert not engine_.counting


def test_one_question_at_a_time_and_the_newest_wins(engine_: FakeEngine, counts: TokenCounts) -> None:
    for text in ("a", "ab", "abc", "abcd"):
        counts.want(words(text))
    assert engine_.counting == [words("a")]
    engine_.end_count(1)
    assert engine_.counting == [words("abcd")]


def test_a_count_that_was_given_up_leaves_the_reckoning(engine_: FakeEngine, counts: TokenCounts) -> None:
    counts.want(words("x" * 35))
    engine_.end_count()
    assert counts.total(words("x" * 35)) == TokenCount(10, exact=False)
    counts.want(words("x" * 35))
    assert engine_.counting, "it may be asked again"


def test_another_model_counts_anew(engine_: FakeEngine, counts: TokenCounts) -> None:
    counts.want(words("b"))
    engine_.end_count(3)
    assert counts.of(TextPart("b")).exact
    counts.want(words("a"))
    engine_.enter(ModelReady(replace(MODEL, ref=ModelRef.of_file(Path("/models/other.gguf")))))
    engine_.end_count(99)  # by the model that was there
    assert not counts.of(TextPart("a")).exact
    assert not counts.of(TextPart("b")).exact
    counts.want(words("a"))
    assert len(engine_.counting) == 1


@pytest.mark.parametrize(
    ("n", "used", "policy", "fit"),
    [
        (100, 0, Overflow.STOP, Fit.FITS),
        (801, 0, Overflow.STOP, Fit.NEAR),
        (400, 500, Overflow.STOP, Fit.FITS),
        (401, 500, Overflow.STOP, Fit.NEAR),
        (500, 500, Overflow.STOP, Fit.REFUSED),
        (500, 500, Overflow.DROP_OLDEST, Fit.DROPS_OLDEST),
        (500, 2000, Overflow.DROP_MIDDLE, Fit.DROPS_MIDDLE),
        (1000, 0, Overflow.DROP_OLDEST, Fit.TOO_LONG),
    ],
)
def test_what_will_happen(n: int, used: int, policy: Overflow, fit: Fit) -> None:
    assert weigh(TokenCount(n, exact=True), used, 1000, policy).fit is fit


def test_a_real_model_counts_what_the_prompt_will_hold(engine: EngineService, load: Load, qtbot: QtBot) -> None:
    load("llama")
    counts = TokenCounts(engine)
    document = DocumentPart("", "a.txt", "The rain falls on the river.\n" * 20)
    with qtbot.waitSignal(counts.changed, timeout=WAIT):
        counts.want((document, TextPart("And then?")))
    alone = counts.of(document)
    assert alone.exact

    def total(*parts: Part) -> int:
        request = ChatRequest((Message(Role.USER, parts),))
        return answer(engine, lambda session, _: session.peek(request), qtbot).total

    assert abs(total(document, TextPart("And then?")) - total(TextPart("And then?")) - alone.n) <= 2
    assert counts.of(ImagePart("ab" * 32)).n == 0


def test_a_reply_does_not_wait_for_a_count(engine: EngineService, load: Load, qtbot: QtBot) -> None:
    load("llama")
    counts = TokenCounts(engine)
    # Many long texts, of which each is a piece of work for itself.
    counts.want(tuple(TextPart(f"{number} " + "word " * 20_000) for number in range(200)))
    heard = begin(engine, ChatRequest((Message.of(Role.USER, "hi"),), Sampling(temperature=0.0, max_tokens=1)))[1]
    told: list[bool] = []
    counts.changed.connect(lambda: told.append(True))
    qtbot.waitUntil(lambda: heard.has_ended, timeout=WAIT)
    assert not told, "it was given up"
    assert not counts.of(TextPart("0 " + "word " * 20_000)).exact
    counts.want((TextPart("another"),))
    qtbot.waitUntil(lambda: counts.of(TextPart("another")).exact, timeout=WAIT)
