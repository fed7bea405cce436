"""A thousand damaged model files through listing, fit and loading: a sentence each, and nothing falls over.

    python -m tests.bench.damaged [--count 1000] [--load 1000] [--seed 1]

Loading is what the engine thread does: the trial in a child, and where that goes well, the model in this process.
"""

import argparse
import os
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from app.core.cancel import CancelFlag
from app.core.errors import UserError
from app.core.fit import Free, fit, ways
from app.core.loading import Loading
from app.core.program import own_command
from app.engine.loading.loader import open_session
from app.engine.preflight.preflight import Preflight
from app.library.catalogue import Catalogue, LibraryModel
from app.library.model_sources import Place, Source
from tests import tiny_models
from tests.damaged_models import damaged

FREE = Free(8 << 30)
LOADING = Loading(threads=1, gpu_layers=0, ctx_size=512)


def list_them(folder: Path) -> tuple[LibraryModel, ...]:
    began = time.monotonic()
    models = Catalogue(folder / "cache.json").scan([Place(Source.FOLDER, folder)])
    print(f"listing: {len(models)} entries in {time.monotonic() - began:.1f} s")
    began = time.monotonic()
    Catalogue(folder / "cache.json").scan([Place(Source.FOLDER, folder)])
    print(f"listing again: {time.monotonic() - began:.2f} s")
    for model in models:
        assert (model.facts is None) == bool(model.problem), model.path
        assert "nobody thought of" not in model.problem, model.path
    return models


def fit_them(models: Sequence[LibraryModel]) -> None:
    began, slowest, count = time.monotonic(), 0.0, 0
    for model in models:
        if model.facts is not None and model.facts.shape is not None:
            start = time.monotonic()
            fit(model.facts.shape, Loading(), FREE)
            ways(model.facts.shape, Loading(ctx_size=0), FREE)
            slowest, count = max(slowest, time.monotonic() - start), count + 1
    print(f"fit: {count} in {time.monotonic() - began:.2f} s, slowest {slowest * 1000:.0f} ms")


def load(path: Path, preflight: Preflight) -> str:
    """What became of it: "loaded", or the sentence."""
    try:
        preflight.ensure(path, LOADING, cancel=CancelFlag())
        opened = open_session(path, LOADING, cancel=CancelFlag())
    except UserError as error:
        assert error.sentence.endswith("."), error.sentence
        return error.sentence.replace(path.name, "…")
    assert opened is not None
    opened[0].close()
    return "loaded"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--load", type=int, default=1000, help="how many of them are loaded, evenly chosen")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    os.nice(5)
    with tempfile.TemporaryDirectory() as name:
        folder, originals = Path(name) / "damaged", Path(name) / "whole"
        folder.mkdir()
        originals.mkdir()
        whole = [make(originals / f"{kind}.gguf") for kind, make in tiny_models.MAKERS.items()]
        files = list(damaged(whole, folder, asked.count, asked.seed))
        models = list_them(folder)
        fit_them(models)
        preflight = Preflight(Path(name) / "tried.json", own_command())
        told: Counter[str] = Counter()
        times: list[float] = []
        step = max(1, len(files) // max(1, asked.load))
        # Steps that share no factor with the kinds and models, so that all of them come.
        for number in range(min(asked.load, len(files))):
            path = files[number * step % len(files)]
            start = time.monotonic()
            told[load(path, preflight)] += 1
            times.append(time.monotonic() - start)
        if times:
            print(f"loading: {len(times)} in {sum(times):.0f} s, slowest {max(times):.1f} s")
        for sentence, count in told.most_common():
            print(f"{count:5} {sentence}")


if __name__ == "__main__":
    main()
