"""Pictures and recordings of requests: base64 in, decoded once each."""

import asyncio
import base64
import binascii
import hashlib
from collections import OrderedDict
from dataclasses import replace
from typing import Annotated

from aiohttp import web
from msgspec import Meta

from app.api.errors import ApiError
from app.core.errors import UserError
from app.core.messages import AudioPart, ImagePart, MediaPart, Message, Part
from app.core.requests import ChatRequest
from app.engine.media.audio import read_audio

_KEPT = 256
STRIPPED_HEADER = "Hearth-Stripped-Images"
"""How many pictures the model was only told the names of."""
_STRIPPED = web.RequestKey("stripped", int)
_IMAGE, _AUDIO = "invalid_image", "invalid_audio"
DataUrl = Annotated[
    str,
    Meta(
        extra_json_schema={"pattern": "^data:([^,]*);base64,[A-Za-z0-9+/]*={0,2}$"}, title="a text that is a data URL"
    ),
]


def picture_from(where: str, url: object) -> ImagePart:
    """The picture of a data URL, not decoded yet. Raises ApiError; nothing is ever fetched."""
    if not isinstance(url, str):
        raise _invalid(where, f"{where} must be a text.")
    head, comma, data = url.partition(",")
    if not head.startswith("data:") or not comma:
        raise _invalid(where, f"{where} must be a data URL, such as data:image/png;base64,... Hearth fetches nothing.")
    if not head.endswith(";base64"):
        raise _invalid(where, f"{where} must be encoded in base64.")
    content_hash, decoded = _decoded(where, data, _IMAGE)
    return ImagePart(content_hash, data=decoded)


def audio_from(where: str, data: str) -> AudioPart:
    """The recording of a base64 text, or of a data URL, not decoded yet. Raises ApiError."""
    content_hash, decoded = _decoded(where, data.partition(",")[2] if data.startswith("data:") else data, _AUDIO)
    return AudioPart(content_hash, data=decoded)


def _decoded(where: str, data: str, code: str) -> tuple[str, bytes]:
    """The sha256 of what a base64 text holds, and that. Raises ApiError."""
    try:
        decoded = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        raise _invalid(where, f"{where} holds no valid base64.", code) from None
    return hashlib.sha256(decoded).hexdigest(), decoded


def strip(request: web.Request, chat: ChatRequest) -> None:
    """Note that the model sees none of its pictures: the answer's header tells it."""
    request[_STRIPPED] = sum(len(each.pictures) for each in chat.messages)


async def tell_stripped(request: web.Request, response: web.StreamResponse) -> None:
    """To be called before a response is sent."""
    if count := request.get(_STRIPPED):
        response.headers[STRIPPED_HEADER] = str(count)


class MediaDecoder:
    """Decodes what comes in, off the event loop, and remembers what it has seen. Lives on one event loop."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, MediaPart] = OrderedDict()
        """By the file's hash: size or length and identity, without the bytes."""

    async def identified(self, chat: ChatRequest, place: str) -> ChatRequest:
        """The request with size and identity of each picture and recording. Raises ApiError for one that can't be read,
        which names the `place` of its message, {} being the number of that.
        """
        messages: list[Message] = []
        for index, message in enumerate(chat.messages):
            if not message.media:
                messages.append(message)
                continue
            parts: list[Part] = []
            for part in message.parts:
                parts.append(await self._identified(place.format(index), part) if isinstance(part, MediaPart) else part)
            messages.append(replace(message, parts=tuple(parts)))
        return replace(chat, messages=tuple(messages))

    async def _identified(self, place: str, part: MediaPart) -> MediaPart:
        known = self._known.get(part.content_hash)
        if known is None:
            try:
                known = await asyncio.to_thread(_measured, part)
            except UserError as error:
                code = _IMAGE if isinstance(part, ImagePart) else _AUDIO
                raise _invalid(place, error.sentence, code) from None
            self._known[part.content_hash] = known
            if len(self._known) > _KEPT:
                self._known.popitem(last=False)
        self._known.move_to_end(part.content_hash)
        return replace(known, data=part.data, in_memory=True)


def _measured(part: MediaPart) -> MediaPart:
    """Without its bytes. Raises UserError."""
    if isinstance(part, AudioPart):
        heard = read_audio(part.data)
        return AudioPart(part.content_hash, "", heard.rate, len(heard.samples), heard.digest)
    from app.engine.media.images import read_picture  # only here: with Pillow it takes 50 ms to import

    seen = read_picture(part.data)
    return ImagePart(part.content_hash, "", seen.width, seen.height, seen.digest)


def _invalid(param: str, message: str, code: str = _IMAGE) -> ApiError:
    return ApiError(400, message, param=param, code=code)
