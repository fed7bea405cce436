"""Answers of ours as OpenAI's responses, whole and as the events of a stream."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import ClassVar

from app.api.asked import custom_input
from app.api.errors import ApiError, Json
from app.api.openai.responses_items import CALL_PREFIX, item_id
from app.api.parts import AnswerPart, PartClosed, PartEvent, PartGrew, PartKind, PartOpened, Parts, parts_of
from app.api.usage import TimingsSoFar, progress_of, timings_of, total, total_timings, without_none
from app.core.events import Finished, FinishReason, PromptProgress, ReplyEvent

_CUT = {FinishReason.LENGTH, FinishReason.CONTEXT_FULL, FinishReason.REPETITION}


@dataclass(frozen=True, slots=True)
class ResponseObjects:
    """What is told of the answer to one request."""

    answer: str
    """Names it; the ids of the response and of its items are made of that."""
    created: int
    """Seconds since 1970."""
    model: str
    echo: Json = field(default_factory=dict)
    customs: frozenset[str] = frozenset()
    """Names of tools that take a plain text."""
    progress: bool = False
    """A stream tells how far the prompt has been read."""
    timings: bool = False
    """Each piece of a stream tells those so far."""
    finished: Callable[[str, Json], None] = field(default=lambda _, __: None, repr=False)
    """Told the response's id and all of it."""
    _so_far: TimingsSoFar = field(default_factory=TimingsSoFar, repr=False)
    _parts: Parts = field(default_factory=Parts)
    _numbers: "count[int]" = field(default_factory=count)

    done: ClassVar[bytes] = b""

    @property
    def id(self) -> str:
        return f"resp_{self.answer}"

    @property
    def ids(self) -> tuple[str, ...]:
        return (self.answer,)

    def whole(self, answers: Sequence[Finished]) -> Json:
        [finished] = answers
        output = [self._item(each) for each in parts_of(finished)]
        return self._kept(finished, output)

    def opening(self, index: int) -> list[Json]:
        begun = self._response("in_progress", [])
        return [self._event(kind, response=begun) for kind in ("response.created", "response.in_progress")]

    def chunks(self, event: ReplyEvent, index: int) -> list[Json]:
        timings = self._so_far.at(event)
        if isinstance(event, PromptProgress) and self.progress:
            return [{**each, "prompt_progress": progress_of(event)} for each in self.waiting()]
        told = [each for part in self._parts.add(event) for each in self._told(part)]
        return [{**each, "timings": timings} for each in told] if self.timings else told

    def ending(self, finished: Finished, index: int, told: int) -> list[Json]:
        output = [self._item(each) for each in self._parts.closed]
        kind = "response.incomplete" if finished.reason in _CUT else "response.completed"
        timings = timings_of(total_timings([finished]))
        return [self._event(kind, response=self._kept(finished, output), timings=timings)]

    def closing(self, answers: Sequence[Finished], last: list[Json]) -> list[Json]:
        return last

    def failing(self, error: ApiError) -> list[Json]:
        output = [self._item(each) for each in self._parts.closed]
        told = {"code": error.code or error.kind, "message": error.message}
        return [self._event("response.failed", response={**self._response("failed", output), "error": told})]

    def waiting(self) -> list[Json]:
        return [self._event("response.in_progress", response=self._response("in_progress", []))]

    def _event(self, kind: str, **more: object) -> Json:
        return {"type": kind, "sequence_number": next(self._numbers), **more}

    def _response(self, status: str, output: Sequence[Json]) -> dict[str, object]:
        return {
            "id": self.id,
            "object": "response",
            "created_at": self.created,
            "status": status,
            "background": False,
            "error": None,
            "incomplete_details": None,
            "model": self.model,
            "output": list(output),
            "usage": None,
            **self.echo,
        }

    def _kept(self, finished: Finished, output: Sequence[Json]) -> Json:
        told = self._ended(finished, output)
        self.finished(self.id, told)
        return told

    def _ended(self, finished: Finished, output: Sequence[Json]) -> Json:
        cut = finished.reason in _CUT
        more = {"incomplete_details": {"reason": "max_output_tokens"}} if cut else {}
        return {**self._response("incomplete" if cut else "completed", output), **more, "usage": _usage(finished)}

    def _told(self, event: PartEvent) -> list[Json]:
        """The events of one part: its item, and what is in that."""
        part = event.part
        at: dict[str, object] = {"item_id": self._item_id(part), "output_index": part.index}
        kind = _Kinds.of(part, self.customs)
        match event:
            case PartOpened():
                added = self._event("response.output_item.added", output_index=part.index, item=self._begun(part))
                opened = [self._event(name, **at, **kind.place, part=kind.inner("")) for name in kind.opened]
                return [added, *opened]
            case PartGrew(text=text):
                more: dict[str, object] = {"logprobs": []} if part.kind is PartKind.TEXT else {}
                return [self._event(name, **at, **kind.place, delta=text, **more) for name in kind.grew]
            case PartClosed():
                closed = [self._event(name, **at, **kind.place, **told) for name, told in kind.closed(part)]
                done = self._event("response.output_item.done", output_index=part.index, item=self._item(part))
                return [*closed, done]

    def _item_id(self, part: AnswerPart) -> str:
        prefix = {PartKind.TEXT: "msg", PartKind.REASONING: "rs", PartKind.CALL: "fc"}[part.kind]
        return item_id("ctc" if part.name in self.customs else prefix, self.answer, part.index)

    def _begun(self, part: AnswerPart) -> Json:
        empty: dict[str, object] = {"content": []} if part.kind is PartKind.TEXT else {}
        empty = {"summary": [], "encrypted_content": None} if part.kind is PartKind.REASONING else empty
        return {**self._item(part), **empty, "status": "in_progress"}

    def _item(self, part: AnswerPart) -> dict[str, object]:
        head: dict[str, object] = {"id": self._item_id(part), "status": "completed"}
        inner = _Kinds.of(part, self.customs).inner(part.text)
        call = {"call_id": f"{CALL_PREFIX}{part.call_id}", "name": part.name}
        match part.kind:
            case PartKind.TEXT:
                return {**head, "type": "message", "role": "assistant", "content": [inner]}
            case PartKind.REASONING:
                # It is found by this, where a client sends back nothing else.
                return {**head, "type": "reasoning", "summary": [inner], "encrypted_content": self.answer}
            case PartKind.CALL if part.name in self.customs:
                return {**head, "type": "custom_tool_call", **call, "input": custom_input(part.text)}
            case PartKind.CALL:
                return {**head, "type": "function_call", **call, "arguments": part.text}


