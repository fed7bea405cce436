"""What one model sees and hears: media laid out as entries of the prompt, and each of them encoded once."""

import hashlib
import logging
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from app.core.cancel import CancelFlag
from app.core.errors import UserError
from app.core.messages import AudioPart, ImagePart, MediaPart, Message, Part, TextPart
from app.core.sentence import Sentence
from app.engine.binding.mtmd_chunks import Audio, Bitmap, MediaChunk, MtmdRefusedError, Picture, TextChunk, is_size
from app.engine.binding.mtmd_context import EncodeFailedError, Encoding, MtmdContext
from app.engine.media.audio import read_audio
from app.engine.media.audio_limits import MAX_SECONDS, AudioError, is_length
from app.engine.media.embeddings import EmbeddingCache
from app.engine.media.image_limits import PictureError
from app.engine.prompt.prompt import LaidOutMedia

_log = logging.getLogger(__name__)

_LOOK = 0.01
"""Seconds between two looks of who waits for the encoder."""
_DIGEST = re.compile("[0-9a-f]{64}")


class MediaSource(Protocol):
    """Where the files of media lie, under the sha256 of their bytes."""

    def get(self, content_hash: str) -> bytes | None: ...

    def has(self, content_hash: str) -> bool: ...


class NoMedia:
    """A source without files, for media that carry their own bytes."""

    def get(self, content_hash: str) -> bytes | None:
        return None

    def has(self, content_hash: str) -> bool:
        return False


@dataclass(frozen=True, slots=True)
class MediaStores:
    """What outlives a model: the files, and what encoders made of them."""

    source: MediaSource
    embeddings: EmbeddingCache


class Media:
    """What one loaded projector is given. Used by the engine thread alone."""

    def __init__(self, mtmd: MtmdContext, stores: MediaStores, identity: str, max_seconds: float = MAX_SECONDS) -> None:
        """`identity` names all that the embeddings depend on beside the medium: projector, settings, build.
        `max_seconds` is the longest recording that the encoder survives.
        """
        self.mtmd = mtmd
        self.max_seconds = max_seconds if mtmd.hears else 0.0
        self._stores = stores
        self._identity = identity.encode()
        self._decoded: dict[str, MediaPart] = {}
        """By the file's hash: parts that came without size or length and digest, with them."""
        self._fresh: dict[bytes, NDArray[np.float32]] = {}
        """Of what was encoded last, however small the cache is."""

    def lay_out(self, part: MediaPart) -> tuple[MediaPart, tuple[TextChunk | MediaChunk, ...]] | None:
        """It with size or length and digest, and as entries. None where this model does not take it, and where it is
        gone: no file, and not all of it encoded before.
        """
        if (known := self._identified(part)) is None or not self._takes(known):
            return None
        try:
            chunks = self.mtmd.chunks(_bitmap(known))
        except MtmdRefusedError as error:
            _log.warning("%r is left out: %s", _bitmap(known), error)
            return None
        there = known.data or self._stores.source.has(known.content_hash)
        return (known, chunks) if there or all(map(self.is_encoded, media_chunks(chunks))) else None

    def is_encoded(self, chunk: MediaChunk) -> bool:
        return chunk.key in self._fresh or self._stores.embeddings.has(self._key(chunk))

    def known(self, chunk: MediaChunk) -> NDArray[np.float32] | None:
        """Float32 of shape (chunk.n_tokens, mtmd.n_embd), where it was encoded before."""
        found = self._fresh.get(chunk.key)
        return self._stores.embeddings.get(self._key(chunk)) if found is None else found

    def begin(self, part: MediaPart) -> Encoding:
        """Encode those slices of what was laid out that nobody has yet, in a thread of its own. `keep` takes what is
        made, until it is over or stopped.
        """
        self._fresh.clear()
        source, rate = self._stores.source, self.mtmd.rate

        def load() -> Bitmap:
            found, bitmap = _read(part, source, rate)
            if replace(found, digest=part.digest) != part:
                raise _missing(part)  # it was laid out as a chat that was imported told it
            return replace(bitmap, id=part.digest)

        return self.mtmd.begin(_bitmap(part), load, wanted=lambda each: not self.is_encoded(each))

    def keep(self, run: Encoding, part: MediaPart) -> None:
        """Keep what a run that was begun for it has made so far. Raises UserError where its file is gone or damaged, or
        the projector failed.
        """
        try:
            for made, embedding in run.found():
                self._fresh[made.key] = embedding
                self._stores.embeddings.put(self._key(made), embedding, on_disk=not part.in_memory)
        except (EncodeFailedError, MtmdRefusedError) as error:
            raise UserError(
                "This model's projector failed at {name}. Remove it, or try another model.",
                name=part.name or Sentence("a picture" if isinstance(part, ImagePart) else "a recording"),
                detail=str(error),
            ) from error

    def encode(self, part: MediaPart, cancel: CancelFlag) -> bool:
        """Encode it ahead of time. False when it was cancelled. Raises UserError as `keep` does."""
        laid_out = self.lay_out(part)
        if laid_out is None:
            raise _missing(part)
        known, chunks = laid_out
        for chunk in media_chunks(chunks):
            if not self.is_encoded(chunk) and not self._encode(known, cancel):
                return False
        return True

    def _encode(self, part: MediaPart, cancel: CancelFlag) -> bool:
        run = self.begin(part)
        try:
            while not cancel.is_set():
                is_over = run.wait(_LOOK)
                self.keep(run, part)
                if is_over:
                    return True
        finally:
            run.stop()
        return False

    def close(self) -> None:
        self.mtmd.close()

    def _takes(self, part: MediaPart) -> bool:
        return self.mtmd.sees if isinstance(part, ImagePart) else part.seconds <= self.max_seconds

    def _identified(self, part: MediaPart) -> MediaPart | None:
        # An imported chat may say anything.
        if _DIGEST.fullmatch(part.digest) and self._is_measured(part):
            return part
        if isinstance(part, AudioPart) and not self.mtmd.hears:
            return None
        if part.content_hash not in self._decoded:
            try:
                self._decoded[part.content_hash], _ = _read(part, self._stores.source, self.mtmd.rate)
            except UserError as error:
                _log.warning("A medium is left out: %s", error.sentence)
                return None
        return self._decoded[part.content_hash]

    def _is_measured(self, part: MediaPart) -> bool:
        if isinstance(part, ImagePart):
            return is_size(part.width, part.height)
        return part.rate == self.mtmd.rate and is_length(part.n_samples, part.rate)

    def _key(self, chunk: MediaChunk) -> bytes:
        return hashlib.sha256(self._identity + b"\0" + chunk.key).digest()


