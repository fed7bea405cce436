"""llama-server's own `/completion`: how it is declared, and its answers."""

import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Annotated, Any, ClassVar

from aiohttp import web
from msgspec import Meta, field

from app.api.answering import Answering
from app.api.asked import Checks
from app.api.errors import ApiError, Json, Places
from app.api.openai.text_request import TextCompletion, TextFields, parse_text_completion
from app.api.sampling_fields import tokens_from
from app.api.usage import finite, progress_of, spelled, timings_of
from app.api.validation import given_of, invalid, names_of, text, validated
from app.core.events import (
    Finished,
    FinishReason,
    LikelyToken,
    PromptProgress,
    ReplyEvent,
    TextDelta,
    Timings,
    TokenLogprob,
)
from app.core.requests import SpellRequest, TokenizeRequest

Completed = Callable[[web.Request, object], Awaitable[web.StreamResponse]]
_PLACES = Places("prompt")
_OFF = {"adaptive_target": -1.0, "adaptive_decay": 0.9}
"""A sampler of llama.cpp's that is not offered here, as it says that it is off."""


class CompletionFields(TextFields, kw_only=True, frozen=True):
    return_tokens: Annotated[bool, Meta(description="Tell the answer's tokens, which a stream always does.")] = False
    response_fields: Annotated[
        list[str], Meta(max_length=64, description="Tell these alone, such as generation_settings/n_predict.")
    ] = field(default_factory=list)


_OWN = names_of(CompletionFields) - names_of(TextFields)


@dataclass(frozen=True, slots=True)
class _Completion:
    own: CompletionFields
    """Of which only what plain completions have not."""
    text: TextCompletion


def parse_completion(body: object, checks: Checks) -> _Completion:
    """`prompt` is a text, a list of tokens, or a list of such. Raises ApiError."""
    given = given_of(body)
    own = validated(CompletionFields, {"prompt": "", **{name: given.pop(name) for name in _OWN & given.keys()}})
    asked = parse_text_completion(given, checks)
    if asked.stream and asked.logprobs is None:
        # The chosen tokens come with them.
        asked = replace(asked, requests=tuple(replace(each, top_logprobs=0) for each in asked.requests))
    return _Completion(own, asked)


