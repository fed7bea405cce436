"""Log-probabilities, loss and perplexity: llama-perplexity's own figures, and a reference in NumPy."""

import math
from dataclasses import replace
from itertools import islice, pairwise

import numpy as np
import pytest

from app.core.cancel import CancelFlag
from app.core.errors import UserError
from app.core.events import Finished, PromptProgress
from app.core.likelihood import AnswerToScore, Likelihood, LikelihoodEvent, LikelihoodRequest, TextToScore, Windows
from app.core.messages import Message, Role
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.engine.reply.perplexity import Window, windows_of
from app.engine.reply.session import Session
from tests.counted import counted
from tests.engine.conftest import EXACT, OpenTiny, finish
from tests.engine.reply.test_session import FAMILIES, answered, user

SAID = "the river runs through valley and over stones nobody asks it why mountain says evening comes user here"
WORDS = SAID.split()
LARGE = replace(EXACT, ctx_size=1024, batch_size=512, ubatch_size=512)
QUESTION = user("the river runs through the valley, and nobody asks it why. ")


def long_text(size: int) -> str:
    """The same on every machine: a linear congruential generator chooses the words."""
    state, said = 1, ""
    while len(said) < size:
        state = (state * 1103515245 + 12345) % (1 << 31)
        said += WORDS[(state >> 16) % len(WORDS)] + (".\n" if (state >> 8) % 9 == 0 else " ")
    return said[:size]


TEXT = long_text(2600)


def scored(session: Session, request: LikelihoodRequest) -> Likelihood:
    *_, last = session.likelihood(request)
    assert isinstance(last, Likelihood)
    return last


def ask(session: Session, *messages: Message, count: int = 12, logprobs: int | None = None) -> Finished:
    sampling = Sampling(temperature=0.0, max_tokens=count)
    request = ChatRequest(messages, sampling, conversation="talk", top_logprobs=logprobs)
    return finish(session, request)


STORED = [
    ("llama", Windows(512), 4, 1942.4704, 105.53955),
    ("llama", Windows(256), 8, 1939.4219, 107.31211),
    ("llama", Windows(512, 128), 13, 1874.8565, 0.0),
    ("llama_spm", Windows(512), 4, 2692.3886, 171.74444),
    ("llama_spm", Windows(256), 8, 3009.9325, 179.57911),
    ("llama_spm", Windows(512, 128), 14, 2988.7330, 0.0),
    ("gemma3", Windows(512), 4, 2813.0113, 188.05975),
    ("gemma3", Windows(256), 8, 2942.5900, 194.91215),
    ("gemma3", Windows(512, 128), 13, 2925.6146, 0.0),
    ("mamba", Windows(512), 4, 1812.5227, 111.40997),
    ("mamba", Windows(256), 8, 1908.8977, 121.13274),
    ("mamba", Windows(512, 128), 13, 1928.3916, 0.0),
]
"""Printed by llama-perplexity of the pinned commit for these models and this text, with -t 1 -fa off -ctk f32 -ctv f32
and -c and -b alike: how many windows, the perplexity, and its error, which it doesn't tell of strided ones.
"""


@pytest.mark.parametrize(("family", "windows", "count", "perplexity", "error"), STORED)
def test_the_figures_are_those_of_llama_perplexity(
    family: str, windows: Windows, count: int, perplexity: float, error: float, open_tiny: OpenTiny
) -> None:
    got = scored(open_tiny(family, LARGE), TextToScore(TEXT, windows))
    assert len(got.tokens) > 2000
    assert got.n_windows == count
    assert got.perplexity == pytest.approx(perplexity, rel=1e-6)
    assert not error or got.error == pytest.approx(error, rel=1e-5)
    assert math.exp(got.loss) == got.perplexity


