"""Answers that were given lately, so that they come back into a prompt as the tokens that they were."""

import hashlib
import json
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from app.core.events import Finished
from app.core.messages import (
    AudioPart,
    DocumentPart,
    Generation,
    ImagePart,
    Message,
    Part,
    PassagePart,
    Role,
    TextPart,
    ToolCall,
)
from app.core.requests import ChatRequest

_MOST = 1024
_MOST_TOKENS = 1 << 20


@dataclass(frozen=True, slots=True)
class Conversation:
    """A request, with digests of all that its client told before and in each answer."""

    chat: ChatRequest
    begun: bytes
    """Of all that is there."""
    answers: Mapping[int, tuple[bytes, ...]]
    """By their place among the messages, after what is before it: what each answer was called, and last what it says.
    """

    @staticmethod
    def of(chat: ChatRequest, ids: Mapping[int, tuple[str, ...]]) -> "Conversation":
        """`ids`: what answers were called, by their place among the messages."""
        begun, answers = _digest(b"", [chat.tools, dict(chat.template_args)]), {}
        for index, message in enumerate(chat.messages):
            if message.role is Role.ASSISTANT:
                answers[index] = (*_named(begun, ids.get(index, ())), _key(begun, message.text, message.tool_calls))
            begun = _digest(begun, told_of(message))
        return Conversation(chat, begun, answers)


def call_ids(messages: Iterable[Message]) -> dict[int, tuple[str, ...]]:
    """By the place of an answer among the messages, the ids of its calls."""
    return {index: tuple(call.id for call in each.tool_calls) for index, each in enumerate(messages) if each.tool_calls}


@dataclass(frozen=True, slots=True)
class _Answer:
    text: str
    reasoning: str
    calls: tuple[ToolCall, ...]
    generation: Generation
    names: tuple[bytes, ...]

    def agrees(self, message: Message) -> bool:
        """Whether the message says and calls the same; JSON may be written otherwise."""
        return message.text.strip() == self.text.strip() and _calls(message.tool_calls) == _calls(self.calls)

    def restored(self, message: Message, *, thought: bool) -> Message:
        """The message in the answer's own writing, with its ids as they were told."""
        pairs = zip(message.tool_calls, self.calls, strict=True)
        return replace(
            message,
            parts=(TextPart(self.text),) if self.text else message.parts,
            tool_calls=tuple(replace(told, arguments=own.arguments) for told, own in pairs),
            reasoning=self.reasoning if thought else message.reasoning,
            generation=self.generation,
        )


class RememberedAnswers:
    """Clients send texts back and no tokens. What answers were is kept in memory alone, the oldest go first.

    An answer belongs to all that was said before it, word for word: only who tells that can have its tokens back.
    They hold what the answer thought, and a client may have made them by a grammar of its own. It is found by what it
    was called there (a call's id, a signature), which nobody else was told, and otherwise by what it says.
    """

    def __init__(self) -> None:
        self._known: OrderedDict[bytes, _Answer] = OrderedDict()
        """By what they say."""
        self._names: dict[bytes, bytes] = {}
        self._n_tokens = 0

    def add(self, asked: Conversation, finished: Finished, ids: Iterable[str] = ()) -> None:
        """The answer to all of what was asked; `ids` are what it is called, besides the ids of its calls."""
        if not finished.generation.tokens:
            return
        calls = finished.tool_calls
        key = _key(asked.begun, finished.text, calls)
        names = _named(asked.begun, (*ids, *(each.id for each in calls)))
        self._forget(key)
        self._known[key] = _Answer(finished.text, finished.reasoning, calls, finished.generation, names)
        self._names.update(dict.fromkeys(names, key))
        self._n_tokens += len(finished.generation.tokens)
        while len(self._known) > _MOST or (self._n_tokens > _MOST_TOKENS and len(self._known) > 1):
            self._forget(next(iter(self._known)))

    def _forget(self, key: bytes) -> None:
        if (known := self._known.pop(key, None)) is not None:
            self._n_tokens -= len(known.generation.tokens)
            for name in known.names:
                self._names.pop(name, None)

    def recall(self, asked: Conversation) -> ChatRequest:
        """The request, with the answers in it that are known as they were."""
        chat, messages = asked.chat, list(asked.chat.messages)
        for index, keys in asked.answers.items():
            *names, said = keys
            named = next((self._names[each] for each in names if each in self._names), None)
            known, goes_on = self._known.get(named or said), chat.continues and index == len(messages) - 1
            if known is None or not known.agrees(messages[index]):
                continue
            if _tells(messages[index], known, all_of_it=goes_on and named is None):
                self._known.move_to_end(named or said)
                messages[index] = known.restored(messages[index], thought=named is not None)
        return replace(chat, messages=tuple(messages))


def _tells(message: Message, known: _Answer, *, all_of_it: bool) -> bool:
    """Whether the client knows what the answer thought, or leaves it out, as most do: a template writes then at most
    what the client told. An answer that goes on enters the prompt with all of its thoughts.
    """
    told = message.reasoning.strip()
    return told == known.reasoning.strip() or (not told and not all_of_it)


def told_of(message: Message) -> list[object]:
    """Of an answer not what it thought, which clients send back or not."""
    calls = [[each.id, *rest] for each, rest in zip(message.tool_calls, _calls(message.tool_calls), strict=True)]
    answers = message.role is Role.ASSISTANT
    said = message.text.strip() if answers else [_part(part) for part in message.parts]
    return [message.role, said, calls, message.tool_call_id, message.name]


def _part(part: Part) -> list[str]:
    match part:
        case TextPart(text):
            return ["text", text]
        case ImagePart() | AudioPart():
            return ["file", part.content_hash]
        case DocumentPart():
            return ["document", part.name, part.text]
        case PassagePart():
            return ["passage", str(part.number), part.name, part.text]


def _calls(calls: tuple[ToolCall, ...]) -> list[list[str]]:
    return [[each.name, _canonical(each.arguments)] for each in calls]


def _canonical(arguments: str) -> str:
    """JSON with its blanks and the order of its names made equal; anything else as it stands."""
    try:
        return json.dumps(json.loads(arguments or "{}"), sort_keys=True)
    except (ValueError, RecursionError):
        return arguments


def _named(begun: bytes, ids: Iterable[str]) -> tuple[bytes, ...]:
    return tuple(_digest(begun, ["id", each]) for each in ids if each)


def _key(begun: bytes, text: str, calls: tuple[ToolCall, ...]) -> bytes:
    return _digest(begun, [text.strip(), _calls(calls)])


def _digest(before: bytes, told: object) -> bytes:
    return hashlib.sha256(before + json.dumps(told).encode()).digest()
