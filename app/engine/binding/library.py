"""llama.cpp as a process-wide library: loaded once, its log caught, its backends registered."""

import ctypes
import logging
import os
import sys
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

# An abort must not start a debugger on the user's machine (ggml's default where gdb is installed).
os.environ.setdefault("GGML_NO_BACKTRACE", "1")

import llama_cpp
from llama_cpp import _utils
from llama_cpp import llama_cpp as api

_log = logging.getLogger("llama.cpp")

# Two files that the binding opens for a class of its own, which is not used here, and never closes.
for _name in ("outnull_file", "errnull_file"):
    if hasattr(_utils, _name):
        getattr(_utils, _name).close()

# ggml.h's levels; llama_cpp's own table still has the old numbers and would hide errors.
_LEVELS = {1: logging.DEBUG, 2: logging.DEBUG, 3: logging.WARNING, 4: logging.ERROR}
_CONTINUE = 5
# What llama.cpp calls errors when its abort callback did what it was asked to.
_CANCELLED = (
    *("compute status: 1", "graph_compute_async failed with error 1\n", "removing memory module entries"),
    "failed to decode, ret = 2",
)
_HARMLESS = ("audio input is in experimental stage",)
"""What llama.cpp warns of at every load, of which nothing follows for anybody."""
_KEPT_LINES = 40


class RefusedError(Exception):
    """llama.cpp would not do something; `lines` are its own words, or ours."""

    def __init__(self, lines: list[str]) -> None:
        super().__init__("\n".join(lines))
        self.lines = lines


class LibraryLog:
    """llama.cpp's log: warnings and errors go to `logging`, the last lines are kept to explain a failure.

    Lines below WARNING are dropped unread, because some of them hold parts of the prompt.
    """

    def __init__(self) -> None:
        self._lines: deque[str] = deque(maxlen=_KEPT_LINES)
        self._lock = threading.Lock()
        self._level = logging.DEBUG

    def take(self, level: int, text: bytes) -> None:
        if level != _CONTINUE:
            self._level = _LEVELS.get(level, logging.DEBUG)
        if self._level < logging.WARNING:
            return
        said = text.decode("utf-8", "replace")
        line = said.rstrip()
        if line.strip(". ") and not any(sign in said for sign in (*_CANCELLED, *_HARMLESS)):
            with self._lock:
                self._lines.append(line)
            _log.log(self._level, "%s", line)

    @contextmanager
    def collect(self) -> Iterator[deque[str]]:
        """The lines that come while the block runs (all threads)."""
        with self._lock:
            self._lines.clear()
        yield self._lines


log = LibraryLog()


def _take_log(level: int, text: bytes, _data: object) -> None:
    log.take(level, text)


_LOG_CALLBACK = api.llama_log_callback(_take_log)


@cache
def start() -> None:
    """Make llama.cpp ready: catch its log, register the backends beside it. Call before any other use."""
    _return_large_blocks()
    api.llama_log_set(_LOG_CALLBACK, ctypes.c_void_p(0))
    api.llama_backend_init()
    # A build with dynamic backends registers none by itself; a plain build finds nothing to add.
    ggml = _shared_library("ggml")
    ggml.ggml_backend_load_all_from_path.argtypes = [ctypes.c_char_p]
    ggml.ggml_backend_load_all_from_path(str(library_folder()).encode())


def _return_large_blocks() -> None:
    """Let large blocks of memory go back to the system when they are freed, as they do before glibc has seen one.

    From then on it cuts blocks of up to 32 MiB out of its heaps, whose holes stay the program's: states, pictures and
    the window's own leave hundreds of MiB of them. The price is half a millisecond for each MiB that is taken anew.
    """
    if sys.platform == "linux" and (choose := getattr(ctypes.CDLL(None), "mallopt", None)) is not None:
        for option, size in _MALLOC.items():
            choose(option, size)


_MALLOC = {-3: 1 << 20, -1: 4 << 20}
"""malloc.h: bytes from which a block is the system's own (M_MMAP_THRESHOLD), and that a heap may keep at its end
(M_TRIM_THRESHOLD)."""


def library_folder() -> Path:
    return Path(llama_cpp.__file__).resolve().parent / "lib"


