"""What messages hold, in the words of every dialect: how it is declared, and what it is as parts of ours.

Clients mix the dialects' words, and each of them is plain.
"""

import base64
import binascii
import hashlib
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from typing import Annotated

from msgspec import Meta, Struct

from app.api.media import DataUrl, audio_from, picture_from
from app.api.validation import invalid
from app.core.errors import UserError
from app.core.messages import DocumentPart, Part, TextPart


class Text(Struct, tag_field="type", tag="text", kw_only=True, frozen=True):
    text: str


class InputText(Struct, tag_field="type", tag="input_text", kw_only=True, frozen=True):
    text: str


class OutputText(Struct, tag_field="type", tag="output_text", kw_only=True, frozen=True):
    text: str


class Refusal(Struct, tag_field="type", tag="refusal", kw_only=True, frozen=True):
    refusal: str


class _Url(Struct, kw_only=True, frozen=True):
    url: DataUrl


class ImageUrl(Struct, tag_field="type", tag="image_url", kw_only=True, frozen=True):
    image_url: _Url | DataUrl


class InputImage(Struct, tag_field="type", tag="input_image", kw_only=True, frozen=True):
    image_url: _Url | DataUrl


class _Audio(Struct, kw_only=True, frozen=True):
    data: str
    """Base64."""
    format: str = ""
    """What the file says goes before it."""


class InputAudio(Struct, tag_field="type", tag="input_audio", kw_only=True, frozen=True):
    input_audio: _Audio


class _Base64Source(Struct, tag_field="type", tag="base64", kw_only=True, frozen=True):
    data: str
    media_type: str = ""


class _UrlSource(Struct, tag_field="type", tag="url", kw_only=True, frozen=True):
    url: DataUrl


class _TextSource(Struct, tag_field="type", tag="text", kw_only=True, frozen=True):
    data: str


class _ContentSource(Struct, tag_field="type", tag="content", kw_only=True, frozen=True):
    content: str | list[Text]


class Image(Struct, tag_field="type", tag="image", kw_only=True, frozen=True):
    source: _Base64Source | _UrlSource


class Document(Struct, tag_field="type", tag="document", kw_only=True, frozen=True):
    source: _TextSource | _ContentSource | _Base64Source
    title: str | None = None


class _File(Struct, kw_only=True, frozen=True):
    file_data: str
    """A data URL, or base64."""
    filename: str | None = None


class File(Struct, tag_field="type", tag="file", kw_only=True, frozen=True):
    file: _File


class InputFile(_File, tag_field="type", tag="input_file", kw_only=True, frozen=True):
    pass


ContentPart = (
    Text | InputText | OutputText | Refusal | ImageUrl | InputImage | Image | InputAudio | Document | File | InputFile
)
Parts = Annotated[list[ContentPart], Meta(title="a list of parts")]
Content = str | Parts


def parts_from(
    where: str, content: str | list[ContentPart] | Mapping[int, ContentPart], *, lines: bool = False
) -> Iterator[Part]:
    """`lines`: a text that follows another begins on a line of its own. Raises ApiError."""
    if isinstance(content, str):
        yield TextPart(content)
        return
    after_text = False
    for index, each in content.items() if isinstance(content, Mapping) else enumerate(content):
        part = _part(f"{where}[{index}]", each)
        if lines and after_text and isinstance(part, TextPart):
            yield TextPart("\n")
        yield part
        after_text = isinstance(part, TextPart)


def text_of(content: str | list[ContentPart]) -> str:
    """The texts in it, joined as an answer of ours is cut into them."""
    return content if isinstance(content, str) else "".join(map(_text, content))


def _text(told: ContentPart) -> str:
    match told:
        case Text(text=text) | InputText(text=text) | OutputText(text=text) | Refusal(refusal=text):
            return text
    return ""


def _part(where: str, told: ContentPart) -> Part:
    match told:
        case ImageUrl(image_url=url) | InputImage(image_url=url):
            at = f"{where}.image_url"
            return picture_from(f"{at}.url", url.url) if isinstance(url, _Url) else picture_from(at, url)
        case Image(source=_UrlSource(url=url)):
            return picture_from(f"{where}.source.url", url)
        case Image(source=_Base64Source(data=data)):
            return picture_from(f"{where}.source.data", f"data:;base64,{data}")
        case InputAudio(input_audio=_Audio(data=data)):
            return audio_from(f"{where}.input_audio.data", data)
        case Document(source=source, title=title):
            return _document(f"{where}.source", source, title)
        case File(file=_File(file_data=data, filename=name)):
            return _file(f"{where}.file.file_data", data, name)
        case InputFile(file_data=data, filename=name):
            return _file(f"{where}.file_data", data, name)
    return TextPart(_text(told))


def _document(where: str, source: _TextSource | _ContentSource | _Base64Source, title: str | None) -> DocumentPart:
    match source:
        case _TextSource(data=text):
            return _named(title, text)
        case _ContentSource(content=str(text)):
            return _named(title, text)
        case _ContentSource(content=content):
            return _named(title, "\n".join(each.text for each in content if isinstance(each, Text)))
        case _Base64Source(data=data):
            return _file(f"{where}.data", data, title)


def _file(where: str, told: str, name: str | None) -> DocumentPart:
    try:
        data = base64.b64decode(told.partition(",")[2] if told.startswith("data:") else told, validate=True)
    except (binascii.Error, ValueError):
        raise invalid(where, f"{where} holds no valid base64.") from None
    try:
        return _named(name, _texts.read(data, name or "This file"))
    except UserError as error:
        raise invalid(where, error.sentence) from None


class _Texts:
    """Of the files that came last: an agent sends the same ones with each turn. From any thread."""

    _MOST = 16

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, str], str] = OrderedDict()
        """By the file's hash and its name, which tells a mail from a text."""
        self._lock = threading.Lock()

    def read(self, data: bytes, name: str) -> str:
        """Raises UserError."""
        key = hashlib.sha256(data).hexdigest(), name
        with self._lock:
            text = self._kept.pop(key, None)
        if text is None:
            from app.engine.documents.document_process import document_text  # few requests have one

            text = document_text(data, name)
        with self._lock:
            self._kept[key] = text
            while len(self._kept) > self._MOST:
                self._kept.popitem(last=False)
        return text


_texts = _Texts()


def _named(name: str | None, text: str) -> DocumentPart:
    return DocumentPart(hashlib.sha256(text.encode("utf-8", "replace")).hexdigest(), name or "document", text)
