"""The look before the leap: what this machine lacks, told or installed before anything is downloaded."""

import platform
import shutil
from pathlib import Path

from devtools import compiler, debian
from devtools.console import say
from devtools.errors import SetUpError
from devtools.logged import Command, run_logged

_ROOM = 2_000_000_000
"""Bytes that a whole set-up with a build takes at its peak."""
_OLDEST_GLIBC = {"x86_64": (2, 34), "aarch64": (2, 39)}
"""What the wheels of PySide6 6.11 are made for."""


def prepare_system(root: Path, logs: Path, *, builds: bool) -> None:
    """Installs missing system packages where it may; raises `SetUpError` with what is to be done otherwise.

    With `builds`, a compiler is asked for as well.
    """
    if shutil.disk_usage(root).free < _ROOM:
        raise SetUpError(f"Setting up needs {_ROOM / 1e9:.0f} GB of free disk space in {root}: make room first.")
    if platform.system() == "Linux":
        _prepare_linux(logs, builds=builds)
    elif builds and not compiler.compiler_found():
        raise SetUpError(compiler.advice())


def glibc_is_too_old(machine: str, version: str) -> bool:
    """`version` as the C library tells it: "2.36"."""
    numbers = tuple(int(part) for part in version.split(".") if part.isdigit())
    return bool(numbers) and numbers < _OLDEST_GLIBC.get(machine, (0,))


def _prepare_linux(logs: Path, *, builds: bool) -> None:
    name, version = platform.libc_ver()
    if name == "glibc" and glibc_is_too_old(platform.machine(), version):
        raise SetUpError(
            f"This system's C library is glibc {version}, too old for Qt: "
            "use a newer system, such as Debian 12 or Ubuntu 22.04."
        )
    release = debian.this_release()
    if not release.has_apt:
        _prepare_other_linux(builds=builds)
        return
    packages = debian.wanted_here(release, compiler=builds)
    if not packages:
        return
    prefix = debian.may_install()
    if prefix is None:
        raise SetUpError(debian.advice(packages), f"    {debian.command_for(packages)}")
    say(f"Installing {debian.number_of(packages)} (about 2 minutes): {' '.join(packages)}")
    _apt(prefix, packages, logs)


def _prepare_other_linux(*, builds: bool) -> None:
    if builds and not compiler.compiler_found():
        raise SetUpError(compiler.advice())
    missing = debian.missing_here()
    if missing:
        say(f"Qt may lack these system libraries; if the window does not open, install them: {' '.join(missing)}")


def _apt(prefix: tuple[str, ...], packages: tuple[str, ...], logs: Path) -> None:
    # `env` carries the variable through sudo, which drops the environment.
    start = [*prefix, "env", "DEBIAN_FRONTEND=noninteractive"]
    install = ["apt-get", "install", "-y", "--no-install-recommends", *packages]
    try:
        # An installation that was interrupted half-way blocks every later one until this has run.
        _run([*start, "dpkg", "--configure", "-a"], logs / "dpkg.log", 5.0)
        _run([*start, "apt-get", "update"], logs / "apt-update.log", 15.0)
        _run([*start, *install], logs / "apt-install.log", 90.0)
    except SetUpError as error:
        by_hand = f"    By hand: {debian.command_for(packages)}"
        raise SetUpError(error.sentence, f"{error.detail}\n{by_hand}") from None


def _run(argv: list[str], log: Path, expected: float) -> None:
    run_logged(Command(argv, "Installing system packages", log, expected))