def reference(session: Session, ids: list[int], first: int) -> list[float]:
    """Token by token: how likely those from `first` on were, by the softmax of the logits before them."""
    session.slot.forget()
    found = []
    for before, token in pairwise(ids):
        assert session.slot.evaluate_one(before)
        exponents = np.exp(session.slot.logits().astype(np.float64))
        found.append(float(np.log(exponents[token] / exponents.sum())))
    session.slot.forget()
    return found[first - 1 :]


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("windows", [Windows(64), Windows(64, 24), Windows(512)], ids=str)
def test_every_token_is_as_likely_as_its_logits_say(family: str, windows: Windows, open_tiny: OpenTiny) -> None:
    session = open_tiny(family)
    got = scored(session, TextToScore(TEXT[:210], windows))
    ids, vocab = [each.id for each in got.tokens], session._model.vocab
    assert ids == [*([vocab.bos] if vocab.add_bos else []), *vocab.tokenize(TEXT[:210])]
    wanted: list[float | None] = [None] * len(ids)
    for window in windows_of(len(ids), windows, 1024):
        inside = ids[window.start : window.stop]
        if vocab.add_bos and not windows.stride:
            inside[0] = vocab.bos
        wanted[window.first : window.stop] = reference(session, inside, window.first - window.start)
    assert [each.logprob is None for each in got.tokens] == [each is None for each in wanted]
    losses = [-each for each in wanted if each is not None]
    assert [-each.logprob for each in got.tokens if each.logprob is not None] == pytest.approx(losses, abs=1e-4)
    assert got.n_scored == len(losses)
    assert got.loss == pytest.approx(np.mean(losses), abs=1e-5)
    assert got.error == pytest.approx(np.std(losses) / math.sqrt(len(losses) - 1) * got.perplexity, rel=1e-4)
    assert not len(session.slot)


def test_windows_are_cut_as_the_formula_says() -> None:
    assert windows_of(25, Windows(8), 100) == [Window(0, 8, 5), Window(8, 16, 13), Window(16, 24, 21)]
    assert windows_of(16, Windows(8, 3), 100) == [Window(0, 8, 5), Window(3, 11, 8), Window(6, 14, 11)]
    assert windows_of(15, Windows(8), 100) == [Window(0, 15, 1)], "fewer than two windows are read as one"
    assert windows_of(15, Windows(8), 10) == [Window(0, 8, 5)], "where the context holds them"
    assert windows_of(100, Windows(80), 40) == [Window(0, 40, 21), Window(40, 80, 61)]
    with pytest.raises(UserError, match="stride of 8 "):
        windows_of(100, Windows(8, 8), 100)
    with pytest.raises(UserError, match="too little"):
        windows_of(1, Windows(), 100)


@pytest.mark.parametrize("family", FAMILIES)
def test_an_answer_is_as_likely_as_it_was_told_and_the_conversation_stays_warm(
    family: str, open_tiny: OpenTiny
) -> None:
    session = open_tiny(family)
    finished = ask(session, QUESTION, logprobs=0)
    answer = answered(finished)
    request = ChatRequest((QUESTION, answer), continues=True, conversation="talk")
    *progress, got = session.likelihood(AnswerToScore(request))
    assert isinstance(got, Likelihood)
    assert [each.id for each in got.tokens] == list(finished.generation.tokens)
    told = [each.chosen.logprob for each in finished.logprobs][: len(got.tokens)]
    assert [each.logprob for each in got.tokens] == pytest.approx(told, abs=1e-4)
    first, last = progress[0], progress[-1]
    assert isinstance(first, PromptProgress)
    assert isinstance(last, PromptProgress)
    assert first.total - first.reused <= len(got.tokens) + 1, "the question was not read again"
    assert (last.reused + last.read, last.total) == (first.total, first.total)
    follow_up = ask(session, QUESTION, answer, user("and then?"))
    cold = ask(open_tiny(family), QUESTION, answer, user("and then?"))
    assert follow_up.timings.cache_n == first.total
    assert follow_up.generation.tokens == cold.generation.tokens


