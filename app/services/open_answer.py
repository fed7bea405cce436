"""The answer that is being written: its text so far, kept on disk while it grows."""

import logging
from collections.abc import Mapping
from dataclasses import asdict, replace

from app.core.errors import UserError
from app.core.events import Finished, FinishReason
from app.core.messages import Message, Role, TextPart
from app.storage.conversations import ConversationStore, MessageState, StoredMessage

_log = logging.getLogger(__name__)

_STATES = {FinishReason.CANCELLED: MessageState.CANCELLED}


class OpenAnswer:
    """Belongs to one stored message in the state WRITING. A disk that refuses costs nothing but the copy on it."""

    def __init__(self, store: ConversationStore, stored: StoredMessage, before: StoredMessage | None = None) -> None:
        """`before` is the same message before it was continued."""
        self._store = store
        self._stored = stored
        self._before = before
        self._text: list[str] = [stored.message.text]
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
    def stored(self) -> StoredMessage:
        return self._with("".join(self._text), MessageState.WRITING, None)

    def add(self, text: str) -> None:
        self._text.append(text)
        self._unsaved = True

    def save(self) -> UserError | None:
        """Write what has come so far; the first problem of this answer is returned, later ones are only logged."""
        if not self._unsaved:
            return None
        return self._write(self.stored)

    def finish(self, finished: Finished, model: str) -> tuple[StoredMessage, UserError | None]:
        """The message as it stays, written to disk."""
        figures = {
            **_added(asdict(finished.timings), self._before),
            "seed": finished.seed,
            "reuse": finished.reuse,
            "n_past": finished.n_past,
            "reason": finished.reason.value,
            "model": model,
        }
        state = _STATES.get(finished.reason, MessageState.COMPLETE)
        stored = self._with(self._stored.message.text + finished.text, state, figures)
        generation = finished.generation if finished.generation.tokens else None
        stored = replace(stored, message=replace(stored.message, generation=generation))
        return stored, self._write(stored)

    def give_up(self, state: MessageState) -> tuple[StoredMessage, UserError | None]:
        """The message as it stays when the engine says no more: with what came, or as it was where nothing did."""
        text = "".join(self._text)
        if self._before is not None and text == self._before.message.text:
            stored = self._before
        else:
            stored = self._with(text, state, {})
        return stored, self._write(stored)

    def fail(self, figures: Mapping[str, object]) -> tuple[StoredMessage, UserError | None]:
        """The message as it stays after an error."""
        stored = self._with("".join(self._text), MessageState.FAILED, figures)
        return stored, self._write(stored)

    def _with(self, text: str, state: MessageState, figures: Mapping[str, object] | None) -> StoredMessage:
        message = Message(Role.ASSISTANT, (TextPart(text),) if text else ())
        return replace(self._stored, message=message, state=state, figures=figures)

    def _write(self, stored: StoredMessage) -> UserError | None:
        try:
            self._store.save_answer(stored.id, stored.message, stored.state, stored.figures)
        except UserError as error:
            _log.warning("The answer is not on disk: %s", error.sentence)
            first = self._problem is None
            self._problem = error
            return error if first else None
        self._unsaved = False
        return None


def _added(timings: dict[str, object], before: StoredMessage | None) -> dict[str, object]:
    """The timings, with those of the writing before it added, so that they are about the whole answer."""
    known = (before.figures if before is not None else None) or {}
    for name in ("predicted_n", "predicted_ms"):
        new, old = timings[name], known.get(name)
        if isinstance(new, int | float) and isinstance(old, int | float):
            timings[name] = new + old
    return timings
