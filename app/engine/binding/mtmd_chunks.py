"""What media become in a prompt: mtmd's chunks, as plain values."""

import ctypes
import hashlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from llama_cpp import mtmd_cpp as mtmd
from numpy.typing import NDArray

from app.engine.binding import library

MAX_SIDE = 4096
MAX_ASPECT = 50
"""Beyond these mtmd's integers overflow in some families, and in one it never comes back."""


MIN_SAMPLES, MAX_SAMPLES = 1600, 600 * 48_000
"""Shorter recordings end the process in some families, one sample in all of them."""


def is_size(width: int, height: int) -> bool:
    """Whether mtmd may be given a picture of so many pixels."""
    short, long = sorted((width, height))
    return short > 0 and long <= min(MAX_SIDE, MAX_ASPECT * short)


@dataclass(frozen=True, slots=True)
class Picture:
    """8-bit RGB pixels, row by row; without `rgb` it has a size alone, which is enough for its chunks."""

    width: int
    height: int
    id: str
    """Tells this picture from every other: a digest over width, height and pixels."""
    rgb: bytes | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if not is_size(self.width, self.height):
            raise ValueError(f"{self.width}x{self.height} is no size for a picture")
        if self.rgb is not None and len(self.rgb) != self.width * self.height * 3:
            raise ValueError(f"{len(self.rgb)} bytes are no RGB picture of {self.width}x{self.height}")
        if not self.id:
            raise ValueError("a picture needs an id")


@dataclass(frozen=True, slots=True)
class Audio:
    """One channel of finite samples from -1 to 1 at the projector's rate; without them it has a length alone."""

    n_samples: int
    id: str
    """Tells this recording from every other: a digest over rate, number and samples."""
    samples: NDArray[np.float32] | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not MIN_SAMPLES <= self.n_samples <= MAX_SAMPLES:
            raise ValueError(f"{self.n_samples} samples are no length for a recording")
        if self.samples is not None and (self.samples.shape != (self.n_samples,) or self.samples.dtype != np.float32):
            raise ValueError(f"{self.samples.dtype} of shape {self.samples.shape} are not {self.n_samples} samples")
        if not self.id:
            raise ValueError("a recording needs an id")


Bitmap = Picture | Audio
"""mtmd's word for whatever it encodes. Without its data it tells its chunks all the same."""


def empty(bitmap: Bitmap) -> Bitmap:
    """Without its data."""
    return replace(bitmap, rgb=None) if isinstance(bitmap, Picture) else replace(bitmap, samples=None)


@dataclass(frozen=True, slots=True)
class TextChunk:
    """Tokens of the family's own around and between the slices."""

    tokens: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MediaChunk:
    """One slice of a bitmap: `n_tokens` entries of the memory that take `n_pos` positions (M-RoPE: fewer)."""

    key: bytes
    """32 bytes; equal keys mean equal entries at equal positions."""
    n_tokens: int
    n_pos: int
    media_id: str
    """The bitmap's."""
    ordinal: int
    """Number of this slice within its bitmap."""
    non_causal: bool
    """Its entries attend to each other in both directions, so they must share one micro-batch."""
    saved: bytes = field(repr=False, compare=False)
    """mtmd's description of the chunk, without data: its kind, its grid and kind of positions."""


class MtmdRefusedError(library.RefusedError):
    """mtmd would not take this file, or this picture or recording."""


@contextmanager
def tokenized(handle: int, parts: Sequence[str | Bitmap]) -> Iterator[list[int]]:
    """mtmd's chunks of these parts, as pointers that die with the block. Raises MtmdRefusedError."""
    chunks = mtmd.mtmd_input_chunks_init()
    try:
        with library.log.collect() as lines:
            code = _tokenize(handle, chunks, parts)
            if code != 0:
                raise MtmdRefusedError([*lines, f"mtmd_tokenize returned {code}"])
        yield [mtmd.mtmd_input_chunks_get(chunks, index) for index in range(mtmd.mtmd_input_chunks_size(chunks))]
    finally:
        mtmd.mtmd_input_chunks_free(chunks)


def _tokenize(handle: int, chunks: int, parts: Sequence[str | Bitmap]) -> int:
    with ExitStack() as stack:
        c_parts = []
        for part in parts:
            c_part = mtmd.mtmd_input_part()
            if not isinstance(part, str):
                c_part.bitmap = stack.enter_context(_bitmap(part))
            else:
                text = part.encode()
                c_part.text = ctypes.pointer(mtmd.mtmd_input_text(text, len(text), False, True))
            c_parts.append(ctypes.pointer(c_part))
        array = (ctypes.POINTER(mtmd.mtmd_input_part) * len(c_parts))(*c_parts)
        return int(mtmd.mtmd_tokenize_from_parts(handle, chunks, array, len(c_parts), False))