class CompletionRoutes:
    """Lives on one event loop."""

    def __init__(self, answering: Answering, openai: Completed) -> None:
        """`openai` answers whom OpenAI's form is for."""
        self._answering = answering
        self._openai = openai

    def add_to(self, router: web.UrlDispatcher) -> None:
        router.add_post("/completion", self.completion)
        router.add_post("/completions", self.completions)

    async def completion(self, request: web.Request) -> web.StreamResponse:
        return await self.answered(request, given_of(await self._answering.json(request)))

    async def completions(self, request: web.Request) -> web.StreamResponse:
        """llama-server's own at this path, where OpenAI's clients come too, whose base lacks `/v1`. Those name a model,
        as OpenAI wants it.
        """
        body = given_of(await self._answering.json(request))
        if "model" in body and "n_predict" not in body:
            return await self._openai(request, body)
        return await self.answered(request, body)

    async def answered(self, request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        """What a body asks for. Raises ApiError."""
        answering = self._answering
        model = await answering.model.get()
        checks = answering.checks_for(model)
        body["prompt"] = await self._plain(body.get("prompt"), checks)
        asked = await answering.bodies.aside(request, parse_completion, body, checks)
        answering.ignored.note(request, asked.text.ignored)
        answering.model.note(request, asked.text.model, model)
        prompts = [await self._spelled(each.prompt or "") for each in asked.text.requests]
        objects = CompletionObjects(model.name, asked.own, asked.text, prompts, model.ends)
        stream = answering.asked(asked.text.requests, asked.text.n, asked.text.places)

        async def answer() -> web.StreamResponse:
            if asked.text.stream:
                return await stream.stream(request, objects)
            told = [objects.whole(each, index) for index, each in enumerate(await stream.whole())]
            return web.json_response(told[0] if len(told) == 1 else told)

        return await answering.in_turn(request, answer)

    async def _plain(self, told: object, checks: Checks) -> object:
        """The prompt without llama-server's own forms: a text in an object, texts among tokens. Raises ApiError."""
        match told:
            case [*prompts] if not any(isinstance(each, int | float) for each in prompts):
                return [await self._plain_one(each, checks) for each in prompts]
        return await self._plain_one(told, checks)

    async def _plain_one(self, told: object, checks: Checks) -> object:
        match told:
            case {"prompt_string": str(words), **more}:
                if more.get("multimodal_data"):
                    raise invalid(
                        "prompt", "Hearth takes pictures and recordings in conversations alone, not in prompts."
                    )
                return words
            case [*pieces] if str in (kinds := set(map(type, pieces))) and kinds & {int, float}:
                return await self._joined(pieces, checks)
        return told  # tokens alone may be very many, and are checked beside the event loop

    async def _joined(self, pieces: Sequence[object], checks: Checks) -> list[int]:
        tokens: list[int] = []
        for index, each in enumerate(pieces):
            if isinstance(each, str):
                asked = TokenizeRequest(text("prompt", each), add_special=index == 0)
                tokens += (await self._answering.tokens(asked, _PLACES)).ids
            else:
                tokens += tokens_from("prompt", [each], checks.n_vocab)
        return tokens

    async def _spelled(self, prompt: str | tuple[int, ...]) -> str:
        """As the model reads it, with the token that begins every text."""
        asked = TokenizeRequest(prompt, add_special=True) if isinstance(prompt, str) else SpellRequest(prompt)
        return b"".join((await self._answering.tokens(asked, _PLACES)).pieces).decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class CompletionObjects:
    """What is told of the answers to one request."""

    model: str
    own: CompletionFields
    asked: TextCompletion
    prompts: Sequence[str]
    ends: Sequence[int] = ()
    """The model's tokens that end an answer."""

    done: ClassVar[bytes] = b""

    def whole(self, finished: Finished, index: int) -> Json:
        tokens = list(finished.generation.tokens) if self.own.return_tokens else []
        told = self._ended(finished, index, finished.text, tokens, finished.logprobs)
        if not self.own.response_fields:
            return told
        found = {path: _at(told, path) for path in self.own.response_fields}
        return {path: value for path, value in found.items() if value is not None}

    def opening(self, index: int) -> list[Json]:
        return []

    def chunks(self, event: ReplyEvent, index: int) -> list[Json]:
        match event:
            case PromptProgress() if self.asked.progress:
                timings = timings_of(Timings(event.reused, event.read, event.elapsed * 1000))
                return [{**self._begun(index, "", ()), "prompt_progress": progress_of(event), "timings": timings}]
            case TextDelta(words, predicted_n, _, logprobs) if self.asked.logprobs is None or not logprobs:
                return [{**self._begun(index, words, logprobs), "tokens_predicted": predicted_n}]
            case TextDelta(words, _, _, (*before, last)):
                # One for each token, whose text comes with the last.
                return [*(self._begun(index, "", (each,)) for each in before), self._begun(index, words, (last,))]
        return []

    def ending(self, finished: Finished, index: int, told: int) -> list[Json]:
        return [self._ended(finished, index, "", [], finished.logprobs[told:])]

    def closing(self, answers: Sequence[Finished], last: list[Json]) -> list[Json]:
        return last

    def failing(self, error: ApiError) -> list[Json]:
        return [error.body()]

    def waiting(self) -> list[Json]:
        return []

    def _begun(self, index: int, words: str, logprobs: Sequence[TokenLogprob]) -> dict[str, object]:
        tokens = [each.chosen.token for each in logprobs]
        head = {"index": index, "content": words, "tokens": tokens, "stop": False, "id_slot": 0}
        return {**head, **self._probabilities(logprobs)}

    def _probabilities(self, logprobs: Sequence[TokenLogprob]) -> Json:
        wanted = self.asked.logprobs is not None and logprobs
        return {"completion_probabilities": [_probability(each) for each in logprobs]} if wanted else {}

    def _ended(
        self, finished: Finished, index: int, words: str, tokens: list[int], logprobs: Sequence[TokenLogprob]
    ) -> dict[str, object]:
        timings = finished.timings
        return {
            "index": index,
            "content": words,
            "tokens": tokens,
            "id_slot": 0,
            "stop": True,
            "model": self.model,
            "tokens_predicted": timings.predicted_n,
            "tokens_evaluated": timings.prompt_total,
            "generation_settings": self._settings(finished, index),
            "prompt": self.prompts[index // self.asked.n],
            "has_new_line": "\n" in finished.text,
            "truncated": finished.reason is FinishReason.CONTEXT_FULL,
            "stop_type": _stop_type(finished),
            "stopping_word": finished.stop,
            "tokens_cached": finished.n_past,
            "timings": timings_of(timings),
            **self._probabilities(logprobs),
        }

    def _settings(self, finished: Finished, index: int) -> Json:
        request = self.asked.requests[index // self.asked.n]
        limit = request.sampling.max_tokens or -1
        biases = [*((token, -math.inf) for token in self.ends if request.ignore_eos), *request.logit_bias]
        return {
            **asdict(request.sampling),
            **_OFF,
            "seed": finished.seed,
            "max_tokens": limit,
            "n_predict": limit,
            "stop": list(request.stop),
            "ignore_eos": request.ignore_eos,
            "logit_bias": [{"token": token, "bias": _json(bias)} for token, bias in biases],
            "stream": self.asked.stream,
            "n_probs": self.asked.logprobs or 0,
            "grammar": request.grammar,
        }


def _json(bias: float) -> float | None:
    return None if bias == -math.inf else bias


def _at(told: Mapping[str, Any], path: str) -> object:
    found: Any = told
    for name in path.split("/"):
        found = found.get(name) if isinstance(found, dict) else None
    return found


def _stop_type(finished: Finished) -> str:
    if finished.reason is FinishReason.STOP:
        return "word" if finished.stop else "eos"
    return "limit"


def _probability(told: TokenLogprob) -> Json:
    return {**_likely(told.chosen), "top_logprobs": [_likely(each) for each in told.top]}


def _likely(told: LikelyToken) -> dict[str, object]:
    logprob = finite(told.logprob)
    return {"id": told.token, "token": spelled(told), "bytes": list(told.piece), "logprob": logprob}
