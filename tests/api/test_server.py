import asyncio
import io
import json
import logging
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientResponse
from aiohttp.test_utils import TestClient, TestServer

from app.api.auth import Access
from app.api.server import make_application
from app.core.errors import ContextFullError, UserError
from app.core.events import Finished, FinishReason, ModelInfo, PromptProgress, ReplyEvent, TextDelta, Timings
from app.core.messages import Generation
from app.core.requests import ChatRequest
from app.core.sampling import Sampling

LIMIT = 20.0
CHAT = "/v1/chat/completions"
QUESTION = {"messages": [{"role": "user", "content": "Where is the marmalade?"}]}
MODEL = ModelInfo(Path("/models/tiny.gguf"), "tiny", "llama", 10, 20, 1024, 8192, "v", has_template=True)


class Hang:
    """In an answer: wait here until the reply is cancelled."""


Answer = Sequence[ReplyEvent | Exception | Hang]
Client = TestClient[Any, Any]


class FakeReplies:
    """Gives the answers it was made with, one for each request."""

    def __init__(self, *answers: Answer, model: ModelInfo | None = MODEL) -> None:
        self.model = model
        self.asked: list[ChatRequest] = []
        self.hanging = asyncio.Event()
        self.closed = asyncio.Event()
        self._answers = deque(answers)

    async def reply(self, request: ChatRequest) -> AsyncGenerator[ReplyEvent, None]:
        self.asked.append(request)
        try:
            for each in self._answers.popleft():
                match each:
                    case Exception():
                        raise each
                    case Hang():
                        self.hanging.set()
                        await asyncio.Event().wait()
                    case _:
                        yield each
        finally:
            self.closed.set()


def answer(*texts: str, reason: FinishReason = FinishReason.STOP) -> list[ReplyEvent]:
    timings = Timings(cache_n=30, prompt_n=12, predicted_n=len(texts))
    finished = Finished(reason, "".join(texts), Generation("v", ()), timings, seed=7, n_past=46)
    return [PromptProgress(42, 30, 12, 0.1), *(TextDelta(text) for text in texts), finished]


def serve(replies: FakeReplies, test: Callable[[Client], Awaitable[None]], api_key: str = "") -> None:
    """Run `test` with a client of a server that asks `replies`."""

    async def run() -> None:
        application = make_application(replies, Access("127.0.0.1", api_key), Sampling(temperature=0.3))
        server = TestServer(application)
        await server.start_server(access_log=None)  # with handler_cancellation, always
        async with TestClient(server) as client, asyncio.timeout(LIMIT):
            await test(client)

    asyncio.run(run())


async def told(response: ClientResponse, status: int = 200) -> Any:
    body = await response.json()
    assert response.status == status, body
    assert response.content_type == "application/json"
    return body


async def error(response: ClientResponse, status: int) -> Any:
    body = await told(response, status)
    assert set(body) == {"error"}
    assert set(body["error"]) == {"message", "type", "param", "code"}
    assert body["error"]["message"].endswith(".")
    return body["error"]


def events(text: str) -> list[Any]:
    """The payloads of a stream of server-sent events."""
    lines = [line for line in text.split("\n\n") if line]
    assert all(line.startswith("data: ") for line in lines)
    payloads = [line.removeprefix("data: ") for line in lines]
    return [each if each == "[DONE]" else json.loads(each) for each in payloads]


def test_health_and_models() -> None:
    async def test(client: Client) -> None:
        assert await told(await client.get("/health")) == {"status": "ok"}
        models = await told(await client.get("/v1/models"))
        assert models["object"] == "list"
        assert [model["id"] for model in models["data"]] == ["tiny"]

    serve(FakeReplies(), test)


def test_without_a_model_it_says_so() -> None:
    async def test(client: Client) -> None:
        assert (await error(await client.get("/health"), 503))["code"] == "model_not_loaded"
        assert (await error(await client.post(CHAT, json=QUESTION), 503))["type"] == "server_error"
        assert (await told(await client.get("/v1/models")))["data"] == []

    serve(FakeReplies(model=None), test)


