"""Makes sound files of every form that is read, and such as are damaged, hostile or something else."""

import io
import random
import struct
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import soundfile
from numpy.typing import NDArray

FORMS = (
    ("WAV", "PCM_16"), ("WAV", "PCM_24"), ("WAV", "FLOAT"), ("WAV", "MS_ADPCM"), ("WAV", "ULAW"), ("RF64", "PCM_16"),
    ("FLAC", "PCM_16"), ("MP3", "MPEG_LAYER_III"), ("OGG", "VORBIS"), ("OGG", "OPUS"), ("AIFF", "PCM_16"),
)  # fmt: skip
_OTHERS = {
    "voice.m4a": b"\0\0\0\x20ftypM4A \0\0\0\0",
    "film.mp4": b"\0\0\0\x18ftypmp42\0\0\0\0",
    "raw.aac": b"\xff\xf1\x50\x80\x00\x1f\xfc",
    "call.webm": b"\x1aE\xdf\xa3\x9fB\x86\x81",
    "old.wma": b"0&\xb2u\x8ef\xcf\x11",
    "note.amr": b"#!AMR\n\x3c",
    "tune.mid": b"MThd\0\0\0\x06",
    "picture.png": b"\x89PNG\r\n\x1a\n",
    "text.txt": b"The river runs through the valley.",
}


def tone(seconds: float = 1.0, rate: int = 44_100, hertz: float = 440.0, channels: int = 2) -> NDArray[np.float64]:
    """Of shape (frames, channels), at half of full volume."""
    at = np.arange(round(seconds * rate)) / rate
    return np.stack([0.5 * np.sin(2 * np.pi * hertz * at)] * channels, axis=1)


def noise(seed: int, seconds: float = 1.0, rate: int = 16_000) -> NDArray[np.float64]:
    """One channel."""
    return np.random.default_rng(seed).uniform(-0.5, 0.5, (round(seconds * rate), 1))


def sound_file(samples: NDArray[Any], rate: int, form: str = "WAV", subtype: str = "PCM_16") -> bytes:
    file = io.BytesIO()
    soundfile.write(file, samples, rate, format=form, subtype=subtype)
    return file.getvalue()


def wav(rate: int = 16_000, channels: int = 1, n_bytes: int | None = None, body: bytes = b"\0\x20" * 8000) -> bytes:
    """A WAV file of 16 bits that says of itself what it is told to."""
    size = len(body) if n_bytes is None else n_bytes
    head = struct.pack(
        "<4sIHHIIHH", b"fmt ", 16, 1, channels, rate, rate * 2 * channels & 0xFFFFFFFF, 2 * channels & 0xFFFF, 16
    )
    return (
        b"RIFF"
        + struct.pack("<I", (size + 36) & 0xFFFFFFFF)
        + b"WAVE"
        + head
        + struct.pack("<4sI", b"data", size)
        + body
    )


@cache
def hostile() -> tuple[tuple[str, bytes], ...]:
    """Name and bytes, always the same ones."""
    return tuple(_hostile())


def _hostile() -> Iterator[tuple[str, bytes]]:
    rng = random.Random(27)
    for form, subtype in FORMS:
        rate = 48_000 if subtype == "OPUS" else 44_100
        whole = sound_file(tone(0.5, rate), rate, form, subtype)
        for case in range(48):
            yield f"{form}-{subtype}-{case}", _damaged(whole, rng, case)
    for name, head in _OTHERS.items():
        yield name, head + rng.randbytes(200)
    yield "empty.wav", b""
    yield "head.wav", b"RIFF\0\0\0\0WAVE"
    for rate in (0, 1, 7, 999, 192_001, 0xFFFFFFFF):
        yield f"rate-{rate}.wav", wav(rate)
    for channels in (0, 17, 255, 65_535):
        yield f"channels-{channels}.wav", wav(channels=channels)
    for n_bytes in (0, 1, 0x7FFFFFFF, 0xFFFFFFFF):
        yield f"bytes-{n_bytes}.wav", wav(n_bytes=n_bytes)
    for n in (1, 2, 100, 1599):
        yield f"samples-{n}.wav", wav(body=b"\0\x20" * n)
    for value in (np.nan, np.inf, -np.inf, 1e30):
        yield f"value-{value}.wav", sound_file(np.full((9000, 1), value), 16_000, "WAV", "FLOAT")
    flac = bytearray(sound_file(tone(0.5), 44_100, "FLAC"))
    flac[21:26] = b"\xff" * 5
    yield "frames-2^36.flac", bytes(flac)
    yield "silence-for-hours.flac", sound_file(np.zeros((20_000_000, 1)), 8000, "FLAC")


def _damaged(whole: bytes, rng: random.Random, case: int) -> bytes:
    made = bytearray(whole)
    match case % 4:
        case 0:
            return bytes(made[: rng.randrange(1, len(made))])
        case 1:
            end = min(len(made), 64)
        case 2:
            end = min(len(made), 512)
        case _:
            end = len(made)
    for _ in range(rng.choice([1, 2, 8, 32])):
        made[rng.randrange(end)] = rng.randrange(256)
    return bytes(made)
