"""What is known of each file of a repository here: whether it fits, is on this computer, or on its way."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from app.core.fit import Fit, Verdict
from app.library.catalogue import LibraryModel
from app.library.fit_unseen import rough_shape, scaled
from app.library.hub import HubChoice, HubRepo
from app.library.hub_choice import find_here, projector_for, recommended
from app.library.recommended import Suggestion
from app.services.models.download_states import Download
from app.services.models.models import Models


@dataclass(frozen=True, slots=True)
class FileState:
    fit: Fit | None = None
    """None where nothing is known, and for projectors."""
    here: LibraryModel | None = None
    """The same file, on this computer already."""
    download: Download | None = None
    best: bool = False
    """The one to take where nobody knows better."""


def file_states(
    models: Models, repo: HubRepo, *, with_projector: bool = True, wish: str = ""
) -> Mapping[HubChoice, FileState]:
    """Of every choice in `repo`. `wish` is a quantisation that is recommended for this model; it counts if it fits."""
    states = {choice: _state(models, repo, choice, with_projector=with_projector) for choice in repo.choices}
    verdicts = {choice: state.fit.verdict for choice, state in states.items() if state.fit is not None}
    wished = (
        choice
        for choice, verdict in verdicts.items()
        if wish and choice.quantisation == wish and verdict is Verdict.FITS
    )
    best = next(wished, None) or recommended(repo.choices, verdicts)
    if best is not None:
        states[best] = replace(states[best], best=True)
    return states


def judge(models: Models, suggestion: Suggestion) -> Verdict | None:
    """Before anything is known but its size."""
    found = models.fit.ahead(rough_shape(suggestion.size), 0, models.fit.free())
    return found.verdict if found is not None else None


def _state(models: Models, repo: HubRepo, choice: HubChoice, *, with_projector: bool) -> FileState:
    here = find_here(choice, models.library.models)
    first = choice.files[0]
    listed = [each for each in models.downloads.downloads if each.files[0] == first]
    download = listed[-1] if listed else None
    if choice.is_projector:
        return FileState(None, here, download)
    projector = projector_for(choice, repo.choices) if with_projector else None
    known = models.shapes.known(repo)
    shape = (
        scaled(known, choice.size)
        if known is not None
        else rough_shape(choice.size, repo.model.n_params, repo.model.n_ctx)
    )
    fit = models.fit.ahead(shape, projector.size if projector is not None else 0, models.fit.free())
    return FileState(fit, here, download)
