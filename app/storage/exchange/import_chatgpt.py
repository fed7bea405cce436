"""Reads ChatGPT's data export: conversations as mappings of nodes, each with its parent and its children.

One answer there may be many nodes: thoughts, code, what the code printed, pictures, text. Here it is one message. What
the window of ChatGPT hides (instructions, memories, what its tools read) is left out.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from app.core.messages import Message, Part, Role
from app.storage.conversations import MessageState
from app.storage.exchange.pieces import Pieces, dicts_in, seconds_of
from app.storage.exchange.records import ConversationRecord, MessageRecord
from app.storage.exchange.stage import Stage, missing_file

Attached = Callable[[str], tuple[bytes, str] | None]
"""The bytes and the name of a file by its number ("file-…", "file_…")."""

_HIDDEN_CONTENTS = frozenset(
    {
        "user_editable_context",
        "model_editable_context",
        "app_pairing_content",
        "reasoning_recap",
        "tether_browsing_display",
        "tether_browsing_code",
        "sonic_webpage",
        "system_message",
    }
)
# Marks of citations, between characters that no font has.
_MARKS = re.compile("\ue200[^\ue200\ue201]*\ue201|[\ue200-\ue206]")
FILE_NUMBER = re.compile(r"file[-_][0-9A-Za-z]+")


def is_conversation(value: object) -> bool:
    return isinstance(value, dict) and isinstance(value.get("mapping"), dict)


def read_conversation(told: Mapping[str, Any], stage: Stage, attached: Attached, now: float) -> None:
    """Add it to `stage`, or say there why not."""
    record = _Reader(told, stage, attached, now).record()
    if record is None:
        stage.skip("it has no messages")
    else:
        stage.add(record)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the walk is: below which message, and what of an answer has been said since."""

    parent: int | None = None
    said: tuple[str, ...] = ()
    """Nodes."""


