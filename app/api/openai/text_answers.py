"""Answers of ours as OpenAI's plain completion objects."""

from codecs import getincrementaldecoder
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from app.api.errors import ApiError, Json
from app.api.openai.chat_answers import REASONS
from app.api.sse_stream import DONE
from app.api.usage import FINGERPRINT, figures_of, finite, progress_of, spelled
from app.core.events import Finished, PromptProgress, ReplyEvent, TextDelta, TokenLogprob


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
    progress: bool = False
    """A stream tells how far the prompt has been read."""
    _streamed: "dict[int, _Offsets]" = field(default_factory=dict, repr=False, compare=False)
    """Where each answer that streams has come to."""

    done: ClassVar[bytes] = DONE

    def whole(self, answers: Sequence[Finished], total: Sequence[Finished]) -> Json:
        """`total` is what the figures are of."""
        choices = [self._choice(index, finished) for index, finished in enumerate(answers)]
        return {**self._head(), "choices": choices, **figures_of(total)}

    def _choice(self, index: int, finished: Finished) -> Json:
        text = self._echo(index) + finished.text
        reason = REASONS[finished.reason]
        return self._said(index, text, reason, _Offsets(self._echo(index)), finished.logprobs, finished.prompt_logprobs)

    def opening(self, index: int) -> list[Json]:
        self._streamed[index] = _Offsets(self._echo(index))
        return [self._chunk(self._said(index, self._echo(index), None, self._streamed[index]))]

    def chunks(self, event: ReplyEvent, index: int) -> list[Json]:
        if isinstance(event, PromptProgress) and self.progress:
            empty = self._said(index, "", None, self._streamed[index])
            return [{**self._chunk(empty), "prompt_progress": progress_of(event)}]
        if not isinstance(event, TextDelta):
            return []
        return [self._chunk(self._said(index, event.text, None, self._streamed[index], event.logprobs))]

    def ending(self, finished: Finished, index: int, told: int) -> list[Json]:
        rest, reason = finished.logprobs[told:], REASONS[finished.reason]
        return [self._chunk(self._said(index, "", reason, self._streamed[index], rest, finished.prompt_logprobs))]

    def closing(self, answers: Sequence[Finished], last: list[Json]) -> list[Json]:
        figures = figures_of(answers)
        if self.include_usage:
            return [*last, {**self._head(), "choices": [], **figures}]
        return [{**each, "timings": figures["timings"]} for each in last]

    def failing(self, error: ApiError) -> list[Json]:
        return [error.body()]

    def waiting(self) -> list[Json]:
        return []

    def _echo(self, index: int) -> str:
        return self.echoed[index] if self.echoed else ""

    def _said(
        self,
        index: int,
        text: str,
        reason: str | None,
        offsets: "_Offsets",
        logprobs: Sequence[TokenLogprob] = (),
        prompt: Sequence[TokenLogprob] = (),
    ) -> Json:
        told = _logprobs(prompt, logprobs, offsets) if self.logprobs and (prompt or logprobs or reason) else None
        return {"index": index, "text": text, "logprobs": told, "finish_reason": reason}

    def _chunk(self, choice: Json) -> Json:
        usage = {"usage": None} if self.include_usage else {}
        return {**self._head(), "choices": [choice], **usage}

    def _head(self) -> dict[str, object]:
        head = {"id": self.id, "object": "text_completion", "created": self.created, "model": self.model}
        return {**head, "system_fingerprint": FINGERPRINT}


def _logprobs(prompt: Sequence[TokenLogprob], answer: Sequence[TokenLogprob], offsets: "_Offsets") -> Json:
    """`prompt`: of all its tokens, where they are told; nothing is known of the first."""
    both = (*prompt, *answer)
    chosen: list[float | None] = [finite(each.chosen.logprob) for each in both]
    tops: list[dict[str, float] | None] = [
        {spelled(top): finite(top.logprob) for top in (*each.top, each.chosen)} for each in both
    ]
    if prompt:
        chosen[0], tops[0] = None, None
    return {
        "tokens": [spelled(each.chosen) for each in both],
        "token_logprobs": chosen,
        "top_logprobs": tops,
        "text_offset": offsets.of_prompt(prompt) + offsets.of_answer(answer),
    }


class _Offsets:
    """Where tokens begin in the text of an answer, as far as it has come. A character that takes several tokens begins
    with each of them.
    """

    def __init__(self, echoed: str) -> None:
        self._echoed = echoed
        self._decoder = getincrementaldecoder("utf-8")("replace")
        self._place = len(echoed)

    def of_prompt(self, logprobs: Sequence[TokenLogprob]) -> list[int]:
        """The prompt's tokens may say more than its text: a token that begins or ends every text (BOS, EOS), a blank
        before the first word.
        """
        decoder = getincrementaldecoder("utf-8")("replace")
        places, said = [], ""
        for each in logprobs:
            places.append(len(said))
            said += decoder.decode(each.chosen.piece)
        before = len(said) - len(self._echoed) if said.endswith(self._echoed) else max(0, said.find(self._echoed))
        return [min(max(0, place - before), len(self._echoed)) for place in places]

    def of_answer(self, logprobs: Sequence[TokenLogprob]) -> list[int]:
        places = []
        for each in logprobs:
            places.append(self._place)
            self._place += len(self._decoder.decode(each.chosen.piece))
        return places
