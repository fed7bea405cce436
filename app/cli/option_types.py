"""What argparse converts options with: wrong usage is told before anything is loaded."""

import argparse
from collections.abc import Callable

from app.core.setting import check

SPEC_TYPES = ("none", "ngram-simple", "draft-mtp", "draft-simple")
"""llama.cpp's names of the kinds of drafts that there are here."""


def origins(text: str) -> tuple[str, ...]:
    found = tuple(each.strip().rstrip("/") for each in text.split(",") if each.strip())
    if "*" in found:
        raise argparse.ArgumentTypeError("every page would be let in: name those that may use it")
    return found


def seconds(text: str) -> int:
    """-1 is never, as 0."""
    given = _whole(text)
    if not -1 <= given <= 604_800:
        raise argparse.ArgumentTypeError(f"{given} is not between 0 and 604800")
    return max(0, given)


def mebibytes(text: str) -> int:
    given = _whole(text)
    if not 0 <= given <= 16_777_216:
        raise argparse.ArgumentTypeError(f"{given} is not between 0 and 16777216")
    return given


def port(text: str) -> int:
    given = _whole(text)
    if not 0 <= given <= 65_535:
        raise argparse.ArgumentTypeError(f"{given} is not between 0 and 65535")
    return given


def reader(section: type, name: str, kind: type) -> Callable[[str], object]:
    """What argparse converts an option's text with: wrong usage is told before anything is loaded."""

    def read(text: str) -> object:
        try:
            return check(section, name, _whole(text) if kind is int else _real(text))
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return read


def spec_types(text: str) -> frozenset[str]:
    kinds = frozenset(each.strip() for each in text.split(","))
    if unknown := sorted(kinds - set(SPEC_TYPES)):
        raise argparse.ArgumentTypeError(f"{unknown[0]!r} is not one of {', '.join(SPEC_TYPES)}")
    return kinds - {"none"}


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None


def _real(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None
