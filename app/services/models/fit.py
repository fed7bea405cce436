"""Whether models fit now: reckoned from their headers, the settings in force and the memory that is free."""

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Slot

from app.core.checkpointing import Checkpointing
from app.core.errors import UserError
from app.core.events import ModelInfo
from app.core.fit import Extras, Fit, Free, Proposal, Verdict, fit, needs, settled, verdict, ways
from app.core.fit_needs import checkpoint_size, draft_model_size, head_size, kept_states_size
from app.core.fit_shape import FitShape
from app.core.loading import FlashAttention, Loading, LoadMode
from app.core.model_ref import ModelRef
from app.core.settings import Settings
from app.core.speculation import DrafterKind, Speculation
from app.engine.preflight.model_file import parts
from app.library.catalogue import LibraryModel
from app.library.fit_unseen import rough_shape
from app.library.model_facts import ModelFacts, read_facts
from app.library.model_sources import Source
from app.services.engine.service import EngineService
from app.services.engine.states import ModelReady, ModelResting
from app.services.runtime.settings_service import SettingsService

_MIB = 1 << 20
FreeNow = Callable[[], Free]


class ModelFit(QObject):
    """GUI thread."""

    def __init__(
        self,
        settings: SettingsService,
        engine: EngineService,
        free_now: FreeNow,
        find: Callable[[ModelRef], LibraryModel | None],
        parent: QObject | None = None,
    ) -> None:
        """`find` is asked for what is known of a model."""
        super().__init__(parent)
        self._settings = settings
        self._engine = engine
        self._free_now = free_now
        self._find = find
        self._applied: dict[ModelRef, Settings] = {}
        self._others: dict[ModelRef, LibraryModel] = {}
        """Of files that no library knows."""
        settings.changed.connect(self.forget)

    def loading_of(self, model: ModelRef) -> Loading:
        """How it would be loaded now."""
        return self._settings_of(model).loading

    def _settings_of(self, model: ModelRef) -> Settings:
        if model not in self._applied:
            self._applied[model] = self._engine.options_of(model).applied(self._settings.settings)
        return self._applied[model]

    @Slot()
    def forget(self) -> None:
        """Settings are different now, of all models or of one."""
        self._applied.clear()

    def free(self) -> Free:
        """What is free for the next model: what the one in memory holds comes back, or is used again."""
        free = self._free_now()
        if not free.ram:
            return free
        match self._engine.local_state:
            case ModelReady(info):
                main, *cards = self._given_back(info, free)
            case ModelResting(info, in_memory=True):
                # Without a context its weights are all in main memory.
                weights = needs(self._shape_of(info), replace(info.loading, gpu_layers=0), free, Extras())[0].weights
                main, *cards = _unmapped(weights, weights, info.loading), *(0 for _ in free.gpus)
            case _:
                return free
        gpus = (replace(gpu, free=gpu.free + back) for gpu, back in zip(free.gpus, cards, strict=True))
        return Free(free.ram + main, tuple(gpus))

    def _given_back(self, info: ModelInfo, free: Free) -> list[int]:
        """Bytes that the loaded model gives back: of main memory, and of each graphics card.

        Cards take layers by what each has free, so what is free afterwards stands in the same proportion.
        """
        drafts = not set(info.drafting.ready) <= {DrafterKind.NGRAM}
        slot = self._engine.slot
        extras = Extras(
            projector=_size(info.mmproj) if info.uses_projector and info.mmproj is not None else 0,
            draft=self.draft_size(self._model(info.ref).facts, info.loading, info.drafting.asked) if drafts else 0,
            checkpoints=slot.checkpoint_bytes if slot is not None else 0,
        )
        # Where Hearth chooses, there may be no more than what flash attention takes.
        loading = info.loading
        if loading.flash_attn is not FlashAttention.AUTO:
            loading = replace(loading, flash_attn=info.flash_attn)
        main, *cards = needs(self._shape_of(info), loading, free, extras)
        return [_unmapped(main.total, main.weights + main.draft, loading), *(card.total for card in cards)]

    def _model(self, model: ModelRef) -> LibraryModel:
        """Also one that is in no library; without facts where its header can't be understood."""
        if (known := self._find(model)) is not None:
            return known
        if model not in self._others:
            path = model.file
            try:
                facts = read_facts(parts(path))
            except UserError:
                facts = None
            self._others[model] = LibraryModel(path, path.stem, Source.FOLDER, 0, (path,), 0, facts)
        return self._others[model]

    def shape_of(self, model: ModelRef) -> FitShape | None:
        """Also of one that is in no library; None where its header can't be understood."""
        facts = self._model(model).facts
        return facts.shape if facts is not None else None

    def _shape_of(self, info: ModelInfo) -> FitShape:
        """Of the model in memory, whose file may be gone by now."""
        return self.shape_of(info.ref) or rough_shape(info.size, info.n_params, info.n_ctx_train, info.n_layer)

    def of(self, model: LibraryModel, free: Free) -> Fit | None:
        """With numbers; None for what is no model, or where nothing is known."""
        known = self._known(model, free)
        return fit(*known) if known is not None else None

    def ways(self, model: LibraryModel, free: Free) -> tuple[Proposal, ...]:
        """What could be changed to make it fit."""
        known = self._known(model, free)
        return ways(*known) if known is not None else ()

    def verdict(self, model: LibraryModel, free: Free) -> Verdict | None:
        """The verdict alone, in microseconds."""
        known = self._known(model, free)
        return verdict(*known) if known is not None else None

    def with_settings(self, info: ModelInfo, settings: Settings) -> tuple[Fit, tuple[Proposal, ...]] | None:
        """As `of` and `ways`, for the model in memory if it were loaded with `settings`."""
        known = self._known(self._model(info.ref), self.free(), settings, self._shape_of(info))
        if known is None:
            return None
        found = fit(*known)
        return found, ways(*known) if found.verdict is not Verdict.FITS else ()

    def ahead(self, shape: FitShape, projector: int, free: Free) -> Fit | None:
        """Of a model that is not here yet, with the general settings; `projector` is its file's size in bytes."""
        if not free.ram:
            return None
        settings = self._settings.settings
        checkpoints = _checkpoints_size(shape, settings.loading, settings.checkpoints)
        return fit(shape, settings.loading, free, Extras(projector=projector, checkpoints=checkpoints))

    def _known(
        self, model: LibraryModel, free: Free, settings: Settings | None = None, shape: FitShape | None = None
    ) -> tuple[FitShape, Loading, Free, Extras] | None:
        """What all of it is reckoned from: by the settings in force and the file's own shape unless others are told."""
        shape = shape or (model.facts.shape if model.facts is not None else None)
        if shape is None or not free.ram:
            return None
        settings = settings or self._settings_of(model.ref)
        loading = settled(shape, settings.loading, free)
        extras = Extras(
            projector=self._projector_size(model),
            draft=self.draft_size(model.facts, loading, settings.speculation),
            checkpoints=_checkpoints_size(shape, loading, settings.checkpoints),
        )
        return shape, settings.loading, free, extras

    def _projector_size(self, model: LibraryModel) -> int:
        """Bytes; a model in memory keeps the projector that it was loaded with."""
        state = self._engine.local_state
        if isinstance(state, ModelReady) and state.info.ref == model.ref and state.info.mmproj is not None:
            return _size(state.info.mmproj)
        return _size(model.projectors[0]) if model.projectors else 0

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
            known = self._find(ModelRef.of_file(path))
            shape = known.facts.shape if known is not None and known.facts is not None else None
            size += draft_model_size(target, shape, loading, asked) if shape is not None else _size(path)
        return size


def _checkpoints_size(shape: FitShape, loading: Loading, asked: Checkpointing) -> int:
    """Bytes, at the most."""
    size = checkpoint_size(shape, loading)
    number = max(asked.ctx_checkpoints, asked.most(size)) if size else 0
    return min(asked.budget * _MIB, size * number)


def _unmapped(total: int, weights: int, loading: Loading) -> int:
    # Linux counts pages of mapped files as free already, unless they are locked.
    mapped = loading.load_mode in (LoadMode.AUTO, LoadMode.MMAP)
    return total - (weights if mapped and sys.platform == "linux" else 0)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
