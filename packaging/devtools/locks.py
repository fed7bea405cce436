"""Making the lock files again: exact versions and hashes of everything that is installed, for all platforms."""

import os
import subprocess
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from shutil import which

from devtools.console import say
from devtools.errors import SetUpError
from devtools.layout import Layout

ENGINE = "llama-cpp-python"
_BUILD = ("scikit-build-core>=0.9.2", "cmake>=3.21", "ninja>=1.5")
"""What llama-cpp-python's source asks for, with the two programs that scikit-build-core calls."""
_OPTIONS = (
    "--universal",
    "--python-version",
    "3.11",
    "--generate-hashes",
    "--fork-strategy",
    "fewest",
    "--no-annotate",
)
_HEADER = "# Made by `python3 packaging/dev.py lock` from pyproject.toml; do not edit.\n"


@dataclass(frozen=True, slots=True)
class Lock:
    name: str
    arguments: tuple[str, ...]
    requirements: str = ""
    """Given on standard input; empty where pyproject.toml is the source."""


def make_locks(layout: Layout, *, upgrade: bool) -> None:
    """Rewrites `packaging/requirements/*.lock`; without `upgrade`, versions change only where they must."""
    uv = _uv(layout)
    layout.requirements.mkdir(exist_ok=True)
    for lock in locks(layout.root, layout.requirements):
        path = layout.requirements / f"{lock.name}.lock"
        say(f"{path.relative_to(layout.root)}")
        _compile(uv, lock, path, upgrade=upgrade)


def locks(root: Path, folder: Path) -> list[Lock]:
    """In order: the one for running takes its versions from the one for tests."""
    project = str(root / "pyproject.toml")
    without_engine = ("--no-emit-package", ENGINE)
    return [
        Lock("test", (project, "--group", f"{project}:test", *without_engine)),
        Lock("run", (project, "--constraint", str(folder / "test.lock"), *without_engine)),
        Lock("engine", ("-", "--no-deps"), _engine_requirement(root)),
        Lock("build", ("-",), "\n".join(_BUILD)),
        Lock("bundle", ("--group", f"{project}:bundle", "--constraint", str(folder / "test.lock"))),
    ]


def _engine_requirement(root: Path) -> str:
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    wanted: list[str] = project["project"]["dependencies"]
    return next(each for each in wanted if each.startswith(f"{ENGINE}=="))


def _compile(uv: str, lock: Lock, path: Path, *, upgrade: bool) -> None:
    argv = [uv, "pip", "compile", *_OPTIONS, "--no-header", "--no-config", "--quiet", "-o", str(path), *lock.arguments]
    if upgrade:
        argv.append("--upgrade")
    done = subprocess.run(
        argv, input=lock.requirements, capture_output=True, text=True, check=False, env=_plain(os.environ)
    )
    if done.returncode != 0:
        raise SetUpError(f"uv could not resolve {path.name}:", done.stderr.rstrip())
    path.write_text(_HEADER + _without_notes(path.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")


def _without_notes(text: str) -> str:
    lines = (line for line in text.splitlines(keepends=True) if not line.lstrip().startswith("#"))
    return "".join(lines).strip("\n") + "\n"


def _plain(environ: Mapping[str, str]) -> dict[str, str]:
    """No index but PyPI: a lock file is for everybody."""
    return {name: value for name, value in environ.items() if not name.startswith(("UV_", "PIP_"))}


def _uv(layout: Layout) -> str:
    own = layout.script("uv")
    found = str(own) if own.exists() else which("uv")
    if found is None:
        raise SetUpError(f"Locking needs uv: `{layout.python} -m pip install uv`, then try again.")
    return found
