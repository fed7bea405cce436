"""The engine of a bundle: for any processor of its kind, and fast on the one that it finds itself on."""

import hashlib
import os
import platform
import shutil
import sys
from pathlib import Path

from devtools.bundle_contents import MINIMUM_MACOS
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
_INCLUDE = (Path("/usr/include"), Path("/usr/local/include"))
_TIMES_A_BUILD, _FOR_GRAPHICS = 2.5, 0.7
"""How much longer than for one processor it takes, and what the code for graphics cards adds to that."""


def default_flavour() -> str:
    return "metal" if sys.platform == "darwin" and platform.machine() == "arm64" else "cpu"


def engine_options(flavour: str, system: str, machine: str) -> tuple[str, ...]:
    """CMake's options for a bundle on `system` and `machine`, as Python's `platform` names them."""
    if system == "Darwin" and machine == "arm64":
        # Untried. All Macs with Apple's processors run code for the first of them; Metal does most of the work.
        portable: tuple[str, ...] = ("-DGGML_NATIVE=OFF", f"-DCMAKE_OSX_DEPLOYMENT_TARGET={MINIMUM_MACOS}")
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


def need_tools(engine: Engine) -> None:
    """Raises SetUpError with what is to be installed before this engine can be built."""
    if not compiler_found():
        raise SetUpError(advice())
    # Elsewhere all of it is in Vulkan's SDK, whose installer sets the variable.
    if "-DGGML_VULKAN=ON" in engine.options and "VULKAN_SDK" not in os.environ and not _has_vulkan_tools():
        raise SetUpError(
            "Vulkan's code is compiled by glslc, with Vulkan's headers of 2024 or later and those of SPIR-V, and not "
            "all of them are here: install the Vulkan SDK and let VULKAN_SDK name its folder, or, on Debian 13 and "
            "Ubuntu 24.04, install the packages glslc, libvulkan-dev and spirv-headers."
        )


def _has_vulkan_tools() -> bool:
    headers = ("vulkan/vulkan.hpp", "vulkan/vulkan_core.h", "spirv/unified1/spirv.hpp")
    places = [folder for folder in _INCLUDE if all((folder / header).exists() for header in headers)]
    # The newest that llama.cpp asks for, and not in Debian 12's headers.
    new = any("VkLayerSettingsCreateInfoEXT" in (each / headers[1]).read_text("utf-8") for each in places[:1])
    return new and shutil.which("glslc") is not None


def portable_wheel(layout: Layout, engine: Engine) -> Path:
    """The wheel, built where none of an earlier build is there. Raises SetUpError."""
    if kept_wheel(layout, engine) is None:
        need_tools(engine)
        times = _TIMES_A_BUILD + (_FOR_GRAPHICS if "-DGGML_VULKAN=ON" in engine.options else 0.0)
        expected = build_seconds(compilers_at_once()) * times
        say(f"    building llama.cpp for all processors (about {duration(expected)})")
        build_engine(layout, engine)
    wheel = kept_wheel(layout, engine)
    if wheel is None:
        raise SetUpError(f"{layout.wheels / engine.key} has lost its wheel: try again.")
    return wheel
