"""A request that names another model of this computer."""

import asyncio
from pathlib import Path
from typing import Any

from app.api.visits import Nobody, Visit
from app.core.events import ReplyEvent
from app.core.loading import Loading
from app.core.model_ref import ModelRef
from app.services.engine.states import ModelPlace
from app.services.local_api.named_models import ChatModel, VectorFile
from app.services.local_api.vector_models import VectorModels
from tests.api.test_server import CHAT, MODEL, QUESTION, Client, FakeReplies, Hang, answer, error, served, told


def library(*names: str) -> tuple[ChatModel, ...]:
    refs = [ModelRef.of_file(Path(f"/models/{name}.gguf")) for name in names]
    return tuple(ChatModel(ref, ref.title, refs=frozenset({ref})) for ref in refs)


class Others:
    """What the library has; `allowed` is what the user says."""

    def __init__(self, *names: str, allowed: bool = True) -> None:
        self._models = library(*names)
        self.allowed = allowed

    def chat(self) -> tuple[ChatModel, ...]:
        return self._models

    async def may_load(self, _name: str, _client: str = "") -> bool:
        return self.allowed


async def asked(client: Client, model: str, status: int = 200) -> Any:
    return await told(await client.post(CHAT, json={**QUESTION, "model": model}), status)


def answers(count: int) -> list[list[ReplyEvent]]:
    return [answer("yes") for _ in range(count)]


async def test_a_name_of_the_library_is_loaded_and_others_mean_the_loaded_one() -> None:
    replies = FakeReplies(*answers(5))
    async with served(replies, others=Others("Large-Q4_K_M", "tiny")) as client:
        assert (await asked(client, "gpt-4o"))["model"] == "tiny"
        for name in ("large-q4_k_m:latest", "Large-Q4_K_M.gguf", "gpt-4o"):
            assert (await asked(client, name))["model"] == "Large-Q4_K_M"
        assert (await asked(client, "tiny"))["model"] == "tiny"


async def test_all_are_listed_with_where_they_are() -> None:
    replies = FakeReplies()
    async with served(replies, others=Others("Large", "tiny")) as client:
        replies.progress = library("Large")[0].ref, 0.25
        listed = (await told(await client.get("/v1/models")))["data"]
        assert [(each["id"], each["task"], each["status"]["value"]) for each in listed] == [
            ("tiny", "chat", "loaded"),
            ("Large", "chat", "loading"),
        ]
        assert listed[1]["status"]["progress"] == 0.25
        assert (await told(await client.get("/v1/models/Large")))["id"] == "Large"
        names = [each["name"] for each in (await told(await client.get("/api/tags")))["models"]]
        assert names == ["tiny", "Large"]


async def test_ollamas_clients_see_what_is_not_loaded_and_unload_nothing_for_it() -> None:
    replies = FakeReplies()
    async with served(replies, others=Others("Large", "tiny")) as client:
        shown = await told(await client.post("/api/show", json={"model": "Large"}))
        assert shown["capabilities"] == ["completion"]
        gone = await told(await client.post("/api/generate", json={"model": "Large", "keep_alive": 0}))
        assert (gone["model"], gone["done_reason"]) == ("Large", "unload")
        assert replies.model is not None
        assert (replies.model.name, replies.place) == ("tiny", ModelPlace.ACTIVE)


async def test_what_cant_be_or_may_not_be_loaded_is_told() -> None:
    replies = FakeReplies(*answers(1))
    async with served(replies, others=(others := Others("bad", "Two", "TWO"))) as client:
        failed = await error(await client.post(CHAT, json={**QUESTION, "model": "bad"}), 503)
        assert (failed["message"], failed["code"]) == ("It is cut off.", "model_not_loaded")
        unclear = await error(await client.post(CHAT, json={**QUESTION, "model": "two"}), 400)
        assert unclear["message"] == "2 models are called 'two': Two, TWO."
        others.allowed = False
        refused = await error(await client.post(CHAT, json={**QUESTION, "model": "TWO"}), 403)
        assert refused["message"] == "The user of this computer did not let TWO be loaded."
        assert (await asked(client, "tiny"))["model"] == "tiny"


