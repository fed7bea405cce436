"""The licences of everything in a bundle, found from the files that PyInstaller put into it.

Run by the bundle's own Python after PyInstaller: `python -m devtools.licences CHECKOUT CONTENTS BUILD`. Each file and
each module has an owner: Hearth, Python, a package, a part that `resources/licences` declares, or a package of the
system it was built on. One without an owner, or an owner without a text, ends the build.
"""

import ast
import csv
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from devtools.bundle_layout import room_for
from devtools.errors import SetUpError

if TYPE_CHECKING:
    from app.core.licences import Component

FOLDER = "licences"
"""Below the bundle's contents."""
INSTALLER = "pyinstaller"
"""Its loader is in every bundle, as the exception to its licence allows."""
_OURS, _PYTHONS, _MICROSOFTS = "Hearth", "Python", "Microsoft's terms for redistribution"
_MICROSOFT = re.compile(r"^(api-ms-win-|ucrtbase|vcruntime|msvcp|concrt|vcomp)", re.IGNORECASE)
_REFUSED = ("libreadline", "libgdbm")
"""Libraries that Python's own modules bring, under a licence that would then hold for all of Hearth."""
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9._+-]+")
_SYSTEM_TEXTS = Path("/usr/share/doc")


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of PyInstaller's tables."""

    name: str
    """In the bundle, or of a module."""
    source: str
    kind: str


def main(root: Path, contents: Path, build: Path) -> int:
    """Returns the exit code, and says on standard error what is missing."""
    sys.path.insert(0, str(root))
    try:
        count = collect(root, contents, build)
    except SetUpError as error:
        print(error.sentence, error.detail, sep="\n", file=sys.stderr)
        return 1
    print(f"{count} parts with their licences")
    return 0


def collect(root: Path, contents: Path, build: Path) -> int:
    """Write the texts and their index into `contents`. Returns how many parts there are. Raises SetUpError."""
    from app.core import licences

    entries = [*read_table(build / "COLLECT-00.toc"), *read_table(build / "PYZ-00.toc")]
    owners = Owners(root)
    packages, systems, unknown = set[str](), set[str](), list[str]()
    for entry in entries:
        match owners.of(entry):
            case "":
                unknown.append(f"{entry.name} ({entry.source})")
            case owner if owner.startswith("system:"):
                systems.add(owner.removeprefix("system:"))
            case owner if owner not in (_OURS, _PYTHONS):
                packages.add(owner)
    if unknown:
        raise SetUpError(
            "Nobody knows under which licence some of the bundle's files are: name their owner in "
            "packaging/devtools/licences.py, or declare them in resources/licences/components.toml.",
            "\n".join(sorted(unknown)[:20]),
        )
    if refused := [name for name in systems if name.startswith(_REFUSED)]:
        raise SetUpError(
            f"A bundle may not hold {', '.join(refused)}, which is under the GPL: leave out what needs it, as "
            "EXCLUDED_MODULES in packaging/devtools/bundle_contents.py does with other modules."
        )
    found = [licences.hearth(), licences.python()]
    found += [licences.of_package(metadata.distribution(name)) for name in sorted(packages | {INSTALLER})]
    found += [_system_part(package) for package in sorted(systems)]
    found += licences.declared(licences.OWN)
    parts = licences.sort_out(found)
    if missing := [each.name for each in parts if not each.texts and each.licence != _MICROSOFTS]:
        raise SetUpError(
            "These parts of the bundle come without the text of their licence: put it into resources/licences and "
            "declare it in components.toml there.",
            ", ".join(missing),
        )
    write(parts, room_for(contents, FOLDER))
    return len(parts)


