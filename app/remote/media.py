"""Pictures and recordings as servers take them."""

import base64
from collections.abc import Callable

from app.core.errors import UserError
from app.core.messages import ImagePart, MediaPart

MediaBytes = Callable[[MediaPart], bytes | None]
"""Finds what the file holds, in a form that servers know: a PNG or JPEG, a WAV or MP3. None where it is gone."""

_KINDS = {b"\x89PNG\r\n\x1a\n": "png", b"\xff\xd8\xff": "jpeg", b"GIF8": "gif"}
_SOUNDS = {b"ID3": "mp3", b"\xff\xfb": "mp3", b"\xff\xf3": "mp3", b"\xff\xf2": "mp3"}


def own_bytes(part: MediaPart) -> bytes | None:
    """Of media that carry them."""
    return part.data or None


def encoded(part: MediaPart, data: bytes | None) -> tuple[str, str]:
    """(format, base64). Raises UserError where the file is gone, and where servers don't know its form."""
    if data is None:
        raise UserError("{name} is gone, so the server can't be shown it. Attach it again.", name=part.name or "A file")
    kind = _kind(part, data)
    if not kind:
        told = "{name} is in a form that servers don't know. Attach it as PNG or JPEG, or a recording as WAV or MP3."
        raise UserError(told, name=part.name or "A file")
    return kind, base64.b64encode(data).decode()


def _kind(part: MediaPart, data: bytes) -> str:
    riff = data[8:12] if data[:4] == b"RIFF" else b""
    if isinstance(part, ImagePart):
        return "webp" if riff == b"WEBP" else _by_beginning(data, _KINDS)
    return "wav" if riff == b"WAVE" else _by_beginning(data, _SOUNDS)


def _by_beginning(data: bytes, kinds: dict[bytes, str]) -> str:
    return next((kind for mark, kind in kinds.items() if data.startswith(mark)), "")
