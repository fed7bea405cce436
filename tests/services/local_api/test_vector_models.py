"""When models that make vectors are loaded, and when they go."""

import asyncio
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from app.core.errors import ModelError
from app.core.loading import Loading, Pooling
from app.core.model_ref import ModelRef
from app.engine.vectors.process import VectorFacts, VectorProcess, Vectors
from app.services.local_api import vector_models
from app.services.local_api.named_models import VectorFile
from app.services.local_api.vector_models import VectorModels
from tests.waits import WAIT

FILE = VectorFile("Mean", ModelRef.of_file(Path("Mean.gguf")))


class Process:
    """Answers once it is let."""

    facts = VectorFacts(Pooling.MEAN, 1, 8, 1, 1, 1)
    is_alive = True

    def __init__(self) -> None:
        self.may_answer = threading.Event()
        self.asked: list[str] = []

    def vectors(self, texts: Sequence[str], **_: Any) -> Vectors:
        self.asked += texts
        assert self.may_answer.wait(WAIT)
        return Vectors((np.zeros(1, np.float32),) * len(texts), (1,) * len(texts))

    def close(self) -> None:
        self.is_alive = False
        self.may_answer.set()


class Models(VectorModels):
    """Of stand-ins, which are loaded once they may be."""

    def __init__(self) -> None:
        super().__init__((), Loading(), (), lambda: (FILE,), self._yes)
        self.may_load = threading.Event()
        self.begun: list[Process] = []
        self.n_asked = 0

    async def _yes(self, _name: str) -> bool:
        self.n_asked += 1
        return True

    def _begun(self, file: VectorFile) -> VectorProcess:
        self.begun.append(Process())
        assert self.may_load.wait(WAIT)
        return cast(VectorProcess, self.begun[-1])


async def until(holds: Any) -> None:
    async with asyncio.timeout(WAIT):
        while not holds():
            await asyncio.sleep(0.005)


async def test_what_is_loaded_for_a_client_that_went_away_is_there_for_the_next() -> None:
    models = Models()
    first = asyncio.ensure_future(models.facts(FILE))
    await until(lambda: models.begun)
    first.cancel()
    others = [asyncio.ensure_future(models.facts(FILE)) for _ in range(2)]
    await asyncio.sleep(0)
    models.may_load.set()
    assert await asyncio.gather(*others) == [Process.facts] * 2
    assert models.n_asked < 3, "the last one came while the second waited for it"
    assert len(models.begun) == 1
    models.close()
    assert not models.begun[0].is_alive


async def test_what_waits_for_a_client_that_went_away_is_never_made() -> None:
    models = Models()
    asking = [asyncio.ensure_future(models.vectors(FILE, ["a"]))]
    await until(lambda: models.begun)
    models.may_load.set()
    await until(lambda: models.begun[0].asked)
    asking += [asyncio.ensure_future(models.vectors(FILE, [text])) for text in "bc"]
    await asyncio.sleep(0)
    asking[1].cancel()
    await asyncio.sleep(0)
    models.begun[0].may_answer.set()
    assert (await asking[2]).n_tokens == (1,)
    assert models.begun[0].asked == ["a", "c"]
    models.close()


async def test_a_model_goes_when_nobody_has_wanted_it_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_models, "_IDLE", 0.05)
    models = Models()
    models.may_load.set()
    await models.facts(FILE)
    [process] = models.begun
    asking = [asyncio.ensure_future(models.vectors(FILE, [text])) for text in "ab"]
    asking.pop().cancel()
    await asyncio.sleep(0.15)
    assert process.is_alive  # somebody waits, though others have gone
    process.may_answer.set()
    await asking[0]
    await until(lambda: not process.is_alive)
    await models.facts(FILE)
    await until(lambda: not models.begun[1].is_alive)  # also where it was only asked what it is
    models.close()


async def test_vectors_of_very_many_texts_are_refused_before_all_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_models, "_MOST", 600)
    models = Models()
    models.may_load.set()
    await models.facts(FILE)
    [process] = models.begun
    process.may_answer.set()
    assert len((await models.vectors(FILE, ["a"] * 600)).rows) == 600
    with pytest.raises(ModelError, match=r"more than 600 numbers\. Send fewer"):
        await models.vectors(FILE, ["b"] * 2000)
    assert process.asked.count("b") == 768
    models.close()


async def test_who_asks_a_process_that_is_replaced_hears_what_that_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_models, "_CHUNK", 1)
    models = Models()
    models.may_load.set()
    asking = asyncio.ensure_future(models.vectors(FILE, ["a", "b"]))
    await until(lambda: models.begun and models.begun[0].asked)
    models.begun[0].is_alive = False
    replacing = asyncio.ensure_future(models.facts(FILE))
    await until(lambda: len(models.begun) == 2)
    assert await replacing == Process.facts
    assert len((await asking).rows) == 2
    models.close()
