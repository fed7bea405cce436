"""What the window's process is before anything is in it, in a process of its own."""

import os
import subprocess
import sys

import pytest

_HEAPS = """
import ctypes, threading
from app.start import make_application
application = make_application()
c = ctypes.CDLL(None)
c.fopen.restype = ctypes.c_void_p
together = threading.Barrier(8)
def work():
    c.free(ctypes.c_void_p(c.malloc(5000)))
    together.wait()
c.malloc.restype = ctypes.c_void_p
threads = [threading.Thread(target=work) for _ in range(8)]
for each in threads: each.start()
for each in threads: each.join()
file = ctypes.c_void_p(c.fopen(b"/dev/stdout", b"w"))
c.malloc_info(0, file)
c.fclose(file)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="glibc")
def test_threads_share_their_heaps() -> None:
    """Each heap keeps holes of its own: the window's process grew by some ten MiB more for each hour of a hard use."""
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    environment.pop("MALLOC_ARENA_MAX", None)
    done = subprocess.run([sys.executable, "-c", _HEAPS], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert 1 <= done.stdout.count("<heap nr=") <= 2
