"""A short list of good models, for people who do not know what to look for. It ships with the program, and a newer one
may lie beside the user's models."""

import json
import logging
import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from app.core.errors import UserError
from app.core.files import write_atomic

_log = logging.getLogger(__name__)
_FORMAT = 1
_LONGEST = 1 << 20
_REPO = re.compile(r"[\w.-]+/[\w.-]+")
_GB = 10**9
_LARGEST = 100_000
"""GB."""


class MachineSize(StrEnum):
    SMALL = "small"
    """8 GB of memory."""
    MIDDLE = "middle"
    """16 GB, or a graphics card with 12."""
    LARGE = "large"
    """32 GB and more."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    name: str
    repo: str
    quantisation: str
    machine: MachineSize
    size: int
    """Bytes, about."""
    licence: str
    good_for: tuple[str, ...]
    """chat, pictures, reasoning, tools."""


def read_short_list(paths: Iterable[Path]) -> tuple[Suggestion, ...]:
    """The newest of the lists in `paths`; those that can't be read are left out."""
    found: list[tuple[str, tuple[Suggestion, ...]]] = []
    for path in paths:
        try:
            found.append(_parsed(path.read_bytes()))
        except FileNotFoundError:
            continue
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            _log.warning("The list of good models in %s can't be read: %s", path, error)
    return max(found, key=lambda each: each[0])[1] if found else ()


def update_short_list(path: Path, data: bytes) -> tuple[Suggestion, ...]:
    """Keep a list that was fetched. Raises UserError where it is none; the old one then stays."""
    try:
        _, suggestions = _parsed(data)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UserError("What was fetched is no list of models, so the old one stays.", detail=str(error)) from error
    try:
        write_atomic(path, data)
    except OSError as error:
        raise UserError("The new list of models can't be kept: {reason}.", reason=error.strerror or error) from error
    return suggestions


def _parsed(data: bytes) -> tuple[str, tuple[Suggestion, ...]]:
    if len(data) > _LONGEST:
        raise ValueError("too long")
    told = json.loads(data)
    if told["format"] != _FORMAT or not re.fullmatch(r"\d{4}-\d\d-\d\d", told["date"]):
        raise ValueError("another format")
    return told["date"], tuple(_suggestion(each) for each in told["models"])


def _suggestion(told: dict[str, object]) -> Suggestion:
    repo, size, good_for = told["repo"], told["size"], told["good_for"]
    if not isinstance(repo, str) or not _REPO.fullmatch(repo):
        raise ValueError(f"no repository: {repo}")
    if not isinstance(size, int | float) or not isinstance(good_for, list):
        raise TypeError("size or uses")
    if not 0 < size < _LARGEST:
        raise ValueError(f"no size: {size}")
    return Suggestion(
        str(told["name"]), repo, str(told["quantisation"]), MachineSize(str(told["machine"])), round(size * _GB),
        str(told["licence"]), tuple(str(each) for each in good_for),
    )  # fmt: skip
