"""Drafts behind pictures, whose positions are not their entries."""

from dataclasses import replace

import pytest

from app.core.checkpointing import Checkpointing
from app.core.events import Finished
from app.core.messages import Message
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.core.speculation import DraftingInfo, Speculation
from app.engine.drafting.drafting import Drafting, rollback_of
from app.engine.drafting.ngram import NgramDrafter
from app.engine.reply.session import Session
from tests.counted import counted
from tests.engine.conftest import finish
from tests.engine.drafting.always import Always
from tests.engine.drafting.guesses import Guesser, let_guess
from tests.engine.media.test_warm_pictures import TALK, A, B, OpenSeeing, open_seeing, said
from tests.engine.reply.test_session import answered

__all__ = ("open_seeing",)

GREEDY = Sampling(temperature=0.0, max_tokens=40)


def ask(session: Session, *messages: Message) -> Finished:
    return finish(session, ChatRequest(messages, GREEDY))


@pytest.mark.parametrize("family", ["llava", "gemma3", "qwen25vl", "qwen35", "lfm2"])
def test_an_answer_about_a_picture_is_that_of_plain_decoding(family: str, open_seeing: OpenSeeing) -> None:
    plain = open_seeing(family)
    drafted = open_seeing(family, checkpointing=Checkpointing(every=16, min_step=4))
    question = said(TALK, A, "what is it? ")
    wanted = ask(plain, question)
    guesser = let_guess(drafted, Guesser(wanted.generation.tokens, wrong=0.5))
    assert ask(drafted, question).generation.tokens == wanted.generation.tokens
    assert guesser.accepted > 5
    assert drafted.slot.context.pos_max + 1 == drafted.slot._entries.position
    messages = question, answered(wanted), said("and this? ", B, TALK)
    following = ask(plain, *messages)
    let_guess(drafted, Guesser(following.generation.tokens, wrong=0.5, seed=3))
    got = ask(drafted, *messages)
    assert got.generation.tokens == following.generation.tokens
    assert counted(got.timings.cache_n) > 20


@pytest.mark.parametrize("family", ["qwen25vl", "qwen35"])
def test_n_grams_are_of_text_alone(family: str, open_seeing: OpenSeeing) -> None:
    plain, drafted = open_seeing(family), open_seeing(family)
    rollback = rollback_of(drafted.slot.context, drafted.slot.traits)
    info = replace(DraftingInfo(Speculation()), rollback=rollback)
    drafted.drafting = drafted.slot.companion = Drafting((NgramDrafter(8),), Always(), info)
    question = said(TALK * 3, A, B, A, "say all of it again: " + TALK)
    wanted, got = ask(plain, question), ask(drafted, question)
    assert got.generation.tokens == wanted.generation.tokens
