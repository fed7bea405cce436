"""Signals as a child of a terminal has them, also where the tests run in the background of a script."""

import signal
from collections.abc import Iterable
from types import FrameType

_NEEDED = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT")


def for_children(names: Iterable[str] = _NEEDED) -> None:
    """Signals that are ignored here stay without effect, but children start with the system's own way for them.

    A shell without job control has what it starts with & ignore SIGINT, and `nohup` SIGHUP. What is ignored is
    inherited; a handler, which this one gets, is not.
    """
    for name in names:
        number = getattr(signal, name, None)  # Windows lacks some
        if number is not None and signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, _ignore)


def _ignore(_number: int, _frame: FrameType | None) -> None:
    pass