def write(parts: Iterable["Component"], target: Path) -> None:
    """One folder for each part, and the index that the program reads."""
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    listed = []
    for part in parts:
        texts = []
        for text in part.texts:
            name = f"{_plain(part.name)}/{_plain(text.title)}"
            name += "" if name.lower().endswith((".txt", ".md")) else ".txt"
            (target / name).parent.mkdir(exist_ok=True)
            (target / name).write_text(text.read(), encoding="utf-8", newline="\n")
            texts.append({"title": text.title, "file": name})
        told = {"name": part.name, "version": part.version, "licence": part.licence, "home": part.home}
        listed.append({**told, "texts": texts})
    (target / "index.json").write_text(json.dumps(listed, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def read_table(path: Path) -> list[Entry]:
    """A table of PyInstaller's: Python literals, the entries somewhere in a tuple. Raises SetUpError."""
    try:
        table = ast.literal_eval(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, SyntaxError) as error:
        raise SetUpError(f"PyInstaller's {path.name} can't be read: make the bundle anew.", str(error)) from None
    lists = [part for part in table if isinstance(part, list)]
    return [Entry(*each[:3]) for part in lists for each in part if isinstance(each, tuple) and len(each) >= 3]


class Owners:
    """Who a file belongs to: Hearth, Python, a package by its name, "system:" and a package of the system, or ""."""

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()
        self._stripped = self._root / "build" / "bundle" / "stripped"
        paths = sysconfig.get_paths()
        self._site = Path(paths["purelib"]).resolve()
        self._base = Path(sys.base_prefix).resolve()
        self._stdlib = Path(paths["stdlib"]).resolve()
        self._files = _package_files(self._site)

    def of(self, entry: Entry) -> str:
        if entry.kind == "SYMLINK" or entry.source in ("", "-"):
            return _OURS  # leads to another file of the table, or is a folder's name
        source = Path(entry.source)
        if source.is_relative_to(self._stripped):
            # What was stripped lies here under the name that it had among the packages.
            name = source.relative_to(self._stripped)
            return _PYTHONS if name.name.startswith("libpython") else self._files.get(_place(self._site / name), "")
        if owner := self._files.get(_place(source)):
            return owner
        if source.is_relative_to(self._site):
            # Compiled files and what a package writes when it is installed are in no list; their folder tells.
            return self._by_folder(source)
        if self._is_pythons(source):
            return _PYTHONS
        if source.is_relative_to(self._root):
            return _OURS
        if _MICROSOFT.match(source.name):
            return f"system:{_MICROSOFTS}"
        return _system_package(source)

    def _by_folder(self, source: Path) -> str:
        top = source.relative_to(self._site).parts[0]
        of_top = {name for place, name in self._files.items() if Path(place).is_relative_to(self._site / top)}
        return of_top.pop() if len(of_top) == 1 else ""

    def _is_pythons(self, source: Path) -> bool:
        inside = source.is_relative_to(self._stdlib) or (
            # A Python in /usr shares its folders with everything else.
            source.is_relative_to(self._base) and self._base != Path("/usr")
        )
        return source.name == "base_library.zip" or inside or source.name.startswith(("libpython", "python3"))


@cache
def _package_files(site: Path) -> dict[str, str]:
    """The packages in `site` by their files' places. Tens of thousands, hence no more than strings."""
    found: dict[str, str] = {}
    for package in metadata.distributions(path=[str(site)]):
        owner = package.name  # read anew at each use
        listed = (package.read_text("RECORD") or "").splitlines()
        for name, *_ in csv.reader(listed):
            found[os.path.normpath(f"{site}/{name}")] = owner
    return found


def _place(path: Path) -> str:
    """Without links in the folders; a link itself is a file of its owner."""
    return str(_resolved(path.parent) / path.name)


@cache
def _resolved(folder: Path) -> Path:
    return folder.resolve()


def _system_package(source: Path) -> str:
    """The Debian package that a library came from."""
    if shutil.which("dpkg-query") is None:
        return ""
    tried = {str(source), _place(source), str(source.resolve())}
    # Debian's lists still say /lib for what lies in /usr/lib.
    tried |= {path.removeprefix("/usr") for path in tried if path.startswith("/usr/lib")}
    done = subprocess.run(["dpkg-query", "--search", *sorted(tried)], capture_output=True, text=True, check=False)
    first = done.stdout.partition("\n")[0]
    return f"system:{first.partition(':')[0]}" if first else ""


def _system_part(package: str) -> "Component":
    from app.core.licences import Component, LicenceText

    if package == _MICROSOFTS:
        return Component(
            "Microsoft Visual C++ runtime", "", package, "https://visualstudio.microsoft.com/license-terms/"
        )
    told = _SYSTEM_TEXTS / package / "copyright"
    texts = (LicenceText("copyright", told),) if told.is_file() else ()
    asked = ["dpkg-query", "--show", "--showformat=${Version}\n${source:Package}/${source:Version}\n", package]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    version, source, *_ = [*done.stdout.splitlines(), "", ""]
    ubuntu = "ubuntu" in platform.freedesktop_os_release().get("ID", "")
    # Where its source is, which some of these licences want to be told.
    place = "https://launchpad.net/ubuntu/+source" if ubuntu else "https://sources.debian.org/src"
    part = Component(package, version, "", f"{place}/{source}/", texts)
    return replace(part, licence=_kinds(told.read_text("utf-8", "replace")) if texts else "")


def _kinds(text: str) -> str:
    """The short names in one of Debian's machine-readable files; empty for the others."""
    if "Format:" not in text[:200]:
        return ""
    kinds = dict.fromkeys(re.findall(r"^License: *([^\s].{0,40})$", text, re.MULTILINE))
    return ", ".join(list(kinds)[:4])


def _plain(name: str) -> str:
    return _NOT_IN_NAMES.sub("-", name.replace("/", "-")).strip("-.")


if __name__ == "__main__":
    sys.exit(main(*(Path(each) for each in sys.argv[1:])))
