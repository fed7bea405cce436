"""What something took, on the clock and of the processor."""

import time
from dataclasses import dataclass
from types import TracebackType

import psutil


@dataclass(frozen=True)
class Took:
    seconds: float
    cpu: float
    """Seconds of the processor, in steps of ten milliseconds. On a busy machine they say more than the clock."""

    def __add__(self, other: "Took") -> "Took":
        return Took(self.seconds + other.seconds, self.cpu + other.cpu)


class Stopwatch:
    """Times what the process `pid` does for this one."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self.took = Took(0.0, 0.0)

    @staticmethod
    def cpu_of(pid: int) -> float:
        times = psutil.Process(pid).cpu_times()
        return float(times.user + times.system)

    def __enter__(self) -> "Stopwatch":
        self._began, self._cpu = time.perf_counter(), self.cpu_of(self._pid)
        return self

    def __exit__(self, kind: type[BaseException] | None, value: object, trace: TracebackType | None) -> None:
        if kind is None:
            self.took = Took(time.perf_counter() - self._began, self.cpu_of(self._pid) - self._cpu)
