"""Pixtral's row ends come out right whatever the memory held."""

from pathlib import Path

import gguf
import numpy as np
import pytest
from numpy.typing import NDArray

from app.engine.binding.vision_rows import read_row_end, repair_row_ends
from tests.tiny_vision import mlp, pixtral

END = np.array([1.0, 2.0, 3.0], np.float32)


def rows(n_columns: int = 2, n_rows: int = 3) -> NDArray[np.float32]:
    """`n_rows` rows of `n_columns` entries, and a row end between each two of them."""
    made = np.arange(3 * (n_rows * (n_columns + 1) - 1), dtype=np.float32).reshape(-1, 3) + 10
    made[n_columns :: n_columns + 1] = END
    return made


def test_the_row_end_is_the_files(tmp_path: Path) -> None:
    path = pixtral(tmp_path / "mm.gguf")
    tensors = {each.name: each.data for each in gguf.GGUFReader(path).tensors}
    found = read_row_end(path)
    assert found is not None
    np.testing.assert_array_equal(found, tensors["v.token_embd.img_break"])


def test_other_families_have_none(tmp_path: Path) -> None:
    assert read_row_end(mlp(tmp_path / "mm.gguf")) is None
    assert read_row_end(tmp_path / "missing.gguf") is None


@pytest.mark.parametrize("broken", [[2], [5], [2, 5]])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_broken_row_ends_are_put_right(broken: list[int], value: float) -> None:
    embedding = rows()
    embedding[broken, 1] = value
    assert repair_row_ends(embedding, END)
    np.testing.assert_array_equal(embedding, rows())


def test_whole_embeddings_stay() -> None:
    embedding = rows()
    assert repair_row_ends(embedding, END)
    assert repair_row_ends(embedding, None)
    np.testing.assert_array_equal(embedding, rows())


@pytest.mark.parametrize("broken", [[0], [3], [1, 2], [7]])
def test_anything_else_that_is_broken_stays_broken(broken: list[int]) -> None:
    embedding = rows()
    embedding[broken] = np.nan
    assert not repair_row_ends(embedding, END)
    assert np.isnan(embedding[broken]).all()


def test_without_a_row_end_nothing_is_repaired() -> None:
    embedding = rows()
    embedding[2] = np.nan
    assert not repair_row_ends(embedding, None)
