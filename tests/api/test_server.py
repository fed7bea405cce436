import asyncio
import io
import json
import logging
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientResponse, web
from aiohttp.test_utils import TestClient, TestServer

from app.api.auth import Access
from app.api.limits import Limits
from app.api.loaded_model import Others
from app.api.server import make_application
from app.api.vectors import VectorSource
from app.api.visits import Visit, VisitObserver, Visits
from app.core.capabilities import Capabilities, MemoryKind, capabilities_json
from app.core.errors import ConstraintError, ContextFullError, UserError
from app.core.events import (
    Finished,
    FinishReason,
    HeldState,
    LikelyToken,
    ModelInfo,
    PromptProgress,
    ReplyEvent,
    SavedState,
    TextDelta,
    Timings,
    TokenLogprob,
)
from app.core.likelihood import Likelihood, LikelihoodRequest
from app.core.messages import Generation
from app.core.model_ref import ModelRef
from app.core.requests import (
    ChatRequest,
    FillRequest,
    PromptText,
    SpellRequest,
    TemplateFacts,
    TokenizeRequest,
    TokenRequest,
    Tokens,
)
from app.core.sampling import Sampling
from app.core.speculation import DrafterKind
from app.services.engine.states import ModelPlace
from app.services.local_api.vector_models import NO_VECTORS

CHAT = "/v1/chat/completions"
QUESTION: dict[str, Any] = {"messages": [{"role": "user", "content": "Where is the marmalade?"}]}
MODEL = ModelInfo(
    ModelRef.of_file(Path("/models/tiny.gguf")),
    "tiny",
    "llama",
    10,
    20,
    1024,
    8192,
    "v",
    has_template=True,
    n_vocab=256,
    template=TemplateFacts("{{ x }}", "<s>", "</s>", tools=True, tool_calls=True),
)


class Hang:
    """In an answer: wait here until the reply is cancelled."""


Answer = Sequence[ReplyEvent | Exception | Hang]
Client = TestClient[Any, Any]


class FakeReplies:
    """Gives the answers it was made with, one for each request."""

    def __init__(self, *answers: Answer, model: ModelInfo | None = MODEL, is_loading: bool = False) -> None:
        self.model = model
        self.place: ModelPlace | None = ModelPlace.ACTIVE
        self.moves: list[ModelPlace] = []
        self.is_used = False
        self.kept_bytes = 0
        self.progress: tuple[ModelRef, float] | None = None
        self.is_loading = is_loading
        self.came = asyncio.Event()
        """The load has ended."""
        self.asked: list[ChatRequest] = []
        self.hanging = asyncio.Event()
        self.closed = asyncio.Event()
        self.scored: list[LikelihoodRequest] = []
        self.likelihoods: deque[Likelihood | Exception | Hang | None] = deque()
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

    async def load(self, model: ModelRef) -> None:
        """A file whose name begins with “bad” can't be."""
        if model.name.startswith("bad"):
            raise UserError("It is cut off.")
        assert self.model is not None
        self.model = replace(self.model, ref=model, name=model.title)

    async def loaded(self) -> ModelInfo | None:
        if self.is_loading:
            await self.came.wait()
        return self.model

    async def tokens(self, request: TokenRequest) -> Tokens:
        """A token for each byte."""
        if isinstance(request, FillRequest):
            files = "".join(text for _, text in request.extra)
            files = files[max(0, len(files) - max(0, request.n_extra)) :]
            request = SpellRequest(tuple(f"{files}|{request.prefix}{request.begun}|{request.suffix}".encode()))
        ids = tuple(request.text.encode()) if isinstance(request, TokenizeRequest) else request.tokens
        return Tokens(ids, tuple(bytes([each]) for each in ids))

    async def prompt(self, request: ChatRequest) -> PromptText:
        """A token for each word."""
        text = "\n".join(f"{each.role}: {each.text}" for each in request.messages)
        return PromptText(text, len(text.split()))

    async def move(self, wanted: ModelPlace) -> ModelPlace | None:
        self.moves.append(wanted)
        if not self.is_used:
            self.place = wanted
        return self.place

    async def likelihood(self, request: LikelihoodRequest) -> Likelihood | None:
        """The next of `likelihoods`."""
        self.scored.append(request)
        match self.likelihoods.popleft():
            case Exception() as error:
                raise error
            case Hang():
                self.hanging.set()
                try:
                    await asyncio.Event().wait()
                finally:
                    self.closed.set()
            case said:
                return said
        raise AssertionError("it hung for ever")

    async def held_state(self, conversation: str) -> HeldState:
        raise NotImplementedError

    async def save_state(self, path: Path, conversation: str = "") -> SavedState | None:
        path.write_bytes(b"state")
        return SavedState(40, 5, {})

    async def try_state(self, path: Path) -> None:
        raise NotImplementedError

    async def restore_state(self, path: Path, conversation: str = "", *, foreign: bool = False) -> SavedState:
        if not path.is_file():
            raise UserError("It can't be read.")
        return SavedState(40, 5, {})

    async def erase_slot(self) -> int:
        return 40


