"""A conversation as a Markdown text that any editor shows."""

import time
from collections.abc import Callable

from app.core.messages import AudioPart, DocumentPart, ImagePart, MediaPart, Message, Role, TextPart
from app.storage.exchange.pieces import fenced
from app.storage.exchange.records import ConversationRecord, MessageRecord

Placed = Callable[[MediaPart], str]
"""Where the file of a picture or a recording lies, as seen from the text; empty where it is lost."""


def markdown(record: ConversationRecord, placed: Placed, *, reasoning: bool = True) -> str:
    """The version on screen, with a heading for each message. Ends with a line end."""
    blocks = [f"# {record.title or 'Conversation'}", f"*{day(record.created_at)}*"]
    for each in record.path:
        blocks.append(f"## {speaker(each)}")
        blocks += _blocks(each.message, placed, reasoning=reasoning)
    return "\n\n".join(blocks) + "\n"


def speaker(record: MessageRecord) -> str:
    """Who says it; an answer's model where it is known."""
    match record.message.role:
        case Role.USER:
            return "You"
        case Role.SYSTEM:
            return "System prompt"
        case Role.TOOL:
            return f"Tool {record.message.name}".strip()
        case Role.ASSISTANT:
            model = (record.figures or {}).get("model")
            return model if isinstance(model, str) and model else "Answer"


def told_sources(message: Message) -> str:
    """What a question brought, by the numbers that answers cite it by; empty where it brought nothing."""
    whole = (each for each in message.documents if each.starts and not each.by_passages)
    files = (f"{_numbers(each)} {each.name or 'document'}" for each in whole)
    places = ((each, f", page {each.page}" if each.page else "") for each in message.passages)
    return "; ".join((*files, *(f"[{each.number}] {each.name or 'document'}{page}" for each, page in places)))


def _numbers(part: DocumentPart) -> str:
    """Of a document that goes whole."""
    last = part.number + len(part.starts) - 1
    return f"[{part.number}]" if last == part.number else f"[{part.number}] to [{last}]"


def day(seconds: float) -> str:
    """In the local time zone."""
    try:
        return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))
    except (OverflowError, ValueError, OSError):
        return ""


def _blocks(message: Message, placed: Placed, *, reasoning: bool) -> list[str]:
    blocks = []
    if reasoning and message.reasoning.strip():
        blocks.append("> **Reasoning**\n>\n" + _quoted(message.reasoning.strip()))
    text: list[str] = []
    for part in message.parts:
        match part:
            case TextPart(words):
                text.append(words)
            case ImagePart(name=name):
                address = placed(part)
                blocks.append(f"![{_plain(name)}](<{address}>)" if address else f"[{_plain(name) or 'picture'}]")
            case AudioPart(name=name):
                address, label = placed(part), _plain(name) or "recording"
                blocks.append(f"[{label}](<{address}>)" if address else f"[{label}]")
            case DocumentPart(name=name, text=words):
                blocks.append(f"**{_plain(name) or 'Document'}**\n\n{fenced(words)}")
    # Pieces of one text are one text.
    if said := "".join(text).strip("\n"):
        blocks.append(fenced(said) if message.role is Role.TOOL else said)
    if sources := told_sources(message):
        blocks.append("*Sources:* " + _plain(sources))
    for call in message.tool_calls:
        blocks.append(f"**Calls {_plain(call.name)}**\n\n{fenced(call.arguments, 'json')}")
    return blocks


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())


def _plain(name: str) -> str:
    return "".join(f"\\{each}" if each in "\\`*_[]<>" else each for each in " ".join(name.split()))
