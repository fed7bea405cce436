import pytest

from app.core.events import Timings


def test_speeds_are_tokens_a_second() -> None:
    timings = Timings(prompt_n=500, prompt_ms=250.0, predicted_n=30, predicted_ms=1500.0)
    assert timings.prompt_per_second == pytest.approx(2000)
    assert timings.predicted_per_second == pytest.approx(20)


def test_no_time_is_no_speed() -> None:
    assert Timings(prompt_n=1).prompt_per_second == 0
    assert Timings(predicted_n=1).predicted_per_second == 0