def answer(*texts: str, reason: FinishReason = FinishReason.STOP) -> list[ReplyEvent]:
    timings = Timings(cache_n=30, prompt_n=12, predicted_n=len(texts))
    finished = Finished(reason, "".join(texts), Generation("v", ()), timings, seed=7, n_past=46)
    return [PromptProgress(42, 30, 12, 0.1), *(TextDelta(text) for text in texts), finished]


@asynccontextmanager
async def served(
    replies: FakeReplies,
    api_key: str = "",
    *,
    origins: tuple[str, ...] = (),
    observer: VisitObserver | None = None,
    limits: Limits | None = None,
    strict_model: bool = False,
    states: Path | None = None,
    strip_images: bool = False,
    vectors: VectorSource = NO_VECTORS,
    others: Others | None = None,
    moves_changes: bool = False,
    keeps_sessions: bool = False,
    thinks: bool | None = None,
    tells_slots: bool = True,
    tells_metrics: bool = True,
    tells_prompts: bool = False,
    continues_answers: bool = False,
    prepare: Callable[[web.Request, web.StreamResponse], Awaitable[None]] | None = None,
) -> AsyncGenerator[Client]:
    """A client of a server that asks `replies`. `prepare` sees each response before its headers are sent."""
    access = Access("127.0.0.1", api_key, origins)
    application = make_application(
        replies,
        access,
        Sampling(temperature=0.3),
        observer=observer,
        limits=limits,
        strict_model=strict_model,
        states=states,
        strip_images=strip_images,
        vectors=vectors,
        others=others,
        moves_changes=moves_changes,
        keeps_sessions=keeps_sessions,
        thinks=thinks,
        tells_slots=tells_slots,
        tells_metrics=tells_metrics,
        tells_prompts=tells_prompts,
        continues_answers=continues_answers,
    )
    if prepare:
        application.on_response_prepare.append(prepare)
    server = TestServer(application)
    await server.start_server(access_log=None)  # with handler_cancellation, always
    async with TestClient(server) as client:
        yield client


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


async def test_health_and_models() -> None:
    async with served(FakeReplies()) as client:
        assert await told(await client.get("/health")) == {"status": "ok"}
        models = await told(await client.get("/v1/models"))
        assert models["object"] == "list"
        assert [model["id"] for model in models["data"]] == ["tiny"]
        assert await told(await client.get("/v1/models/tiny")) == models["data"][0]
        assert (await error(await client.get("/v1/models/other/one"), 404))["code"] == "model_not_found"
        assert (models["data"][0]["owned_by"], models["data"][0]["meta"]["n_ctx"]) == ("hearth", 1024)


async def test_without_a_model_it_says_so() -> None:
    async with served(FakeReplies(model=None)) as client:
        assert (await error(await client.get("/health"), 503))["code"] == "model_not_loaded"
        assert (await error(await client.post(CHAT, json=QUESTION), 503))["type"] == "server_error"
        assert (await told(await client.get("/v1/models")))["data"] == []


async def test_requests_wait_for_a_model_that_is_being_loaded() -> None:
    replies = FakeReplies(answer("It rains."), model=None, is_loading=True)
    async with served(replies) as client:
        health = await told(await client.get("/health"), 503)
        assert health["status"] == "loading model"
        assert (health["error"]["code"], health["error"]["message"]) == (503, "Loading model")
        asked = [asyncio.create_task(client.post(CHAT, json=QUESTION)), asyncio.create_task(client.get("/v1/models"))]
        await told(await client.get("/health"), 503)
        assert not any(each.done() for each in asked)
        replies.model, replies.is_loading = MODEL, False
        replies.came.set()
        answered, models = [await told(await each) for each in asked]
        assert answered["choices"][0]["message"]["content"] == "It rains."
        assert [each["id"] for each in models["data"]] == ["tiny"]
        assert await told(await client.get("/health")) == {"status": "ok"}