def media_chunks(chunks: Iterable[TextChunk | MediaChunk]) -> list[MediaChunk]:
    """Without the family's own text around them."""
    return [chunk for chunk in chunks if isinstance(chunk, MediaChunk)]


def show(messages: tuple[Message, ...], media: Media | None) -> tuple[tuple[Message, ...], list[LaidOutMedia]]:
    """The messages as the model gets them, and their media in order.

    What can't be shown, by this model or because its file is gone, becomes a few words.
    """
    laid_out: list[LaidOutMedia] = []
    shown: list[Message] = []
    for index, message in enumerate(messages):
        if not message.media:
            shown.append(message)
            continue
        parts: list[Part] = []
        for part in message.parts:
            if isinstance(part, MediaPart):
                known = media.lay_out(part) if media is not None else None
                if known is None:
                    what = (
                        "picture that can't be shown"
                        if isinstance(part, ImagePart)
                        else "recording that can't be heard"
                    )
                    parts.append(TextPart(f"[a {what}: {part.name or 'without a name'}]\n"))
                    continue
                laid_out.append(LaidOutMedia(index, *known))
            parts.append(part)
        shown.append(replace(message, parts=tuple(parts)))
    return tuple(shown), laid_out


def _bitmap(part: MediaPart) -> Bitmap:
    """What mtmd lays out."""
    if isinstance(part, ImagePart):
        return Picture(part.width, part.height, part.digest)
    return Audio(part.n_samples, part.digest)


def _read(part: MediaPart, source: MediaSource, rate: int) -> tuple[MediaPart, Bitmap]:
    """The part as its file tells it, and what it holds, sounds at that rate. Raises UserError."""
    data = part.data or source.get(part.content_hash)
    if data is None:
        raise _missing(part)
    if isinstance(part, ImagePart):
        from app.engine.media.images import read_picture  # only here: with Pillow it takes 50 ms to import

        seen = read_picture(data, part.name)
        made = replace(part, width=seen.width, height=seen.height, digest=seen.digest)
        return made, Picture(seen.width, seen.height, seen.digest, seen.rgb)
    heard = read_audio(data, part.name, rate)
    n_samples = len(heard.samples)
    told = replace(part, rate=rate, n_samples=n_samples, digest=heard.digest)
    return told, Audio(n_samples, heard.digest, heard.samples)


def _missing(part: MediaPart) -> UserError:
    match part:
        case ImagePart(name=""):
            return PictureError("The picture in this message is not there any more. Add it again.")
        case ImagePart(name=name):
            return PictureError("The picture {name} is not there any more. Add it again.", name=name)
        case AudioPart(name=""):
            return AudioError("The recording in this message is not there any more. Add it again.")
        case AudioPart(name=name):
            return AudioError("The recording {name} is not there any more. Add it again.", name=name)
