"""Three minutes of anything at all in the window; `random_walk` goes on for as long as one likes."""

import os
from pathlib import Path

import pytest

from tests.e2e.random_walk import walk

_FEWEST_STEPS = 100
"""A usual machine does some hundred in a minute; one where eight programs wait for each processor did 184 in three."""
_FEWEST_RESTS = 3
"""Of about eight. With eight, memory is compared."""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="POSIX signals")
def test_whatever_is_done_in_the_window_nothing_goes_wrong(tmp_path: Path) -> None:
    outcome = walk(tmp_path / "walk", seed=11, minutes=3)
    assert not outcome.faults, "\n\n".join(outcome.faults)
    assert outcome.n_steps > _FEWEST_STEPS
    assert len(outcome.memory) >= _FEWEST_RESTS
