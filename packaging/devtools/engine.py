"""llama-cpp-python: which build of it is wanted, and getting it into `.venv`."""

import hashlib
import json
import os
import platform
import re
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from devtools.environment import pip_command, pip_environment
from devtools.errors import SetUpError
from devtools.layout import Layout
from devtools.logged import Command, run_logged
from devtools.processor import processor

VARIANTS = ("cpu", "cu130", "metal", "vulkan", "rocm")
BUILD = "build"
"""Not one of upstream's wheels: built on this machine, for its processor."""
# Named in the README of llama-cpp-python, under "Pre-built Wheel".
_WHEELS = "https://abetlen.github.io/llama-cpp-python/whl"
_FOLDERS = {"rocm": "hip-radeon" if os.name == "nt" else "rocm72"}
_OPTIONS = (
    "-DGGML_NATIVE=ON",
    "-DLLAMA_OPENSSL=OFF",
    "-DMTMD_VIDEO=OFF",
    # Else every library is packed three times under its versions, and once more outside the package.
    "-DCMAKE_PLATFORM_NO_VERSIONED_SONAME=ON",
    "-DCMAKE_INSTALL_BINDIR=llama_cpp/lib",
    "-DCMAKE_INSTALL_LIBDIR=llama_cpp/lib",
    "-DCMAKE_INSTALL_INCLUDEDIR=llama_cpp/include",
)
_LEAN = Path(__file__).with_name("lean.cmake")
FETCH_SECONDS, INSTALL_SECONDS = 60.0, 5.0
_ENVIRONMENT = ("CMAKE_ARGS", "CC", "CXX", "CFLAGS", "CXXFLAGS", "LDFLAGS")
_PROVES = "import llama_cpp, llama_cpp.mtmd_cpp; llama_cpp.llama_backend_init()"


@dataclass(frozen=True, slots=True)
class Engine:
    """What has to be in `.venv`."""

    variant: str
    version: str
    key: str
    """Differs wherever the installed files would have to differ."""
    options: tuple[str, ...] = ()
    """For CMake, beside those of every build; they win over them."""

    @property
    def is_built(self) -> bool:
        return self.variant == BUILD


def wanted_engine(layout: Layout, asked: str | None) -> Engine:
    """The engine that `--wheels` asks for, this time or the last time that it was given."""
    variant = asked or _last_choice(layout)
    lock = (layout.requirements / "engine.lock").read_text(encoding="utf-8")
    version = engine_version(lock)
    if variant != BUILD:
        return Engine(variant, version, f"{version}-{variant}")
    return Engine(variant, version, build_key(lock, processor(), where=_platform(), environ=os.environ))


def engine_version(lock: str) -> str:
    found = re.search(r"^llama-cpp-python==([^\s\\]+)", lock, re.MULTILINE)
    if found is None:
        raise SetUpError("packaging/requirements/engine.lock does not name llama-cpp-python: restore it from git.")
    return found[1]


def build_key(lock: str, processor: str, *, where: str, environ: Mapping[str, str]) -> str:
    """Names a build. The bindings are plain Python (`py3-none` wheels), so Python's version is not part of it."""
    chosen = {name: environ[name] for name in _ENVIRONMENT if environ.get(name)}
    parts = json.dumps([lock, processor, where, _OPTIONS, _LEAN.read_text(encoding="utf-8"), chosen], sort_keys=True)
    return f"{engine_version(lock)}-{hashlib.sha256(parts.encode()).hexdigest()[:16]}"


def kept_wheel(layout: Layout, engine: Engine) -> Path | None:
    """The wheel of an earlier build or download, where there is one for exactly this engine."""
    return next(iter(sorted((layout.wheels / engine.key).glob("*.whl"))), None)


def cmake_arguments(environ: Mapping[str, str], options: Sequence[str] = ()) -> str:
    """Ours first, then the engine's own `options`, so that people's own CMAKE_ARGS win."""
    lean = shlex.quote(f"-DCMAKE_PROJECT_llama_cpp_INCLUDE={_LEAN.as_posix()}")
    return " ".join([*_OPTIONS, *options, lean, environ.get("CMAKE_ARGS", "")]).strip()


def remember_choice(layout: Layout, asked: str | None) -> None:
    """So that `--wheels` need not be given every time."""
    if asked is not None:
        layout.build.mkdir(exist_ok=True)
        layout.choice.write_text(asked, encoding="utf-8")


def fetch_engine(layout: Layout, engine: Engine) -> None:
    """Downloads upstream's wheel to where a built one would be, so that a failure leaves `.venv` as it is."""
    index = f"{_WHEELS}/{_FOLDERS.get(engine.variant, engine.variant)}"
    partial = layout.workshop / "upstream"
    shutil.rmtree(partial, ignore_errors=True)
    options = ["--no-deps", "--only-binary", ":all:", "--index-url", index, "--dest", str(partial)]
    argv = [*pip_command(layout.python), "download", *options, f"llama-cpp-python=={engine.version}"]
    doing = f"Downloading upstream's wheel for {engine.variant} from {index}"
    log = layout.logs / "engine-download.log"
    run_logged(Command(argv, doing, log, FETCH_SECONDS, pip_environment(os.environ)))
    shelve(layout, engine, next(partial.glob("*.whl")))


def shelve(layout: Layout, engine: Engine, wheel: Path) -> None:
    """Keeps a wheel for this engine. What led to it in the workshop is no longer needed."""
    shelf = layout.wheels / engine.key
    shelf.mkdir(parents=True, exist_ok=True)
    wheel.replace(shelf / wheel.name)
    shutil.rmtree(layout.workshop, ignore_errors=True)


def install_engine(layout: Layout, engine: Engine) -> None:
    """Puts the kept wheel into `.venv`, and proves that it loads."""
    wheel = kept_wheel(layout, engine)
    if wheel is None:
        raise SetUpError(f"{layout.wheels / engine.key} has lost its wheel: try again.")
    options = ["--no-deps", "--force-reinstall", "--no-index"]
    argv = [*pip_command(layout.python), "install", *options, str(wheel)]
    log = layout.logs / "engine-install.log"
    run_logged(Command(argv, f"Installing {wheel.name}", log, INSTALL_SECONDS, pip_environment(os.environ)))
    _prove(layout, engine)


def _prove(layout: Layout, engine: Engine) -> None:
    told = subprocess.run(
        [str(layout.python), "-I", "-c", _PROVES], capture_output=True, text=True, errors="replace", check=False
    )
    if told.returncode == 0:
        return
    remedy = "delete build/wheels and try again" if engine.is_built else "try `--wheels cpu`, or `--wheels build`"
    lines = (told.stderr.strip() or f"It ended with code {told.returncode}.").splitlines()
    raise SetUpError(
        f"The engine ({engine.variant}) is installed but does not load here: {remedy}.", f"    {lines[-1]}"
    )


def _last_choice(layout: Layout) -> str:
    try:
        choice = layout.choice.read_text(encoding="utf-8").strip()
    except OSError:
        return BUILD
    return choice if choice in VARIANTS else BUILD


def _platform() -> str:
    return " ".join([platform.system(), platform.machine(), *platform.libc_ver()])