@cache
def _shared_library(name: str) -> ctypes.CDLL:
    """The very copy of a ggml library that llama.cpp itself is linked to.

    On Linux the wheel holds three copies of each; loading "libggml.so" instead of "libggml.so.0" would give a
    second set of globals. ggml_backend_load_all_from_path and the abort callback must reach the first.
    """
    folder = library_folder()
    candidates = {
        "win32": [f"{name}.dll", f"lib{name}.dll"],
        "darwin": [f"lib{name}.0.dylib", f"lib{name}.dylib"],
    }.get(sys.platform, [f"lib{name}.so.0", f"lib{name}.so"])
    found = next((folder / each for each in candidates if (folder / each).exists()), None)
    if found is None:
        raise FileNotFoundError(f"llama.cpp's {name} library is not in {folder}")
    return ctypes.CDLL(str(found))


@cache
def version() -> str:
    """The versions of the binding and of llama.cpp, as they tell them; part of every key of saved state."""
    return f"{llama_cpp.__version__} ({api.llama_version().decode()})"


@cache
def _strlen() -> ctypes.c_void_p:
    """Address of the C library's strlen, as the abort callback; see `app.core.cancel.CancelFlag`."""
    libc = ctypes.CDLL("msvcrt" if sys.platform == "win32" else None)
    return ctypes.cast(libc.strlen, ctypes.c_void_p)


def abort_callback() -> object:
    """llama.cpp's abort callback that reads a `CancelFlag`; its data argument is the flag's address."""
    return ctypes.cast(_strlen(), api.ggml_abort_callback)


def _say(text: bytes) -> None:
    os.write(2, b"\n" + text.strip() + b"\n")


_ABORT_KIND = ctypes.CFUNCTYPE(None, ctypes.c_char_p)
_ON_ABORT = _ABORT_KIND(_say)


def print_last_words() -> None:
    """Let a failed assertion inside llama.cpp write its text to standard error before the process dies."""
    base = _shared_library("ggml-base")
    base.ggml_set_abort_callback.argtypes = [_ABORT_KIND]
    base.ggml_set_abort_callback.restype = ctypes.c_void_p
    base.ggml_set_abort_callback(_ON_ABORT)


def device_memory() -> int:
    """Free bytes on all graphics devices together; 0 where there are none."""
    return sum(free for _, free in device_rooms())


def device_rooms() -> list[tuple[str, int]]:
    """Of each graphics device, what people know it by and how many bytes are free on it, in llama.cpp's order.

    May be asked in any thread once llama.cpp has been started.
    """
    devices = graphics_devices()
    base = _shared_library("ggml-base")
    size_pointer = ctypes.POINTER(ctypes.c_size_t)
    base.ggml_backend_dev_memory.argtypes = [ctypes.c_void_p, size_pointer, size_pointer]
    base.ggml_backend_dev_description.argtypes = [ctypes.c_void_p]
    base.ggml_backend_dev_description.restype = ctypes.c_char_p
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    found = []
    for device in devices:
        base.ggml_backend_dev_memory(device, ctypes.byref(free), ctypes.byref(total))
        name = (base.ggml_backend_dev_description(device) or b"").decode("utf-8", "replace").strip()
        found.append((name, free.value))
    return found


def has_started() -> bool:
    """Whether somebody has made llama.cpp ready in this process."""
    return start.cache_info().currsize > 0


def graphics_devices() -> list[int]:
    """ggml's handles of the graphics cards that it can compute with."""
    start()
    base, ggml = _shared_library("ggml-base"), _shared_library("ggml")
    ggml.ggml_backend_dev_count.restype = ctypes.c_size_t
    ggml.ggml_backend_dev_get.restype = ctypes.c_void_p
    ggml.ggml_backend_dev_get.argtypes = [ctypes.c_size_t]
    base.ggml_backend_dev_type.argtypes = [ctypes.c_void_p]
    devices = [ggml.ggml_backend_dev_get(index) for index in range(ggml.ggml_backend_dev_count())]
    return [device for device in devices if base.ggml_backend_dev_type(device) in _GPU_TYPES]


_GPU_TYPES = (1, 2)
"""ggml-backend.h: GGML_BACKEND_DEVICE_TYPE_GPU, ..._IGPU."""
