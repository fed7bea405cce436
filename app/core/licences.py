"""Under which terms the parts that Hearth is made of may be used, as far as the parts themselves tell.

A bundle carries a folder of texts with an index, made by its build. In a source tree the same is found out from the
installed packages, and from `resources/licences` for what they don't tell.
"""

import json
import platform
import re
import sysconfig
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import app
from app.core.resources import RESOURCES

OWN = RESOURCES / "licences"
"""Texts that no package brings; `components.toml` says to whom they belong."""
BUNDLED = RESOURCES.parent / "licences"
"""Of a bundle."""
INDEX = "index.json"
_TELLS = re.compile(r"^(licen[cs]e|copying|notice|authors|copyright)", re.IGNORECASE)
_NAME = re.compile(r"^\s*([A-Za-z0-9][A-Za-z0-9._-]*)")
_HOMES = ("homepage", "home", "repository", "source", "source code", "github", "github: repo")
_LONGEST = 60
"""Characters of a licence's name; some packages put the whole text there."""


@dataclass(frozen=True, slots=True)
class LicenceText:
    title: str
    path: Path

    def read(self) -> str:
        """Raises OSError."""
        return self.path.read_text("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Component:
    name: str
    version: str = ""
    licence: str = ""
    """Its short name, an SPDX expression as a rule; may be empty."""
    home: str = ""
    """Address of its web page, or empty."""
    texts: tuple[LicenceText, ...] = ()


def components() -> tuple[Component, ...]:
    """Those of the program that runs, by name. Texts are read when somebody wants them."""
    try:
        return read_index(BUNDLED)
    except FileNotFoundError:
        return sort_out((hearth(), *installed(requirements()), *declared(OWN), python()))


def read_index(folder: Path) -> tuple[Component, ...]:
    """What `devtools.licences` wrote. Raises OSError where there is none, and ValueError for a damaged one."""
    listed = json.loads((folder / INDEX).read_text("utf-8"))
    return tuple(
        Component(
            each["name"],
            each["version"],
            each["licence"],
            each["home"],
            tuple(LicenceText(text["title"], folder / text["file"]) for text in each["texts"]),
        )
        for each in listed
    )


def sort_out(found: Iterable[Component]) -> tuple[Component, ...]:
    """By name; of two with the same name the later one's texts are put first."""
    merged: dict[str, Component] = {}
    for each in found:
        before = merged.get(_key(each.name))
        if before is not None:
            texts = (*each.texts, *(text for text in before.texts if text not in each.texts))
            version, licence = each.version or before.version, each.licence or before.licence
            merged[_key(each.name)] = Component(before.name, version, licence, each.home or before.home, texts)
        else:
            merged[_key(each.name)] = each
    return tuple(sorted(merged.values(), key=lambda each: each.name.lower()))


def requirements() -> tuple[str, ...]:
    """What Hearth itself asks for: as it is installed, or as its checkout says."""
    try:
        told = metadata.requires("hearth") or []
    except metadata.PackageNotFoundError:
        try:
            project = tomllib.loads((RESOURCES.parent / "pyproject.toml").read_text("utf-8"))["project"]
        except OSError:
            return ()
        told = project["dependencies"]
    return tuple(told)


def installed(wanted: Iterable[str]) -> Iterator[Component]:
    """The installed ones of these requirements, and of theirs; what is not installed here is not needed here."""
    waiting, seen = list(wanted), set[str]()
    while waiting:
        requirement = waiting.pop()
        name = _NAME.match(requirement)
        if name is None or "extra ==" in requirement or _key(name[1]) in seen:
            continue
        seen.add(_key(name[1]))
        try:
            package = metadata.distribution(name[1])
        except metadata.PackageNotFoundError:
            continue
        waiting += package.requires or []
        yield of_package(package)


def of_package(package: metadata.Distribution) -> Component:
    head = package.metadata
    classifiers = (each.rpartition(" :: ")[2] for each in head.get_all("Classifier") or () if "License ::" in each)
    said = _told(package, "License-Expression") or _told(package, "License")
    if len(said) > _LONGEST or "\n" in said or not said:
        said = ", ".join(classifiers)
    texts = [
        LicenceText("/".join(part for part in file.parts[1:] if part != "licenses"), Path(str(file.locate())))
        for file in package.files or ()
        if file.parts[0].endswith(".dist-info") and ("licenses" in file.parts[1:-1] or _TELLS.match(file.name))
    ]
    return Component(head["Name"], package.version, said, _home(package), tuple(texts))


def _told(package: metadata.Distribution, name: str) -> str:
    """Empty where it is not said. The backport of importlib.metadata, which may be installed, raises for that."""
    return package.metadata[name] if name in package.metadata else ""  # noqa: SIM401 - the type has no `get`


def _home(package: metadata.Distribution) -> str:
    told = [each.partition(",") for each in package.metadata.get_all("Project-URL") or ()]
    named = {label.strip().lower(): address.strip() for label, _, address in told}
    wanted = [_told(package, "Home-page"), *(named.get(label, "") for label in _HOMES), *named.values()]
    return next((each for each in wanted if each.startswith("http")), "")


def declared(folder: Path) -> Iterator[Component]:
    """What `components.toml` in `folder` says, and the packages that it explains. A test sees to its files."""
    for each in tomllib.loads((folder / "components.toml").read_text("utf-8"))["component"]:
        texts = tuple(LicenceText(name, folder / name) for name in each["texts"])
        package = each.get("version_of")
        version = _version(package) if package else ""
        if version is None:
            continue
        yield Component(each["name"], version, each["licence"], each["home"], texts)
        for name in each.get("needed_for", ()):
            if (explained := _version(name)) is not None:
                yield Component(name, explained, each["licence"], each["home"], texts)


def hearth() -> Component:
    return Component("Hearth", app.__version__, "MIT", "", (LicenceText("LICENSE", RESOURCES.parent / "LICENSE"),))


def python() -> Component:
    """Python itself. Some systems keep its licence elsewhere; then there is no text."""
    paths = sysconfig.get_paths()
    places = (Path(paths["stdlib"]) / "LICENSE.txt", Path(paths["data"]) / "LICENSE.txt", _base("LICENSE.txt"))
    texts = [LicenceText("LICENSE.txt", each) for each in places if each.is_file()][:1]
    return Component("Python", platform.python_version(), "PSF-2.0", "https://www.python.org", tuple(texts))


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _base(name: str) -> Path:
    return Path(str(sysconfig.get_config_var("installed_base") or ".")) / name


def _key(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
