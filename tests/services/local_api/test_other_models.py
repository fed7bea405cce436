"""Which models programs may have loaded, and asking about it."""

import asyncio
from pathlib import Path

import pytest

from app.core.api_settings import LoadModels
from app.core.model_ref import GUIDE_REF
from app.library.catalogue import LibraryModel
from app.library.model_facts import read_facts
from app.library.model_sources import Source
from app.services.local_api.other_models import ModelRequest, OtherModels
from tests.tiny_models import llama
from tests.tiny_vectors import bert


@pytest.fixture
def library(tmp_path: Path) -> list[LibraryModel]:
    paths = [llama(tmp_path / "Talks.gguf"), bert(tmp_path / "Mean.gguf", "mean"), bert(tmp_path / "Rank.gguf", "rank")]
    return [LibraryModel(path, path.stem, Source.FOLDER, 1, (path,), 0, read_facts((path,))) for path in paths]


async def test_they_are_told_apart_by_what_they_are_for(library: list[LibraryModel]) -> None:
    mode = LoadModels.ALWAYS
    others = OtherModels(lambda: library, lambda: mode, (GUIDE_REF, library[0].ref))
    assert [each.title for each in others.chat()] == [GUIDE_REF.title, "Talks"]
    assert [(each.name, each.ranks) for each in others.vectors()] == [("Mean", False), ("Rank", True)]
    assert await others.may_load("Talks")
    mode = LoadModels.NEVER
    assert not others.chat()
    assert not others.vectors()
    assert not await others.may_load("Talks")


@pytest.mark.parametrize("said", [True, False])
async def test_the_user_is_asked_once_for_all_requests_of_a_program(said: bool) -> None:
    others, requests = OtherModels(tuple, lambda: LoadModels.ASK), list[ModelRequest]()
    ended = list[ModelRequest]()
    others.requested.connect(requests.append)
    others.ended.connect(ended.append)
    asked = [asyncio.ensure_future(others.may_load("Talks", "curl/8")) for _ in range(3)]
    await asyncio.sleep(0)
    assert [(each.name, each.client) for each in requests] == [("Talks", "curl/8")]
    asked.pop().cancel()
    await asyncio.sleep(0)
    assert not ended
    requests[0].answer(said)
    requests[0].answer(not said)
    assert await asyncio.gather(*asked) == [said, said]
    assert ended == requests
