"""Three minutes of anything at all in the window; `random_walk` goes on for as long as one likes."""

from pathlib import Path

import pytest

from tests.e2e.random_walk import walk

_MINUTES = 1.0
_FEWEST_STEPS = 60
"""A busy machine does some hundred in a minute."""


@pytest.mark.slow
@pytest.mark.parametrize("seed", [11, 12, 13])
def test_whatever_is_done_in_the_window_nothing_goes_wrong(tmp_path: Path, seed: int) -> None:
    outcome = walk(tmp_path / "walk", seed, _MINUTES)
    assert not outcome.faults, "\n\n".join(outcome.faults)
    assert outcome.n_steps > _FEWEST_STEPS
