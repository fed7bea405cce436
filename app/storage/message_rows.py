"""How a message lies in its row: parts and figures as JSON, tokens as little-endian 32-bit integers.

Reading never fails: what damage made unreadable is shown as far as it goes.
"""

import json
import struct
from collections.abc import Mapping
from typing import Any

from app.core.messages import DocumentPart, Generation, ImagePart, Message, Part, Role, TextPart

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


def dump_parts(parts: tuple[Part, ...]) -> str:
    return dump_json([_part_to(part) for part in parts])


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
    return Message(known, _parts_from(parts), _generation_from(vocab, tokens))


def load_figures(text: str | None) -> Mapping[str, object] | None:
    figures = None if text is None else _parsed(text)
    return figures if isinstance(figures, dict) else None


def _part_to(part: Part) -> dict[str, object]:
    match part:
        case TextPart(text):
            return {"type": "text", "text": text}
        case ImagePart(content_hash, name, width, height, pixels):
            known = {"width": width, "height": height, "pixels": pixels} if pixels else {}
            return {"type": "image", "content_hash": content_hash, "name": name, **known}
        case DocumentPart(content_hash, name, text):
            return {"type": "document", "content_hash": content_hash, "name": name, "text": text}


def _parts_from(text: str) -> tuple[Part, ...]:
    values = _parsed(text)
    if not isinstance(values, list):
        return (TextPart(str(text)),)
    return tuple(_part_from(value) for value in values)


def _part_from(value: object) -> Part:
    match value:
        case {"type": "text", "text": str(text)}:
            return TextPart(text)
        case {"type": "image", "content_hash": str(content_hash), "name": str(name), **more}:
            return _image_from(content_hash, name, more)
        case {"type": "document", "content_hash": str(content_hash), "name": str(name), "text": str(text)}:
            return DocumentPart(content_hash, name, text)
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
