"""What drafting takes counts for whether a model fits."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from app.core.fit import Free
from app.core.fit_needs import draft_model_size, head_size
from app.core.loading import Loading
from app.core.model_options import ModelOptions
from app.core.speculation import Speculation
from app.library.catalogue import LibraryModel
from app.library.model_facts import read_facts
from app.library.model_sources import Source
from app.services.engine.service import EngineService
from app.services.models.fit import ModelFit
from app.services.runtime.settings_service import SettingsService
from tests.ui.fakes import FakeEngine

FREE = Free(1 << 36)


class Bench:
    def __init__(self, settings: SettingsService, tiny_models: dict[str, Path]) -> None:
        self.settings, self.engine = settings, FakeEngine()
        self.model, self.draft = (self._describe(tiny_models[name]) for name in ("qwen35", "llama"))
        engine = cast(EngineService, self.engine)
        self.fit = ModelFit(
            settings, engine, lambda: FREE, lambda model: self.draft if model == self.draft.ref else None
        )

    def _describe(self, path: Path) -> LibraryModel:
        return LibraryModel(path, path.stem, Source.HEARTH, path.stat().st_size, (path,), 0, read_facts((path,)))

    def draft_bytes(self) -> int:
        found = self.fit.of(self.model, FREE)
        assert found is not None
        return found.rooms[0].needs.draft


@pytest.fixture
def bench(settings: SettingsService, tiny_models: dict[str, Path]) -> Iterator[Bench]:
    yield Bench(settings, tiny_models)


def test_without_drafts_that_are_loaded_nothing_is_taken(bench: Bench) -> None:
    assert bench.draft_bytes() == 0


def test_a_draft_model_of_the_library_counts_whole(bench: Bench) -> None:
    bench.settings.update(Speculation, draft_model=str(bench.draft.path))
    settings = bench.settings.settings
    assert bench.model.facts is not None
    assert bench.draft.facts is not None
    shape, draft = bench.model.facts.shape, bench.draft.facts.shape
    assert shape is not None
    assert draft is not None
    size = draft_model_size(shape, draft, settings.loading, settings.speculation)
    assert bench.draft_bytes() > size > 0
    assert bench.fit.verdict(bench.model, Free(size)) is not bench.fit.verdict(bench.model, FREE)


def test_another_file_counts_by_its_size(bench: Bench, tmp_path: Path) -> None:
    small, large = tmp_path / "small.gguf", tmp_path / "large.gguf"
    small.write_bytes(b"x" * 1000)
    large.write_bytes(b"x" * 5000)
    bench.settings.update(Speculation, draft_model=str(small))
    before = bench.draft_bytes()
    bench.settings.update(Speculation, draft_model=str(large))
    assert bench.draft_bytes() - before == 4000


def test_a_head_counts_where_the_model_has_one(bench: Bench) -> None:
    assert bench.model.facts is not None
    assert bench.model.facts.shape is not None
    asked, loading = Speculation(mtp=True), Loading()
    without = bench.fit.draft_size(bench.model.facts, loading, asked)
    having = bench.fit.draft_size(replace(bench.model.facts, mtp=True), loading, asked)
    assert having - without == head_size(bench.model.facts.shape, loading, asked)


def test_what_is_set_for_the_model_alone_counts(bench: Bench) -> None:
    bench.engine.own_options = ModelOptions({Speculation: {"draft_model": str(bench.draft.path)}})
    assert bench.draft_bytes() > 0


def test_for_a_model_that_nothing_is_known_of_the_file_counts(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "small.gguf").write_bytes(b"x" * 1000)
    asked = Speculation(draft_model=str(tmp_path / "small.gguf"))
    assert bench.fit.draft_size(None, Loading(), asked) == 1000
    assert bench.fit.draft_size(None, Loading(), Speculation(mtp=True)) == 0