@dataclass(frozen=True, slots=True)
class _Kinds:
    """The events of a kind of part, by name, and where in the item it stands."""

    kind: PartKind
    place: dict[str, object] = field(default_factory=dict)
    opened: tuple[str, ...] = ()
    grew: tuple[str, ...] = ()

    @staticmethod
    def of(part: AnswerPart, customs: frozenset[str]) -> "_Kinds":
        match part.kind:
            case PartKind.TEXT:
                names = ("response.content_part.added",), ("response.output_text.delta",)
                return _Kinds(part.kind, {"content_index": 0}, *names)
            case PartKind.REASONING:
                names = ("response.reasoning_summary_part.added",), ("response.reasoning_summary_text.delta",)
                return _Kinds(part.kind, {"summary_index": 0}, *names)
            case PartKind.CALL:
                # Of a plain text inside of JSON nothing is told before its end.
                custom = part.name in customs
                return _Kinds(part.kind, grew=() if custom else ("response.function_call_arguments.delta",))

    def inner(self, text: str) -> dict[str, object]:
        if self.kind is PartKind.TEXT:
            return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
        return {"type": "summary_text", "text": text}

    def closed(self, part: AnswerPart) -> list[tuple[str, dict[str, object]]]:
        text = part.text
        if self.kind is PartKind.TEXT:
            done: dict[str, object] = {"text": text, "logprobs": []}
            return [("response.output_text.done", done), ("response.content_part.done", {"part": self.inner(text)})]
        if self.kind is PartKind.REASONING:
            name = "response.reasoning_summary"
            return [(f"{name}_text.done", {"text": text}), (f"{name}_part.done", {"part": self.inner(text)})]
        if self.grew:
            return [("response.function_call_arguments.done", {"name": part.name, "arguments": text})]
        name, told = "response.custom_tool_call_input", custom_input(text)
        return [(f"{name}.delta", {"delta": told}), (f"{name}.done", {"input": told})]


def _usage(finished: Finished) -> Json:
    timings = total_timings([finished])
    prompt = timings.prompt_total
    told = {
        "input_tokens": prompt,
        "input_tokens_details": without_none({"cached_tokens": timings.cache_n}),
        "output_tokens": timings.predicted_n,
        "output_tokens_details": without_none({"reasoning_tokens": finished.reasoning_n}),
        "total_tokens": total((prompt, timings.predicted_n)),
    }
    return without_none(told)
