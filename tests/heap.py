"""What the process has allocated now, for tests of what things that are kept take."""

import ctypes

import pytest


class _Heap(ctypes.Structure):
    """`struct mallinfo2` of glibc, since 2.33."""

    _fields_ = (
        ("before", ctypes.c_size_t * 4),
        ("mapped", ctypes.c_size_t),
        ("between", ctypes.c_size_t * 2),
        ("used", ctypes.c_size_t),
        ("behind", ctypes.c_size_t * 2),
    )


def in_use() -> int:
    """Bytes that are allocated now, whatever the process holds beside them. Skips the test where nobody tells."""
    tell = getattr(ctypes.CDLL(None), "mallinfo2", None)
    if tell is None:
        pytest.skip("only glibc tells what is in use")
    tell.restype = _Heap
    heap = tell()
    return int(heap.used + heap.mapped)
