"""Which models of this machine could draft for another: from their headers, without touching the disk."""

import math
from collections.abc import Iterable

from app.library.catalogue import LibraryModel
from app.library.model_facts import ModelFacts, ModelKind

_SIZES_DIFFER = 128
"""llama.cpp's own allowance: families pad their vocabularies."""
_MUCH_SMALLER = 3
"""A draft of more than a third of the size takes longer to guess than it can save."""
_BEST_SIZE = 1 / 12
"""Of the model's; where drafts of one family usually lie."""
_SMALLEST_VOCABULARY = 3


def draft_choice(model: LibraryModel, models: Iterable[LibraryModel]) -> tuple[LibraryModel, ...]:
    """Those that have the same vocabulary and are much smaller: the drafts that lie beside the model first, then by how
    near their size is to what serves best. Whether padded vocabularies have the same tokens shows at loading."""
    if model.facts is None:
        return ()
    target = model.facts
    found = [each for each in models if each.facts is not None and _fits(target, each.facts) and not each.problem]
    return tuple(sorted(found, key=lambda each: (each.path not in model.drafts, _distance(target, each), each.name)))


def _fits(target: ModelFacts, draft: ModelFacts) -> bool:
    if draft.kind is ModelKind.DRAFT and not draft.vocabulary:
        # It works with the model's own vocabulary.
        return draft.size * _MUCH_SMALLER <= target.size and draft.architecture.startswith(target.architecture)
    return (
        draft.kind in (ModelKind.MODEL, ModelKind.DRAFT)
        and draft.size * _MUCH_SMALLER <= target.size
        and _same_vocabulary(target.vocabulary, draft.vocabulary)
        and not _other_tokens(target, draft)
    )


def _same_vocabulary(target: str, draft: str) -> bool:
    """Of the same kind, cut up in the same way, and of nearly the same size."""
    of_target, of_draft = target.split(" "), draft.split(" ")
    if len(of_target) < _SMALLEST_VOCABULARY or of_target[:-1] != of_draft[:-1]:
        return False
    return abs(int(of_target[-1]) - int(of_draft[-1])) <= _SIZES_DIFFER


def _other_tokens(target: ModelFacts, draft: ModelFacts) -> bool:
    """Known of vocabularies that are equally large."""
    comparable = target.vocabulary == draft.vocabulary and target.tokens and draft.tokens
    return bool(comparable) and target.tokens != draft.tokens


def _distance(target: ModelFacts, draft: LibraryModel) -> float:
    size = max(1, draft.facts.size) if draft.facts is not None else 1
    return abs(math.log(size / (max(1, target.size) * _BEST_SIZE)))
