"""What the vectors are, text by text."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from app.core.errors import ContextFullError, ModelError
from app.core.loading import Loading, Pooling
from app.engine.vectors.vector_model import VectorModel
from tests.tiny_models import mamba
from tests.tiny_vectors import LONGEST, bert, decoder

TEXTS = ["paris is a city", "x", "the model is the model, " * 9, "", "is it?", "a city " * 20]
Rows = list[NDArray[np.float32]]
Make = Callable[..., Path]


def opened(path: Path, pooling: Pooling | None = None, n_texts: int = 0) -> "closing[VectorModel]":
    return closing(VectorModel(path, Loading(threads=1, gpu_layers=0), pooling, n_texts))


def of(model: VectorModel, texts: Sequence[str]) -> Rows:
    return [unit(row) for row in model.vectors([model.tokens(each) for each in texts])]


def one_by_one(model: VectorModel, texts: Sequence[str]) -> Iterator[NDArray[np.float32]]:
    for each in texts:
        yield from of(model, [each])


def unit(row: NDArray[np.float32]) -> NDArray[np.float32]:
    return row / np.linalg.norm(row)


@pytest.mark.parametrize("make", [bert, decoder])
def test_each_pooling_is_what_it_says_of_the_tokens_vectors(make: Make, tmp_path: Path) -> None:
    path = make(tmp_path / "mean.gguf", "mean")
    with opened(path, Pooling.NONE) as model:
        tokens = [model.tokens(each) for each in TEXTS]
        plain = [row.reshape(len(each), -1) for row, each in zip(model.vectors(tokens), tokens, strict=True)]
    pooled: dict[Pooling, Callable[[NDArray[np.float32]], NDArray[np.float32]]] = {
        Pooling.MEAN: lambda rows: rows.mean(axis=0),
        Pooling.CLS: lambda rows: rows[0],
        Pooling.LAST: lambda rows: rows[-1],
    }
    for pooling, made_of in pooled.items():
        with opened(path, None if pooling is Pooling.MEAN else pooling) as model:
            assert model.pooling is pooling
            for row, rows in zip(of(model, TEXTS), plain, strict=True):
                np.testing.assert_allclose(row, unit(made_of(rows)), atol=1e-5)


@pytest.mark.parametrize(
    ("make", "pooling", "apart"),
    [(bert, "mean", 1e-4), (bert, "cls", 1e-4), (decoder, "mean", 1e-5), (decoder, "last", 1e-5)],
)
def test_texts_together_are_as_each_by_itself(make: Make, pooling: str, apart: float, tmp_path: Path) -> None:
    """As a graphics card takes them."""
    texts = [f"{text} {number}" for number in range(15) for text in TEXTS]
    with opened(make(tmp_path / "m.gguf", pooling), n_texts=16) as model:
        for together, alone in zip(of(model, texts), one_by_one(model, texts), strict=True):
            np.testing.assert_allclose(together, alone, atol=apart)


def test_on_a_processor_a_text_is_the_same_to_the_bit_whatever_stands_beside_it(tmp_path: Path) -> None:
    with opened(bert(tmp_path / "m.gguf", "mean")) as model:
        for together, alone in zip(of(model, TEXTS), one_by_one(model, TEXTS), strict=True):
            np.testing.assert_array_equal(together, alone)


@pytest.mark.parametrize("make", [bert, decoder])
def test_ranks_are_as_each_by_itself(make: Make, tmp_path: Path) -> None:
    with opened(make(tmp_path / "rank.gguf", "rank")) as model:
        assert model.pooling is Pooling.RANK
        pairs = [model.pair("which city?", each) for each in TEXTS]
        together, alone = model.vectors(pairs), [model.vectors([each])[0] for each in pairs]
        np.testing.assert_allclose(together, alone, atol=1e-5)
        assert len({float(row[0]) for row in together}) == len(TEXTS)


def test_a_models_own_form_of_query_and_document_is_kept(tmp_path: Path) -> None:
    with opened(decoder(tmp_path / "plain.gguf", "rank")) as model:
        bos, eos = model.tokens("")
        assert model.pair("q", "d") == [bos, *model.tokens("q")[1:-1], eos, *model.tokens("d")[1:-1], eos]
    with opened(decoder(tmp_path / "own.gguf", "rank", form="<|im_start|>{query}{document}<|im_end|>")) as model:
        assert model.pair("q", "d") == model.tokens("<|im_start|>qd<|im_end|>")[1:-1]
        assert len(model.pair("q", "d")) == 4


def test_a_memory_that_is_overwritten_takes_one_text_at_a_time(tmp_path: Path) -> None:
    with opened(mamba(tmp_path / "mamba.gguf"), Pooling.MEAN) as model:
        for together, alone in zip(of(model, TEXTS[:3]), one_by_one(model, TEXTS[:3]), strict=True):
            np.testing.assert_array_equal(together, alone)


def test_tokens_and_mixed_lists(tmp_path: Path) -> None:
    with opened(bert(tmp_path / "m.gguf", "mean")) as model:
        cls, x, sep = model.tokens("x")
        assert model.tokens([cls, "x", sep]) == [cls, x, sep]
        assert model.tokens(["x", sep]) == [cls, x, sep, sep]
        with pytest.raises(ModelError, match="Text 7 holds numbers that are no tokens, from 0 to"):
            model.vectors([[1 << 20]], first=7)
        with pytest.raises(ModelError, match="Text 0 is empty"):
            model.vectors([[]])


def test_a_long_text_is_told_or_cut_where_that_is_asked(tmp_path: Path) -> None:
    with opened(bert(tmp_path / "m.gguf", "mean")) as model:
        long = model.tokens("the " * 5000)
        with pytest.raises(
            ContextFullError, match=r"Text 1 has 5,002 tokens, and the model reads up to 1,024 at a time"
        ):
            model.vectors([[1], long])
        # Its end token stays.
        assert model.cut(long) == model.tokens("the " * (LONGEST - 2))
        assert len(model.vectors([model.cut(long)])) == 1
