"""Whether models fit now: reckoned from their headers, the settings in force and the memory that is free."""

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Slot

from app.core.events import ModelInfo
from app.core.fit import Extras, Fit, Free, Proposal, Verdict, fit, needs, settled, verdict, ways
from app.core.fit_draft import draft_model_size, head_size, kept_states_size
from app.core.fit_needs import checkpoint_size
from app.core.fit_shape import FitShape, shape_of
from app.core.gguf_header import HeaderError, read_header
from app.core.loading import Loading
from app.core.memory import held
from app.core.settings import Settings
from app.core.speculation import Speculation
from app.library.catalogue import LibraryModel
from app.library.model_facts import ModelFacts
from app.services.engine.service import EngineService
from app.services.engine.states import ModelReady
from app.services.runtime.settings_service import SettingsService

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
        self._shapes: dict[Path, FitShape | None] = {}
        """Of files that no library knows."""
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
        main, *cards = self._given_back(state.info, free)
        gpus = (replace(gpu, free=gpu.free + back) for gpu, back in zip(free.gpus, cards, strict=True))
        return Free(free.ram + main, tuple(gpus))

    def _given_back(self, info: ModelInfo, free: Free) -> list[int]:
        """Bytes that the loaded model gives back: of main memory, and of each graphics card.

        Cards take layers by what each has free, so what is free afterwards stands in the same proportion.
        """
        known = self.find(info.path)
        if known is None or known.facts is None or known.facts.shape is None:
            return _spread(info, free)
        projector = _size(info.mmproj) if info.sees and info.mmproj is not None else 0
        draft = self.draft_size(known.facts, info.loading, info.drafting.asked) if info.drafting.ready else 0
        loading = replace(info.loading, flash_attn=info.flash_attn)
        main, *cards = needs(known.facts.shape, loading, free, Extras(projector=projector, draft=draft))
        return [_unmapped(main.total, main.weights + main.draft), *(card.total for card in cards)]

    def shape_of(self, path: Path) -> FitShape | None:
        """Of a model's file, also of one that is in no library; None where its header can't be understood."""
        known = self.find(path)
        if known is not None and known.facts is not None:
            return known.facts.shape
        if path not in self._shapes:
            try:
                self._shapes[path] = shape_of([read_header(path)])
            except (HeaderError, OSError):
                self._shapes[path] = None
        return self._shapes[path]

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

    def ahead(self, shape: FitShape, projector: int, free: Free) -> Fit | None:
        """Of a model that is not here yet, with the general settings; `projector` is its file's size in bytes."""
        if not free.ram:
            return None
        settings = self._settings.settings
        each = checkpoint_size(shape, settings.loading)
        budget = min(settings.checkpoints.budget * _MIB, each * settings.checkpoints.ctx_checkpoints)
        return fit(shape, settings.loading, free, Extras(projector=projector, checkpoints=budget))

    def _known(self, model: LibraryModel, free: Free) -> tuple[FitShape, Loading, Free, Extras] | None:
        if model.facts is None or model.facts.shape is None or not free.ram:
            return None
        loading = self.loading_of(model.path)
        return model.facts.shape, loading, free, self._extras(model, loading, free)

    def _extras(self, model: LibraryModel, loading: Loading, free: Free) -> Extras:
        assert model.facts is not None
        assert model.facts.shape is not None
        loading = settled(model.facts.shape, loading, free)
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


def _spread(info: ModelInfo, free: Free) -> list[int]:
    """Where the header was not read: the sum, layer by layer alike."""
    whole = held(info)
    n_layer, gpu_layers = info.n_layer + 1, info.loading.gpu_layers
    n_on_cards = 0 if not free.gpus else n_layer if gpu_layers < 0 else min(gpu_layers, n_layer)
    on_cards, room = whole.total * n_on_cards // n_layer, sum(gpu.free for gpu in free.gpus) or 1
    in_main = 1 - n_on_cards / n_layer
    main = _unmapped(round(whole.total * in_main), round(whole.weights * in_main))
    return [main, *(on_cards * gpu.free // room for gpu in free.gpus)]


def _unmapped(total: int, mapped: int) -> int:
    # Linux counts pages of mapped files, such as the weights, as free already.
    return total - (mapped if sys.platform == "linux" else 0)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