def test_a_plain_answer() -> None:
    replies = FakeReplies(answer("It ", "rains."))

    async def test(client: Client) -> None:
        body = await told(await client.post(CHAT, json={**QUESTION, "model": "tiny", "seed": 5}))
        assert body["object"] == "chat.completion"
        assert body["id"].startswith("chatcmpl-")
        assert body["choices"][0]["message"]["content"] == "It rains."
        assert body["choices"][0]["finish_reason"] == "stop"
        assert body["usage"]["prompt_tokens_details"]["cached_tokens"] == 30
        assert body["timings"]["prompt_n"] == 12

    serve(replies, test)
    [asked] = replies.asked
    assert asked.messages[0].text == "Where is the marmalade?"
    assert asked.sampling == Sampling(temperature=0.3, seed=5)


def test_a_stream() -> None:
    async def test(client: Client) -> None:
        response = await client.post(CHAT, json={**QUESTION, "stream": True})
        assert response.status == 200
        assert response.headers["Content-Type"] == "text/event-stream; charset=utf-8"
        *chunks, done = events(await response.text())
        assert done == "[DONE]"
        assert {chunk["object"] for chunk in chunks} == {"chat.completion.chunk"}
        assert len({chunk["id"] for chunk in chunks}) == 1
        assert chunks[0]["choices"][0]["delta"] == {"role": "assistant", "content": ""}
        assert [chunk["choices"][0]["delta"] for chunk in chunks[1:-1]] == [{"content": "Größe "}, {"content": "世界"}]
        assert [chunk["choices"][0]["finish_reason"] for chunk in chunks] == [None, None, None, "length"]
        assert chunks[-1]["timings"]["cache_n"] == 30

    serve(FakeReplies(answer("Größe ", "世界", reason=FinishReason.LENGTH)), test)


def test_a_stream_with_its_usage() -> None:
    async def test(client: Client) -> None:
        asked = {**QUESTION, "stream": True, "stream_options": {"include_usage": True}}
        *_, end, usage, done = events(await (await client.post(CHAT, json=asked)).text())
        assert end["choices"][0]["finish_reason"] == "stop"
        assert usage["choices"] == []
        assert usage["usage"]["total_tokens"] == 43
        assert done == "[DONE]"

    serve(FakeReplies(answer("x")), test)


@pytest.mark.parametrize("stream", [True, False])
def test_what_the_engine_refuses_has_its_status_also_in_a_stream(stream: bool) -> None:
    async def test(client: Client) -> None:
        response = await client.post(CHAT, json={**QUESTION, "stream": stream})
        assert (await error(response, 400))["code"] == "context_length_exceeded"

    serve(FakeReplies([ContextFullError("Too long a prompt.")]), test)


@pytest.mark.parametrize(
    ("ending", "message"),
    [
        (UserError("The model was taken away."), "The model was taken away."),
        (answer(reason=FinishReason.CANCELLED)[-1], "The answer was stopped before its end."),
        (ZeroDivisionError("marmalade"), "This is a fault in Hearth, not in the request. The log tells more."),
    ],
)
def test_an_answer_that_breaks_off_is_told(ending: ReplyEvent | Exception, message: str) -> None:
    broken = [*answer("It ")[:-1], ending]

    async def test(client: Client) -> None:
        whole = await client.post(CHAT, json=QUESTION)
        assert whole.status in (500, 503)
        assert (await whole.json())["error"]["message"] == message
        streamed = await client.post(CHAT, json={**QUESTION, "stream": True})
        *_, delta, last = events(await streamed.text())
        assert delta["choices"][0]["delta"] == {"content": "It "}
        assert last["error"]["message"] == message

    serve(FakeReplies(broken, broken), test)


@pytest.mark.parametrize("stream", [True, False])
def test_a_client_that_goes_away_cancels_its_reply(stream: bool) -> None:
    replies = FakeReplies([*answer("It ")[:-1], Hang()], answer("next"))

    async def test(client: Client) -> None:
        asking = asyncio.ensure_future(client.post(CHAT, json={**QUESTION, "stream": stream}))
        await replies.hanging.wait()
        assert not replies.closed.is_set()
        if stream:
            (await asking).close()
        else:
            asking.cancel()
        await replies.closed.wait()
        body = await told(await client.post(CHAT, json=QUESTION))
        assert body["choices"][0]["message"]["content"] == "next"

    serve(replies, test)


