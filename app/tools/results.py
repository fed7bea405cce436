"""What tools give, as text that a model reads."""

import json
from typing import Any

CUT = "\n[Cut here: {shown} of {all} characters.]"


def text_of(found: Any) -> str:
    """Of a `CallToolResult`: its texts, and a line for what is none. Structured content stands in where there is
    nothing else, for servers send it twice.
    """
    told = [_told(part) for part in found.content]
    if not told and found.structured_content is not None:
        return json.dumps(found.structured_content, ensure_ascii=False)
    return "\n".join(told)


def cut(text: str, most: int) -> str:
    """Not more than `most` characters of it, and a sentence where some are missing."""
    if len(text) <= most:
        return text
    return text[:most] + CUT.format(shown=f"{most:,}", all=f"{len(text):,}")


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
