"""What one model sees: pictures laid out as entries of the prompt, and each of them encoded once."""

import hashlib
import logging
import re
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from app.core.errors import UserError
from app.core.messages import ImagePart, Message, Part, TextPart
from app.core.sentence import Sentence
from app.engine.binding.vision import EncodeFailedError, Vision
from app.engine.binding.vision_chunks import ImageChunk, TextChunk, VisionRefusedError, is_size
from app.engine.prompt.prompt import LaidOutPicture
from app.engine.vision.embeddings import EmbeddingCache
from app.engine.vision.images import Picture, PictureError, read_picture

_log = logging.getLogger(__name__)

_IDENTITY = re.compile("[0-9a-f]{64}")


class PictureSource(Protocol):
    """Where the files of pictures lie, under the sha256 of their bytes."""

    def get(self, content_hash: str) -> bytes | None: ...

    def has(self, content_hash: str) -> bool: ...


class NoPictures:
    """A source without files, for pictures that carry their own bytes."""

    def get(self, content_hash: str) -> bytes | None:
        return None

    def has(self, content_hash: str) -> bool:
        return False


@dataclass(frozen=True, slots=True)
class PictureStores:
    """What outlives a model: the files, and what encoders made of them."""

    source: PictureSource
    embeddings: EmbeddingCache


class Pictures:
    """The pictures of one loaded projector. Used by the engine thread alone."""

    def __init__(self, vision: Vision, stores: PictureStores, identity: str) -> None:
        """`identity` names all that the embeddings depend on beside the picture: projector, settings, build."""
        self.vision = vision
        self._stores = stores
        self._identity = identity.encode()
        self._parts: dict[str, ImagePart] = {}
        """By the picture's identity: what its file is called in the store."""
        self._decoded: dict[str, ImagePart] = {}
        """By the file's hash: parts that came without size and identity, with them."""
        self._fresh: dict[bytes, NDArray[np.float32]] = {}
        """Of the picture that was encoded last, however small the cache is."""

    def lay_out(self, part: ImagePart) -> tuple[TextChunk | ImageChunk, ...] | None:
        """The picture as entries. None where it is gone: no file, and not all of it encoded before."""
        if (known := self._identified(part)) is None:
            return None
        self._parts[known.pixels] = known
        try:
            chunks = self.vision.chunks(known.width, known.height, known.pixels)
        except VisionRefusedError as error:
            _log.warning("A picture of %d x %d is left out: %s", known.width, known.height, error)
            return None
        images = (chunk for chunk in chunks if isinstance(chunk, ImageChunk))
        there = known.data or self._stores.source.has(known.content_hash) or all(map(self.is_encoded, images))
        return chunks if there else None

    def is_encoded(self, chunk: ImageChunk) -> bool:
        return chunk.key in self._fresh or self._stores.embeddings.has(self._key(chunk))

    def embedding(self, chunk: ImageChunk) -> NDArray[np.float32] | None:
        """Float32 of shape (chunk.n_tokens, vision.n_embd), from the cache or the encoder.

        None when the cancel flag was set meanwhile. Raises UserError where the file is gone or damaged.
        """
        found = self._fresh.get(chunk.key)
        if found is None:
            found = self._stores.embeddings.get(self._key(chunk))
        if found is None:
            part = self._parts[chunk.picture]
            picture = _read(part, self._stores.source)
            if (picture.width, picture.height) != (part.width, part.height):
                raise _missing(part)  # it was laid out as a chat that was imported told it
            self._encode(part, picture)
            found = self._fresh.get(chunk.key)
        return found

    def encode(self, part: ImagePart) -> bool:
        """Look at a picture ahead of time. False when it was cancelled. Raises UserError as `embedding` does."""
        chunks = self.lay_out(part)
        if chunks is None:
            raise _missing(part)
        images = [chunk for chunk in chunks if isinstance(chunk, ImageChunk)]
        return all(self.is_encoded(chunk) or self.embedding(chunk) is not None for chunk in images)

    def name_of(self, chunk: ImageChunk) -> str:
        return self._parts[chunk.picture].name

    def close(self) -> None:
        self.vision.close()

    def _encode(self, part: ImagePart, picture: Picture) -> None:
        """Encode the slices that nobody has yet, as far as the cancel flag lets it."""
        self._fresh.clear()
        made = self.vision.encode(
            picture.width, picture.height, picture.rgb, part.pixels, wanted=lambda chunk: not self.is_encoded(chunk)
        )
        try:
            for chunk, embedding in made:
                self._fresh[chunk.key] = embedding
                self._stores.embeddings.put(self._key(chunk), embedding, on_disk=not part.in_memory)
        except (EncodeFailedError, VisionRefusedError) as error:
            raise PictureError(
                "This model's projector failed at {name}. Remove it, or try another model.",
                name=part.name or Sentence("a picture"),
                detail=str(error),
            ) from error

    def _identified(self, part: ImagePart) -> ImagePart | None:
        # An imported chat may say anything.
        if _IDENTITY.fullmatch(part.pixels) and is_size(part.width, part.height):
            return part
        if part.content_hash not in self._decoded:
            try:
                picture = _read(part, self._stores.source)
            except UserError as error:
                _log.warning("A picture is left out: %s", error.sentence)
                return None
            known = replace(part, width=picture.width, height=picture.height, pixels=picture.pixels)
            self._decoded[part.content_hash] = known
        return self._decoded[part.content_hash]

    def _key(self, chunk: ImageChunk) -> bytes:
        return hashlib.sha256(self._identity + b"\0" + chunk.key).digest()


def show(messages: tuple[Message, ...], pictures: Pictures | None) -> tuple[tuple[Message, ...], list[LaidOutPicture]]:
    """The messages as the model gets them, and their pictures in order.

    A picture that can't be shown, by this model or because its file is gone, becomes a few words.
    """
    laid_out: list[LaidOutPicture] = []
    shown: list[Message] = []
    for index, message in enumerate(messages):
        if not message.pictures:
            shown.append(message)
            continue
        parts: list[Part] = []
        for part in message.parts:
            if isinstance(part, ImagePart):
                chunks = pictures.lay_out(part) if pictures is not None else None
                if chunks is None:
                    parts.append(TextPart(f"[a picture that can't be shown: {part.name or 'without a name'}]\n"))
                    continue
                laid_out.append(LaidOutPicture(index, chunks))
            parts.append(part)
        shown.append(replace(message, parts=tuple(parts)))
    return tuple(shown), laid_out


def _read(part: ImagePart, source: PictureSource) -> Picture:
    data = part.data or source.get(part.content_hash)
    if data is None:
        raise _missing(part)
    return read_picture(data, part.name)


def _missing(part: ImagePart) -> PictureError:
    if not part.name:
        return PictureError("The picture in this message is not there any more. Add it again.")
    return PictureError("The picture {name} is not there any more. Add it again.", name=part.name)