@contextmanager
def _bitmap(given: Bitmap) -> Iterator["mtmd.mtmd_bitmap_p"]:
    if isinstance(given, Picture):
        rgb = None if given.rgb is None else np.frombuffer(given.rgb, np.uint8)
        bitmap = mtmd.mtmd_bitmap_init(given.width, given.height, _pointer(rgb, ctypes.c_uint8))
    else:
        bitmap = mtmd.mtmd_bitmap_init_from_audio(given.n_samples, _pointer(given.samples, ctypes.c_float))
    try:
        mtmd.mtmd_bitmap_set_id(bitmap, given.id.encode())
        yield bitmap
    finally:
        mtmd.mtmd_bitmap_free(bitmap)


def _pointer(array: NDArray[Any] | None, kind: type[Any]) -> Any:
    return None if array is None else array.ctypes.data_as(ctypes.POINTER(kind))


def read(handle: int, pointers: Sequence[int]) -> list[TextChunk | MediaChunk]:
    """The values of mtmd's chunks of one bitmap, in their order. Raises MtmdRefusedError."""
    values: list[TextChunk | MediaChunk] = []
    slices = 0
    for pointer in pointers:
        kind = mtmd.mtmd_input_chunk_get_type(pointer)
        if kind == mtmd.MTMD_INPUT_CHUNK_TYPE_TEXT:
            values.append(_read_text(pointer))
        elif kind in (mtmd.MTMD_INPUT_CHUNK_TYPE_IMAGE, mtmd.MTMD_INPUT_CHUNK_TYPE_AUDIO):
            values.append(_read_media(handle, pointer, slices))
            slices += 1
        else:
            raise MtmdRefusedError([f"mtmd gave a chunk of type {kind}"])
    return values


def _read_text(pointer: int) -> TextChunk:
    count = ctypes.c_size_t()
    tokens = mtmd.mtmd_input_chunk_get_tokens_text(pointer, ctypes.byref(count))
    values = tuple(tokens[: count.value])
    if any(token < 0 for token in values):
        raise MtmdRefusedError(["the model lacks a token that marks the parts of a picture or a sound"])
    return TextChunk(values)


def _read_media(handle: int, pointer: int, ordinal: int) -> MediaChunk:
    saved = _save(pointer)
    n_tokens = mtmd.mtmd_input_chunk_get_n_tokens(pointer)
    if not n_tokens:
        raise MtmdRefusedError(["mtmd gave a chunk without entries"])
    # Slices of one bitmap may have equal descriptions, and other contents.
    key = hashlib.sha256(saved + ordinal.to_bytes(8, "little") + n_tokens.to_bytes(8, "little")).digest()
    return MediaChunk(
        key=key,
        n_tokens=n_tokens,
        n_pos=mtmd.mtmd_input_chunk_get_n_pos(pointer),
        media_id=(mtmd.mtmd_input_chunk_get_id(pointer) or b"").decode(),
        ordinal=ordinal,
        non_causal=mtmd.mtmd_decode_use_non_causal(handle, pointer),
        saved=saved,
    )


def _save(pointer: int) -> bytes:
    size = ctypes.c_size_t()
    mtmd.mtmd_input_chunk_save(pointer, None, 0, ctypes.byref(size))
    buffer = (ctypes.c_char * size.value)()
    if mtmd.mtmd_input_chunk_save(pointer, buffer, size.value, ctypes.byref(size)) != 0:
        raise MtmdRefusedError(["mtmd can't describe its chunk"])
    return buffer.raw


def mrope_positions(chunk: MediaChunk, position: int) -> NDArray[np.int32]:
    """Positions of the chunk's entries when it stands at `position`: int32 of shape (4, n_tokens), t, y, x and z."""
    pointer = mtmd.mtmd_input_chunk_load(chunk.saved, len(chunk.saved))
    if not pointer:
        raise ValueError("mtmd can't read its own chunk back")
    try:
        if mtmd.mtmd_input_chunk_get_type(pointer) == mtmd.MTMD_INPUT_CHUNK_TYPE_AUDIO:
            return np.tile(np.arange(position, position + chunk.n_tokens, dtype=np.int32), (4, 1))
        image = mtmd.mtmd_input_chunk_get_tokens_image(pointer)
        found = (mtmd.mtmd_decoder_pos * chunk.n_tokens)()
        mtmd.mtmd_helper_image_get_decoder_pos(image, position, found)
    finally:
        mtmd.mtmd_input_chunk_free(pointer)
    t_x_y_z = np.frombuffer(bytes(found), np.uint32).reshape(chunk.n_tokens, 4).T
    return np.ascontiguousarray(t_x_y_z[[0, 2, 1, 3]].astype(np.int32))
