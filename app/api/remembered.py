"""Answers that were given lately, so that they come back into a prompt as the tokens that they were."""

import hashlib
import json
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, replace

from app.core.events import Finished
from app.core.messages import DocumentPart, Generation, ImagePart, Message, Part, Role, TextPart, ToolCall
from app.core.requests import ChatRequest

_MOST = 256


@dataclass(frozen=True, slots=True)
class Conversation:
    """A request, and what stands for the beginnings of it: all that its client told before each message."""

    chat: ChatRequest
    begun: tuple[bytes, ...]
    """A digest of what is before message k, and as the last one of all that is there."""

    @staticmethod
    def of(chat: ChatRequest) -> "Conversation":
        return Conversation(chat, tuple(_beginnings(chat)))


@dataclass(frozen=True, slots=True)
class _Answer:
    reasoning: str
    generation: Generation


class RememberedAnswers:
    """Clients send texts back and no tokens. Nothing but digests, reasoning and tokens is kept, in memory alone.

    An answer belongs to all that was said before it, word for word: only who tells that can have its tokens back.
    They hold what the answer thought, and a client may have made them by a grammar of its own.
    """

    def __init__(self) -> None:
        self._known: OrderedDict[bytes, _Answer] = OrderedDict()

    def add(self, asked: Conversation, finished: Finished) -> None:
        """The answer to all of what was asked."""
        if not finished.generation.tokens:
            return
        key = _key(asked.begun[-1], finished.text, finished.tool_calls)
        self._known[key] = _Answer(finished.reasoning.strip(), finished.generation)
        self._known.move_to_end(key)
        if len(self._known) > _MOST:
            self._known.popitem(last=False)

    def recall(self, asked: Conversation) -> ChatRequest:
        """The request, with the tokens of the answers in it that are known."""
        chat = asked.chat
        last = len(chat.messages) - 1
        messages = (
            self._recalled(message, asked.begun[index], goes_on=chat.continues and index == last)
            for index, message in enumerate(chat.messages)
        )
        return replace(chat, messages=tuple(messages))

    def _recalled(self, message: Message, begun: bytes, *, goes_on: bool) -> Message:
        if message.role is not Role.ASSISTANT:
            return message
        key = _key(begun, message.text, message.tool_calls)
        known = self._known.get(key)
        if known is None or not _tells(message, known, all_of_it=goes_on):
            return message
        self._known.move_to_end(key)
        return replace(message, generation=known.generation)


def _tells(message: Message, known: _Answer, *, all_of_it: bool) -> bool:
    """Whether the client knows what the answer thought, or leaves it out, as most do: a template writes then at most
    what the client told. An answer that goes on enters the prompt with all of its thoughts.
    """
    told = message.reasoning.strip()
    return told == known.reasoning or (not told and not all_of_it)


def _beginnings(chat: ChatRequest) -> Iterator[bytes]:
    digest = _digest(b"", [chat.tools, dict(chat.template_args)])
    for message in chat.messages:
        yield digest
        digest = _digest(digest, _told(message))
    yield digest


def _told(message: Message) -> list[object]:
    parts = [_part(part) for part in message.parts]
    calls = [[each.id, each.name, each.arguments] for each in message.tool_calls]
    return [message.role, parts, message.reasoning, calls, message.tool_call_id, message.name]


def _part(part: Part) -> list[str]:
    match part:
        case TextPart(text):
            return ["text", text]
        case ImagePart() | DocumentPart():
            return ["file", part.content_hash]


def _key(begun: bytes, text: str, calls: tuple[ToolCall, ...]) -> bytes:
    return _digest(begun, [text, [[each.name, each.arguments] for each in calls]])


def _digest(before: bytes, told: object) -> bytes:
    return hashlib.sha256(before + json.dumps(told).encode()).digest()
