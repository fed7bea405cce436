"""`/perplexity`: what is asked of the engine, and what is told."""

import asyncio
import math
from typing import Any

import pytest

from app.api.limits import Limits
from app.core.errors import ModelError
from app.core.events import Finished, FinishReason, Timings
from app.core.likelihood import AnswerToScore, Likelihood, ScoredToken, TextToScore, Windows
from app.core.messages import Generation, Role
from tests.api.test_server import CHAT, FakeReplies, Hang, error, served, told

PLACE = "/perplexity"
FOUND = Likelihood(
    (ScoredToken(1, b"<s>", None), ScoredToken(5, b"a\xe4", -1.0), ScoredToken(6, b"b", -3.0)),
    n_windows=2,
    window=512,
    stride=7,
)
ANSWERED = [{"role": "user", "content": "Where is it?"}, {"role": "assistant", "content": "It sank."}]


def likely(*said: Any) -> FakeReplies:
    replies = FakeReplies()
    replies.likelihoods.extend(said)
    return replies


async def test_a_text_is_scored_by_the_windows_that_were_asked_for() -> None:
    replies = likely(FOUND, FOUND)
    async with served(replies) as client:
        body = await told(await client.post(PLACE, json={"content": "a b", "window": 64, "stride": 7, "odd": 1}))
        assert body["perplexity"] == pytest.approx(math.exp(2))
        assert body["error"] == pytest.approx(math.exp(2))
        assert (body["loss"], body["n_tokens"], body["n_scored"], body["n_windows"]) == (2.0, 3, 2, 2)
        assert (body["window"], body["stride"]) == (512, 7)
        assert "tokens" not in body
        each = await told(await client.post(PLACE, json={"content": [1, 2], "per_token": True, "model": "tiny"}))
        assert each["tokens"][0] == {"id": 1, "token": "<s>", "bytes": [60, 115, 62], "logprob": None}
        assert each["tokens"][1] == {"id": 5, "token": "a\ufffd", "bytes": [97, 0xE4], "logprob": -1.0}
    assert replies.scored == [TextToScore("a b", Windows(64, 7)), TextToScore((1, 2), Windows())]


async def test_an_answer_is_scored_after_its_conversation() -> None:
    replies = likely(FOUND)
    async with served(replies) as client:
        await told(await client.post(PLACE, json={"messages": ANSWERED}))
    [asked] = replies.scored
    assert isinstance(asked, AnswerToScore)
    assert asked.chat.continues
    assert [each.role for each in asked.chat.messages] == [Role.USER, Role.ASSISTANT]
    assert asked.chat.messages[-1].text == "It sank."


async def test_an_answer_from_here_is_scored_as_the_tokens_that_it_was() -> None:
    known = Generation("v", (7, 8))
    finished = Finished(FinishReason.STOP, "It sank.", known, Timings(prompt_n=12, predicted_n=2), seed=7, n_past=14)
    replies = FakeReplies([finished])
    replies.likelihoods.append(FOUND)
    async with served(replies) as client:
        await told(await client.post(CHAT, json={"messages": ANSWERED[:1]}))
        await told(await client.post(PLACE, json={"messages": ANSWERED}))
    [asked] = replies.scored
    assert isinstance(asked, AnswerToScore)
    assert asked.chat.messages[-1].generation == known


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ({}, "content"),
        ({"content": "a", "messages": ANSWERED}, "content"),
        ({"content": 7}, "content"),
        ({"content": [1, 256]}, "content"),
        ({"content": "a", "window": 3}, "window"),
        ({"content": "a", "stride": -1}, "stride"),
        ({"messages": ANSWERED[:1]}, "messages"),
        ({"messages": []}, "messages"),
        ({"messages": "a"}, "messages"),
        ({"messages": [{"role": "assistant", "content": "a", "tool_calls": [{}]}]}, "messages"),
        ({"content": "a", "per_token": "no"}, "per_token"),
    ],
)
async def test_what_can_not_be_scored_is_refused(body: dict[str, Any], place: str) -> None:
    async with served(likely()) as client:
        assert (await error(await client.post(PLACE, json=body), 400))["param"] == place


async def test_what_the_engine_refuses_and_what_is_no_number() -> None:
    nothing = Likelihood((ScoredToken(1, b"a", None), ScoredToken(1, b"a", math.nan)))
    async with served(likely(ModelError("Too little."), None, nothing)) as client:
        refused = await error(await client.post(PLACE, json={"content": "a"}), 400)
        assert (refused["param"], refused["message"]) == ("content", "Too little.")
        assert (await error(await client.post(PLACE, json={"content": "a"}), 503))["code"] == "stopped"
        body = await told(await client.post(PLACE, json={"content": "a", "per_token": True}))
        assert (body["perplexity"], body["loss"], body["tokens"][1]["logprob"]) == (None, None, None)


async def test_a_client_that_goes_away_stops_it_and_so_does_the_time_limit() -> None:
    replies = likely(Hang(), Hang(), FOUND)
    async with served(replies, limits=Limits(seconds=0.5)) as client:
        asking = asyncio.ensure_future(client.post(PLACE, json={"content": "a"}))
        await replies.hanging.wait()
        asking.cancel()
        await replies.closed.wait()
        assert (await error(await client.post(PLACE, json={"content": "a"}), 408))["code"] == "time_limit"
        await told(await client.post(PLACE, json={"content": "a"}))
