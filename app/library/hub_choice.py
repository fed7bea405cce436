"""What of a repository to take: which projector comes along, which file suits a machine, and what is here already."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from app.core.fit import Verdict
from app.library.catalogue import LibraryModel
from app.library.hub import HubChoice

_PROJECTORS = ("F16", "Q8_0", "BF16", "F32")
"""Best first. All are as good; F16 runs fast on every processor and every card."""
_SMALL = 2_500_000_000
"""Bytes. A model whose Q8_0 is no larger answers fast enough anywhere, and needs its bits."""
_SMALL_BEST = ("Q8_0", "UD-Q8_K_XL", "Q6_K", "UD-Q6_K_XL", "Q6_K_L", "Q5_K_M")
_BEST = (
    "MXFP4", "MXFP4_MOE", "Q4_K_M", "UD-Q4_K_XL", "Q4_K_L", "Q4_K_S", "IQ4_XS", "IQ4_NL", "Q4_0", "Q4_1", "Q3_K_L",
    "Q3_K_M", "UD-Q3_K_XL", "IQ3_M", "Q3_K_S",
)  # fmt: skip
"""About four bits: what loses little and reads fast. Below three, a smaller model is the better choice."""
_USUAL = {*_BEST[:4], "Q8_0", "Q6_K", "Q5_K_M", "Q3_K_M", "Q2_K"}
_FEW = 8


def projector_for(choice: HubChoice, choices: Sequence[HubChoice]) -> HubChoice | None:
    """The projector that comes along with a model, from the folder it lies in or from the repository's own."""
    if choice.is_projector:
        return None
    found = [each for each in choices if each.is_projector and _folder(each) in (_folder(choice), "")]
    return min(found, key=_projector_rank, default=None)


def with_projector(choice: HubChoice, projector: HubChoice | None) -> HubChoice:
    """Both as one thing to fetch, the model first."""
    return replace(choice, files=(*choice.files, *projector.files)) if projector is not None else choice


def recommended(choices: Sequence[HubChoice], verdicts: Mapping[HubChoice, Verdict]) -> HubChoice | None:
    """The one to take where nobody knows better: of small models Q8_0, of others about four bits; where that does not
    fit, the largest that does; else the largest that is tight. None where all are too large, or nothing is known."""
    models = [each for each in choices if not each.is_projector]
    fitting = [each for each in models if verdicts.get(each) is Verdict.FITS]
    is_small = any(each.quantisation == "Q8_0" and each.size <= _SMALL for each in models)
    for wanted in (*_SMALL_BEST, *_BEST) if is_small else _BEST:
        if found := [each for each in fitting if each.quantisation == wanted]:
            return found[0]
    below = max((each.size for each in models if each.quantisation in _BEST), default=0)
    pool = [each for each in fitting if not below or each.size <= below] or fitting
    pool = pool or [each for each in models if verdicts.get(each) is Verdict.TIGHT]
    return max(pool, key=lambda each: each.size, default=None)


def shown_first(choices: Sequence[HubChoice], best: HubChoice | None) -> tuple[HubChoice, ...]:
    """Those that nearly everybody wants, of a repository that has many; all of them where it has few."""
    models = tuple(each for each in choices if not each.is_projector)
    if len(models) <= _FEW:
        return models
    usual = tuple(each for each in models if each.quantisation in _USUAL or each == best)
    return usual or models[:_FEW]


def find_here(choice: HubChoice, models: Iterable[LibraryModel]) -> LibraryModel | None:
    """The model that is the same file: as long, and with its hash, where that is known as Ollama and the shared cache
    have it, or else with its name. None where there is none, or only a damaged one."""
    first = choice.files[0]
    name, hashed = first.path.rpartition("/")[2], first.sha256
    for model in models:
        if model.size == choice.size and not model.problem:
            paths: tuple[Path, ...] = (model.path, *model.parts, *model.also)
            # A file that was made anew is often as long as before.
            if model.sha256 and hashed:
                same = model.sha256 == hashed
            else:
                same = any(path.name == name or (hashed and hashed in path.name) for path in paths)
            if same:
                return model
    return None


def _folder(choice: HubChoice) -> str:
    return choice.files[0].path.rpartition("/")[0]


def _projector_rank(choice: HubChoice) -> tuple[int, int, int]:
    kind = _PROJECTORS.index(choice.quantisation) if choice.quantisation in _PROJECTORS else len(_PROJECTORS)
    return len(_folder(choice)) == 0, kind, choice.size
