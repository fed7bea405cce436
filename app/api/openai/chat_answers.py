"""Answers of ours as OpenAI's chat completion objects."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from app.api.asked import custom_input
from app.api.errors import ApiError, Json
from app.api.sse_stream import DONE
from app.api.usage import FINGERPRINT, chat_logprobs, figures_of, progress_of
from app.core.events import (
    DeltaKind,
    Finished,
    FinishReason,
    Looking,
    PromptProgress,
    Queued,
    ReplyEvent,
    Retrying,
    TextDelta,
    TokenLogprob,
    ToolCallDelta,
)
from app.core.messages import ToolCall

REASONS = {
    FinishReason.STOP: "stop",
    FinishReason.TOOL_CALLS: "tool_calls",
    FinishReason.LENGTH: "length",
    FinishReason.CONTEXT_FULL: "length",
    FinishReason.REPETITION: "length",
}
_FIELDS = {DeltaKind.CONTENT: "content", DeltaKind.REASONING: "reasoning_content"}


@dataclass(frozen=True, slots=True)
class Envelope:
    """What all objects of the answers to one request share."""

    id: str
    created: int
    """Seconds since 1970."""
    model: str
    include_usage: bool = False
    """A stream tells the usage in a last chunk of its own, and null in the others."""
    logprobs: bool = False
    customs: frozenset[str] = frozenset()
    """Names of tools that take a plain text."""
    progress: bool = False
    """A stream tells how far the prompt has been read."""
    _customs_open: set[tuple[int, int]] = field(default_factory=set, repr=False, compare=False)
    """Calls of those in a stream, by the answer's and their own number: they are told whole, at the end."""

    done: ClassVar[bytes] = DONE
    ids: ClassVar[tuple[str, ...]] = ()

    def whole(self, answers: Sequence[Finished]) -> Json:
        choices = [self._choice(index, finished) for index, finished in enumerate(answers)]
        return {**self._head("chat.completion"), "choices": choices, **figures_of(answers)}

    def _choice(self, index: int, finished: Finished) -> Json:
        return {
            "index": index,
            "message": self._message(finished),
            "logprobs": chat_logprobs(finished.logprobs) if self.logprobs else None,
            "finish_reason": REASONS[finished.reason],
        }

    def opening(self, index: int = 0) -> list[Json]:
        """The first chunk of an answer tells who speaks."""
        return [self._chunk(index, {"role": "assistant", "content": None})]

    def chunks(self, event: ReplyEvent, index: int = 0) -> list[Json]:
        """What an event adds to a stream; `ending` is for the last one."""
        match event:
            case TextDelta(text, _, kind, logprobs):
                return [self._chunk(index, {_FIELDS[kind]: text}, logprobs=logprobs)]
            case ToolCallDelta(index=number):
                if event.name in self.customs:
                    self._customs_open.add((index, number))
                if (index, number) in self._customs_open:
                    return []
                return [self._chunk(index, {"tool_calls": [_call_delta(event)]})]
            case Finished():
                calls = enumerate(event.tool_calls)
                told = [{"index": number, **self._call(call)} for number, call in calls if call.name in self.customs]
                return [self._chunk(index, {"tool_calls": told})] if told else []
            case PromptProgress() if self.progress:
                return [{**self._chunk(index, {}), "prompt_progress": progress_of(event)}]
            case PromptProgress() | Looking() | Retrying() | Queued():
                return []

    def ending(self, finished: Finished, index: int = 0, told: int = 0) -> list[Json]:
        """The chunk that ends an answer. `told` of its log-probabilities are in the stream already."""
        return [self._chunk(index, {}, REASONS[finished.reason], finished.logprobs[told:])]

    def closing(self, answers: Sequence[Finished], last: list[Json]) -> list[Json]:
        """The chunks that end a stream: `last`, which ended the last answer, with the figures in the very last one."""
        figures = figures_of(answers)
        if self.include_usage:
            return [*last, {**self._head("chat.completion.chunk"), "choices": [], **figures}]
        return [{**each, "timings": figures["timings"]} for each in last]

    def failing(self, error: ApiError) -> list[Json]:
        return [error.body()]

    def waiting(self) -> list[Json]:
        return []

    def _chunk(self, index: int, delta: Json, reason: str | None = None, logprobs: Sequence[TokenLogprob] = ()) -> Json:
        told = chat_logprobs(logprobs) if self.logprobs and logprobs else None
        choice = {"index": index, "delta": delta, "logprobs": told, "finish_reason": reason}
        usage = {"usage": None} if self.include_usage else {}
        return {**self._head("chat.completion.chunk"), "choices": [choice], **usage}

    def _message(self, finished: Finished) -> Json:
        message: dict[str, object] = {"role": "assistant", "content": finished.text, "refusal": None}
        if finished.reasoning:
            message["reasoning_content"] = finished.reasoning
        if finished.tool_calls:
            message["content"] = finished.text or None
            message["tool_calls"] = [self._call(each) for each in finished.tool_calls]
        return message

    def _call(self, call: ToolCall) -> Json:
        if call.name in self.customs:
            custom = {"name": call.name, "input": custom_input(call.arguments)}
            return {"id": call.id, "type": "custom", "custom": custom}
        return _function_call(call)

    def _head(self, kind: str) -> dict[str, object]:
        head = {"id": self.id, "object": kind, "created": self.created, "model": self.model}
        return {**head, "system_fingerprint": FINGERPRINT}


def _function_call(call: ToolCall) -> Json:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}


def _call_delta(delta: ToolCallDelta) -> Json:
    if delta.id:
        return {"index": delta.index, **_function_call(ToolCall(delta.id, delta.name, delta.arguments))}
    return {"index": delta.index, "function": {"arguments": delta.arguments}}