def test_an_answer_that_was_edited_is_scored_by_its_text(open_tiny: OpenTiny) -> None:
    session = open_tiny("llama")
    likely = answered(ask(session, QUESTION))
    other = Message.of(Role.ASSISTANT, "and over the stones")
    losses = []
    for answer in (likely, other):
        request = ChatRequest((QUESTION, answer), continues=True)
        losses.append(scored(session, AnswerToScore(request)))
    assert b"".join(each.piece for each in losses[1].tokens) == b"and over the stones"
    assert losses[0].perplexity < losses[1].perplexity
    with pytest.raises(UserError, match="too little"):
        scored(session, AnswerToScore(ChatRequest((QUESTION, Message.of(Role.ASSISTANT, "")), continues=True)))


@pytest.mark.parametrize("family", FAMILIES)
def test_an_answer_that_fills_the_context_is_scored(family: str, open_tiny: OpenTiny) -> None:
    session = open_tiny(family, replace(EXACT, ctx_size=256))
    finished = finish(
        session,
        ChatRequest(
            (QUESTION,), Sampling(temperature=0.0), conversation="talk", top_logprobs=0, logit_bias=(("river", 50.0),)
        ),
    )
    assert len(session.slot) >= session.slot.context.n_ctx - 1, finished.reason
    request = ChatRequest((QUESTION, answered(finished)), continues=True, conversation="talk")
    got = scored(session, AnswerToScore(request))
    assert [each.id for each in got.tokens] == list(finished.generation.tokens)
    assert got.n_left_out == 0


@pytest.mark.parametrize("family", FAMILIES)
def test_of_an_answer_that_is_longer_what_fits_is_scored(family: str, open_tiny: OpenTiny) -> None:
    """It was written with a larger context."""
    answer = Message.of(Role.ASSISTANT, "over the stones " * 60)
    request = AnswerToScore(ChatRequest((QUESTION, answer), continues=True))
    small = open_tiny(family, replace(EXACT, ctx_size=256))
    got, whole = scored(small, request), scored(open_tiny(family, replace(EXACT, ctx_size=1024)), request)
    assert [each.id for each in got.tokens] == [each.id for each in whole.tokens]
    assert len(small.slot) == small.slot.context.n_ctx
    assert whole.n_left_out == 0 < got.n_left_out == len(got.tokens) - got.n_scored
    expected = [each.logprob for each in whole.tokens[: got.n_scored]]
    assert [each.logprob for each in got.tokens[: got.n_scored]] == pytest.approx(expected, abs=1e-4)
    with pytest.raises(UserError, match="context holds"):
        scored(small, AnswerToScore(ChatRequest((user("why? " * 400), answer), continues=True)))


def all_read(seen: list[LikelihoodEvent]) -> bool:
    return any(isinstance(each, PromptProgress) and each.reused + each.read == each.total for each in seen)


@pytest.mark.parametrize("after", [0, 1, 3, 7])
@pytest.mark.parametrize("family", ["llama", "gemma3", "mamba"])
def test_it_stops_at_once_and_what_follows_is_exact(family: str, after: int, open_tiny: OpenTiny) -> None:
    cancel = CancelFlag()
    session = open_tiny(family, cancel=cancel)
    answer = answered(ask(session, QUESTION))
    for request in (
        TextToScore(TEXT[:400], Windows(64)),
        AnswerToScore(ChatRequest((QUESTION, answer), continues=True, conversation="talk")),
    ):
        events = session.likelihood(request)
        seen = list(islice(events, after))
        cancel.set()
        rest = list(events)
        assert all_read(seen) or not any(isinstance(each, Likelihood) for each in rest)
        assert len(rest) <= 1
        cancel.clear()
    text = session.likelihood(TextToScore(TEXT[:400], Windows(64)))
    next(text)
    text.close()
    assert not len(session.slot)
    follow_up = ask(session, QUESTION, answer, user("and then?"))
    cold = ask(open_tiny(family), QUESTION, answer, user("and then?"))
    assert follow_up.generation.tokens == cold.generation.tokens


def test_a_text_keeps_the_conversation_warm(open_tiny: OpenTiny) -> None:
    session = open_tiny("llama")
    answer = answered(ask(session, QUESTION))
    scored(session, TextToScore(TEXT[:400], Windows(64)))
    follow_up = ask(session, QUESTION, answer, user("and then?"))
    assert counted(follow_up.timings.cache_n) > 40, follow_up.reuse
