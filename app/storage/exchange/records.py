"""A conversation as a value that knows no database: what is written to files, and what files are read into.

The JSON here is version 1 of our own format, which `export_json` documents. Reading is strict: a value of the wrong
kind raises ValueError, so that a damaged file is refused and never half understood.
"""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from app.core.messages import Generation, ImagePart, Message, Part, PassagePart, Role, TextPart, ToolCall
from app.storage.conversations import MessageState, TitledBy
from app.storage.message_rows import audio_from, document_from, part_to, passage_from

_STATES = frozenset(state.value for state in MessageState)
_ROLES = frozenset(role.value for role in Role)
_MAKERS = frozenset(maker.value for maker in TitledBy)
_LARGEST_TOKEN = 2**31


@dataclass(frozen=True, slots=True)
class MessageRecord:
    parent: int | None
    """The place of the message before this one in the conversation's list, always an earlier one."""
    message: Message
    state: MessageState
    created_at: float
    """Seconds since the epoch."""
    figures: Mapping[str, object] | None = None
    next: int | None = None
    """The place of the message that followed this one when it was last on screen."""


@dataclass(frozen=True, slots=True)
class ConversationRecord:
    title: str
    created_at: float
    updated_at: float
    messages: tuple[MessageRecord, ...] = ()
    """The whole tree with all versions; parents come before their children."""
    head: int | None = None
    """The place of the last message on screen."""
    options: Mapping[str, object] = field(default_factory=dict)
    """What is set for this conversation alone."""
    folder: str = ""
    """The name of the folder that it lies in; empty for none."""
    pinned_at: float | None = None
    archived_at: float | None = None
    titled_by: TitledBy = TitledBy.USER
    preset: Mapping[str, object] = field(default_factory=dict)
    """What the preset that its options name says, as `core.preset` writes it; empty where they name none."""

    @property
    def path(self) -> tuple[MessageRecord, ...]:
        """The version on screen, first to last."""
        found: list[MessageRecord] = []
        place = self.head
        while place is not None:
            found.append(self.messages[place])
            place = self.messages[place].parent
        return tuple(reversed(found))

    @property
    def content_hashes(self) -> frozenset[str]:
        """Of all files that belong to it."""
        parts = (part for each in self.messages for part in each.message.parts)
        files = (part for part in parts if not isinstance(part, TextPart | PassagePart))
        return frozenset(part.content_hash for part in files if part.content_hash)


_SAID = frozenset({"parent", "role", "parts", "created_at", "reasoning", "tool_calls", "tool_call_id", "name"})


