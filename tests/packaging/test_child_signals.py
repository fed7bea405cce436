import os
import signal
import subprocess
import sys

import pytest

from tests.child_signals import for_children

pytestmark = pytest.mark.skipif(os.name != "posix", reason="POSIX signals")


def ended_by_an_interrupt() -> bool:
    code = "import os, signal; os.kill(os.getpid(), signal.SIGINT)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    return b"KeyboardInterrupt" in done.stderr


def test_children_hear_what_the_tests_themselves_ignore() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        assert not ended_by_an_interrupt()
        for_children()
        assert ended_by_an_interrupt()
        os.kill(os.getpid(), signal.SIGINT)  # nothing happens
    finally:
        signal.signal(signal.SIGINT, before)


def test_what_is_not_ignored_is_left_as_it_is() -> None:
    before = signal.getsignal(signal.SIGINT)
    for_children()
    assert signal.getsignal(signal.SIGINT) is before
