"""What tools give, as text that a model reads."""

import json
from collections.abc import Callable
from typing import Any

_CUT = "\n[Cut here: characters {start} to {end} of {all}.]"
_GOES_ON = '\n[Cut here: characters {start} to {end} of {all}. read_result with id "{id}" and start {end} reads on.]'


def text_of(found: Any) -> str:
    """Of a `CallToolResult`: its texts, and a line for what is none. Structured content stands in where there is
    nothing else, for servers send it twice.
    """
    told = [_told(part) for part in found.content]
    if not told and found.structured_content is not None:
        return json.dumps(found.structured_content, ensure_ascii=False)
    return "\n".join(told)


def cut(text: str, most: int, start: int = 0, read_on: Callable[[str], str] = lambda _: "") -> str:
    """Not more than `most` characters of it, from `start` on, and a sentence where some are missing. `read_on` keeps
    the whole, and returns the id by which `read_result` finds it; or nothing, where it can't be read on.
    """
    if start == 0 and len(text) <= most:
        return text
    end = min(start + most, len(text))
    known = read_on(text) if end < len(text) else ""
    return text[start:end] + (_GOES_ON if known else _CUT).format(start=start, end=end, all=len(text), id=known)


def _told(part: Any) -> str:
    match part.type:
        case "text":
            return str(part.text)
        case "image":
            return f"[A picture ({part.mime_type}), which is not shown here.]"
        case "audio":
            return f"[A sound ({part.mime_type}), which is not played here.]"
        case "resource_link":
            return f"[{part.name}: {part.uri}]"
        case "resource":
            text = getattr(part.resource, "text", None)
            return str(text) if text is not None else f"[{part.resource.uri}, which is no text.]"
        case kind:
            return f"[{kind}]"
