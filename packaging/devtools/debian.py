"""System packages that Hearth needs on Debian, Ubuntu and their kin.

The libraries are those that Qt's platform plug-ins and llama.cpp name in their dynamic sections, checked in a
bare Debian 12. Only what is missing is asked for.
"""

import ctypes
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from devtools.compiler import WITHOUT, compiler_found

LIBRARIES = {
    "libgomp.so.1": "libgomp1",
    "libGL.so.1": "libgl1",
    "libEGL.so.1": "libegl1",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libX11.so.6": "libx11-6",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxcb.so.1": "libxcb1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-glx.so.0": "libxcb-glx0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libwayland-egl.so.1": "libwayland-egl1",
}
FONTS = "fonts-dejavu-core"
COMPILER = "g++"
_RENAMED_2024 = {"libglib2.0-0": "libglib2.0-0t64"}
"""Packages that changed their name with the 64-bit time of Debian 13 and Ubuntu 24.04."""
_FONT_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.local/share/fonts", "~/.fonts")


@dataclass(frozen=True, slots=True)
class Release:
    """What /etc/os-release says."""

    id: str
    like: tuple[str, ...]
    version: tuple[int, ...]

    @property
    def has_apt(self) -> bool:
        return bool({"debian", "ubuntu"} & {self.id, *self.like})

    @property
    def has_time64_names(self) -> bool:
        first_with = (13,) if self.id == "debian" else (24, 4)
        return self.id in ("debian", "ubuntu") and (not self.version or self.version >= first_with)


def release_from(text: str) -> Release:
    """From the text of /etc/os-release. Debian's testing has no version, and counts as the newest."""
    fields = dict(line.split("=", 1) for line in text.splitlines() if "=" in line)
    plain = {name: value.strip().strip("\"'") for name, value in fields.items()}
    version = tuple(int(part) for part in plain.get("VERSION_ID", "").split(".") if part.isdigit())
    return Release(plain.get("ID", ""), tuple(plain.get("ID_LIKE", "").split()), version)


def packages_for(libraries: Iterable[str], release: Release) -> tuple[str, ...]:
    """The packages that hold `libraries` (names out of `LIBRARIES`), without repetition, in order."""
    named = (LIBRARIES[library] for library in libraries)
    renamed = _RENAMED_2024 if release.has_time64_names else {}
    return tuple(dict.fromkeys(renamed.get(package, package) for package in named))


def missing_libraries(known: Collection[str], loads: Callable[[str], bool]) -> tuple[str, ...]:
    """Those of `LIBRARIES` that the loader's cache does not know and that cannot be loaded either."""
    return tuple(library for library in LIBRARIES if library not in known and not loads(library))


def libraries_in_cache(listing: str, machine: str) -> frozenset[str]:
    """From the output of `ldconfig -p`: names of the libraries for this kind of processor."""
    wanted = {"x86_64": "x86-64", "aarch64": "AArch64"}.get(machine, "")
    lines = (line.strip() for line in listing.splitlines() if "=>" in line)
    return frozenset(line.split(" ", 1)[0] for line in lines if wanted in line)


def this_release() -> Release:
    for path in (Path("/etc/os-release"), Path("/usr/lib/os-release")):
        if path.is_file():
            return release_from(path.read_text(encoding="utf-8"))
    return Release("", (), ())


def missing_here() -> tuple[str, ...]:
    """The libraries that this machine lacks."""
    tool = shutil.which("ldconfig") or "/sbin/ldconfig"
    told = (
        subprocess.run([tool, "-p"], capture_output=True, text=True, check=False).stdout if Path(tool).exists() else ""
    )
    return missing_libraries(libraries_in_cache(told, platform.machine()), _loads)


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def venv_package() -> str:
    """Debian keeps Python's own `venv` in a package apart; "" where it is there."""
    if importlib.util.find_spec("ensurepip") is not None and importlib.util.find_spec("venv") is not None:
        return ""
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    default = Path(os.path.realpath("/usr/bin/python3")).name
    return "python3-venv" if default == version else f"{version}-venv"


def has_fonts() -> bool:
    folders = (Path(folder).expanduser() for folder in _FONT_FOLDERS)
    kinds = {".ttf", ".otf", ".ttc", ".pfb"}
    return any(file.suffix.lower() in kinds for folder in folders if folder.is_dir() for file in folder.rglob("*"))


def wanted_here(release: Release, *, compiler: bool) -> tuple[str, ...]:
    """All packages that this machine lacks; the compiler only where something has to be compiled."""
    wanted = [venv_package()]
    if compiler and not compiler_found():
        wanted.append(COMPILER)
    wanted += packages_for(missing_here(), release)
    if not has_fonts():
        wanted.append(FONTS)
    return tuple(package for package in wanted if package)


def may_install() -> tuple[str, ...] | None:
    """What goes before a command that needs root's rights; None where nobody would let us."""
    if os.name == "posix" and os.geteuid() == 0:
        return ()
    if shutil.which("sudo") is None:
        return None
    asked = subprocess.run(["sudo", "-n", "true"], capture_output=True, check=False)
    return ("sudo", "-n") if asked.returncode == 0 else None


def command_for(packages: Iterable[str]) -> str:
    """The one exact command, for people who have to give it themselves."""
    update, install = "apt-get update", f"apt-get install -y --no-install-recommends {' '.join(packages)}"
    if shutil.which("sudo") is None:
        return f"su - -c '{update} && {install}'"
    return f"sudo {update} && sudo {install}"


def number_of(packages: Collection[str]) -> str:
    return f"{len(packages)} system package{'' if len(packages) == 1 else 's'}"


def advice(packages: Collection[str]) -> str:
    """One sentence to stand before `command_for`."""
    many = number_of(packages)
    if COMPILER not in packages:
        return f"Missing here: {many}. Install with this command, then try again:"
    return f"Missing here: a C++ compiler and all in all {many}. Install with this command, {WITHOUT}, then try again:"
