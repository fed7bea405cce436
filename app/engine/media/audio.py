"""Recordings as models hear them: one channel of finite samples from -1 to 1, at the encoder's rate, of bounded length.

Nothing here keeps state, so that any thread may call it. mtmd's own decoder is not used: it resamples with aliases in
the band of speech, takes gigabytes where a header lies, and on some of those ends the process.
"""

import hashlib
import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from app.engine.media.audio_limits import MAX_SECONDS, RATE, AudioError, check_file, label, padded, too_long

if TYPE_CHECKING:
    from soundfile import SoundFile

_BLOCK = 1 << 16
"""Values that are decoded at one go."""
_RATES = range(1_000, 192_001)
_MOST_CHANNELS = 16
_MOST_VALUES = MAX_SECONDS * 192_000 * 2
"""Of all channels together: what bounds the time."""
_FORMS = {"WAV", "WAVEX", "RF64", "FLAC", "OGG", "MP3", "AIFF"}


@dataclass(frozen=True, slots=True, eq=False)
class Recording:
    rate: int
    """Hertz"""
    samples: NDArray[np.float32]
    """Of shape (n,): one channel, -1 to 1."""
    digest: str
    """sha256 hex of rate, number and samples: equal for equal sounds, whatever file they came from."""

    @property
    def seconds(self) -> float:
        return len(self.samples) / self.rate


def read_audio(data: bytes, name: str = "", rate: int = RATE) -> Recording:
    """Decode the sound file `data` to `rate`. `name` is for the sentences. Raises AudioError for whatever else it is.

    What is very short gets silence at its end; see `padded`.
    """
    check_file(data, name)
    # Imported here: the window's start needs neither.
    import soundfile

    try:
        with soundfile.SoundFile(io.BytesIO(data)) as file:
            samples = _samples(file, name, rate)
    except AudioError:
        raise
    except MemoryError as error:
        raise AudioError(
            "Memory is too short to read {name}; close other programs and try again.", name=label(name)
        ) from error
    except Exception as error:
        raise _damaged(name, f"{type(error).__name__}: {error}") from error
    digest = hashlib.sha256(f"{rate}:{len(samples)}:".encode())
    digest.update(samples.astype("<f4", copy=False).tobytes())
    return Recording(rate, samples, digest.hexdigest())


def waveform(samples: NDArray[np.float32], count: int) -> tuple[float, ...]:
    """The loudest value of each of `count` equal stretches, 0 to 1, the loudest of all being 1."""
    edges = np.linspace(0, len(samples), count, endpoint=False).astype(int)
    peaks = np.maximum.reduceat(np.abs(samples), edges)
    return tuple((peaks / max(float(peaks.max()), 1e-4)).tolist())


def _samples(file: "SoundFile", name: str, rate: int) -> NDArray[np.float32]:
    import soxr

    if file.format not in _FORMS or file.samplerate not in _RATES or not 0 < file.channels <= _MOST_CHANNELS:
        raise _damaged(name, f"{file.format} of {file.samplerate} Hz with {file.channels} channels")
    stream = soxr.ResampleStream(file.samplerate, rate, 1, dtype="float32", quality="HQ")
    made: list[NDArray[np.float32]] = []
    n_read = 0
    for block in _blocks(file, name):
        n_read += len(block)
        made.append(stream.resample_chunk(block))
    if not n_read:
        raise AudioError("{name} holds no sound; choose another file.", name=label(name))
    made.append(stream.resample_chunk(np.zeros(0, np.float32), last=True))
    wanted = max(1, round(n_read * rate / file.samplerate))
    samples = np.zeros(padded(wanted, rate), np.float32)
    heard = np.concatenate(made)[:wanted]
    np.clip(heard, -1, 1, out=samples[: len(heard)])
    return samples


def _blocks(file: "SoundFile", name: str) -> Iterator[NDArray[np.float32]]:
    """One channel, the mean of all. What the header says of the length is not believed."""
    n_frames, n_most = _BLOCK // file.channels, min(MAX_SECONDS * file.samplerate, _MOST_VALUES // file.channels)
    n_read = 0
    while len(block := file.read(n_frames, dtype="float32", always_2d=True)):
        n_read += len(block)
        if n_read > n_most:
            raise too_long(name)
        if not np.isfinite(block).all():
            raise _damaged(name, "samples that are no numbers")
        yield np.ascontiguousarray(np.clip(block, -1, 1).mean(axis=1, dtype=np.float32))


def _damaged(name: str, detail: str) -> AudioError:
    return AudioError(
        "{name} is damaged, or an unusual kind of recording; open it in another program and save it again.",
        name=label(name),
        detail=detail,
    )
