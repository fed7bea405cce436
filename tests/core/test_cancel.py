import ctypes
import sys
import threading

from app.core.cancel import CancelFlag


def test_it_begins_clear_and_is_set_and_cleared() -> None:
    flag = CancelFlag()
    assert not flag.is_set()
    flag.set()
    assert flag.is_set()
    flag.set()
    assert flag.is_set()
    flag.clear()
    assert not flag.is_set()


def test_c_reads_the_same_flag() -> None:
    """As llama.cpp does: any length but 0 stops it."""
    libc = ctypes.CDLL("msvcrt" if sys.platform == "win32" else None)
    strlen = libc.strlen
    strlen.argtypes = [ctypes.c_void_p]
    strlen.restype = ctypes.c_size_t
    flag = CancelFlag()
    assert strlen(flag.address) == 0
    flag.set()
    assert strlen(flag.address) == 1
    flag.clear()
    assert strlen(flag.address) == 0


def test_two_flags_are_two() -> None:
    one, two = CancelFlag(), CancelFlag()
    one.set()
    assert not two.is_set()
    assert one.address != two.address


def test_another_thread_sees_it() -> None:
    flag, seen = CancelFlag(), threading.Event()

    def poll() -> None:
        while not flag.is_set():
            pass
        seen.set()

    thread = threading.Thread(target=poll, daemon=True)
    thread.start()
    flag.set()
    assert seen.wait(60)
    thread.join()
