"""The answer that is being written: what it thinks, says and calls so far, kept on disk while it grows."""

import logging
from collections.abc import Mapping
from dataclasses import asdict, replace

from app.core.draft_record import drafts_from, drafts_to, drafts_together
from app.core.errors import UserError
from app.core.events import DeltaKind, Finished, FinishReason, ToolCallDelta, grow_calls
from app.core.messages import Message, Role, TextPart, ToolCall
from app.core.sentence import Sentence, as_json
from app.core.speculation import DraftFigures
from app.storage.conversations import ConversationStore, MessageState, StoredMessage

_log = logging.getLogger(__name__)

_STATES = {FinishReason.CANCELLED: MessageState.CANCELLED, FinishReason.BROKEN_OFF: MessageState.FAILED}


class StreamingMessage:
    """Belongs to one stored message in the state WRITING. A disk that refuses costs nothing but the copy on it."""

    def __init__(self, store: ConversationStore, stored: StoredMessage, before: StoredMessage | None = None) -> None:
        """`before` is the same message before it was continued."""
        self._store = store
        self._stored = stored
        self._before = before
        message = stored.message
        self._said = {DeltaKind.CONTENT: [message.text], DeltaKind.REASONING: [message.reasoning]}
        self._calls: list[ToolCall] = list(message.tool_calls)
        self._unsaved = False
        self._problem: UserError | None = None

    @property
    def message_id(self) -> int:
        return self._stored.id

    @property
    def conversation_id(self) -> int:
        return self._stored.conversation_id

    @property
    def continues(self) -> bool:
        """Whether it goes on from an answer that was there."""
        return self._before is not None

    @property
    def repeated(self) -> bool:
        """Whether it goes on from an answer that was stopped because it only repeated itself."""
        figures = (self._before.figures if self._before is not None else None) or {}
        return figures.get("reason") == FinishReason.REPETITION

    @property
    def stored(self) -> StoredMessage:
        return self._with(self._message(), MessageState.WRITING, None)

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """As far as they have come."""
        return tuple(self._calls)

    def add(self, text: str, kind: DeltaKind = DeltaKind.CONTENT) -> None:
        self._said[kind].append(text)
        self._unsaved = True

    def add_call(self, delta: ToolCallDelta) -> None:
        grow_calls(self._calls, delta)
        self._unsaved = True

    def save(self) -> UserError | None:
        """Write what has come so far; the first problem of this answer is returned, later ones are only logged."""
        if not self._unsaved:
            return None
        return self._write(self.stored)

    def finish(
        self, finished: Finished, model: str, sampler: str, server: str = ""
    ) -> tuple[StoredMessage, UserError | None]:
        """The message as it stays, written to disk, with the names of what wrote it and how; `server` is an id."""
        figures = {
            **_added(asdict(finished.timings), self._before),
            "seed": finished.seed,
            "reuse": finished.reuse,
            "n_past": finished.n_past,
            "reason": finished.reason.value,
            "model": model,
            "sampler": sampler,
            "drafting": drafts_to(_drafts(finished, self._before)),
        }
        if finished.reason is FinishReason.BROKEN_OFF:
            told = Sentence.joined(*finished.notes)
            figures |= {"error": told, "told": as_json(told)}
        if server:
            figures["server"] = server
        if finished.reasoning or self._stored.message.reasoning:
            known = (self._before.figures if self._before is not None else None) or {}
            earlier = known.get("reasoning_ms")
            figures["reasoning_ms"] = finished.reasoning_ms + (earlier if isinstance(earlier, int | float) else 0)
        state = _STATES.get(finished.reason, MessageState.COMPLETE)
        begun = self._stored.message
        message = _answer(begun.text + finished.text, begun.reasoning + finished.reasoning, finished.tool_calls)
        generation = finished.generation if finished.generation.tokens else None
        stored = self._with(replace(message, generation=generation), state, figures)
        return stored, self._write(stored)

    def give_up(self, state: MessageState) -> tuple[StoredMessage, UserError | None]:
        """The message as it stays when the engine says no more: with what came, or as it was where nothing did."""
        message = self._message()
        if self._before is not None and message == replace(self._before.message, generation=None):
            stored = self._before
        else:
            stored = self._with(message, state, {})
        return stored, self._write(stored)

    def fail(self, figures: Mapping[str, object]) -> tuple[StoredMessage, UserError | None]:
        """The message as it stays after an error."""
        stored = self._with(self._message(), MessageState.FAILED, figures)
        return stored, self._write(stored)

    def _message(self) -> Message:
        content, reasoning = ("".join(self._said[kind]) for kind in (DeltaKind.CONTENT, DeltaKind.REASONING))
        return _answer(content, reasoning, self.tool_calls)

    def _with(self, message: Message, state: MessageState, figures: Mapping[str, object] | None) -> StoredMessage:
        return replace(self._stored, message=message, state=state, figures=figures)

    def _write(self, stored: StoredMessage) -> UserError | None:
        try:
            self._store.save_answer(stored.id, stored.message, stored.state, stored.figures)
        except UserError as error:
            _log.warning("The answer is not on disk: %s", error.sentence)
            first = self._problem is None
            self._problem = error
            return error if first else None
        except LookupError:
            _log.info("The conversation of an answer was removed for good while it was being written")
        self._unsaved = False
        return None


def _answer(text: str, reasoning: str, calls: tuple[ToolCall, ...]) -> Message:
    return Message(Role.ASSISTANT, (TextPart(text),) if text else (), reasoning=reasoning, tool_calls=calls)


def _added(timings: dict[str, object], before: StoredMessage | None) -> dict[str, object]:
    """The timings, with those of the writing before it added, so that they are about the whole answer; None where
    nobody told of one of the two.
    """
    known = (before.figures if before is not None else None) or {}
    for name in ("predicted_n", "predicted_ms", "draft_n", "draft_n_accepted"):
        new, old = timings[name], known.get(name, 0)
        timings[name] = new + old if isinstance(new, int | float) and isinstance(old, int | float) else None
    return timings


def _drafts(finished: Finished, before: StoredMessage | None) -> DraftFigures:
    """What drafting did for the whole answer, with the writing before it."""
    known = (before.figures if before is not None else None) or {}
    earlier, earlier_ms = drafts_from(known.get("drafting")), known.get("predicted_ms")
    if earlier is None or not isinstance(earlier_ms, int | float):
        return finished.drafting
    return drafts_together(earlier, earlier_ms, finished.drafting, finished.timings.predicted_ms)
