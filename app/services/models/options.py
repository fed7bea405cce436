"""What people set and note for one model: read wherever it is loaded, and kept at once."""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot

from app.core.adapters import Adapter
from app.core.errors import UserError
from app.core.loading import differs
from app.core.model_options import ModelOptions, Values, key_of, options_from, options_to
from app.core.model_ref import ModelRef
from app.core.sampling import Sampling, advised
from app.core.sentence import Sentence
from app.core.settings import SECTIONS
from app.core.speculation import redrafts
from app.library.catalogue import LibraryModel
from app.library.model_facts import ModelKind, read_facts
from app.services.engine.service import EngineService
from app.services.engine.states import ModelReady
from app.services.models.library import ModelLibrary
from app.services.runtime.detached_thread import DetachedThread
from app.services.runtime.settings_service import SettingsService
from app.services.runtime.worker_thread import told
from app.storage.options import OptionsStore, Scope


class OptionsOfModels(QObject):
    """In the database's thread. A change that the disk refuses is told by `failed`, and is none."""

    changed = Signal(object)
    """ModelRef: of the model whose options are different now."""
    failed = Signal(object)
    """UserError"""
    state_changed = Signal()
    """The engine is doing something else now: whether models wait to be loaded again, and what works on them; or it is
    known now which adapters are gone."""
    adapter_read = Signal(object, object)
    """ModelRef of a model, and why the adapter that was wanted for it can't be used; empty where it works on it now."""

    def __init__(
        self,
        store: OptionsStore,
        engine: EngineService,
        settings: SettingsService,
        drafts_for: Callable[[ModelRef], Sequence[LibraryModel]] = lambda _: (),
    ) -> None:
        super().__init__()
        self.drafts_for = drafts_for
        """Which models could draft for one, the best first."""
        self._store = store
        self._engine = engine
        self._settings = settings
        self._disk = DetachedThread(self, name="adapters")
        """A file may lie on a disk that takes its time, or is away."""
        self._gone: frozenset[Path] = frozenset()
        """Adapters that are set and not there, as far as it is known."""
        engine.state_changed.connect(self._hear_engine)

    def of(self, model: ModelRef) -> ModelOptions:
        return stored_options(self._store, model)

    def inherited(self, section: type, advice: Mapping[str, object]) -> Any:
        """What holds of a section where nothing is set for the model; `advice` is its file's, for the sampling."""
        general = getattr(self._settings.settings, SECTIONS[section])
        return advised(general, advice) if section is Sampling else general

    def waits_for_reload(self, model: ModelRef) -> bool:
        """Whether it is in memory, and loaded otherwise than it would be now."""
        state = self._engine.state
        if not isinstance(state, ModelReady) or state.info.ref != model:
            return False
        wanted = self._engine.settings_for(model)
        return differs(wanted.loading, state.info.loading) or redrafts(wanted.speculation, state.info.drafting.asked)

    def reload(self) -> None:
        """Load the model again that is in memory. The conversation stays."""
        self._engine.reload()

    def add_adapter(self, model: ModelRef, adapter: Path, architecture: str) -> None:
        """Let it work on a model of that architecture, unless it plainly can't; `adapter_read` follows."""

        def done(result: object) -> None:
            if isinstance(result, Exception):
                self.adapter_read.emit(model, told(result, Sentence("{name} can't be read.", name=adapter.name)))
            else:
                kept = tuple(each for each in self.of(model).adapters if each.path != adapter)
                self.set_adapters(model, (*kept, Adapter(adapter)))
                self.adapter_read.emit(model, "")

        self._disk.submit(lambda: _check_adapter(adapter, architecture), done)

    def look_for_adapters(self, model: ModelRef) -> None:
        """Find out which of a model's are not there; `state_changed` follows where that is different."""
        paths = frozenset(each.path for each in self.of(model).adapters)

        def done(gone: frozenset[Path] | Exception) -> None:
            if not isinstance(gone, Exception) and (now := (self._gone - paths) | gone) != self._gone:
                self._gone = now
                self.state_changed.emit()

        if paths:
            self._disk.submit(lambda: _missing(paths), done)

    def close(self) -> None:
        """What is being read is left to itself. May be called twice."""
        self._disk.close()

    def adapter_problem(self, model: ModelRef, adapter: Adapter) -> str:
        """Why it does not work on the model; empty where it does, or where nobody can know yet."""
        if adapter.path in self._gone:
            return Sentence("{name} is not there any more.", name=adapter.path.name)
        state = self._engine.state
        if not isinstance(state, ModelReady) or state.info.ref != model or not adapter.scale:
            return ""
        if any(each.path == adapter.path for each in state.info.adapters):
            return ""
        return next((note for note in state.notes if adapter.path.name in note), "")

    def favourites(self) -> frozenset[str]:
        """The keys of those that have a star: see `key_of`."""
        try:
            kept = self._store.all(Scope.MODEL)
        except UserError:
            # As in `stored_options`.
            return frozenset()
        return frozenset(key for key, value in kept if options_from(value).favourite)

    def set_section(self, model: ModelRef, section: type, values: Values) -> None:
        """Let exactly these values of a section of `Settings` hold for this model alone."""
        self._change(model, lambda before: before.with_section(section, values))

    def clear_settings(self, model: ModelRef) -> None:
        """It is loaded and sampled as all others; adapters, star and notes stay."""
        self._change(model, ModelOptions.without_settings)

    def set_adapters(self, model: ModelRef, adapters: Sequence[Adapter]) -> None:
        """In force at once where the model is loaded."""
        self._change(model, lambda before: replace(before, adapters=tuple(adapters)))
        self._engine.refresh_adapters()

    def set_favourite(self, model: ModelRef, favourite: bool) -> None:
        self._change(model, lambda before: replace(before, favourite=favourite))

    def set_notes(self, model: ModelRef, notes: str) -> None:
        self._change(model, lambda before: replace(before, notes=notes.strip()))

    def _change(self, model: ModelRef, change: Callable[[ModelOptions], ModelOptions]) -> None:
        key = key_of(model)
        try:
            before = options_from(self._store.get(Scope.MODEL, key))
            after = change(before)
            if after == before:
                return
            self._store.put(Scope.MODEL, key, options_to(after))
        except UserError as error:
            self.failed.emit(error)
            return
        self.changed.emit(model)

    @Slot(object)
    def _hear_engine(self, state: object) -> None:
        if isinstance(state, ModelReady):
            now = int(time.time())
            self._change(state.info.ref, lambda before: replace(before, used=now))
            self.look_for_adapters(state.info.ref)
        self.state_changed.emit()


