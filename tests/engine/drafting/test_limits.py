"""What one request says of drafts, and what is told of them while an answer is written."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from app.core.events import Finished, TextDelta
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.core.speculation import DraftLimits, Speculation
from app.engine.reply.session import Session
from tests.engine.conftest import OpenTiny, finish
from tests.engine.drafting.guesses import Guesser, let_guess
from tests.engine.reply.test_session import LONG, user

REQUEST = ChatRequest((user(LONG),), Sampling(temperature=0.0, max_tokens=40))


class Watched(Guesser):
    """Remembers how long its drafts were, and how likely their tokens had to be."""

    def __init__(self, truth: Sequence[int]) -> None:
        super().__init__(truth, wrong=0.0, n_max=6)
        self.sizes: list[int] = []
        self.asked: list[int] = []
        self.shares: set[float] = set()

    def draft(self, history: Sequence[int], last: int, n: int) -> list[int]:
        draft = super().draft(history, last, n)
        self.asked.append(n)
        self.sizes.append(len(draft))
        self.shares.add(self.p_min)
        return draft


@pytest.fixture
def session(open_tiny: OpenTiny) -> Session:
    return open_tiny("llama")


def reply(session: Session, limits: DraftLimits | None = None) -> Finished:
    return finish(session, replace(REQUEST, drafts=limits or DraftLimits()))


def test_a_request_makes_drafts_shorter_and_never_longer(session: Session) -> None:
    plain = reply(session)
    guesser = let_guess(session, watched := Watched(plain.generation.tokens))
    assert guesser is watched
    got = reply(session, DraftLimits(n_max=2))
    assert set(watched.asked) <= {1, 2}
    assert got.generation == plain.generation
    watched.asked.clear()
    assert reply(session, DraftLimits(n_max=50)).generation == plain.generation
    assert max(watched.asked) == watched.n_max


def test_a_request_may_want_none(session: Session) -> None:
    plain = reply(session)
    let_guess(session, Watched(plain.generation.tokens))
    off = reply(session, DraftLimits(n_max=0))
    assert (off.drafting.drafted, off.drafting.off) == (0, "The request asked for none.")
    assert off.generation == plain.generation
    assert reply(session).drafting.drafted > 0


def test_short_drafts_are_not_checked_where_a_request_says_so(session: Session) -> None:
    plain = reply(session)
    let_guess(session, watched := Watched(plain.generation.tokens))
    got = reply(session, DraftLimits(n_min=4))
    assert got.generation == plain.generation
    assert got.drafting.drafted == sum(size for size in watched.sizes if size >= 4)
    assert min(watched.sizes) < 4


def test_the_next_request_is_as_the_settings_say(session: Session) -> None:
    let_guess(session, watched := Watched(reply(session).generation.tokens))
    session.take_speculation(Speculation(draft_p_min=0.25))
    reply(session, DraftLimits(p_min=0.9))
    assert watched.shares == {0.9}
    watched.shares.clear()
    reply(session)
    assert watched.shares == {0.25}


def test_the_figures_grow_while_the_answer_is_written(session: Session) -> None:
    let_guess(session, Watched(reply(session).generation.tokens))
    seen = []
    for event in session.reply(REQUEST):
        if isinstance(event, TextDelta):
            assert session.drafted is not None
            seen.append(session.drafted.drafted)
    assert isinstance(event, Finished)
    assert seen == sorted(seen)
    assert len(set(seen)) > 3
    assert session.drafted == event.drafting


def test_output_is_identical_where_no_batch_was_too_large(session: Session) -> None:
    truth = reply(session).generation.tokens
    let_guess(session, watched := Watched(truth))
    assert not reply(session).drafting.identical
    rows = 1 + max(watched.sizes)
    for exact, identical in ((rows, True), (rows - 1, False)):
        let_guess(session, Watched(truth), exact=exact)
        assert reply(session).drafting.identical is identical
    let_guess(session, Watched(truth), exact=rows - 1)
    assert reply(session, DraftLimits(n_max=rows - 2)).drafting.identical
