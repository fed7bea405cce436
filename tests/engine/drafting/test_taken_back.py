"""After the wrong end of a draft was taken back, the slot's logits are those after the entry before it."""

import numpy as np
import pytest

from tests.engine.conftest import OpenTiny


@pytest.mark.parametrize("n", [1, 2])
def test_logits_are_those_after_what_is_left(n: int, open_tiny: OpenTiny) -> None:
    slot = open_tiny("llama").slot
    slot.forget()
    tokens = [5, 6, 7]
    assert slot.evaluate_draft(tokens, 0)
    slot.take_back(n)
    left = slot.logits()
    slot.forget()
    for token in tokens[: len(tokens) - n]:
        assert slot.evaluate_one(token)
    assert np.abs(slot.logits() - left).max() < 1e-4
