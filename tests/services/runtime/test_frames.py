"""What errors hold of the thread where they were raised."""

import threading
import traceback
from collections.abc import Iterator

import pytest

from app.services.runtime.frames import without_locals


class Held:
    """Tells the thread in which it ends."""

    def __init__(self, ends: list[str]) -> None:
        self._ends = ends

    def __del__(self) -> None:
        self._ends.append(threading.current_thread().name)


def holding(ends: list[str]) -> Iterator[int]:
    held = Held(ends)
    yield 1
    raise ValueError(str(bool(held)))


def raised(ends: list[str]) -> Exception:
    try:
        held = Held(ends)
        try:
            list(holding(ends))
        except ValueError as error:
            raise KeyError(str(bool(held))) from error
    except KeyError as error:
        return error
    raise AssertionError


def test_nothing_but_the_places_is_left() -> None:
    ends: list[str] = []
    error = raised(ends)
    assert not ends
    assert without_locals(error) is error
    assert len(ends) == 2
    told = "".join(traceback.format_exception(error))
    assert "raise ValueError" in told and "raise KeyError" in told


def test_errors_that_lead_back_to_themselves_have_an_end() -> None:
    one, other = ValueError(), KeyError()
    one.__context__, other.__context__ = other, one
    with pytest.raises(ValueError):
        raise without_locals(one)