def digest(record: ConversationRecord) -> str:
    """sha256 hex that is the same for the same messages, whatever file they come in, and wherever people put them."""
    said = [{name: value for name, value in _message_to(each).items() if name in _SAID} for each in record.messages]
    text = json.dumps([record.created_at, said], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def to_json(record: ConversationRecord) -> dict[str, object]:
    return {
        "title": record.title,
        "created_at": record.created_at,
        "updated_at": record.updated_at,
        "head": record.head,
        "titled_by": record.titled_by.value,
        "folder": record.folder,
        "pinned_at": record.pinned_at,
        "archived_at": record.archived_at,
        "options": dict(record.options),
        **({"preset": dict(record.preset)} if record.preset else {}),
        "messages": [_message_to(each) for each in record.messages],
    }


def from_json(value: object) -> ConversationRecord:
    """Raises ValueError for what is no conversation of this format."""
    told = _object(value)
    messages = tuple(_message_from(each, place) for place, each in enumerate(_list(told.get("messages"))))
    head = told.get("head")
    if not _is_place(head, len(messages)) and not (head is None and not messages):
        raise ValueError("head")
    titled_by = told.get("titled_by", TitledBy.USER.value)
    if titled_by not in _MAKERS:
        raise ValueError("titled_by")
    pinned_at, archived_at = told.get("pinned_at"), told.get("archived_at")
    return ConversationRecord(
        _text(told, "title"),
        _time(told.get("created_at")),
        _time(told.get("updated_at")),
        messages,
        head,
        _object(told.get("options", {})),
        _text(told, "folder"),
        None if pinned_at is None else _time(pinned_at),
        None if archived_at is None else _time(archived_at),
        TitledBy(titled_by),
        _object(told.get("preset", {})),
    )


def _message_to(record: MessageRecord) -> dict[str, object]:
    """What is not there is left out, but for a message's place."""
    message = record.message
    more: dict[str, object] = {
        "reasoning": message.reasoning,
        "tool_calls": [{"id": call.id, "name": call.name, "arguments": call.arguments} for call in message.tool_calls],
        "tool_call_id": message.tool_call_id,
        "name": message.name,
        "figures": None if record.figures is None else dict(record.figures),
        "next": record.next,
        "generation": _generation_to(message.generation),
    }
    return {
        "parent": record.parent,
        "role": message.role.value,
        "parts": [part_to(part, "sha256") for part in message.parts],
        "state": record.state.value,
        "created_at": record.created_at,
        **{name: value for name, value in more.items() if value not in (None, "", [])},
    }


def _message_from(value: object, place: int) -> MessageRecord:
    told = _object(value)
    parent, following = told.get("parent"), told.get("next")
    if parent is not None and not _is_place(parent, place):
        raise ValueError("parent")
    if following is not None and not isinstance(following, int):
        raise ValueError("next")
    role, state = told.get("role"), told.get("state", "complete")
    if role not in _ROLES or state not in _STATES:
        raise ValueError("role or state")
    figures = told.get("figures")
    message = Message(
        Role(role),
        tuple(_part_from(each) for each in _list(told.get("parts"))),
        _generation_from(told.get("generation")),
        _text(told, "reasoning"),
        tuple(_call_from(each) for each in _list(told.get("tool_calls", []))),
        _text(told, "tool_call_id"),
        _text(told, "name"),
    )
    return MessageRecord(
        parent,
        message,
        MessageState(state),
        _time(told.get("created_at")),
        None if figures is None else _object(figures),
        following,
    )


def _part_from(value: object) -> Part:
    match value:
        case {"type": "text", "text": str(text)}:
            return TextPart(text)
        case {"type": "image", "sha256": str(sha256), "name": str(name), "width": int(width), "height": int(height),
              "pixels": str(pixels)}:  # fmt: skip
            return ImagePart(sha256, name, width, height, pixels)
        case {"type": "image", "sha256": str(sha256), "name": str(name)}:
            return ImagePart(sha256, name)
        case {"type": "audio", "sha256": str(sha256), "name": str(name), **more}:
            return audio_from(sha256, name, more)
        case {"type": "document", "sha256": str(sha256), "name": str(name), "text": str(text), **more}:
            return document_from(sha256, name, text, more)
        case {"type": "passage", "sha256": str(sha256), "name": str(name), "text": str(text), **more}:
            return passage_from(sha256, name, text, more)
    raise ValueError("part")


def _call_from(value: object) -> ToolCall:
    match value:
        case {"id": str(number), "name": str(name), "arguments": str(arguments)}:
            return ToolCall(number, name, arguments)
    raise ValueError("tool call")


def _generation_to(generation: Generation | None) -> dict[str, object] | None:
    return None if generation is None else {"vocab": generation.vocab, "tokens": list(generation.tokens)}


def _generation_from(value: object) -> Generation | None:
    if value is None:
        return None
    told = _object(value)
    tokens = _list(told.get("tokens"))
    if not all(type(each) is int and -_LARGEST_TOKEN <= each < _LARGEST_TOKEN for each in tokens):
        raise ValueError("tokens")
    return Generation(_text(told, "vocab"), tuple(tokens))


def _object(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError("not an object")
    return value


def _list(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError("not a list")
    return value


def _text(told: Mapping[str, object], name: str) -> str:
    value = told.get(name, "")
    if not isinstance(value, str):
        raise ValueError(name)
    return value


def _time(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ValueError("time")
    return float(value)


def _is_place(value: object, n_places: int) -> bool:
    return type(value) is int and 0 <= value < n_places