def test_a_server_that_ends_tells_those_who_wait() -> None:
    replies = FakeReplies([*answer("It ")[:-1], Hang()], [Hang()])

    async def test(client: Client) -> None:
        streamed = await client.post(CHAT, json={**QUESTION, "stream": True})
        await replies.hanging.wait()
        replies.hanging.clear()
        plain = asyncio.ensure_future(client.post(CHAT, json=QUESTION))
        await replies.hanging.wait()
        assert client.server.runner is not None
        await client.server.runner.shutdown()
        assert events(await streamed.text())[-1]["error"]["message"] == "Hearth is being closed."
        assert (await error(await plain, 503))["code"] == "closing"

    serve(replies, test)


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[" * 100_000, b'{"messages": "\\ud800"', b"1" * 10_000])
def test_bad_json(body: bytes) -> None:
    async def test(client: Client) -> None:
        response = await client.post(CHAT, data=body, headers={"Content-Type": "application/json"})
        assert (await error(response, 400))["message"] == "The body is not valid JSON."

    serve(FakeReplies(), test)


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_a_body_that_any_web_page_may_send_is_refused(content_type: str) -> None:
    replies = FakeReplies(answer("x"))

    async def test(client: Client) -> None:
        headers = {"Content-Type": content_type} if content_type else {}
        await error(await client.post(CHAT, data=json.dumps(QUESTION).encode(), headers=headers), 415)

    serve(replies, test)
    assert replies.asked == []


def test_no_other_site_may_read() -> None:
    async def test(client: Client) -> None:
        headers = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
        response = await client.options(CHAT, headers=headers)
        await error(response, 405)
        got = await client.get("/v1/models", headers=headers)
        for each in (response, got):
            assert not [name for name in each.headers if name.lower().startswith("access-control")]

    serve(FakeReplies(), test)


def test_the_host_and_the_key_are_checked_first() -> None:
    replies = FakeReplies(answer("x"))

    async def test(client: Client) -> None:
        assert (await error(await client.get("/nowhere"), 401))["code"] == "invalid_api_key"
        refused = await client.post(CHAT, json=QUESTION)
        await error(refused, 401)
        assert refused.headers["WWW-Authenticate"] == "Bearer"
        key = {"Authorization": "Bearer key"}
        await error(await client.get("/v1/models", headers={**key, "Host": "evil.example"}), 403)
        await told(await client.post(CHAT, json=QUESTION, headers=key))
        assert (await client.get("/health")).status == 200

    serve(replies, test, api_key="key")
    assert len(replies.asked) == 1


def test_other_paths_methods_models_and_sizes() -> None:
    replies = FakeReplies()

    async def test(client: Client) -> None:
        assert (await error(await client.get("/v1/engines"), 404))["code"] == "unknown_url"
        wrong = await client.get(CHAT)
        await error(wrong, 405)
        assert wrong.headers["Allow"] == "POST"
        unknown = await error(await client.post(CHAT, json={**QUESTION, "model": "gpt-9"}), 404)
        assert (unknown["code"], unknown["param"]) == ("model_not_found", "model")
        large = await client.post(
            CHAT, data=io.BytesIO(b"x" * (65 << 20)), headers={"Content-Type": "application/json"}
        )
        assert (await error(large, 413))["code"] == "request_too_large"
        bad = await error(await client.post(CHAT, json={**QUESTION, "n": 2}), 400)
        assert bad["param"] == "n"

    serve(replies, test)
    assert replies.asked == []


def test_a_model_may_be_named_by_its_file() -> None:
    async def test(client: Client) -> None:
        body = await told(await client.post(CHAT, json={**QUESTION, "model": "tiny.gguf"}))
        assert body["model"] == "tiny"

    serve(FakeReplies(answer("x")), test)


def test_nothing_of_what_was_said_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    broken = [*answer("It ")[:-1], ZeroDivisionError("marmalade")]

    async def test(client: Client) -> None:
        await told(await client.post(CHAT, json=QUESTION))
        assert (await client.post(CHAT, json=QUESTION)).status == 500
        assert (await client.post(CHAT, json={**QUESTION, "stop": "marmalade", "n": 2})).status == 400

    serve(FakeReplies(answer("Ask the marmalade."), broken), test)
    assert "marmalade" not in caplog.text


def test_a_bug_of_ours_is_logged_without_its_words(caplog: pytest.LogCaptureFixture) -> None:
    class Broken(FakeReplies):
        @property
        def model(self) -> ModelInfo | None:
            raise ZeroDivisionError("marmalade")

        @model.setter
        def model(self, _: ModelInfo | None) -> None: ...

    async def test(client: Client) -> None:
        await error(await client.post(CHAT, json=QUESTION), 500)

    serve(Broken(), test)
    assert "ZeroDivisionError" in caplog.text
    assert "marmalade" not in caplog.text.replace('ZeroDivisionError("marmalade")', "")
