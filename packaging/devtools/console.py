"""What people see while the set-up works."""

import sys
import time
from collections.abc import Callable
from typing import TextIO


def say(text: str = "") -> None:
    print(text, flush=True)


def duration(seconds: float) -> str:
    """In words, for estimates and results: "less than a second", "40 seconds", "5 minutes"."""
    if seconds < 1:
        return "less than a second"
    if seconds < 90:
        return f"{seconds:.0f} second{'' if round(seconds) == 1 else 's'}"
    minutes = round(seconds / 60)
    return f"{minutes} minute{'' if minutes == 1 else 's'}"


class Progress:
    """One line that changes in place on a terminal, and now and then a new line elsewhere.

    `expected` is how long the whole should take, in seconds, where that is all that is known: the elapsed
    time then stands in for what is done, and never claims more than 95 %.
    """

    def __init__(
        self, expected: float | None, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._stream = stream or sys.stdout
        self._live = self._stream.isatty()
        self._expected = expected
        self._clock = clock
        self._start = clock()
        self._fraction = 0.0
        self._detail = ""
        self._last_said = (0, self._start)

    def update(self, fraction: float | None = None, detail: str = "") -> None:
        """Shows what is known. Call it at least once a second."""
        if fraction is not None:
            self._fraction = max(fraction, self._fraction)
            self._detail = detail
        seconds = self._clock() - self._start
        done = min(seconds / self._expected, 0.95) if self._expected else self._fraction
        line = f"    {done:4.0%}  {_clock_face(seconds)}  {self._detail}"
        if self._live:
            self._stream.write(f"\r{line[:78]:<78}")
            self._stream.flush()
        elif self._is_news(int(done * 10), seconds):
            self._stream.write(f"{line.rstrip()}\n")
            self._stream.flush()

    def end(self) -> None:
        if self._live:
            self._stream.write(f"\r{'':<78}\r")
            self._stream.flush()

    def _is_news(self, tenth: int, seconds: float) -> bool:
        last_tenth, last_seconds = self._last_said[0], self._last_said[1] - self._start
        if tenth == last_tenth and seconds - last_seconds < 30:
            return False
        if seconds - last_seconds < 5:
            return False
        self._last_said = (tenth, self._clock())
        return True


def _clock_face(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"
