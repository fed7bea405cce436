"""Compiling llama-cpp-python for this processor, in steps that an interruption does not lose."""

import os
import re
import shutil
import tarfile
from pathlib import Path
from typing import Any

from devtools.console import say
from devtools.engine import Engine, cmake_arguments, shelve
from devtools.environment import create, install, pip_command, pip_environment
from devtools.errors import SetUpError
from devtools.layout import Layout, interpreter
from devtools.logged import Command, run_logged
from devtools.stamps import Stamps

_CPU_SECONDS = 470.0
"""Of both cores together, measured with g++ 12 on a machine of 2024."""
_MEMORY_PER_COMPILER = 1_000_000_000
_NINJA = re.compile(r"^\s*\[(\d+)/(\d+)\]\s+(.*)")


def build_seconds(jobs: int) -> float:
    """About how long the compilation takes with that many compilers at once."""
    return _CPU_SECONDS / max(jobs, 1) + 20.0


def compilers_at_once() -> int:
    """One for each core, but no more than the memory is good for."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return cores
    return max(1, min(cores, memory // _MEMORY_PER_COMPILER))


def build_engine(layout: Layout, engine: Engine) -> None:
    """Leaves a wheel at `layout.wheels / engine.key`. What an interrupted build compiled is used again."""
    shop = layout.workshop
    shop.mkdir(parents=True, exist_ok=True)
    tools = _tools(layout)
    source = _source(layout, engine, tools)
    wheel = _compile(layout, engine, tools, source)
    # Published ones, which tests read; they are others' and stay out of the repository.
    templates = layout.wheels / engine.key / "templates"
    shutil.copytree(source / "vendor" / "llama.cpp" / "models" / "templates", templates, dirs_exist_ok=True)
    shelve(layout, engine, wheel)


def reading_of_ninja(line: str) -> tuple[float, str] | None:
    """From "[51/136] Building CXX object ..." or, when it tells whole commands, "[51/136] /usr/bin/c++ ... x.cpp"."""
    found = _NINJA.match(line)
    if found is None:
        return None
    done, total = int(found[1]), int(found[2])
    return done / max(total, 1), f"{done}/{total} {_source_name(found[3])}"


def _source_name(command: str) -> str:
    names = [word for word in command.split() if word.endswith((".c", ".cpp", ".cxx", ".m", ".mm", ".so", ".o"))]
    return Path(names[-1]).name if names else ""


def _tools(layout: Layout) -> Path:
    """The interpreter of an environment with CMake, Ninja and scikit-build-core, all pinned."""
    folder = layout.workshop / "tools"
    lock = layout.requirements / "build.lock"
    stamps = Stamps(folder / "hearth-setup")
    python = interpreter(folder)
    key = f"{layout.root} {lock.read_text(encoding='utf-8')}"
    if not stamps.matches("tools", key) or not python.exists():
        say("    installing CMake, Ninja and scikit-build-core")
        shutil.rmtree(folder, ignore_errors=True)
        stamps.begin("tools")
        create(folder, layout.logs / "tools-environment.log", "--without-pip")
        install(python, lock, layout.logs / "tools.log", pip=layout.python)
        stamps.finish("tools", key)
    return python


def _source(layout: Layout, engine: Engine, tools: Path) -> Path:
    """The unpacked source archive, downloaded and checked against its hash."""
    source = layout.workshop / f"llama_cpp_python-{engine.version}"
    if source.is_dir():
        return source
    say("    downloading its source (77 MB)")
    lock = layout.requirements / "engine.lock"
    options = ["--require-hashes", "--no-deps", "--no-binary", ":all:", "--no-build-isolation", "-r", str(lock)]
    argv = [*pip_command(layout.python, tools), "download", *options, "--dest", str(layout.workshop)]
    doing = "Downloading the engine's source (77 MB)"
    run_logged(Command(argv, doing, layout.logs / "engine-download.log", 30.0, _environment(layout, tools)))
    archive = layout.workshop / f"llama_cpp_python-{engine.version}.tar.gz"
    if not archive.is_file():
        raise SetUpError(f"pip left no {archive.name} in {layout.workshop}: see {layout.logs / 'engine-download.log'}.")
    partial = layout.workshop / "unpacking"
    shutil.rmtree(partial, ignore_errors=True)
    # Python before 3.11.4 knows no filters; the archive is the one that we pinned in either case.
    careful: dict[str, Any] = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
    with tarfile.open(archive) as tar:
        tar.extractall(partial, **careful)
    (partial / source.name).replace(source)
    archive.unlink()
    return source


def _compile(layout: Layout, engine: Engine, tools: Path, source: Path) -> Path:
    """One wheel in the workshop. The object files stay where the next try looks for them."""
    say("    compiling")
    jobs = compilers_at_once()
    output = layout.workshop / "wheel"
    shutil.rmtree(output, ignore_errors=True)
    objects = layout.workshop / f"objects-{engine.key[-8:]}"
    options = ["--no-deps", "--no-build-isolation", "--config-settings", f"build-dir={objects}", "-v"]
    argv = [*pip_command(layout.python, tools), "wheel", *options, "--wheel-dir", str(output), str(source)]
    environment = _environment(layout, tools) | {
        "CMAKE_ARGS": cmake_arguments(os.environ, engine.options),
        "CMAKE_BUILD_PARALLEL_LEVEL": str(jobs),
    }
    log = layout.logs / "engine-build.log"
    run_logged(Command(argv, "Building the engine", log, build_seconds(jobs), environment), reading_of_ninja)
    made = sorted(output.glob("llama_cpp_python-*.whl"))
    if len(made) != 1:
        raise SetUpError(f"The build of the engine left no wheel: see {log}.")
    return made[0]


def _environment(layout: Layout, tools: Path) -> dict[str, str]:
    path = f"{tools.parent}{os.pathsep}{os.environ.get('PATH', '')}"
    return pip_environment(os.environ) | {"PATH": path}
