"""The child that makes vectors."""

import sys
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from app.core.errors import ContextFullError, ModelError, UserError
from app.core.loading import Loading, Pooling
from app.engine.vectors.process import VectorProcess
from app.engine.vectors.vector_model import VectorModel
from tests.tiny_vectors import LONGEST, bert

COMMAND = (sys.executable, "-m", "app")
LOADING = Loading(threads=1, gpu_layers=0)


def test_it_tells_what_the_model_makes_and_what_it_refuses(tmp_path: Path) -> None:
    path = bert(tmp_path / "m.gguf", "mean")
    with closing(VectorModel(path, LOADING, None)) as model:
        wanted = model.vectors([model.tokens("paris is a city"), model.tokens("x")])
    with closing(VectorProcess(COMMAND, path, LOADING, None)) as process:
        assert (process.facts.pooling, process.facts.width, process.facts.n_longest) == (Pooling.MEAN, 64, LONGEST)
        made = process.vectors(["paris is a city", [2, "x", 3]])
        assert made.n_tokens == (6, 3)
        for row, each in zip(made.rows, wanted, strict=True):
            np.testing.assert_array_equal(row, each)
        with pytest.raises(ContextFullError, match=r"^Text 9 has 1,102 tokens"):
            process.vectors(["x " * 1100], first=9)
        with pytest.raises(ModelError, match=r"^Text 0 holds numbers"):
            process.vectors([[1 << 20]])
        cut = process.vectors(["x " * 1100, "x"], truncate=True)
        assert (cut.n_tokens, cut.n_cut) == ((LONGEST, 3), 1)
        process._child.kill()
        with pytest.raises(UserError, match=r"m\.gguf made llama\.cpp crash\. It is loaded again"):
            process.vectors(["x"])
        assert not process.is_alive
        with pytest.raises(UserError, match=r"m\.gguf made llama\.cpp crash"):
            process.vectors(["x"])
    with pytest.raises(UserError, match=r"m\.gguf made llama\.cpp crash"):
        process.vectors(["x"])


def test_what_is_no_model_is_told() -> None:
    with pytest.raises(ModelError, match="is not a GGUF file"):
        VectorProcess(COMMAND, Path(__file__), LOADING, None)
