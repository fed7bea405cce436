"""Answers of ours as OpenAI's plain completion objects."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from app.api.chat_answers import REASONS
from app.api.errors import Json
from app.api.figures import figures_of, finite, spelled
from app.core.events import Finished, ReplyEvent, TextDelta, TokenLogprob


@dataclass(frozen=True, slots=True)
class TextEnvelope:
    """What all objects of the answers to one request share."""

    id: str
    created: int
    """Seconds since 1970."""
    model: str
    include_usage: bool = False
    logprobs: bool = False
    echoed: tuple[str, ...] = field(default=(), repr=False)
    """What each answer begins with: its prompt, where that was asked for."""

    def whole(self, answers: Sequence[Finished], total: Sequence[Finished]) -> Json:
        """`total` is what the figures are of."""
        choices = [self._choice(index, finished) for index, finished in enumerate(answers)]
        return {**self._head(), "choices": choices, **figures_of(total)}

    def _choice(self, index: int, finished: Finished) -> Json:
        told = (*finished.prompt_logprobs, *finished.logprobs)
        text = self._echo(index) + finished.text
        return self._said(index, text, REASONS[finished.reason], told, bool(finished.prompt_logprobs))

    def opening(self, index: int) -> Json:
        return self._chunk(self._said(index, self._echo(index), None, (), False))

    def chunks(self, event: ReplyEvent, index: int) -> list[Json]:
        if not isinstance(event, TextDelta):
            return []
        return [self._chunk(self._said(index, event.text, None, event.logprobs, False))]

    def ending(self, finished: Finished, index: int, told: int) -> Json:
        rest = (*finished.prompt_logprobs, *finished.logprobs[told:])
        reason = REASONS[finished.reason]
        return self._chunk(self._said(index, "", reason, rest, bool(finished.prompt_logprobs)))

    def closing(self, answers: Sequence[Finished], last: Json) -> list[Json]:
        figures = figures_of(answers)
        if self.include_usage:
            return [last, {**self._head(), "choices": [], **figures}]
        return [{**last, "timings": figures["timings"]}]

    def _echo(self, index: int) -> str:
        return self.echoed[index] if self.echoed else ""

    def _said(
        self, index: int, text: str, reason: str | None, logprobs: Sequence[TokenLogprob], from_start: bool
    ) -> Json:
        told = _logprobs(logprobs, from_start=from_start) if self.logprobs and (logprobs or reason) else None
        return {"index": index, "text": text, "logprobs": told, "finish_reason": reason}

    def _chunk(self, choice: Json) -> Json:
        usage = {"usage": None} if self.include_usage else {}
        return {**self._head(), "choices": [choice], **usage}

    def _head(self) -> dict[str, object]:
        return {"id": self.id, "object": "text_completion", "created": self.created, "model": self.model}


def _logprobs(logprobs: Sequence[TokenLogprob], *, from_start: bool) -> Json:
    """`from_start`: the first is the first token of a prompt, which nothing is known of."""
    tokens = [spelled(each.chosen) for each in logprobs]
    chosen: list[float | None] = [finite(each.chosen.logprob) for each in logprobs]
    tops: list[dict[str, float] | None] = [
        {spelled(top): finite(top.logprob) for top in (*each.top, each.chosen)} for each in logprobs
    ]
    if from_start:
        chosen[0], tops[0] = None, None
    offsets, place = [], 0
    for token in tokens:
        offsets.append(place)
        place += len(token)
    return {"tokens": tokens, "token_logprobs": chosen, "top_logprobs": tops, "text_offset": offsets}
