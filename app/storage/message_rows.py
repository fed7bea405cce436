"""How a message lies in its row: what it says and its figures as JSON, tokens as little-endian 32-bit integers.

Reading never fails: what damage made unreadable is shown as far as it goes.
"""

import json
import struct
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

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

MESSAGE_COLUMNS = (
    "id",
    "conversation_id",
    "parent_id",
    "role",
    "parts",
    "vocab",
    "tokens",
    "state",
    "figures",
    "created_at",
)
"""What a message is made of."""
PLACE_COLUMNS = ("deleted_at", "next_id")
"""What became of it in its tree; in the file they follow the others."""


def dump_content(message: Message) -> tuple[str, str | None, bytes | None]:
    """The columns `parts`, `vocab` and `tokens`."""
    generation = message.generation
    if generation is None:
        return dump_message(message), None, None
    return dump_message(message), generation.vocab, dump_tokens(generation.tokens)


def dump_message(message: Message) -> str:
    """The column `parts`: a list of typed entries, in which reasoning, tool calls and what a tool's message answers
    stand among the parts proper.
    """
    entries = [part_to(part) for part in message.parts]
    if message.reasoning:
        entries.insert(0, {"type": "reasoning", "text": message.reasoning})
    for call in message.tool_calls:
        entries.append({"type": "tool_call", "id": call.id, "name": call.name, "arguments": call.arguments})
    if message.tool_call_id or message.name:
        entries.append({"type": "tool_result", "tool_call_id": message.tool_call_id, "name": message.name})
    return dump_json(entries)


def dump_tokens(tokens: tuple[int, ...]) -> bytes:
    return struct.pack(f"<{len(tokens)}i", *tokens)


