"""`/models/load` and `/models/unload`: the model goes up and down by the steps that there are."""

import pytest

from app.core.events import ModelPlace
from tests.api.test_server import Client, FakeReplies, error, serve, told

ON_DISK, IN_MEMORY, ACTIVE = ModelPlace.ON_DISK, ModelPlace.IN_MEMORY, ModelPlace.ACTIVE


@pytest.mark.parametrize("before", list(ModelPlace))
@pytest.mark.parametrize(
    ("path", "state", "wanted"),
    [
        ("load", None, ACTIVE),
        ("load", "in_memory", IN_MEMORY),
        ("unload", None, ON_DISK),
        ("unload", "in_memory", IN_MEMORY),
    ],
)
def test_each_step(before: ModelPlace, path: str, state: str | None, wanted: ModelPlace) -> None:
    replies = FakeReplies()
    replies.place = before

    async def test(client: Client) -> None:
        done = await told(await client.post(f"/models/{path}", json={"state": state} if state else {"model": "any"}))
        heights = [ON_DISK, IN_MEMORY, ACTIVE]
        after = (max if path == "load" else min)(before, wanted, key=heights.index)
        assert done == {"success": True, "state": after}
        assert replies.moves == ([] if after is before else [wanted])
        props = await told(await client.get("/props"))
        assert (props["is_sleeping"], props["state"]) == (after is not ACTIVE, after)
        [model] = (await told(await client.get("/v1/models")))["data"]
        assert model["status"] == {"value": "loaded" if after is ACTIVE else "sleeping", "state": after}
        assert (await told(await client.get("/v1/models/tiny")))["status"] == model["status"]

    serve(replies, test)
    assert replies.asked == []


def test_what_is_used_by_somebody_else_stays() -> None:
    replies = FakeReplies()
    replies.is_used = True

    async def test(client: Client) -> None:
        assert (await error(await client.post("/models/unload", json={}), 503))["code"] == "model_in_use"

    serve(replies, test)


def test_what_is_asked_wrongly_is_told() -> None:
    async def test(client: Client) -> None:
        assert (await error(await client.post("/models/load", json={"state": "on_disk"}), 400))["param"] == "state"
        response = await client.post("/models/load", json={"autoload": True})
        assert response.headers["Hearth-Ignored"] == "autoload"

    serve(FakeReplies(), test)
