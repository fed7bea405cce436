"""`/models/load` and `/models/unload`: the model goes up and down by the steps that there are."""

import pytest

from app.services.engine.states import ModelPlace
from tests.api.test_server import FakeReplies, error, served, told

ON_DISK, IN_MEMORY, ACTIVE = ModelPlace.ON_DISK, ModelPlace.IN_MEMORY, ModelPlace.ACTIVE
HEIGHTS = [ON_DISK, IN_MEMORY, ACTIVE]


@pytest.mark.parametrize("before", HEIGHTS)
@pytest.mark.parametrize(
    ("path", "state", "wanted"),
    [
        ("load", None, ACTIVE),
        ("load", "in_memory", IN_MEMORY),
        ("unload", None, ON_DISK),
        ("unload", "in_memory", IN_MEMORY),
    ],
)
async def test_each_step(before: ModelPlace, path: str, state: str | None, wanted: ModelPlace) -> None:
    replies = FakeReplies()
    replies.place = before
    after = (max if path == "load" else min)(before, wanted, key=HEIGHTS.index)
    async with served(replies) as client:
        done = await told(await client.post(f"/models/{path}", json={"state": state} if state else {"model": "any"}))
        assert done == {"success": True, "state": after}
        assert replies.moves == ([] if after is before else [wanted])
        props = await told(await client.get("/props"))
        assert (props["is_sleeping"], props["state"]) == (after is not ACTIVE, after)
        [model] = (await told(await client.get("/v1/models")))["data"]
        assert model["status"] == {"value": "loaded" if after is ACTIVE else "sleeping", "state": after}
        assert (await told(await client.get("/v1/models/tiny")))["status"] == model["status"]
    assert replies.asked == []


async def test_what_is_used_by_somebody_else_stays() -> None:
    replies = FakeReplies()
    replies.is_used = True
    async with served(replies) as client:
        assert (await error(await client.post("/models/unload", json={}), 503))["code"] == "model_in_use"


async def test_what_is_asked_wrongly_is_told() -> None:
    async with served(FakeReplies()) as client:
        assert (await error(await client.post("/models/load", json={"state": "on_disk"}), 400))["param"] == "state"
        response = await client.post("/models/load", json={"autoload": True})
        assert response.headers["Hearth-Ignored"] == "autoload"