async def test_a_load_that_fails_ends_the_waiting() -> None:
    replies = FakeReplies(model=None, is_loading=True)
    async with served(replies) as client:
        asked = asyncio.create_task(client.post(CHAT, json=QUESTION))
        await client.get("/health")
        replies.came.set()
        assert (await error(await asked, 503))["code"] == "model_not_loaded"


async def test_the_waiting_for_a_model_is_bounded() -> None:
    replies = FakeReplies(model=None, is_loading=True)
    async with served(replies, limits=Limits(loading=0.01)) as client:
        assert (await error(await client.post(CHAT, json=QUESTION), 503))["code"] == "model_loading"
    async with served(replies, limits=Limits(waiting=1)) as client:
        asked = [asyncio.create_task(client.post(CHAT, json=QUESTION)) for _ in range(2)]
        done, waiting = await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
        assert (await error(await done.pop(), 429))["code"] == "too_many_requests"
        waiting.pop().cancel()


async def test_the_one_model_answers_to_any_name_and_tells_its_own() -> None:
    replies = FakeReplies(answer("a"), answer("b"), answer("c"), model=replace(MODEL, name="größe 7B"))
    async with served(replies) as client:
        for path, asked in ((CHAT, QUESTION), (TEXT, {"prompt": "a"}), (CHAT, {**QUESTION, "stream": True})):
            response = await client.post(path, json={**asked, "model": "gpt-9"})
            assert response.status == 200
            assert response.headers["Hearth-Model"] == "gr%C3%B6%C3%9Fe 7B"


async def test_a_strict_server_answers_to_the_models_own_name_alone() -> None:
    """The window calls a model otherwise than `serve` does, which knows no more than its file."""
    model = replace(MODEL, name="Tiny (F32)")
    async with served(FakeReplies(*[answer("a")] * 4, model=model), strict_model=True) as client:
        unknown = await error(await client.post(CHAT, json={**QUESTION, "model": "gpt-9"}), 404)
        assert (unknown["code"], unknown["param"]) == ("model_not_found", "model")
        for name in ("Tiny (F32)", "tiny", "tiny.gguf", None):
            await told(await client.post(CHAT, json={**QUESTION, "model": name}))


async def test_a_plain_answer() -> None:
    replies = FakeReplies(answer("It ", "rains."))
    async with served(replies) as client:
        body = await told(await client.post(CHAT, json={**QUESTION, "model": "tiny", "seed": 5}))
        assert body["object"] == "chat.completion"
        assert body["id"].startswith("chatcmpl-")
        assert body["choices"][0]["message"]["content"] == "It rains."
        assert body["choices"][0]["finish_reason"] == "stop"
        assert body["usage"]["prompt_tokens_details"]["cached_tokens"] == 30
        assert body["timings"]["prompt_n"] == 12
    [asked] = replies.asked
    assert asked.messages[0].text == "Where is the marmalade?"
    assert asked.sampling == Sampling(temperature=0.3, seed=5)


async def test_whether_a_model_thinks_may_be_set_for_all_that_do_not_say_it() -> None:
    replies = FakeReplies(*[answer("a")] * 3)
    async with served(replies, thinks=False) as client:
        for body in (QUESTION, {**QUESTION, "enable_thinking": True}, {**QUESTION, "reasoning_effort": "high"}):
            await told(await client.post(CHAT, json=body))
    assert [each.template_args.get("enable_thinking") for each in replies.asked] == [False, True, True]


async def test_a_stream() -> None:
    async with served(FakeReplies(answer("Größe ", "世界", reason=FinishReason.LENGTH))) as client:
        response = await client.post(CHAT, json={**QUESTION, "stream": True})
        assert response.status == 200
        assert response.headers["Content-Type"] == "text/event-stream; charset=utf-8"
        *chunks, done = events(await response.text())
        assert done == "[DONE]"
        assert {chunk["object"] for chunk in chunks} == {"chat.completion.chunk"}
        assert len({chunk["id"] for chunk in chunks}) == 1
        assert chunks[0]["choices"][0]["delta"] == {"role": "assistant", "content": None}
        assert [chunk["choices"][0]["delta"] for chunk in chunks[1:-1]] == [{"content": "Größe "}, {"content": "世界"}]
        assert [chunk["choices"][0]["finish_reason"] for chunk in chunks] == [None, None, None, "length"]
        assert chunks[-1]["timings"]["cache_n"] == 30


