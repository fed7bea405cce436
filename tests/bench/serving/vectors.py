"""Vectors and ranks beside llama-server's: are they the same numbers, and as fast?

    python -m tests.bench.serving.vectors LLAMA_SERVER [TEXTS [ROUNDS]]

llama-server must be of the llama.cpp commit that Hearth is built with. Hearth computes with the libraries beside it,
for other compilers round otherwise. It gets one slot: with more its means over decoders' tokens are wrong. Exits with 1
where a number is further away than 1e-5.
"""

import json
import os
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from app.core.loading import FlashAttention, Loading
from tests.bench.serving.programs import Program, hearth_serve, llama_server
from tests.tiny_vectors import LONGEST, bert, decoder

_LOADING = Loading(
    ctx_size=LONGEST, batch_size=LONGEST, ubatch_size=LONGEST, threads=1, gpu_layers=0, flash_attn=FlashAttention.OFF
)
_WORDS = ("paris", "is", "a", "city", "where", "the", "model", "reads", "42", "small", "words", "which", "are", "few")
_NEAR = 1e-5
_PART = 500
"""Texts of a request."""


def main() -> int:
    program = Path(sys.argv[1])
    os.environ["LLAMA_CPP_LIB_PATH"] = str(program.parent)
    n_texts, n_rounds = (int(told) for told in (*sys.argv[2:], *("10000", "5")[len(sys.argv) - 2 :]))
    with tempfile.TemporaryDirectory() as folder:
        well = _compare_numbers(program, Path(folder))
        _compare_speed(program, Path(folder), n_texts, n_rounds)
    return 0 if well else 1


def _compare_numbers(program: Path, folder: Path) -> bool:
    furthest = 0.0
    for make in (bert, decoder):
        for pooling in ("mean", "cls", "last", "none", "rank"):
            model = make(folder / f"{make.__name__}-{pooling}.gguf", pooling)
            option = "--reranking" if pooling == "rank" else "--embeddings"
            with (
                llama_server(program, model, _LOADING, folder / "log", option) as theirs,
                hearth_serve(model, _LOADING, folder / "home", option) as ours,
            ):
                apart = float(np.abs(_numbers(theirs, pooling) - _numbers(ours, pooling)).max())
            print(f"{make.__name__:8} {pooling:5} furthest apart {apart:.1e}")
            furthest = max(furthest, apart)
    return furthest <= _NEAR


def _texts(count: int, longest: int) -> list[str]:
    rng = np.random.default_rng(1)
    return [" ".join(rng.choice(_WORDS, rng.integers(1, longest))) for _ in range(count)]


def _numbers(server: Program, pooling: str) -> "np.ndarray[Any, np.dtype[np.float64]]":
    texts = _texts(40, 60)
    if pooling == "rank":
        told = _ask(server, "/v1/rerank", {"query": "where is paris?", "documents": texts})["results"]
        return np.array([each["relevance_score"] for each in sorted(told, key=lambda each: each["index"])])
    told = _ask(server, "/embeddings", {"input": texts})
    return np.concatenate([np.array(each["embedding"]).ravel() for each in told])


def _compare_speed(program: Path, folder: Path, n_texts: int, n_rounds: int) -> None:
    model = bert(folder / "small.gguf", "mean", n_layer=6, n_embd=384, n_ff=1536)
    texts = _texts(n_texts // n_rounds, 12)
    with (
        llama_server(program, model, _LOADING, folder / "log", "--embeddings") as theirs,
        hearth_serve(model, _LOADING, folder / "home", "--embeddings") as ours,
    ):
        for server in (theirs, ours):
            _seconds(server, texts[:_PART])
        ratios = []
        for _ in range(n_rounds):
            took = np.array([_seconds(server, texts) for server in (theirs, ours)])
            ratios.append(took[0] / took[1])
            (wall, used), (wall_here, used_here) = took
            print(
                f"{len(texts)} texts: llama-server {wall:.2f} s, Hearth {wall_here:.2f} s, ratio {ratios[-1][0]:.3f}; "
                f"of the processor {used:.2f} s, {used_here:.2f} s, ratio {ratios[-1][1]:.3f}",
                flush=True,
            )
    by_clock, by_processor = np.median(ratios, axis=0)
    told = f"{by_clock:.3f} of llama-server's speed by the clock, {by_processor:.3f} by the processor's time"
    print(f"{n_texts} texts at {told} (medians of {n_rounds})")


def _seconds(server: Program, texts: list[str]) -> tuple[float, float]:
    """That pass, and that the server takes of the processor."""
    began, used = time.perf_counter(), _used(server)
    for start in range(0, len(texts), _PART):
        _ask(server, "/v1/embeddings", {"input": texts[start : start + _PART], "model": "m"})
    return time.perf_counter() - began, _used(server) - used


def _used(server: Program) -> float:
    """With its children: one of ours holds the model."""
    process = psutil.Process(server.pid)
    return sum(each.cpu_times().user + each.cpu_times().system for each in (process, *process.children(True)))


def _ask(server: Program, path: str, body: object) -> Any:
    request = urllib.request.Request(
        server.base + path, json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=600) as response:
        return json.load(response)


if __name__ == "__main__":
    sys.exit(main())
