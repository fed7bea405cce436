"""Which projectors and drafts go with a model: from what is known of both, without touching the disk."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from app.library.model_facts import ModelFacts

_SIGNS = ("mmproj", "draft", "mtp", "eagle3", "eagle")


@dataclass(frozen=True, slots=True)
class Described:
    path: Path
    facts: ModelFacts


Pairs = dict[Path, tuple[Path, ...]]
"""By model: those that go with it, best first."""


def pair_projectors(models: Sequence[Described], projectors: Sequence[Described]) -> Pairs:
    """One fits where its embeddings are as long as the model's, and where it lies beside it under the nearest name,
    or says that it was made from the same model."""
    return _pair(models, [each for each in projectors if each.facts.vision or each.facts.audio], _projects_for)


def pair_drafts(models: Sequence[Described], drafts: Sequence[Described]) -> Pairs:
    """One fits where it is smaller and has the same vocabulary; some have none and use the model's."""
    return _pair(models, drafts, _drafts_for)


def _projects_for(model: ModelFacts, projector: ModelFacts) -> bool:
    return projector.width in (0, model.width)


def _drafts_for(model: ModelFacts, draft: ModelFacts) -> bool:
    return draft.size < model.size and draft.vocabulary in ("", model.vocabulary)


def _pair(
    models: Sequence[Described], others: Sequence[Described], fits: Callable[[ModelFacts, ModelFacts], bool]
) -> Pairs:
    folders: dict[Path, list[Described]] = defaultdict(list)
    kin: dict[str, list[Described]] = defaultdict(list)
    for model in models:
        folders[model.path.parent].append(model)
        for origin in model.facts.origins:
            kin[origin].append(model)
    found: dict[Path, dict[Path, int]] = defaultdict(dict)
    for other in others:
        beside = [model for model in folders[other.path.parent] if fits(model.facts, other.facts)]
        alike = [likeness(model.path, other.path) for model in beside]
        best = max(alike, default=0)
        for model, shared in zip(beside, alike, strict=True):
            if shared == best and (best or len(beside) == 1):
                found[model.path][other.path] = best + 1
        for origin in other.facts.origins:
            for model in kin[origin]:
                if fits(model.facts, other.facts):
                    found[model.path].setdefault(other.path, 0)
    return {path: tuple(sorted(ranked, key=lambda each: (-ranked[each], each))) for path, ranked in found.items()}


def likeness(model: Path, other: Path) -> int:
    """Leading characters that the names share, without the words that say what a companion is."""
    pairs = zip(_plain(model), _plain(other), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _plain(path: Path) -> str:
    words = path.stem.lower().replace("_", "-").replace(" ", "-").replace(".", "-").split("-")
    return "-".join(each for each in words if each not in _SIGNS)
