"""What the list of models shows of each, and which of them in which order: computed from the library alone."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QCoreApplication

from app.core.fit import Verdict
from app.core.model_options import key_of
from app.core.model_ref import ModelRef
from app.library.catalogue import LibraryModel
from app.library.model_facts import ModelFacts, ModelKind
from app.library.model_sources import Source
from app.ui.formatting.numbers import size_text
from app.ui.formatting.sentences import translated
from app.ui.widgets.fuzzy_match import folded

DOT = " · "
_STAR = "★"
_VERDICTS = (Verdict.FITS, Verdict.TIGHT, Verdict.TOO_LARGE)


class Show(Enum):
    """Which models are listed."""

    CHAT = auto()
    FITTING = auto()
    SEEING = auto()
    TOOLS = auto()
    REASONING = auto()
    DAMAGED = auto()
    COMPANIONS = auto()
    ALL = auto()


class Order(Enum):
    NAME = auto()
    NEWEST = auto()
    SIZE = auto()
    PARAMETERS = auto()
    FIT = auto()


@dataclass(frozen=True, slots=True)
class Row:
    model: LibraryModel
    line: str
    """Parameters, quantisation, architecture, size and place; or what is wrong."""
    badges: tuple[str, ...]
    sees: bool = False
    hears: bool = False
    index: str = field(default="", compare=False)
    """What is searched."""

    @property
    def ref(self) -> ModelRef:
        return self.model.ref

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def tip(self) -> str:
        return str(self.model.path)

    @property
    def is_wrong(self) -> bool:
        return bool(self.model.problem)


@dataclass(frozen=True, slots=True)
class ServerRow:
    """A model of a server."""

    ref: ModelRef
    name: str
    line: str
    """Where it answers, and that what is asked goes there; or that it does not answer."""
    tip: str
    badges: tuple[str, ...] = ()
    is_wrong: bool = False
    """Its server did not answer."""
    leaves: bool = True
    """What is asked leaves this computer."""
    index: str = field(default="", compare=False)


AnyRow = TypeVar("AnyRow", bound=Row | ServerRow)
Judge = Callable[[LibraryModel], Verdict | None]


def rows_of(models: Sequence[LibraryModel]) -> tuple[Row, ...]:
    """One for each, in the same order."""
    facts = {model.path: model.facts for model in models if model.facts is not None}
    return tuple(_row(model, facts) for model in models)


def chosen(rows: Iterable[Row], wanted: str, show: Show, order: Order, judge: Judge) -> tuple[Row, ...]:
    """Those that hold every word of `wanted`. `judge` is asked only where it matters."""
    words = folded(wanted).split()
    found = [row for row in rows if all(word in row.index for word in words) and _is_shown(row, show, judge)]
    match order:
        case Order.NEWEST:
            found.sort(key=lambda row: -row.model.modified)
        case Order.SIZE:
            found.sort(key=lambda row: -row.model.size)
        case Order.PARAMETERS:
            found.sort(key=lambda row: -(row.model.facts.n_params if row.model.facts else 0))
        case Order.FIT:
            found.sort(key=lambda row: (_place(judge(row.model)), -row.model.size))
        case Order.NAME:
            pass
    return tuple(found)


def starred_first(rows: Sequence[AnyRow], starred: Collection[str]) -> tuple[AnyRow, ...]:
    """Those with a star before all others, each group in its order; `starred` are keys: see `key_of`."""
    if not starred:
        return tuple(rows)
    marked = [(key_of(row.ref) in starred, row) for row in rows]
    first = (replace(row, badges=(_STAR, *row.badges)) for has_star, row in marked if has_star)
    return (*first, *(row for has_star, row in marked if not has_star))


def params_text(n_params: int) -> str:
    """8.2B: as people write the sizes of models; empty for none."""
    if n_params >= 1e9:
        return f"{n_params / 1e9:.1f}B"
    if n_params >= 1e6:
        return f"{n_params / 1e6:.0f}M"
    return f"{n_params / 1e3:.0f}k" if n_params else ""


def place_text(model: LibraryModel) -> str:
    """Whose model it is."""
    return model.path.parent.name if model.source is Source.FOLDER else str(model.source)


def verdict_text(verdict: Verdict) -> str:
    return {Verdict.FITS: _tr("Fits"), Verdict.TIGHT: _tr("Tight"), Verdict.TOO_LARGE: _tr("Too large")}[verdict]


def verdict_role(verdict: Verdict) -> str:
    """The token that colours it."""
    return {Verdict.FITS: "muted", Verdict.TIGHT: "warning", Verdict.TOO_LARGE: "danger"}[verdict]


def _row(model: LibraryModel, facts: dict[Path, ModelFacts]) -> Row:
    projectors = [facts[each] for each in model.projectors if each in facts and _is_chat(model)]
    sees, hears = any(each.vision for each in projectors), any(each.audio for each in projectors)
    line = translated(model.problem) or DOT.join(each for each in _figures(model) if each)
    badges = tuple(_badges(model, sees=sees, hears=hears))
    index = folded(" ".join((model.name, line, *badges, place_text(model), model.path.name)))
    return Row(model, line, badges, sees, hears, index)


def _figures(model: LibraryModel) -> Iterable[str]:
    if model.facts is not None:
        yield params_text(model.facts.n_params)
        yield model.facts.quantisation
        yield model.facts.architecture
    yield size_text(model.size)
    yield place_text(model)


def _badges(model: LibraryModel, *, sees: bool, hears: bool) -> Iterable[str]:
    if model.problem:
        yield _tr("damaged")
    if model.facts is not None:
        kind = _kind_text(model.facts.kind)
        if kind:
            yield kind
        if sees:
            yield _tr("sees")
        if hears:
            yield _tr("hears")
        if model.facts.tools:
            yield _tr("tools")
        if model.facts.reasoning:
            yield _tr("reasoning")
        if model.facts.mtp:
            yield _tr("MTP")
    if len(model.parts) > 1:
        yield _tr("{count} parts").format(count=len(model.parts))


def _kind_text(kind: ModelKind) -> str:
    match kind:
        case ModelKind.PROJECTOR:
            return _tr("mmproj")
        case ModelKind.DRAFT:
            return _tr("draft")
        case ModelKind.ADAPTER:
            return _tr("LoRA")
        case ModelKind.EMBEDDER:
            return _tr("embeddings")
        case ModelKind.RERANKER:
            return _tr("reranking")
        case ModelKind.DIFFUSION:
            return _tr("diffusion")
    return ""


def _is_chat(model: LibraryModel) -> bool:
    return model.facts is not None and model.facts.kind is ModelKind.MODEL


def _is_shown(row: Row, show: Show, judge: Judge) -> bool:
    model = row.model
    if show in (Show.ALL, Show.DAMAGED, Show.COMPANIONS):
        is_companion = model.facts is not None and not _is_chat(model)
        return show is Show.ALL or (bool(model.problem) if show is Show.DAMAGED else is_companion)
    if show is Show.CHAT:
        return _is_chat(model) or bool(model.problem)
    if not model.is_usable:
        return False
    assert model.facts is not None
    match show:
        case Show.FITTING:
            return judge(model) is Verdict.FITS
        case Show.SEEING:
            return row.sees
        case Show.TOOLS:
            return model.facts.tools
    return model.facts.reasoning


def _place(verdict: Verdict | None) -> int:
    return _VERDICTS.index(verdict) if verdict is not None else len(_VERDICTS)


def _tr(text: str) -> str:
    return QCoreApplication.translate("models", text)