async def test_a_stream_with_its_usage() -> None:
    async with served(FakeReplies(answer("x"))) as client:
        asked = {**QUESTION, "stream": True, "stream_options": {"include_usage": True}}
        *_, end, usage, done = events(await (await client.post(CHAT, json=asked)).text())
        assert end["choices"][0]["finish_reason"] == "stop"
        assert usage["choices"] == []
        assert usage["usage"]["total_tokens"] == 43
        assert done == "[DONE]"


@pytest.mark.parametrize("stream", [True, False])
async def test_what_the_engine_refuses_has_its_status_also_in_a_stream(stream: bool) -> None:
    async with served(FakeReplies([ContextFullError("Too long a prompt.")])) as client:
        response = await client.post(CHAT, json={**QUESTION, "stream": stream})
        assert (await error(response, 400))["code"] == "context_length_exceeded"


@pytest.mark.parametrize(
    ("ending", "message"),
    [
        (UserError("The model was taken away."), "The model was taken away."),
        (answer(reason=FinishReason.CANCELLED)[-1], "The answer was stopped before its end."),
        (ZeroDivisionError("marmalade"), "This is a fault in Hearth, not in the request. The log tells more."),
    ],
)
async def test_an_answer_that_breaks_off_is_told(ending: ReplyEvent | Exception, message: str) -> None:
    broken = [*answer("It ")[:-1], ending]
    async with served(FakeReplies(broken, broken)) as client:
        whole = await client.post(CHAT, json=QUESTION)
        assert whole.status in (500, 503)
        assert (await whole.json())["error"]["message"] == message
        streamed = await client.post(CHAT, json={**QUESTION, "stream": True})
        *_, delta, last = events(await streamed.text())
        assert delta["choices"][0]["delta"] == {"content": "It "}
        assert last["error"]["message"] == message


@pytest.mark.parametrize("stream", [True, False])
async def test_a_client_that_goes_away_cancels_its_reply(stream: bool) -> None:
    replies = FakeReplies([*answer("It ")[:-1], Hang()], answer("next"))
    async with served(replies) as client:
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