class _Reader:
    def __init__(self, told: Mapping[str, Any], stage: Stage, attached: Attached, now: float) -> None:
        self._told = told
        self._stage = stage
        self._attached = attached
        self._nodes: dict[str, Any] = {key: node for key, node in told["mapping"].items() if isinstance(node, dict)}
        self._created_at = seconds_of(told.get("create_time"), now)
        self._messages: list[MessageRecord] = []
        self._ends: dict[tuple[str, ...], int | None] = {}
        """The message that an answer became, by its nodes."""
        self._made: dict[str, int] = {}
        """The message that a node became, or became part of."""
        self._files: dict[str, Part] = {}

    def record(self) -> ConversationRecord | None:
        """None where nothing of it is for people."""
        self._walk()
        if not self._messages:
            return None
        head = self._head()
        messages = list(self._messages)
        place: int | None = head
        while place is not None:
            parent = messages[place].parent
            if parent is not None:
                messages[parent] = replace(messages[parent], next=place)
            place = parent
        title, updated_at = self._told.get("title"), seconds_of(self._told.get("update_time"), self._created_at)
        return ConversationRecord(
            title if isinstance(title, str) else "", self._created_at, updated_at, tuple(messages), head
        )

    def _walk(self) -> None:
        children = self._children()
        waiting = [(key, _Place()) for key in reversed(self._roots())]
        seen: set[str] = set()
        while waiting:
            key, place = waiting.pop()
            if key in seen:
                continue
            seen.add(key)
            place = self._visit(key, place)
            below = children.get(key, [])
            if not below:
                self._end(place)
            waiting += [(child, place) for child in reversed(below)]

    def _visit(self, key: str, place: _Place) -> _Place:
        message = _visible(self._nodes[key])
        if message is None:
            return place
        match message["author"].get("role"):
            case "user":
                place = self._end(place)
                made = self._question(message)
                if made is None:
                    return place
                self._made[key] = self._add(place.parent, made, message)
                return _Place(self._made[key])
            case "assistant" | "tool":
                return replace(place, said=(*place.said, key))
        return place

    def _end(self, place: _Place) -> _Place:
        """The nodes of an answer become a message, once."""
        if not place.said:
            return place
        if place.said not in self._ends:
            pieces = Pieces()
            told = [self._nodes[key]["message"] for key in place.said]
            for message in told:
                self._read(message, pieces)
            made = pieces.message(Role.ASSISTANT)
            number = None
            if made is not None:
                number = self._add(place.parent, made, told[-1])
                for key in place.said:
                    self._made.setdefault(key, number)
            self._ends[place.said] = number
        end = self._ends[place.said]
        return _Place(place.parent if end is None else end)

    def _add(self, parent: int | None, made: Message, message: Mapping[str, Any]) -> int:
        model = _metadata(message).get("model_slug")
        figures = {"model": model} if isinstance(model, str) and made.role is Role.ASSISTANT else None
        state = MessageState.COMPLETE if message.get("status") != "in_progress" else MessageState.INTERRUPTED
        created_at = seconds_of(message.get("create_time"), self._created_at)
        self._messages.append(MessageRecord(parent, made, state, created_at, figures))
        return len(self._messages) - 1

    def _head(self) -> int:
        """The message of the current node, or of the nearest one above it that became one."""
        key, seen = self._told.get("current_node"), set()
        while isinstance(key, str) and key in self._nodes and key not in seen:
            if key in self._made:
                return self._made[key]
            seen.add(key)
            key = self._nodes[key].get("parent")
        return len(self._messages) - 1

    def _roots(self) -> list[str]:
        return [key for key, node in self._nodes.items() if _key(node.get("parent")) not in self._nodes]

    def _children(self) -> dict[str, list[str]]:
        """In the order that the parent says, which is that of their age."""
        found: dict[str, list[str]] = {}
        for key, node in self._nodes.items():
            if (parent := _key(node.get("parent"))) in self._nodes:
                found.setdefault(parent, []).append(key)
        for key, below in found.items():
            order = self._nodes[key].get("children")
            places = {_key(child): place for place, child in enumerate(order)} if isinstance(order, list) else {}
            below.sort(key=lambda child: places.get(child, len(places)))
        return found

    def _question(self, message: Mapping[str, Any]) -> Message | None:
        pieces = Pieces()
        pictured = {number for number in map(_pointer, _parts(message)) if number}
        files = _metadata(message).get("attachments")
        for each in files if isinstance(files, list) else []:
            if isinstance(each, dict) and isinstance(each.get("id"), str) and each["id"] not in pictured:
                pieces.part(self._file(each["id"], str(each.get("name") or "")))
        self._read(message, pieces)
        return pieces.message(Role.USER)

    def _read(self, message: Mapping[str, Any], pieces: Pieces) -> None:
        content = message["content"]
        is_tool = message["author"].get("role") == "tool"
        addressed = message.get("recipient") not in (None, "all")
        match content.get("content_type"):
            case "code":
                language = content.get("language")
                known = isinstance(language, str) and language != "unknown"
                pieces.code(_text(content), str(language) if known else _language(message))
            case "execution_output" | "system_error":
                pieces.code(_text(content))
            case "thoughts":
                for thought in dicts_in(content.get("thoughts")):
                    summary, text = (str(thought.get(name) or "") for name in ("summary", "content"))
                    pieces.thought(f"**{summary}**\n\n{text}" if summary else text)
            case "tether_quote":
                quoted = "\n".join(f"> {line}" for line in _text(content).splitlines())
                pieces.text(f"{quoted}\n>\n> — {content.get('title') or content.get('url') or ''}")
            case _ if addressed:
                pieces.code("\n".join(part for part in _parts(message) if isinstance(part, str)), _language(message))
            case _:
                self._read_parts(message, pieces, texts=not is_tool)

    def _read_parts(self, message: Mapping[str, Any], pieces: Pieces, *, texts: bool) -> None:
        """What a tool says in words is meant for the model; its pictures are for people."""
        for part in _parts(message):
            match part:
                case str() if texts:
                    pieces.text(_MARKS.sub("", part))
                case {"content_type": "audio_transcription", "text": str(text)}:
                    pieces.text(text)
                case {"content_type": "image_asset_pointer"}:
                    number = _pointer(part)
                    pieces.part(self._file(number, "") if number else None)
        if texts and not _parts(message):
            pieces.text(_MARKS.sub("", _text(message["content"])))

    def _file(self, number: str, name: str) -> Part:
        if number not in self._files:
            attached = self._attached(number)
            if attached is None:
                self._files[number] = missing_file(name)
            else:
                self._files[number] = self._stage.file_part(attached[0], name or attached[1])
        return self._files[number]


def _visible(node: Mapping[str, Any]) -> dict[str, Any] | None:
    """The node's message, where people see it."""
    message = node.get("message")
    if not isinstance(message, dict) or not isinstance(message.get("author"), dict):
        return None
    content = message.get("content")
    if not isinstance(content, dict) or str(content.get("content_type")) in _HIDDEN_CONTENTS:
        return None
    metadata = _metadata(message)
    hidden = metadata.get("is_visually_hidden_from_conversation") or metadata.get("is_user_system_message")
    # ChatGPT's notes to itself.
    return None if hidden or message.get("recipient") == "bio" or message["author"].get("name") == "bio" else message


def _key(value: object) -> str:
    return value if isinstance(value, str) else ""


def _metadata(message: Mapping[str, Any]) -> Mapping[str, Any]:
    metadata = message.get("metadata")
    return metadata if isinstance(metadata, dict) else {}


def _parts(message: Mapping[str, Any]) -> list[Any]:
    parts = message["content"].get("parts")
    return parts if isinstance(parts, list) else []


def _text(content: Mapping[str, Any]) -> str:
    text = content.get("text", content.get("result", ""))
    return text if isinstance(text, str) else ""


def _language(message: Mapping[str, Any]) -> str:
    return "python" if message.get("recipient") == "python" else ""


def _pointer(part: object) -> str:
    """The number in "file-service://file-…" or "sediment://file_…"."""
    address = part.get("asset_pointer") if isinstance(part, dict) else None
    found = FILE_NUMBER.search(address.rpartition("/")[2]) if isinstance(address, str) else None
    return found.group() if found else ""
