"""`Loading.exact`: warm answers have the very bits of a cold start's, with the KV types that come as default."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from app.core.checkpointing import Checkpointing
from app.core.events import Finished, TextDelta
from app.core.loading import CacheType, FlashAttention, Loading
from app.core.messages import Message
from app.core.requests import ChatRequest
from app.core.resources import GUIDE
from app.core.sampling import Sampling
from app.core.speculation import Speculation
from app.engine.drafting.opening import DraftPlan
from app.engine.reply.session import Session
from tests.counted import counted
from tests.engine.conftest import OpenPath, OpenTiny
from tests.engine.media.test_warm_pictures import LOADING, A, B, OpenSeeing, open_seeing, said
from tests.engine.reply.test_session import FAMILIES, LONG, answered, user
from tests.tiny_vision import VISION_MAKERS

__all__ = ["open_seeing"]  # a fixture
GREEDY = Sampling(temperature=0.0, max_tokens=40)
F16 = Loading(ctx_size=1024, gpu_layers=0, threads=1, batch_size=128, ubatch_size=64, exact=True)
MANY = Checkpointing(every=64, min_step=16)
Talk = tuple[Message, ...]
Rows = list[NDArray[np.float32]]


def ask(session: Session, talk: Talk, conversation: str = "1") -> tuple[Finished, Rows]:
    """And the logits after each event of the answer."""
    rows, finished = [], None
    for event in session.reply(ChatRequest(talk, GREEDY, conversation=conversation)):
        if isinstance(event, TextDelta):
            rows.append(session.slot.logits())
        elif isinstance(event, Finished):
            finished = event
    assert finished is not None
    return finished, [*rows, session.slot.logits()]


def same(warm: tuple[Finished, Rows], cold: tuple[Finished, Rows]) -> bool:
    assert cold[0].timings.cache_n == 0
    pairs = zip(warm[1], cold[1], strict=True)
    return warm[0].generation.tokens == cold[0].generation.tokens and all(np.array_equal(*pair) for pair in pairs)


@pytest.mark.parametrize("flash", [FlashAttention.ON, FlashAttention.OFF])
@pytest.mark.parametrize("family", [*FAMILIES, str(GUIDE)])
def test_a_warm_answer_has_the_bits_of_a_cold_start(family: str, flash: FlashAttention, open_tiny: OpenTiny) -> None:
    loading = replace(F16, flash_attn=flash)

    @cache  # the last turn is asked for more than once
    def cold(*talk: Message) -> tuple[Finished, Rows]:
        return ask(open_tiny(family, loading, checkpointing=MANY), talk)

    warm = open_tiny(family, loading, checkpointing=MANY)
    first = user(LONG * 2)
    talk: Talk = (first,)
    reused = []
    for text in ("and then?", "why is that so, " + LONG, "and in the end?"):
        answer = ask(warm, talk)
        assert same(answer, cold(*talk))
        reused.append(answer[0].timings.cache_n)
        talk = (*talk, answered(answer[0]), user(text))
    assert all(reused[1:])
    assert same(ask(warm, talk), cold(*talk))
    again = ask(warm, talk)
    assert same(again, cold(*talk))
    assert counted(again[0].timings.prompt_n) <= 64 + 64 * (family not in ("llama", "llama_spm"))
    edited = (*talk[:-1], user("and at the very beginning?"))
    assert same(ask(warm, edited), cold(*edited))
    other = (user("something else, " + LONG),)
    assert same(ask(warm, other, "2"), cold(*other))
    back = ask(warm, talk)
    assert same(back, cold(*talk)), "brought back"
    assert back[0].timings.cache_n


@pytest.mark.parametrize("family", ["llama", "gemma3", "qwen35"])
def test_guesses_change_no_bit(family: str, tiny_models: dict[str, Path], open_path: OpenPath) -> None:
    """Warm with them, and cold without."""
    path, loading = tiny_models[family], replace(F16, flash_attn=FlashAttention.OFF)
    warm = open_path(path, loading, drafts=DraftPlan(Speculation(ngram=True)), checkpointing=MANY)
    assert warm.drafting is not None
    warm.take_speculation(Speculation(ngram=True))
    assert warm.drafting.settings.exact
    talk: Talk = (user(LONG),)
    for text in ("and then?", LONG, "and in the end?"):
        answer, wanted = ask(warm, talk), ask(open_path(path, loading), talk)
        assert answer[0].generation.tokens == wanted[0].generation.tokens
        assert np.array_equal(answer[1][-1], wanted[1][-1])
        talk = (*talk, answered(answer[0]), user(text))


@pytest.mark.parametrize("family", ["llama", "moe"])
def test_without_it_bits_differ(family: str, open_tiny: OpenTiny) -> None:
    """So the test above can fail: what was written token by token is rounded otherwise than what is read."""
    loading = replace(F16, exact=False, flash_attn=FlashAttention.ON)
    warm = open_tiny(family, loading)
    first = ask(warm, (user(LONG),))
    talk = (user(LONG), answered(first[0]), user("and then?"))
    assert not same(ask(warm, talk), ask(open_tiny(family, loading), talk))


@pytest.mark.parametrize("family", VISION_MAKERS)
def test_pictures_end_batches_as_in_a_cold_start(family: str, open_seeing: OpenSeeing) -> None:
    loading = replace(LOADING, exact=True, cache_type_k=CacheType.F16, cache_type_v=CacheType.F16)
    loading = replace(loading, flash_attn=FlashAttention.AUTO)
    warm = open_seeing(family, loading=loading, checkpointing=MANY)
    talk: Talk = (said(LONG, A, "what is it? ", B),)
    for text in ("and why? ", LONG + "so?"):
        answer = ask(warm, talk)
        assert same(answer, ask(open_seeing(family, loading=loading), talk))
        talk = (*talk, answered(answer[0]), said(text, A))
    got = ask(warm, talk)
    assert same(got, ask(open_seeing(family, loading=loading), talk))
    assert counted(got[0].timings.cache_n) >= 64
    changed = (said(LONG, A, "what is it? ", A), *talk[1:])
    assert same(ask(warm, changed), ask(open_seeing(family, loading=loading), changed))
