"""A sequence's state out of the context and back: whole, in part, and the end of it alone."""

import numpy as np
import pytest

from app.engine.reply.session import Session
from tests.engine.conftest import OpenTiny

SPLITTING = ("llama", "moe", "deepseek2")
N = 40


def filled(open_tiny: OpenTiny, family: str) -> Session:
    session = open_tiny(family)
    session.slot.context.decode(range(5, 5 + N), 0)
    return session


@pytest.mark.parametrize("family", SPLITTING)
@pytest.mark.parametrize("position", [1, 17, N - 1])
def test_the_end_goes_out_and_back_to_the_bit(family: str, position: int, open_tiny: OpenTiny) -> None:
    context = filled(open_tiny, family).slot.context
    whole, logits = context.save(), context.logits()
    tail = context.save_from(position)
    assert context.save() == whole, "taking it changes nothing"
    assert len(tail) < len(whole) * (N - position) / N + 1000
    assert context.remove_from(position)
    context.decode(range(90, 95), position)
    assert context.remove_from(position)
    assert context.restore_from(position, tail, range(N - 1, N))
    assert context.save() == whole
    assert (context.pos_min, context.pos_max) == (0, N - 1)
    assert context.remove_from(N - 1)
    context.decode_one(5 + N - 1, N - 1)
    assert np.abs(context.logits() - logits).max() < 1e-5


@pytest.mark.parametrize("family", SPLITTING)
def test_a_broken_end_is_refused(family: str, open_tiny: OpenTiny) -> None:
    context = filled(open_tiny, family).slot.context
    tail = context.save_from(20)
    context.remove_from(20)
    assert not context.restore_from(20, tail[: len(tail) // 2], range(N - 1, N))
    context.clear()
    context.decode(range(5, 25), 0)
    assert not context.restore_from(20, tail, range(N, N + 1)), "it ends elsewhere"


@pytest.mark.parametrize("family", ["llama", "gemma3", "qwen35", "mamba"])
def test_a_state_is_given_out_as_it_is_and_cannot_be_changed(family: str, open_tiny: OpenTiny) -> None:
    context = filled(open_tiny, family).slot.context
    for data in (context.save(), context.save_partial()):
        assert isinstance(data, memoryview)
        assert data.readonly
        assert data.contiguous
    whole = context.save()
    assert context.restore(bytes(whole), range(N - 1, N)), "bytes, as files have them, do as well"
    assert context.save() == whole
