"""Speculative decoding through the API: what a request says of it, and what is told."""

from dataclasses import replace
from typing import Any

import pytest

from app.api.openapi import description
from app.core.events import Finished, ReplyEvent
from app.core.speculation import DraftLimits
from tests.api.test_server import CHAT, QUESTION, FakeReplies, answer, error, events, served, told

TEXT = "/v1/completions"
LIMITS = {"speculative.n_max": 3, "speculative.n_min": 0, "speculative.p_min": 0.75}
ROUTES = {CHAT: QUESTION, TEXT: {"prompt": "Once"}}


def drafted(*texts: str, n: int, accepted: int) -> list[ReplyEvent]:
    *events, last = answer(*texts)
    assert isinstance(last, Finished)
    timings = replace(last.timings, draft_n=n, draft_n_accepted=accepted)
    return [*events, replace(last, timings=timings)]


@pytest.mark.parametrize("path", ROUTES)
async def test_limits_reach_the_engine(path: str) -> None:
    replies = FakeReplies(answer("a"), answer("b"))
    async with served(replies) as client:
        await told(await client.post(path, json={**ROUTES[path], **LIMITS}))
        await told(await client.post(path, json={**ROUTES[path], **dict.fromkeys(LIMITS)}))
    assert [each.drafts for each in replies.asked] == [DraftLimits(3, 0, 0.75), DraftLimits()]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("speculative.n_max", -1),
        ("speculative.n_max", 1025),
        ("speculative.n_max", 2.5),
        ("speculative.n_max", True),
        ("speculative.n_min", "2"),
        ("speculative.p_min", 1.5),
        ("speculative.p_min", -0.1),
        ("speculative.p_min", True),
        ("speculative.p_min", "0.5"),
    ],
)
async def test_what_is_out_of_bounds_is_refused_by_name(name: str, value: object) -> None:
    async with served(FakeReplies()) as client:
        for path, body in ROUTES.items():
            assert (await error(await client.post(path, json={**body, name: value}), 400))["param"] == name


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("path", ROUTES)
async def test_the_figures_of_all_answers_are_told(path: str, stream: bool) -> None:
    async with served(FakeReplies(drafted("a", n=8, accepted=6), drafted("b", n=2, accepted=1))) as client:
        response = await client.post(path, json={**ROUTES[path], "n": 2, "stream": stream})
        body: Any = events(await response.text())[-2] if stream else await told(response)
        assert (body["timings"]["draft_n"], body["timings"]["draft_n_accepted"]) == (10, 7)


async def test_the_usage_does_not_tell_of_predictions() -> None:
    """OpenAI's are texts that a client sends along; drafts of ours are something else, and cost the client nothing."""
    async with served(FakeReplies(*[drafted("a", n=8, accepted=6)] * 2)) as client:
        body = await told(await client.post(CHAT, json=QUESTION))
        assert set(body["usage"]["completion_tokens_details"]) == {"reasoning_tokens"}
        predicted = {"prediction": {"type": "content", "content": "a"}, "speculative.type": "mtp"}
        response = await client.post(CHAT, json={**QUESTION, **predicted})
        same = await told(response)
        assert same["choices"] == body["choices"], "a prediction saves time alone, and none is lost without it"
        assert response.headers["Hearth-Ignored"] == "speculative.type"


@pytest.mark.parametrize("path", ROUTES)
def test_the_fields_are_described(path: str) -> None:
    body = description()["paths"][path]["post"]["requestBody"]["content"]["application/json"]
    assert set(LIMITS) <= set(body["schema"]["properties"])
