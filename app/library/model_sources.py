"""Where other programs keep their models. They are read there, in place; nothing is ever written.

The folders are those of the programs' own documentation and sources, on Linux, macOS and Windows.
"""

import configparser
import json
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

_LONGEST_SETTINGS = 4 << 20


class Source(StrEnum):
    HEARTH = "Hearth"
    FOLDER = "folder"
    """One that the user named."""
    LM_STUDIO = "LM Studio"
    OLLAMA = "Ollama"
    JAN = "Jan"
    LLAMA_CPP = "llama.cpp"
    HUGGING_FACE = "Hugging Face"
    GPT4ALL = "GPT4All"


@dataclass(frozen=True, slots=True)
class Place:
    source: Source
    folder: Path


@dataclass(frozen=True, slots=True)
class HostFolders:
    """What decides where programs keep their files; tests make their own."""

    system: str
    """As `sys.platform` says it: linux, darwin or win32."""
    home: Path
    environment: Mapping[str, str]

    @classmethod
    def this(cls) -> "HostFolders":
        return cls(sys.platform, Path.home(), os.environ)

    def folder(self, variable: str) -> Path | None:
        """The folder that an environment variable names; what is not absolute is no folder."""
        told = self.environment.get(variable, "").strip()
        # Path.expanduser raises where it knows no such user.
        path = Path(os.path.expanduser(told)) if told else None  # noqa: PTH111
        return path if path is not None and path.is_absolute() else None

    @property
    def data(self) -> Path:
        """Where programs of this user keep what they made."""
        if self.system == "darwin":
            return self.home / "Library" / "Application Support"
        if self.system == "win32":
            return self.folder("LOCALAPPDATA") or self.home / "AppData" / "Local"
        return self.folder("XDG_DATA_HOME") or self.home / ".local" / "share"

    @property
    def roaming(self) -> Path:
        if self.system == "win32":
            return self.folder("APPDATA") or self.home / "AppData" / "Roaming"
        return self.data

    @property
    def config(self) -> Path:
        if self.system == "linux":
            return self.folder("XDG_CONFIG_HOME") or self.home / ".config"
        return self.roaming

    @property
    def cache(self) -> Path:
        if self.system == "darwin":
            return self.home / "Library" / "Caches"
        if self.system == "win32":
            return self.data
        return self.folder("XDG_CACHE_HOME") or self.home / ".cache"


def places(machine: HostFolders) -> tuple[Place, ...]:
    """The folders that are there, each once."""
    found: dict[Path, Place] = {}
    for place in _candidates(machine):
        try:
            if place.folder.is_dir():
                found.setdefault(place.folder.resolve(), place)
        except OSError:
            continue
    return tuple(found.values())


def hub_cache(machine: HostFolders) -> Path:
    """huggingface_hub's cache, whether it is there or not; see its `constants.HF_HUB_CACHE`."""
    told = machine.folder("HF_HUB_CACHE") or machine.folder("HUGGINGFACE_HUB_CACHE")
    home = machine.folder("HF_HOME")
    caches = machine.folder("XDG_CACHE_HOME") or machine.home / ".cache"
    return told or (home / "hub" if home else caches / "huggingface" / "hub")


def _candidates(machine: HostFolders) -> Iterator[Place]:
    for folder in _lm_studio(machine):
        yield Place(Source.LM_STUDIO, folder)
    for folder in _ollama(machine):
        yield Place(Source.OLLAMA, folder)
    for folder in _jan(machine):
        yield Place(Source.JAN, folder)
    yield Place(Source.LLAMA_CPP, machine.folder("LLAMA_CACHE") or machine.cache / "llama.cpp")
    yield Place(Source.HUGGING_FACE, hub_cache(machine))
    for folder in _gpt4all(machine):
        yield Place(Source.GPT4ALL, folder)


def _lm_studio(machine: HostFolders) -> Iterator[Path]:
    homes = [machine.home / ".lmstudio", machine.home / ".cache" / "lm-studio"]
    homes[:0] = _absolute(_text(machine.home / ".lmstudio-home-pointer").strip())
    for home in homes:
        yield from _absolute(_json(home / "settings.json").get("downloadsFolder"))
        yield home / "models"


def _ollama(machine: HostFolders) -> Iterator[Path]:
    if told := machine.folder("OLLAMA_MODELS"):
        yield told
    yield machine.home / ".ollama" / "models"
    if machine.system == "linux":
        # Where the installer's service and the snap run as users of their own.
        yield Path("/usr/share/ollama/.ollama/models")
        yield Path("/var/snap/ollama/common/models")


def _jan(machine: HostFolders) -> Iterator[Path]:
    homes = [machine.home / "jan", machine.roaming / "Jan" / "data", machine.data / "Jan" / "data"]
    for settings in (machine.config / "Jan" / "settings.json", machine.roaming / "Jan" / "settings.json"):
        homes[:0] = _absolute(_json(settings).get("data_folder"))
    for home in homes:
        yield home / "llamacpp" / "models"
        yield home / "models"


def _gpt4all(machine: HostFolders) -> Iterator[Path]:
    for settings in (
        machine.config / "nomic.ai" / "GPT4All.ini",
        machine.home / ".config" / "nomic.ai" / "GPT4All.ini",
    ):
        reader = configparser.ConfigParser(interpolation=None, strict=False)
        try:
            reader.read_string(_text(settings))
        except configparser.Error:
            continue
        yield from _absolute(reader.get("General", "modelPath", fallback="").strip('"'))
    yield machine.data / "nomic.ai" / "GPT4All"


def _absolute(told: object) -> list[Path]:
    """The folder that a program's settings name, if they name one."""
    return [Path(told)] if isinstance(told, str) and Path(told).is_absolute() else []


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(_LONGEST_SETTINGS).decode("utf-8-sig", "replace")
    except OSError:
        return ""


def _json(path: Path) -> dict[str, object]:
    try:
        found = json.loads(_text(path) or "{}")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