def stored_options(store: OptionsStore, model: ModelRef) -> ModelOptions:
    """Empty where nothing is set, or what was set can't be read."""
    try:
        return options_from(store.get(Scope.MODEL, key_of(model)))
    except UserError:
        # Whoever keeps conversations tells what is wrong with the database.
        return ModelOptions()


class KnownModels:
    """The engine's catalogue: what the library knows of a model, and what people set for it."""

    def __init__(self, library: ModelLibrary, store: OptionsStore) -> None:
        self._store = store
        self.projector_of, self.called = library.projector_of, library.called

    def options_of(self, model: ModelRef) -> ModelOptions:
        return stored_options(self._store, model)


def _check_adapter(adapter: Path, architecture: str) -> None:
    """Raises UserError with a sentence where it can't work on a model of that architecture."""
    facts = read_facts((adapter,))
    if facts.kind is not ModelKind.ADAPTER:
        raise UserError("{name} is no LoRA adapter. Choose a GGUF file that was made from one.", name=adapter.name)
    if architecture and facts.architecture != architecture:
        raise UserError(
            "{name} was made for models of the kind “{kind}”, and this is one of “{own}”.",
            name=adapter.name,
            kind=facts.architecture,
            own=architecture,
        )


def _missing(paths: frozenset[Path]) -> frozenset[Path]:
    # Path.is_file raises where the folder can't be read.
    return frozenset(path for path in paths if not os.path.isfile(path))  # noqa: PTH113
