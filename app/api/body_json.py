"""What bodies say as JSON values: unpacked, counted and decoded within bounds, for threads beside the event loop.

Python's lock is what a large body holds up everybody by: each step lets go of it again and again.
"""

import json
import zlib
from collections.abc import Iterator
from json.scanner import py_make_scanner  # type: ignore[attr-defined]  # it is there, and not in the stubs

from app.api.errors import ApiError
from app.api.limits import Limits

_STEP = 1 << 18
"""Bytes that are worked on at one go."""
_WINDOWS = {"gzip": 16 + zlib.MAX_WBITS, "x-gzip": 16 + zlib.MAX_WBITS, "deflate": zlib.MAX_WBITS}
"""How bodies may be packed, and zlib's number for it."""
_OUTSIDE = 8 << 20
"""Bytes outside of texts, which are numbers and blanks."""


def decoded(plain: bytes, limits: Limits) -> object:
    """What a body says. Raises ApiError."""
    _check_size(plain, limits)
    try:
        # As the standard has it. Other encodings could hide what was counted.
        text = plain.decode("utf-8-sig")
        return json.loads(text, cls=None if len(plain) <= _STEP else _Patient)
    except (ValueError, RecursionError):
        raise ApiError(400, "The body is not valid JSON.") from None


def too_large(limit: int) -> ApiError:
    return ApiError(413, f"The body is larger than {limit >> 20} MiB.", code="request_too_large")


def unpacked(body: bytes, encoding: str, limit: int) -> bytes:
    """The body, of `limit` bytes at most, whatever it was packed to. Raises ApiError."""
    names = [each.strip().lower() for each in encoding.split(",")]
    packed = [each for each in names if each not in ("", "identity")]
    if not packed:
        return body
    if len(packed) > 1 or packed[0] not in _WINDOWS:
        raise ApiError(415, "Send the body as it is, or packed by gzip or deflate.", code="unsupported_encoding")
    try:
        return _inflated(body, _WINDOWS[packed[0]], limit)
    except (zlib.error, EOFError):
        raise ApiError(400, f"The body is not packed by {packed[0]}, or it did not come whole.") from None


def _inflated(body: bytes, window: int, limit: int) -> bytes:
    if window == zlib.MAX_WBITS and body[:1] and body[0] & 15 != zlib.DEFLATED:
        window = -window  # without a header, as some clients take “deflate”
    unpacking, made = zlib.decompressobj(window), bytearray()
    rest = body
    while not unpacking.eof:
        piece = unpacking.decompress(rest, _STEP)
        made += piece
        rest = unpacking.unconsumed_tail
        if len(made) > limit:
            raise too_large(limit)
        if not piece and not rest and not unpacking.eof:
            raise EOFError
    return bytes(made)


def _check_size(body: bytes, limits: Limits) -> None:
    if len(body) <= _STEP:
        return
    marks = 0
    for start in range(0, len(body), _STEP):
        marks += body.count(b'"', start, start + _STEP) + body.count(b"\\", start, start + _STEP)
        if marks > 2 * limits.prompt:  # no text that is taken holds as many
            raise _too_much(limits)
    values = size = 0
    for outside in _outside_texts(body):
        size += len(outside)
        values += sum(map(outside.count, (b",", b"[", b"{", b":")))
        if values > limits.values or size > _OUTSIDE:
            raise _too_much(limits)


def _outside_texts(body: bytes) -> Iterator[bytes]:
    """All that does not stand between quotes."""
    quoted, rest = 0, b""
    for start in range(0, len(body), _STEP):
        piece = (rest + body[start : start + _STEP]).replace(b"\\\\", b"")
        rest = b"\\" if piece.endswith(b"\\") else b""
        parts = piece[: len(piece) - len(rest)].replace(b'\\"', b"").split(b'"')
        yield b"".join(parts[quoted::2])
        quoted ^= (len(parts) - 1) & 1


def _too_much(limits: Limits) -> ApiError:
    told = f"The body holds more than {limits.values:,} values, or too much besides texts. Send it in smaller parts."
    return ApiError(413, told, code="request_too_large")


class _Patient(json.JSONDecoder):
    """Decodes value by value in Python: the same in C never lets go of Python's lock."""

    def __init__(self) -> None:
        super().__init__()
        self.scan_once = py_make_scanner(self)