class Watching:
    """Writes down who came, got their turn and left."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, str]] = []
        self.visits: list[Visit] = []
        self.second = asyncio.Event()

    def came(self, visit: Visit) -> None:
        self.visits.append(visit)
        self.seen.append(("came", visit.client))
        if len(self.visits) == 2:
            self.second.set()

    def got_its_turn(self, visit: Visit) -> None:
        self.seen.append(("turn", visit.client))

    def left(self, visit: Visit) -> None:
        self.seen.append(("left", visit.client))


def asking(client: Client, name: str, **more: object) -> "asyncio.Future[ClientResponse]":
    return asyncio.ensure_future(client.post(CHAT, json={**QUESTION, **more}, headers={"User-Agent": name}))


async def test_a_server_that_ends_tells_those_who_wait() -> None:
    replies, watching = FakeReplies([*answer("It ")[:-1], Hang()]), Watching()
    async with served(replies, observer=watching) as client:
        streamed = await asking(client, "one", stream=True)
        await replies.hanging.wait()
        plain = asking(client, "two")
        await watching.second.wait()
        assert client.server.runner is not None
        await client.server.runner.shutdown()
        assert events(await streamed.text())[-1]["error"]["message"] == "Hearth is being closed."
        assert (await error(await plain, 503))["code"] == "closing"
    assert len(replies.asked) == 1


async def test_a_server_that_ends_waits_for_no_body() -> None:
    begun, never = asyncio.Event(), asyncio.Event()

    async def body() -> AsyncGenerator[bytes, None]:
        yield b"{"
        begun.set()
        await never.wait()

    async with served(FakeReplies()) as client:
        asked = asyncio.ensure_future(client.post(CHAT, data=body(), headers={"Content-Type": "application/json"}))
        await begun.wait()
        await told(await client.get("/health"))  # by now it is being read
        assert client.server.runner is not None
        await client.server.runner.shutdown()
        assert (await error(await asked, 503))["code"] == "closing"
        never.set()


@pytest.mark.parametrize("stream", [True, False])
async def test_one_at_a_time_in_the_order_of_coming_and_the_user_sees_them(stream: bool) -> None:
    replies, watching = FakeReplies([*answer("It ")[:-1], Hang()], answer("next")), Watching()
    async with served(replies, observer=watching) as client:
        first = asking(client, "one", stream=stream)
        await replies.hanging.wait()
        second = asking(client, "two   program")
        await watching.second.wait()
        assert len(replies.asked) == 1
        visit = watching.visits[0]
        assert (visit.client, visit.path) == ("one", CHAT)
        await asyncio.to_thread(visit.stop)
        response = await first
        if stream:
            refused = events(await response.text())[-1]["error"]
        else:
            refused = await error(response, 503)
            assert response.headers["X-Should-Retry"] == "false"
        assert (refused["code"], refused["message"]) == ("stopped", "The user of this computer has stopped the answer.")
        assert (await told(await second))["choices"][0]["message"]["content"] == "next"
        for each in watching.visits:
            each.stop()  # too late, and harmless
        assert (await client.get("/health")).status == 200
    one, two = "one", "two program"
    assert [each for each in watching.seen if each[1] == one] == [("came", one), ("turn", one), ("left", one)]
    assert watching.seen.index(("came", two)) < watching.seen.index(("left", one)) < watching.seen.index(("turn", two))


async def test_one_that_waits_can_be_stopped() -> None:
    replies, watching = FakeReplies([Hang()]), Watching()
    async with served(replies, observer=watching) as client:
        first = asking(client, "one")
        await replies.hanging.wait()
        second = asking(client, "two")
        await watching.second.wait()
        watching.visits[1].stop()
        assert (await error(await second, 503))["code"] == "stopped"
        first.cancel()
        await replies.closed.wait()
    assert ("turn", "two") not in watching.seen


async def test_to_stop_somebody_who_has_left_cancels_nothing() -> None:
    watching = Watching()
    visits, task = Visits(watching, 1), asyncio.current_task()
    assert task is not None
    async with visits.turn("one", "/"):
        pass
    watching.visits[0].stop()
    await asyncio.sleep(0)
    assert not task.cancelling()


async def test_too_many_that_wait_are_sent_away() -> None:
    replies, watching = FakeReplies([Hang()]), Watching()
    async with served(replies, observer=watching, limits=Limits(waiting=1)) as client:
        first = asking(client, "one")
        await replies.hanging.wait()
        second = asking(client, "two")
        await watching.second.wait()
        assert (await error(await asking(client, "three"), 429))["code"] == "too_many_requests"
        for each in (second, first):
            each.cancel()
        await replies.closed.wait()


@pytest.mark.parametrize("stream", [True, False])
async def test_an_answer_that_takes_too_long_is_ended(stream: bool) -> None:
    replies = FakeReplies([*answer("It ")[:-1], Hang()])
    async with served(replies, limits=Limits(seconds=0.5)) as client:
        response = await client.post(CHAT, json={**QUESTION, "stream": stream})
        refused = events(await response.text())[-1]["error"] if stream else await error(response, 408)
        assert refused["code"] == "time_limit"
        assert replies.closed.is_set()


async def test_several_answers_have_seeds_of_their_own() -> None:
    replies = FakeReplies(answer("one"), answer("two"), answer("three"), answer("four"))
    async with served(replies) as client:
        body = await told(await client.post(CHAT, json={**QUESTION, "n": 2, "seed": 5}))
        assert [each["message"]["content"] for each in body["choices"]] == ["one", "two"]
        assert body["usage"]["completion_tokens"] == 2
        streamed = await client.post(CHAT, json={**QUESTION, "n": 2, "stream": True})
        *chunks, done = events(await streamed.text())
        assert done == "[DONE]"
        parts = [(each["choices"][0]["index"], each["choices"][0]["delta"].get("content")) for each in chunks]
        assert parts == [(0, None), (0, "three"), (0, None), (1, None), (1, "four"), (1, None)]
        assert [each["choices"][0]["finish_reason"] for each in chunks if each["choices"][0]["finish_reason"]] == [
            "stop",
            "stop",
        ]
    assert [each.sampling.seed for each in replies.asked] == [5, 6, -1, -1]


async def test_answers_come_back_as_the_tokens_that_they_were() -> None:
    *_, last = answer("It rains.")
    assert isinstance(last, Finished)
    finished = replace(last, generation=Generation("v", (1, 2, 3)))
    replies = FakeReplies([finished], answer("Yes."))
    async with served(replies) as client:
        body = await told(await client.post(CHAT, json=QUESTION))
        messages = [*QUESTION["messages"], body["choices"][0]["message"], {"role": "user", "content": "Still?"}]
        await told(await client.post(CHAT, json={"messages": messages}))
    assert replies.asked[1].messages[1].generation == Generation("v", (1, 2, 3))
    assert replies.asked[1].messages[2].generation is None


TEXT = "/v1/completions"
TOOLS = [{"type": "function", "function": {"name": "f"}}]


def likely(*pieces: bytes) -> tuple[TokenLogprob, ...]:
    made = (LikelyToken(index, piece, -float(index)) for index, piece in enumerate(pieces))
    return tuple(TokenLogprob(each, (each,)) for each in made)


async def test_a_text_goes_on() -> None:
    replies = FakeReplies(answer(" you"), answer(" me"), answer("!"), answer("?"))
    async with served(replies) as client:
        body = await told(await client.post(TEXT, json={"prompt": "thank", "stop": "\n", "max_tokens": 3}))
        assert body["object"] == "text_completion"
        assert body["choices"] == [{"index": 0, "text": " you", "logprobs": None, "finish_reason": "stop"}]
        tokens = await told(await client.post(TEXT, json={"prompt": [104, 105], "echo": True}))
        assert tokens["choices"][0]["text"] == "hi me"
        two = await told(await client.post(TEXT, json={"prompt": ["a", [98]]}))
        assert [each["text"] for each in two["choices"]] == ["!", "?"]
        assert two["usage"]["prompt_tokens"] == 84, "the prompts of both"
    assert [each.prompt for each in replies.asked] == ["thank", (104, 105), "a", (98,)]
    assert replies.asked[0].stop == ("\n",)
    assert replies.asked[0].sampling.max_tokens == 3


async def test_the_probabilities_of_a_text() -> None:
    *_, last = answer("c", reason=FinishReason.LENGTH)
    assert isinstance(last, Finished)
    both = replace(last, prompt_logprobs=likely(b"a", b"b"), logprobs=likely(b"c"))
    read = replace(last, text="", prompt_logprobs=likely(b"a", b"b"))
    replies = FakeReplies([both], [read])
    async with served(replies) as client:
        asked = {"prompt": "ab", "echo": True, "logprobs": 1}
        [choice] = (await told(await client.post(TEXT, json=asked)))["choices"]
        assert choice["text"] == "abc"
        assert choice["logprobs"] == {
            "tokens": ["a", "b", "c"],
            "token_logprobs": [None, -1.0, 0.0],
            "top_logprobs": [None, {"b": -1.0}, {"c": 0.0}],
            "text_offset": [0, 1, 2],
        }
        [choice] = (await told(await client.post(TEXT, json={**asked, "max_tokens": 0})))["choices"]
        assert (choice["text"], choice["logprobs"]["token_logprobs"]) == ("ab", [None, -1.0])
    assert [(each.prompt_logprobs, each.only_read, each.top_logprobs) for each in replies.asked] == [
        (True, False, 1),
        (True, True, 1),
    ]


@pytest.mark.parametrize(
    ("prompt", "tokens", "offsets"),
    [
        ("ab", (b"<s>", b" a", b"b"), [0, 0, 1, 2, 3, 3]),
        ("ab", (b"a", b"b", b"</s>"), [0, 1, 2, 2, 3, 3]),
        ("\u00e9b", (b"<s>", b"\xc3", b"\xa9", b"b"), [0, 0, 0, 1, 2, 3, 3]),
    ],
)
async def test_offsets_are_places_in_the_text(prompt: str, tokens: tuple[bytes, ...], offsets: list[int]) -> None:
    spoken = likely(b"!", b"\xc3", b"\xa9")
    *_, last = answer("!\u00e9")
    assert isinstance(last, Finished)
    last = replace(last, prompt_logprobs=likely(*tokens), logprobs=spoken)
    streamed: list[ReplyEvent] = [TextDelta("!", logprobs=spoken[:1]), TextDelta("\u00e9", logprobs=spoken[1:]), last]
    async with served(FakeReplies([last], streamed)) as client:
        asked = {"prompt": prompt, "echo": True, "logprobs": 1}
        [choice] = (await told(await client.post(TEXT, json=asked)))["choices"]
        assert choice["logprobs"]["text_offset"] == offsets
        *chunks, _ = events(await (await client.post(TEXT, json={**asked, "stream": True})).text())
        heard = [each["choices"][0]["logprobs"] for each in chunks]
        assert [each["text_offset"] for each in heard if each] == [
            offsets[-3:-2],
            offsets[-2:],
            offsets[:-3],
        ]


async def test_a_text_streams() -> None:
    async with served(FakeReplies(answer(" you"))) as client:
        asked = {"prompt": "thank", "echo": True, "stream": True, "stream_options": {"include_usage": True}}
        *chunks, usage, done = events(await (await client.post(TEXT, json=asked)).text())
        assert "".join(each["choices"][0]["text"] for each in chunks) == "thank you"
        assert [each["choices"][0]["finish_reason"] for each in chunks][-1] == "stop"
        assert usage["usage"]["total_tokens"] == 43
        assert done == "[DONE]"


@pytest.mark.parametrize(
    ("values", "param"),
    [
        ({}, "prompt"),
        ({"prompt": {}}, "prompt"),
        ({"prompt": [256]}, "prompt"),
        ({"prompt": [-1]}, "prompt"),
        ({"prompt": [1, True]}, "prompt"),
        ({"prompt": ["a", [1.5]]}, "prompt[1]"),
        ({"prompt": ["a"] * 65}, "prompt"),
        ({"prompt": "\ud800"}, "prompt"),
        ({"prompt": "a", "suffix": 5}, "suffix"),
        ({"prompt": "a", "best_of": 2}, "best_of"),
        ({"prompt": "a", "min_tokens": 2}, "min_tokens"),
        ({"prompt": "a", "truncate_prompt_tokens": 2}, "truncate_prompt_tokens"),
        ({"prompt": "a", "add_special_tokens": False}, "add_special_tokens"),
        ({"prompt": "a", "logprobs": True}, "logprobs"),
        ({"prompt": "a", "logprobs": 21}, "logprobs"),
        ({"prompt": "a", "echo": "yes"}, "echo"),
        ({"prompt": "a", "messages": []}, "messages"),
    ],
)
async def test_bad_texts_are_refused(values: dict[str, object], param: str) -> None:
    async with served(FakeReplies()) as client:
        assert (await error(await client.post(TEXT, json=values), 400))["param"] == param


async def test_tokens() -> None:
    async with served(FakeReplies()) as client:
        assert await told(await client.post("/tokenize", json={"content": "hi"})) == {"tokens": [104, 105]}
        pieces = await told(await client.post("/tokenize", json={"content": "hé", "with_pieces": True}))
        assert pieces["tokens"] == [
            {"id": 104, "piece": "h"},
            {"id": 195, "piece": [195]},
            {"id": 169, "piece": [169]},
        ]
        assert await told(await client.post("/detokenize", json={"tokens": [104, 195, 169]})) == {"content": "hé"}
        for bad in ({}, {"content": 5}, {"content": "\ud800"}, {"content": "a", "add_special": 1}):
            await error(await client.post("/tokenize", json=bad), 400)
        for wrong in ({}, {"tokens": [256]}, {"tokens": ["a"]}, {"tokens": 5}):
            await error(await client.post("/detokenize", json=wrong), 400)


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[" * 100_000, b'{"messages": "\\ud800"', b"1" * 10_000])
async def test_bad_json(body: bytes) -> None:
    async with served(FakeReplies()) as client:
        response = await client.post(CHAT, data=body, headers={"Content-Type": "application/json"})
        assert (await error(response, 400))["message"] == "The body is not valid JSON."


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
async def test_a_body_that_any_web_page_may_send_is_refused(content_type: str) -> None:
    replies = FakeReplies(answer("x"))
    async with served(replies) as client:
        headers = {"Content-Type": content_type}
        await error(await client.post(CHAT, data=json.dumps(QUESTION).encode(), headers=headers), 415)
    assert replies.asked == []


async def test_no_other_site_may_read() -> None:
    async with served(FakeReplies()) as client:
        headers = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
        response = await client.options(CHAT, headers=headers)
        got = await client.get("/v1/models", headers=headers)
        null = await client.post(CHAT, json=QUESTION, headers={"Origin": "null"})
        assert response.status == 200, "as llama-server: a browser reads the headers alone"
        for each in (got, null):
            assert (await error(each, 403))["code"] == "origin_not_allowed"
        for each in (response, got):
            assert not [name for name in each.headers if name.lower().startswith("access-control")]


async def test_sites_that_are_allowed_may() -> None:
    allowed, other = {"Origin": "https://chat.example"}, {"Origin": "https://evil.example"}
    replies = FakeReplies(answer("a"), answer("b"))
    async with served(replies, api_key="key", origins=("https://chat.example",)) as client:
        asks_first = await client.options(CHAT, headers={**allowed, "Access-Control-Request-Method": "POST"})
        assert asks_first.status == 200
        assert asks_first.headers["Access-Control-Allow-Origin"] == "https://chat.example"
        assert "Authorization" in asks_first.headers["Access-Control-Allow-Headers"]
        await error(await client.post(CHAT, json=QUESTION, headers=allowed), 401)
        key = {"Authorization": "Bearer key"}
        for stream in (True, False):
            got = await client.post(CHAT, json={**QUESTION, "stream": stream}, headers={**allowed, **key})
            assert got.status == 200
            assert got.headers["Access-Control-Allow-Origin"] == "https://chat.example"
        asks_first = await client.options(CHAT, headers={**other, "Access-Control-Request-Method": "POST"})
        assert "Access-Control-Allow-Origin" not in asks_first.headers
        got = await client.get("/v1/models", headers={**other, **key})
        assert got.status == 403
        assert "Access-Control-Allow-Origin" not in got.headers


async def test_the_host_and_the_key_are_checked_first() -> None:
    replies = FakeReplies(answer("x"))
    async with served(replies, api_key="key") as client:
        refused = await error(await client.get("/nowhere"), 401)
        assert (refused["code"], refused["type"]) == ("invalid_api_key", "authentication_error")
        refused = await client.post(CHAT, json=QUESTION)
        await error(refused, 401)
        assert refused.headers["WWW-Authenticate"] == "Bearer"
        key = {"Authorization": "Bearer key"}
        await error(await client.get("/v1/models", headers={**key, "Host": "evil.example"}), 403)
        await told(await client.post(CHAT, json=QUESTION, headers=key))
        assert (await client.get("/health")).status == 200
    assert len(replies.asked) == 1


async def test_other_paths_methods_models_and_sizes() -> None:
    replies = FakeReplies()
    async with served(replies) as client:
        assert (await error(await client.get("/v1/engines"), 404))["code"] == "unknown_url"
        wrong = await client.get(CHAT)
        await error(wrong, 405)
        assert wrong.headers["Allow"] == "POST"
        large = await client.post(
            CHAT, data=io.BytesIO(b"x" * (65 << 20)), headers={"Content-Type": "application/json"}
        )
        assert (await error(large, 413))["code"] == "request_too_large"
        bad = await error(await client.post(CHAT, json={**QUESTION, "n": 0}), 400)
        assert bad["param"] == "n"
    assert replies.asked == []


async def test_a_model_may_be_named_by_its_file() -> None:
    async with served(FakeReplies(answer("x"))) as client:
        body = await told(await client.post(CHAT, json={**QUESTION, "model": "tiny.gguf"}))
        assert body["model"] == "tiny"


async def test_nothing_of_what_was_said_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    broken = [*answer("It ")[:-1], ZeroDivisionError("marmalade")]
    async with served(FakeReplies(answer("Ask the marmalade."), broken)) as client:
        await told(await client.post(CHAT, json=QUESTION))
        assert (await client.post(CHAT, json=QUESTION)).status == 500
        assert (await client.post(CHAT, json={**QUESTION, "stop": "marmalade", "n": 0})).status == 400
    assert "marmalade" not in caplog.text


async def test_a_bug_of_ours_is_logged_without_its_words(caplog: pytest.LogCaptureFixture) -> None:
    class Broken(FakeReplies):
        @property
        def model(self) -> ModelInfo | None:
            raise ZeroDivisionError("marmalade")

        @model.setter
        def model(self, _: ModelInfo | None) -> None: ...

    async with served(Broken()) as client:
        await error(await client.post(CHAT, json=QUESTION), 500)
    assert "ZeroDivisionError" in caplog.text
    assert "marmalade" not in caplog.text.replace('ZeroDivisionError("marmalade")', "")


@pytest.mark.parametrize(
    ("path", "more", "param"),
    [
        (CHAT, {"grammar": "x"}, "grammar"),
        (CHAT, {"response_format": {"type": "json_object"}}, "response_format"),
        (CHAT, {"json_schema": {"type": "object"}}, "json_schema"),
        (CHAT, {"tools": TOOLS, "tool_choice": "required"}, "tools"),
        (TEXT, {"prompt": "a", "grammar": "x"}, "grammar"),
    ],
)
@pytest.mark.parametrize("stream", [True, False])
async def test_a_grammar_that_is_refused_is_told_by_its_name(path: str, more: Any, param: str, stream: bool) -> None:
    async with served(FakeReplies([ConstraintError("The grammar can't be used.")])) as client:
        body = {**more, "stream": stream} if path == TEXT else {**QUESTION, **more, "stream": stream}
        assert (await error(await client.post(path, json=body), 400))["param"] == param


async def test_the_model_tells_what_it_can_do() -> None:
    can = Capabilities(sees=True, tools=True, memory=MemoryKind.HYBRID, drafters=(DrafterKind.NGRAM,))
    async with served(FakeReplies(model=replace(MODEL, capabilities=can))) as client:
        [model] = (await told(await client.get("/v1/models")))["data"]
        assert model["capabilities"] == capabilities_json(can)
        assert model == await told(await client.get("/v1/models/tiny"))
