"""What tools give, as text that a model reads, and as pictures."""

import base64
import json
from collections.abc import Callable, Iterator
from typing import Any

from app.core.messages import ImagePart

_MOST_PICTURES = 8
_CHARS_OF_TOKEN = 3
"""Fewer than there are in most texts."""
_CUT = "\n[Cut here: characters {start} to {end} of {all}.]"
_GOES_ON = '\n[Cut here: characters {start} to {end} of {all}. read_result with id "{id}" and start {end} reads on.]'


def text_of(found: Any) -> str:
    """Of a `CallToolResult`: its texts, and a line for what is neither text nor picture. Structured content stands in
    where there is nothing else, for servers send it twice.
    """
    told = [_told(part) for part in found.content if not _picture(part)]
    if not found.content and found.structured_content is not None:
        return json.dumps(found.structured_content, ensure_ascii=False)
    return "\n".join(told)


def pictures_of(found: Any, name: str) -> tuple[ImagePart, ...]:
    """Of a `CallToolResult` of the tool `name`; nobody has looked whether they are any."""
    return tuple(_pictures(found, name))[:_MOST_PICTURES]


def text_of_prompt(found: Any) -> str:
    """Of a `GetPromptResult`: what its messages say, whoever is to say it."""
    return "\n\n".join(_told(message.content) for message in found.messages if not _picture(message.content))


def contents_of(found: Any, name: str) -> tuple[str, tuple[ImagePart, ...]]:
    """Of a `ReadResourceResult`: its texts, and what is a picture of it."""
    texts = [str(each.text) for each in found.contents if getattr(each, "text", None) is not None]
    blobs = [str(each.blob) for each in found.contents if getattr(each, "blob", None) is not None]
    pictures = tuple(_as_picture(blob, name) for blob in blobs)
    return "\n".join(texts), pictures


def _pictures(found: Any, name: str) -> Iterator[ImagePart]:
    for number, data in enumerate(filter(None, map(_picture, found.content)), 1):
        yield _as_picture(data, f"{name} {number}")


def _as_picture(data: str, name: str) -> ImagePart:
    try:
        return ImagePart("", name, data=base64.b64decode(data))
    except ValueError:
        # It goes on as bytes that are no picture, and is told as such.
        return ImagePart("", name, data=data.encode())


def cut(text: str, most: int, start: int = 0, read_on: Callable[[str], str] = lambda _: "") -> str:
    """Not more than `most` characters of it, from `start` on, and a sentence where some are missing. `read_on` keeps
    the whole, and returns the id by which `read_result` finds it; or nothing, where it can't be read on.
    """
    if start == 0 and len(text) <= most:
        return text
    end = min(start + most, len(text))
    known = read_on(text) if end < len(text) else ""
    return text[start:end] + (_GOES_ON if known else _CUT).format(start=start, end=end, all=len(text), id=known)


def most_chars(limit: int, n_ctx: int) -> int:
    """How many characters of a result a model is shown: up to a quarter of its context."""
    return min(limit, n_ctx // 4 * _CHARS_OF_TOKEN)


def _told(part: Any) -> str:
    match part.type:
        case "text":
            return str(part.text)
        case "audio":
            return f"[A sound ({part.mime_type}), which is not played here.]"
        case "resource_link":
            return f"[{part.title or part.name}: {part.uri}]"
        case "resource":
            text = getattr(part.resource, "text", None)
            return str(text) if text is not None else f"[{part.resource.uri}, which is no text.]"
        case kind:
            return f"[{kind}]"


def _picture(part: Any) -> str:
    """Base64; empty for what says that it is something else."""
    if part.type == "image":
        return str(part.data)
    if part.type == "resource" and str(part.resource.mime_type).startswith("image/"):
        return str(getattr(part.resource, "blob", ""))
    return ""
