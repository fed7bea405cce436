"""The settings file: read forgivingly, written whole."""

import logging
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import tomli_w

from app.core.files import write_atomic
from app.core.sentence import Sentence
from app.core.setting import Problem
from app.core.settings import Settings, settings_from, settings_to
from app.storage.file_errors import about_file

_BACKUPS = 3
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    settings: Settings
    notes: tuple[str, ...] = ()
    """Sentences to show: what was refused, and where the file was kept."""


def load_settings(path: Path) -> LoadedSettings:
    """Read the settings. Whatever is wrong takes its default and is told, after the file was copied; raises nothing."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return LoadedSettings(Settings())
    except OSError as error:
        told = Sentence.joined("The defaults are used, for now.", about_file(path, error).sentence)
        return LoadedSettings(Settings(), (told,))
    values = _parse(data)
    if values is None:
        told = Sentence("{path} cannot be understood, so that the defaults are used.", path=path)
        return LoadedSettings(Settings(), (Sentence.joined(told, _keep(path, data)),))
    settings, problems = settings_from(values)
    refused = [problem for problem in problems if not _is_unknown(problem, values)]
    for problem in problems:
        if problem not in refused:
            _log.info("In %s: %s", path, problem.sentence)
    if not refused:
        return LoadedSettings(settings)
    kept = _keep(path, data)
    reset = (Sentence.joined(problem.sentence, "The default is used.") for problem in refused)
    return LoadedSettings(settings, (*reset, kept))


def save_settings(path: Path, settings: Settings) -> None:
    """Write the settings. What a newer version or a person added stays. Raises UserError."""
    try:
        old = _read_for_merge(path)
        text = tomli_w.dumps(_merged(old, settings_to(settings)))
        write_atomic(path, text.encode("utf-8", "replace"))
    except OSError as error:
        raise about_file(path, error) from error


def _read_for_merge(path: Path) -> dict[str, Any]:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return {}
    values = _parse(data)
    if values is None:
        _keep(path, data)
    return values or {}


def _parse(data: bytes) -> dict[str, Any] | None:
    try:
        # Some editors on Windows begin a file with a byte order mark.
        return tomllib.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None


def _merged(old: Mapping[str, Any], new: Mapping[str, Mapping[str, object]]) -> dict[str, Any]:
    """`new`, with the sections and names of `old` that this version does not know."""
    merged: dict[str, Any] = {name: value for name, value in old.items() if name not in _known_names()}
    for section, names in _known_names().items():
        given = old.get(section)
        strangers = (
            {name: value for name, value in given.items() if name not in names} if isinstance(given, dict) else {}
        )
        content = {**new.get(section, {}), **strangers}
        if content:
            merged[section] = content
    return merged


def _is_unknown(problem: Problem, values: Mapping[str, Any]) -> bool:
    """A name or section that this version does not know: nothing is lost, because saving keeps it."""
    section, _, name = problem.name.partition(".")
    known = _known_names()
    if section not in known:
        return True
    return isinstance(values[section], dict) and name not in known[section]


def _known_names() -> dict[str, frozenset[str]]:
    defaults = Settings()
    return {
        section.name: frozenset(each.name for each in fields(getattr(defaults, section.name)))
        for section in fields(defaults)
    }


def _keep(path: Path, data: bytes) -> str:
    """Copy the file aside, the newest few copies and each content once; the sentence that says where."""
    backups = [path.with_name(f"{path.name}.bak{'' if number == 1 else number}") for number in range(1, _BACKUPS + 1)]
    try:
        for backup in backups:
            if backup.exists() and backup.read_bytes() == data:
                return Sentence("The file as it was is kept as {copy}.", copy=backup)
        for older, newer in zip(reversed(backups), reversed(backups[:-1]), strict=False):
            if newer.exists():
                newer.replace(older)
        write_atomic(backups[0], data)
    except OSError as error:
        return Sentence.joined("No copy of the file could be kept.", about_file(backups[0], error).sentence)
    return Sentence("The file as it was is kept as {copy}.", copy=backups[0])
