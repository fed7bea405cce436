"""Where numbers stand along an axis, and which are written."""

from typing import Any

import pytest

from app.tools.plots.scale import Scale, scale_of, ticks_of

AXIS: dict[str, Any] = {
    "limits": [None, None], "scale": "linear", "inverted": False, "ticks": None, "labels": None, "dates": False,
}  # fmt: skip


def labels(along: Scale, most: int = 6, **more: Any) -> list[str]:
    return [label for _, label in ticks_of({**AXIS, **more}, along, most)]


def test_a_scale_has_air_around_what_is_drawn_and_none_below_bars() -> None:
    scale = scale_of(AXIS, [10, 20], from_zero=False)
    assert (scale.low, scale.high) == (9.5, 20.5)
    assert scale.at(9.5) == 0 and scale.at(20.5) == 1
    assert scale_of(AXIS, [0, 20], from_zero=True).low == 0
    assert scale_of(AXIS, [-20, 0], from_zero=True).high == 0
    assert scale_of(AXIS, [-5, 20], from_zero=True).low < -5


def test_limits_are_kept_and_turn_the_axis_where_they_are_turned() -> None:
    scale = scale_of({**AXIS, "limits": [5, 1]}, [2], from_zero=False)
    assert (scale.low, scale.high) == (1, 5) and scale.at(5) == 0
    assert scale_of({**AXIS, "limits": [3, None], "inverted": True}, [9], from_zero=False).at(3) == 1


@pytest.mark.parametrize("values", [[], [7], [0], [1e300, -1e300], [1e-12, 2e-12]])
def test_whatever_is_drawn_has_a_range(values: list[float]) -> None:
    for kind in ("linear", "log"):
        scale = scale_of({**AXIS, "scale": kind}, values, from_zero=False)
        assert scale.low < scale.high
        assert len(labels(scale, scale=kind)) <= 20


def test_round_numbers_are_written_with_the_digits_that_tell_them_apart() -> None:
    assert labels(Scale(0, 10)) == ["0", "2", "4", "6", "8", "10"]
    assert labels(Scale(-0.1, 0.1), 4) == ["-0.10", "-0.05", "0.00", "0.05", "0.10"]
    assert labels(Scale(12_000, 29_000), 4) == ["15000", "20000", "25000"]
    assert labels(Scale(0, 4e7), 4) == ["0", "1e+07", "2e+07", "3e+07", "4e+07"]


def test_powers_dates_and_what_the_code_says_itself() -> None:
    assert labels(Scale(0.5, 2000, is_log=True), scale="log") == ["1", "10", "100", "1000"]
    assert labels(Scale(20_454, 20_458), 5, dates=True)[0] == "2026-01-01"
    assert labels(Scale(20_454, 20_454.5), 4, dates=True)[:2] == ["00:00", "03:00"]
    assert labels(Scale(0, 10), ticks=[0, 5, 99], labels=["low", "middle", "beyond"]) == ["low", "middle"]