def dump_json(value: object) -> str:
    """Compact JSON as text that SQLite takes; NUL and lone surrogates survive as escapes."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":"))
    return text


def plain_title(title: str) -> str:
    """One line that SQLite takes, with question marks for lone surrogates."""
    return " ".join(title.replace("\0", "").encode("utf-8", "replace").decode().split())


def load_message(role: str, parts: str, vocab: str | None, tokens: bytes | None) -> Message:
    known = Role(role) if role in set(Role) else Role.USER
    message = Message(known, (), _generation_from(vocab, tokens))
    values = _parsed(parts)
    if not isinstance(values, list):
        return replace(message, parts=(TextPart(str(parts)),))
    for value in values:
        message = _with_entry(message, value)
    return message


def load_messages(text: object) -> tuple[Message, ...]:
    """Messages of people, as a JSON list of what `dump_message` gave."""
    values = _parsed(text)
    entries = values if isinstance(values, list) else []
    return tuple(load_message(Role.USER, each, None, None) for each in entries if isinstance(each, str))


def load_figures(text: str | None) -> Mapping[str, object] | None:
    figures = None if text is None else _parsed(text)
    return figures if isinstance(figures, dict) else None


def part_to(part: Part, hashed: str = "content_hash") -> dict[str, object]:
    """A part proper; `hashed` is what the hash of its file is called."""
    match part:
        case TextPart(text):
            return {"type": "text", "text": text}
        case ImagePart(content_hash, name, width, height, pixels):
            known = {"width": width, "height": height, "pixels": pixels} if pixels else {}
            return {"type": "image", hashed: content_hash, "name": name, **known}
        case AudioPart(content_hash, name, rate, n_samples, samples):
            heard = {"rate": rate, "n_samples": n_samples, "samples": samples} if samples else {}
            return {"type": "audio", hashed: content_hash, "name": name, **heard}
        case DocumentPart(content_hash, name, text, by_passages, starts, first):
            chosen = {"by_passages": True} if by_passages else {}
            cited = {"starts": list(starts), "number": first} if starts else {}
            return {"type": "document", hashed: content_hash, "name": name, "text": text, **chosen, **cited}
        case PassagePart(number, content_hash, name, text, page, start, end, heading):
            place = {"page": page, "start": start, "end": end, "heading": heading}
            return {"type": "passage", "number": number, hashed: content_hash, "name": name, "text": text, **place}


def _with_entry(message: Message, value: object) -> Message:
    match value:
        case {"type": "reasoning", "text": str(text)}:
            return replace(message, reasoning=text)
        case {"type": "tool_call", "id": str(number), "name": str(name), "arguments": str(arguments)}:
            return replace(message, tool_calls=(*message.tool_calls, ToolCall(number, name, arguments)))
        case {"type": "tool_result", "tool_call_id": str(number), "name": str(name)}:
            return replace(message, tool_call_id=number, name=name)
        case _:
            return replace(message, parts=(*message.parts, _part_from(value)))


def _part_from(value: object) -> Part:
    match value:
        case {"type": "text", "text": str(text)}:
            return TextPart(text)
        case {"type": "image", "content_hash": str(content_hash), "name": str(name), **more}:
            return _image_from(content_hash, name, more)
        case {"type": "audio", "content_hash": str(content_hash), "name": str(name), **more}:
            return audio_from(content_hash, name, more)
        case {"type": "document", "content_hash": str(content_hash), "name": str(name), "text": str(text), **more}:
            return document_from(content_hash, name, text, more)
        case {"type": "passage", "content_hash": str(content_hash), "name": str(name), "text": str(text), **more}:
            return passage_from(content_hash, name, text, more)
        case {"type": str(kind)}:
            # A later version's part: its place is shown. The row keeps it, because only answers are saved again.
            return TextPart(f"[{kind}]")
        case _:
            return TextPart(dump_json(value))


def _image_from(content_hash: str, name: str, more: Mapping[Any, object]) -> ImagePart:
    match more:
        case {"width": int(width), "height": int(height), "pixels": str(pixels)} if width > 0 and height > 0:
            return ImagePart(content_hash, name, width, height, pixels)
        case _:
            return ImagePart(content_hash, name)


def audio_from(content_hash: str, name: str, more: Mapping[Any, object]) -> AudioPart:
    """As `part_to` wrote it; without what it heard where that can't be."""
    match more:
        case {"rate": int(rate), "n_samples": int(n_samples), "samples": str(samples)} if rate > 0 and n_samples > 0:
            return AudioPart(content_hash, name, rate, n_samples, samples)
        case _:
            return AudioPart(content_hash, name)


def document_from(content_hash: str, name: str, text: str, more: Mapping[Any, object]) -> DocumentPart:
    """As `part_to` wrote it; what can't be cited by what is told is not cited."""
    part = DocumentPart(content_hash, name, text, by_passages=more.get("by_passages") is True)
    match more:
        case {"starts": [*starts], "number": int(number)} if number > 0:
            places = [each for each in starts if type(each) is int and 0 <= each < max(1, len(text))]
            if len(places) == len(starts) and all(a < b for a, b in pairwise(places)):
                return replace(part, starts=tuple(places), number=number)
    return part


def passage_from(content_hash: str, name: str, text: str, more: Mapping[Any, object]) -> PassagePart | TextPart:
    """As `part_to` wrote it; its text alone where the rest can't be."""
    match more:
        case {"number": int(number), "page": int() | None as page, "start": int(start), "end": int(end), **rest}:
            heading = rest.get("heading")
            return PassagePart(
                number, content_hash, name, text, page, start, end, heading if isinstance(heading, str) else ""
            )
        case _:
            return TextPart(text)


def _generation_from(vocab: str | None, tokens: bytes | None) -> Generation | None:
    if not isinstance(vocab, str) or not isinstance(tokens, bytes) or len(tokens) % 4:
        return None
    return Generation(vocab, struct.unpack(f"<{len(tokens) // 4}i", tokens))


def _parsed(text: object) -> Any:
    """The JSON value, or None for what is none."""
    try:
        return json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        return None
