"""The child that holds a model which makes vectors of texts: it answers line by line until its input ends."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from app.core.errors import ContextFullError, UserError
from app.core.loading import Loading, Pooling
from app.core.sentence import as_json
from app.core.setting import section_from
from app.engine.binding import library
from app.engine.vectors.vector_model import VectorModel


def main(arguments: Sequence[str]) -> int:
    """Arguments: the model's file, how it is loaded (JSON), and the pooling or nothing. See `process` for the talk."""
    output = sys.stdout.buffer
    library.print_last_words()
    loading, _ = section_from(Loading, json.loads(arguments[1]), "loading")
    try:
        model = VectorModel(Path(arguments[0]), loading, Pooling(arguments[2]) if arguments[2:] else None)
    except UserError as error:
        _tell(output, _refusal(error))
        return 0
    _tell(output, model.facts())
    for line in sys.stdin.buffer:
        _answer(output, model, json.loads(line))
    model.close()
    return 0


def _answer(output: BinaryIO, model: VectorModel, asked: dict[str, Any]) -> None:
    try:
        texts, cut = _texts(model, asked)
        rows = model.vectors(texts, asked["first"])
    except UserError as error:
        _tell(output, _refusal(error))
        return
    sizes = [len(row) for row in rows]
    _tell(output, {"n_tokens": [len(each) for each in texts], "sizes": sizes, "cut": cut})
    output.write(np.concatenate(rows).astype("<f4").tobytes())
    output.flush()


def _texts(model: VectorModel, asked: dict[str, Any]) -> tuple[list[list[int]], int]:
    """In tokens, and how many of them were cut, where that is allowed."""
    query = asked.get("query")
    if query is None:
        texts = [model.tokens(each) for each in asked["texts"]]
    else:
        texts = [model.pair(query, each) for each in asked["texts"]]
    if not asked.get("truncate"):
        return texts, 0
    most = model.n_longest
    return [model.cut(each) for each in texts], sum(len(each) > most for each in texts)


def _refusal(error: UserError) -> dict[str, object]:
    told = {"sentence": as_json(error.sentence), "detail": error.detail}
    return {**told, "too_long": True} if isinstance(error, ContextFullError) else told


def _tell(output: BinaryIO, what: dict[str, object]) -> None:
    output.write(json.dumps(what).encode() + b"\n")
    output.flush()
