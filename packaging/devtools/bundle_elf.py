"""What Linux libraries are linked to, from their dynamic sections."""

import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

from devtools.debian import LIBRARIES
from devtools.errors import SetUpError

_NEEDED = re.compile(r"\(NEEDED\)\s+Shared library: \[([^]]+)\]")
_FILE = re.compile(r"^File: (.+)$", re.MULTILINE)
_GLIBC = re.compile(rb"\0GLIBC_2\.(\d+)\0")
_OF_LIBC = re.compile(r"^(lib(c|m|dl|rt|pthread|util|resolv)\.so\.\d|ld-linux.*|linux-vdso.*)$")
_EVERYWHERE = {"libstdc++.so.6": "libstdc++6", "libgcc_s.so.1": "libgcc-s1", "libz.so.1": "zlib1g"}
OPTIONAL = {"libcups.so.2": ("libcups2",), "libvulkan.so.1": ("libvulkan1", "mesa-vulkan-drivers")}
"""Asked for by plug-ins that the program can do without: printers, and graphics cards."""
_MANY = 200


def linked_to(files: Iterable[str]) -> dict[str, set[str]]:
    """For each ELF file, the names that it asks the loader for. Others are passed over. Needs `readelf`."""
    found: dict[str, set[str]] = {}
    waiting = list(files)
    while waiting:
        # One file more, so that readelf names each even when it is given one alone.
        some, waiting = waiting[:_MANY], waiting[_MANY:]
        told = subprocess.run(
            ["readelf", "--dynamic", "--wide", *some, *some[:1]], capture_output=True, text=True, check=False
        )
        found |= read_listing(told.stdout)
    return found


def read_listing(text: str) -> dict[str, set[str]]:
    """From readelf's output for several files."""
    _, *parts = _FILE.split(text)
    return {name: set(_NEEDED.findall(part)) for name, part in zip(parts[::2], parts[1::2], strict=True)}


def system_libraries(folder: Path) -> set[str]:
    """What the bundle in `folder` asks of the system: all that its files are linked to and that it does not hold."""
    needs = linked_to(str(file) for file in _elf_files(folder))
    held = {file.name for file in folder.rglob("*.so*")}
    asked = set().union(*needs.values()) if needs else set()
    return {name for name in asked - held if not _OF_LIBC.match(name)}


def oldest_glibc(folder: Path) -> str:
    """The oldest C library that the bundle in `folder` runs on: the newest that any of its files names."""
    named = {int(number) for file in _elf_files(folder) for number in _GLIBC.findall(file.read_bytes())}
    return f"2.{max(named, default=0)}"


def _elf_files(folder: Path) -> list[Path]:
    likely = (file for file in folder.rglob("*") if file.is_file() and (".so" in file.name or not file.suffix))
    return [file for file in likely if file.open("rb").read(4) == b"\x7fELF"]


def debian_packages(libraries: Iterable[str]) -> list[str]:
    """The packages that hold them, but for the optional ones. Raises SetUpError for one that is not known here."""
    libraries = set(libraries)
    known = {**LIBRARIES, **_EVERYWHERE}
    strange = sorted(libraries - known.keys() - OPTIONAL.keys())
    if strange:
        raise SetUpError(f"The bundle needs libraries whose Debian package is unknown: {', '.join(strange)}.")
    return sorted({known[name] for name in libraries if name not in OPTIONAL})


def recommended_packages(libraries: Iterable[str]) -> list[str]:
    """The packages of the optional ones among them."""
    return sorted(package for name in set(libraries) & OPTIONAL.keys() for package in OPTIONAL[name])
