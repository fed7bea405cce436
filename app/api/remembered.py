"""Answers that were given lately, so that they come back into a prompt as the tokens that they were."""

import hashlib
import json
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, replace

from app.core.events import Finished
from app.core.messages import DocumentPart, Generation, ImagePart, Message, Part, Role, TextPart, ToolCall
from app.core.requests import ChatRequest

_MOST = 256


@dataclass(frozen=True, slots=True)
class Conversation:
    """A request, with digests of all that its client told before and in each answer."""

    chat: ChatRequest
    begun: bytes
    """Of all that is there."""
    answers: Mapping[int, bytes]
    """By their place among the messages: each answer's, after what is before it."""

    @staticmethod
    def of(chat: ChatRequest) -> "Conversation":
        begun, answers = _digest(b"", [chat.tools, dict(chat.template_args)]), {}
        for index, message in enumerate(chat.messages):
            if message.role is Role.ASSISTANT:
                answers[index] = _key(begun, message.text, message.tool_calls)
            begun = _digest(begun, _told(message))
        return Conversation(chat, begun, answers)


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
        key = _key(asked.begun, finished.text, finished.tool_calls)
        self._known[key] = _Answer(finished.reasoning.strip(), finished.generation)
        self._known.move_to_end(key)
        if len(self._known) > _MOST:
            self._known.popitem(last=False)

    def recall(self, asked: Conversation) -> ChatRequest:
        """The request, with the tokens of the answers in it that are known."""
        chat, messages = asked.chat, list(asked.chat.messages)
        for index, key in asked.answers.items():
            known, goes_on = self._known.get(key), chat.continues and index == len(messages) - 1
            if known is not None and _tells(messages[index], known, all_of_it=goes_on):
                self._known.move_to_end(key)
                messages[index] = replace(messages[index], generation=known.generation)
        return replace(chat, messages=tuple(messages))


def _tells(message: Message, known: _Answer, *, all_of_it: bool) -> bool:
    """Whether the client knows what the answer thought, or leaves it out, as most do: a template writes then at most
    what the client told. An answer that goes on enters the prompt with all of its thoughts.
    """
    told = message.reasoning.strip()
    return told == known.reasoning or (not told and not all_of_it)


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
