"""Whether models fit now: reckoned from their headers, the settings in force and the memory that is free."""

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Slot

from app.core.checkpointing import Checkpointing
from app.core.events import ModelInfo
from app.core.fit import Extras, Fit, Free, Proposal, Verdict, fit, needs, verdict, ways
from app.core.fit_draft import draft_model_size, head_size, kept_states_size
from app.core.fit_needs import checkpoint_size
from app.core.fit_shape import FitShape
from app.core.loading import Loading
from app.core.memory import estimate
from app.core.settings import Settings
from app.core.speculation import Speculation
from app.library.catalogue import LibraryModel
from app.library.model_facts import ModelFacts
from app.services.engine_service import EngineService
from app.services.settings_service import SettingsService
from app.services.states import ModelReady

_MIB = 1 << 20
FreeNow = Callable[[], Free]


class ModelFit(QObject):
    """GUI thread."""

    def __init__(
        self, settings: SettingsService, engine: EngineService, free_now: FreeNow, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._settings = settings
        self._engine = engine
        self._free_now = free_now
        self.find: Callable[[Path], LibraryModel | None] = lambda _: None
        """Asked for what is known of a draft model's file."""
        self._applied: dict[Path, Settings] = {}
        settings.changed.connect(self.forget)

    def loading_of(self, path: Path) -> Loading:
        """How a model's file would be loaded now."""
        return self._settings_of(path).loading

    def _settings_of(self, path: Path) -> Settings:
        if path not in self._applied:
            self._applied[path] = self._engine.options_of(path).applied(self._settings.settings)
        return self._applied[path]

    @Slot()
    def forget(self) -> None:
        """Settings are different now, of all models or of one."""
        self._applied.clear()

    def free(self) -> Free:
        """What is free for the next model: what the loaded one holds comes back."""
        free = self._free_now()
        state = self._engine.state
        if not free.ram or not isinstance(state, ModelReady):
            return free
        known = self.find(state.info.path)
        if known is None or known.facts is None or known.facts.shape is None:
            return Free(free.ram + _held(state.info), free.gpus)
        main, *cards = needs(known.facts.shape, state.info.loading, free, Extras())
        gpus = (replace(gpu, free=gpu.free + held.total) for gpu, held in zip(free.gpus, cards, strict=True))
        return Free(free.ram + _given_back(main.total, main.weights), tuple(gpus))

    def of(self, model: LibraryModel, free: Free) -> Fit | None:
        """With numbers; None for what is no model, or where nothing is known."""
        if model.facts is None or model.facts.shape is None or not free.ram:
            return None
        loading = self.loading_of(model.path)
        return fit(model.facts.shape, loading, free, self._extras(model, loading))

    def ways(self, model: LibraryModel, free: Free) -> tuple[Proposal, ...]:
        """What could be changed to make it fit."""
        if model.facts is None or model.facts.shape is None or not free.ram:
            return ()
        loading = self.loading_of(model.path)
        return ways(model.facts.shape, loading, free, self._extras(model, loading))

    def verdict(self, model: LibraryModel, free: Free) -> Verdict | None:
        """The verdict alone, in microseconds."""
        if model.facts is None or model.facts.shape is None or not free.ram:
            return None
        loading = self.loading_of(model.path)
        return verdict(model.facts.shape, loading, free, self._extras(model, loading))

    def ahead(self, shape: FitShape, projector: int, free: Free) -> Fit | None:
        """Of a model that is not here yet, with the general settings; `projector` is its file's size in bytes."""
        if not free.ram:
            return None
        settings = self._settings.settings
        each = checkpoint_size(shape, settings.loading)
        budget = min(settings.checkpoints.budget * _MIB, each * settings.checkpoints.ctx_checkpoints)
        return fit(shape, settings.loading, free, Extras(projector=projector, checkpoints=budget))

    def _extras(self, model: LibraryModel, loading: Loading) -> Extras:
        assert model.facts is not None
        assert model.facts.shape is not None
        checkpoints = self._settings.settings.checkpoints
        each = checkpoint_size(model.facts.shape, loading)
        return Extras(
            projector=_size(model.projectors[0]) if model.projectors else 0,
            draft=self.draft_size(model.facts, loading, self._settings_of(model.path).speculation),
            checkpoints=min(checkpoints.budget * _MIB, each * checkpoints.ctx_checkpoints),
        )

    def draft_size(self, facts: ModelFacts | None, loading: Loading, asked: Speculation) -> int:
        """Bytes that drafting so takes beside a model; where little is known, those of the draft's file."""
        path = Path(asked.draft_model) if asked.draft_model else None
        target = facts.shape if facts is not None else None
        if facts is None or target is None:
            return _size(path) if path is not None else 0
        size = kept_states_size(target, asked)
        if asked.mtp and facts.mtp:
            size += head_size(target, loading, asked)
        if path is not None:
            known = self.find(path)
            shape = known.facts.shape if known is not None and known.facts is not None else None
            size += draft_model_size(target, shape, loading, asked) if shape is not None else _size(path)
        return size


def _held(info: ModelInfo) -> int:
    """Bytes of main memory that the loaded model gives back, where its header was not read."""
    held = estimate(info, info.loading, Checkpointing(ctx_checkpoints=0))
    return _given_back(held.total, held.weights)


def _given_back(total: int, weights: int) -> int:
    # Linux counts pages of mapped files, such as the weights, as free already.
    return total - (weights if sys.platform == "linux" else 0)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
