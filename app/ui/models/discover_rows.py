"""What the list of the hub shows, computed from what is known: good models, results, and what is here."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from app.core.fit import Verdict
from app.library.catalogue import LibraryModel
from app.library.hub import HubModel
from app.library.recommended import Suggestion
from app.ui.formatting.numbers import size_text
from app.ui.models.rows import DOT, params_text, place_text, verdict_text
from app.ui.widgets.fuzzy_match import folded

_QUICK = 6_000_000_000
"""Bytes. What every computer reads fast enough, without a graphics card as well."""
Judge = Callable[[Suggestion], Verdict | None]


@dataclass(frozen=True, slots=True)
class Heading:
    text: str


@dataclass(frozen=True, slots=True)
class GoodRow:
    suggestion: Suggestion
    verdict: Verdict | None
    best: bool = False
    """The one to begin with on this computer."""


@dataclass(frozen=True, slots=True)
class HubRow:
    model: HubModel


@dataclass(frozen=True, slots=True)
class InstalledRow:
    model: LibraryModel


Row = Heading | GoodRow | HubRow | InstalledRow


def good_rows(suggestions: Sequence[Suggestion], judge: Judge, free: int) -> Iterator[Row]:
    """Those that fit this computer, which has `free` bytes of memory, the one to begin with first; then the others."""
    judged = [(each, judge(each)) for each in suggestions]
    fitting = sorted((each for each in judged if each[1] in (Verdict.FITS, None)), key=lambda each: -each[0].size)
    best = None
    if fitting:
        told = _tr("Good models for this computer, which has {size} free") if free else _tr("Good models")
        yield Heading(told.format(size=size_text(free)))
        quick = [each for each in fitting if each[0].size <= _QUICK and each[1] is Verdict.FITS]
        # Where nothing is known of the memory, the smallest is the safe one.
        best = quick[0] if quick else fitting[-1]
        yield GoodRow(*best, best=True)
        yield from (GoodRow(*each) for each in fitting if each is not best and each[0].size <= _QUICK)
    if slower := [each for each in reversed(fitting) if each[0].size > _QUICK and each is not best]:
        yield Heading(_tr("Larger ones that fit, and answer more slowly"))
        yield from (GoodRow(*each) for each in slower)
    others = sorted((each for each in judged if each not in fitting), key=lambda each: each[0].size)
    if others:
        yield Heading(_tr("For computers with more memory"))
        yield from (GoodRow(*each) for each in others)


def here_rows(models: Iterable[LibraryModel], wanted: str) -> Iterator[Row]:
    words = folded(wanted).split()
    found = [each for each in models if all(word in folded(f"{each.name} {each.path.name}") for word in words)]
    if found:
        yield Heading(_tr("On this computer"))
        yield from map(InstalledRow, found)


def title(row: Row) -> str:
    match row:
        case Heading(text):
            return text
        case GoodRow(suggestion):
            return suggestion.name
        case HubRow(model):
            return model.repo.partition("/")[2] or model.repo
        case InstalledRow(model):
            return model.name


def subject(row: Row | None) -> object:
    """What a row is about, whatever is known of it; None of a heading."""
    match row:
        case GoodRow(suggestion):
            return suggestion.repo
        case HubRow(model):
            return model.repo
        case InstalledRow(model):
            return model.ref
        case _:
            return None


def line(row: Row) -> str:
    """What is said below the title."""
    parts: list[str] = []
    match row:
        case GoodRow(suggestion):
            parts = [size_text(suggestion.size), *map(_good_for, suggestion.good_for), suggestion.licence]
        case HubRow(model):
            parts = [
                model.repo.partition("/")[0],
                params_text(model.n_params),
                _tr("{count} downloads").format(count=short(model.downloads)) if model.downloads else "",
                _tr("{count} likes").format(count=short(model.likes)) if model.likes else "",
                model.licence,
            ]
        case InstalledRow(model):
            parts = [size_text(model.size), place_text(model)]
    return DOT.join(each for each in parts if each)


def mark(row: Row) -> tuple[str, str]:
    """What stands at the end of the title, and the token that colours it; empty for nothing."""
    match row:
        case GoodRow(_, _, True):
            return _tr("Recommended"), "accent"
        case GoodRow(_, Verdict.TIGHT):
            return verdict_text(Verdict.TIGHT), "warning"
        case GoodRow(_, Verdict.TOO_LARGE):
            return verdict_text(Verdict.TOO_LARGE), "muted"
        case HubRow(HubModel(gated=True)):
            return _tr("Gated"), "muted"
    return "", ""


def said(row: Row) -> str:
    """For screen readers."""
    return ", ".join(each for each in (title(row), mark(row)[0], line(row).replace(DOT, ", ")) if each)


def short(number: int) -> str:
    """12,345 is 12k, as the hub writes such numbers."""
    for size, unit in ((10**9, "B"), (10**6, "M"), (10**3, "k")):
        if number >= size:
            return f"{number / size:.1f}".removesuffix(".0") + unit if number < 10 * size else f"{number // size}{unit}"
    return str(number)


def _good_for(use: str) -> str:
    return {
        "chat": "",
        "pictures": _tr("pictures"),
        "reasoning": _tr("reasoning"),
        "tools": _tr("tools"),
    }.get(use, use)


def _tr(text: str) -> str:
    return QCoreApplication.translate("discover", text)
