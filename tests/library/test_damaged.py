"""Files damaged at random: each is listed, with a sentence or with a verdict, and nothing goes wrong.

A thousand of them, and their loading, are for `python -m tests.bench.damaged`.
"""

from pathlib import Path

import pytest

from app.core.fit import Extras, Free, fit, verdict, ways
from app.core.loading import Loading
from app.library.catalogue import Catalogue, LibraryModel
from app.library.model_sources import Place, Source
from tests.damaged_models import KINDS, damaged

COUNT = 10 * len(KINDS)
FREE = Free(1 << 30)


@pytest.fixture(scope="module")
def listed(tmp_path_factory: pytest.TempPathFactory, tiny_models: dict[str, Path]) -> tuple[LibraryModel, ...]:
    folder = tmp_path_factory.mktemp("damaged")
    originals = [tiny_models[name] for name in ("llama", "gemma3", "qwen35", "mamba")]
    files = list(damaged(originals, folder, COUNT))
    models = Catalogue(folder / "cache.json").scan([Place(Source.FOLDER, folder)])
    assert {path for model in models for path in (model.path, *model.also)} == set(files)
    return models


def test_each_is_usable_or_says_why_not(listed: tuple[LibraryModel, ...]) -> None:
    for model in listed:
        assert (model.facts is None) == bool(model.problem), model.path
        assert not model.problem or model.problem.endswith("."), model.problem
    n_damaged = sum(bool(model.problem) for model in listed)
    assert len(listed) // 3 < n_damaged < len(listed)


def test_no_sentence_is_of_a_kind_that_nobody_thought_of(listed: tuple[LibraryModel, ...]) -> None:
    assert not [model.path for model in listed if "nobody thought of" in model.problem]


def test_those_that_are_listed_as_models_can_be_reckoned(listed: tuple[LibraryModel, ...]) -> None:
    found = 0
    for model in listed:
        if model.facts is not None and model.facts.shape is not None:
            shape = model.facts.shape
            told = fit(shape, Loading(), FREE)
            assert told.total >= 0
            assert verdict(shape, Loading(), FREE, Extras()) is told.verdict
            ways(shape, Loading(ctx_size=0), FREE)
            found += 1
    assert found > len(listed) // 10
