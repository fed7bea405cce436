"""The engine of a bundle: for any processor of its kind, and fast on the one that it finds itself on."""

import hashlib
import platform
import shutil
import sys
from pathlib import Path

from devtools.compiler import advice, compiler_found
from devtools.console import duration, say
from devtools.engine import Engine, engine_version, kept_wheel
from devtools.engine_build import build_engine, build_seconds, compilers_at_once
from devtools.errors import SetUpError
from devtools.layout import Layout

FLAVOURS = ("cpu", "vulkan", "metal")
# The processor's code is chosen when the program starts: one library for each generation, x86-64 of 2003 to today.
_PORTABLE = ("-DGGML_NATIVE=OFF", "-DGGML_BACKEND_DL=ON", "-DGGML_CPU_ALL_VARIANTS=ON")
_GRAPHICS = {"cpu": (), "vulkan": ("-DGGML_VULKAN=ON",), "metal": ("-DGGML_METAL=ON",)}
_TIMES_A_BUILD = 2.5
"""How much longer than for one processor it takes."""


def default_flavour() -> str:
    return "metal" if sys.platform == "darwin" and platform.machine() == "arm64" else "cpu"


def engine_options(flavour: str, system: str, machine: str) -> tuple[str, ...]:
    """CMake's options for a bundle on `system` and `machine`, as Python's `platform` names them."""
    if system == "Darwin" and machine == "arm64":
        # Untried. All Macs with Apple's processors run code for the first of them; Metal does most of the work.
        portable: tuple[str, ...] = ("-DGGML_NATIVE=OFF", "-DCMAKE_OSX_DEPLOYMENT_TARGET=13.0")
    elif system == "Windows":
        # Untried. llama.cpp refuses some variants with Microsoft's compiler and leaves them out by itself.
        portable = _PORTABLE
    else:
        portable = _PORTABLE
    if flavour != "metal" and system == "Darwin":
        portable = (*portable, "-DGGML_METAL=OFF")
    return (*portable, *_GRAPHICS[flavour])


def portable_engine(layout: Layout, flavour: str) -> Engine:
    """The engine that a bundle of this flavour holds. Its key says nothing of this machine's processor."""
    if flavour == "metal" and sys.platform != "darwin":
        raise SetUpError("Metal is macOS's: build this flavour there.")
    lock = (layout.requirements / "engine.lock").read_text(encoding="utf-8")
    options = engine_options(flavour, platform.system(), platform.machine())
    told = " ".join([lock, platform.system(), platform.machine(), *options])
    version = engine_version(lock)
    return Engine("build", version, f"{version}-{flavour}-{hashlib.sha256(told.encode()).hexdigest()[:12]}", options)


def _need_tools(engine: Engine) -> None:
    if not compiler_found():
        raise SetUpError(advice())
    if "-DGGML_VULKAN=ON" in engine.options and shutil.which("glslc") is None:
        raise SetUpError(
            "Vulkan's code is compiled by glslc, and it is not here: install it with Vulkan's headers "
            "(on Debian, the packages glslc and libvulkan-dev)."
        )


def portable_wheel(layout: Layout, engine: Engine) -> Path:
    """The wheel, built where none of an earlier build is there. Raises SetUpError."""
    if kept_wheel(layout, engine) is None:
        _need_tools(engine)
        expected = build_seconds(compilers_at_once()) * _TIMES_A_BUILD
        say(f"    building llama.cpp for all processors (about {duration(expected)})")
        build_engine(layout, engine)
    wheel = kept_wheel(layout, engine)
    if wheel is None:
        raise SetUpError(f"{layout.wheels / engine.key} has lost its wheel: try again.")
    return wheel