async def test_a_model_for_vectors_that_the_user_does_not_want_is_refused_in_all_words() -> None:
    files = (
        VectorFile("Mean", ModelRef.of_file(Path("Mean.gguf"))),
        VectorFile("Rank", ModelRef.of_file(Path("Rank.gguf")), ranks=True),
    )
    async with served(FakeReplies(), vectors=VectorModels((), Loading(), (), lambda: files)) as client:
        for path, body in (
            ("/v1/embeddings", {"input": "a"}),
            ("/v1/rerank", {"query": "a", "documents": ["b"]}),
            ("/api/embed", {"model": "Mean", "input": "a"}),
        ):
            assert "did not let" in str(await told(await client.post(path, json=body), 403))


async def test_a_server_whose_library_has_only_models_for_vectors_is_well_once_they_are_found() -> None:
    files: list[VectorFile] = []
    async with served(FakeReplies(model=None), vectors=VectorModels((), Loading(), (), lambda: files)) as client:
        assert (await client.get("/health")).status == 503
        files.append(VectorFile("Mean", ModelRef.of_file(Path("Mean.gguf"))))
        assert (await client.get("/health")).status == 200


async def test_who_is_stopped_while_its_request_is_read_is_told() -> None:
    class Stops(Nobody):
        def got_its_turn(self, visit: Visit) -> None:
            visit.stop()

    async with served(FakeReplies(), others=Others("Large"), observer=Stops()) as client:
        refused = await error(await client.post(CHAT, json={**QUESTION, "model": "Large"}), 503)
        assert refused["code"] == "stopped"


async def test_all_wait_in_one_queue_and_each_gets_the_model_that_it_named() -> None:
    replies = FakeReplies(*answers(12))
    async with served(replies, others=Others("Large", "tiny")) as client:
        wanted = ["tiny", "Large"] * 6
        got = await asyncio.gather(*(asked(client, name) for name in wanted))
        assert [each["model"] for each in got] == wanted
        metrics = await (await client.get("/metrics")).text()
        assert "requests_processing 0" in metrics
        assert "requests_deferred 0" in metrics


async def waits(client: Client, count: int) -> None:
    """Until so many requests do."""
    while f"requests_deferred {count}" not in await (await client.get("/metrics")).text():
        await asyncio.sleep(0)


async def waited(client: Client, replies: FakeReplies, *names: str) -> list[Any]:
    """What requests get that wait for the end of one that hangs."""
    first = asyncio.ensure_future(asked(client, "tiny"))
    await replies.hanging.wait()
    others = [asyncio.ensure_future(asked(client, name)) for name in names]
    await waits(client, len(names))
    first.cancel()
    return await asyncio.gather(*others)


async def test_who_waited_gets_the_model_that_was_named() -> None:
    replies = FakeReplies([Hang()], *answers(2))
    async with served(replies, others=Others("Large", "tiny")) as client:
        got = await waited(client, replies, "Large", "tiny")
        assert [each["model"] for each in got] == ["Large", "tiny"]
        assert replies.model is not None
        assert replies.model.name == "tiny", "it came back for the last one"


async def test_who_named_nobody_and_waited_gets_the_model_it_was_read_for() -> None:
    replies = FakeReplies([Hang()], *answers(2))
    async with served(replies, others=Others("Large", "tiny")) as client:
        got = await waited(client, replies, "Large", "gpt-4o")
        assert [each["model"] for each in got] == ["Large", "tiny"]
        assert replies.model is not None
        assert replies.model.name == "tiny"


async def test_the_users_own_choice_stands_for_whoever_named_nobody() -> None:
    replies = FakeReplies([Hang()], *answers(2))
    async with served(replies, others=Others("Large", "tiny")) as client:
        first = asyncio.ensure_future(asked(client, "tiny"))
        await replies.hanging.wait()
        second = asyncio.ensure_future(client.post(CHAT, json=QUESTION))
        await waits(client, 1)
        await replies.load(library("Large")[0].ref)
        first.cancel()
        assert (await second).headers["Hearth-Model"] == "Large"
        assert replies.model is not None
        assert replies.model.name == "Large"


async def test_a_request_for_vectors_loads_no_model_that_chats() -> None:
    replies = FakeReplies()
    async with served(replies, others=Others("Large")) as client:
        missing = await error(await client.post("/v1/embeddings", json={"input": "a", "model": "Large"}), 501)
        assert "--embedding-model" in missing["message"]
        assert replies.model is not None
        assert replies.model.ref == MODEL.ref
