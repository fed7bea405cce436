"""What holds for the messages of every dialect."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from app.api.limits import Limits
from app.api.validation import invalid
from app.core.messages import DocumentPart, Message, Role, TextPart


@dataclass(frozen=True, slots=True)
class Told:
    """A conversation as its client tells it, and by the place of an answer among the messages what that was called."""

    messages: tuple[Message, ...]
    ids: Mapping[int, tuple[str, ...]]


def check_count(messages: list[object], limits: Limits, where: str = "messages") -> None:
    """Before anything is made of them. Raises ApiError."""
    told = [each for each in messages if isinstance(each, dict)]
    inner = [each.get(name) for each in told for name in ("content", "tool_calls")]
    if len(messages) + sum(len(each) for each in inner if isinstance(each, list)) > limits.messages:
        raise invalid(where, f"A request takes up to {limits.messages:,} messages, with their parts and calls.")


def checked_messages(messages: list[Message], limits: Limits, where: str = "messages") -> tuple[Message, ...]:
    """With the names of functions beside what they answered. Raises ApiError."""
    _check_sizes(messages, limits, where)
    return tuple(_with_names(messages))


def _check_sizes(messages: list[Message], limits: Limits, where: str) -> None:
    written = sum(
        len(part.text) for each in messages for part in each.parts if isinstance(part, TextPart | DocumentPart)
    )
    written += sum(len(each.reasoning) + sum(len(call.arguments) for call in each.tool_calls) for each in messages)
    if written > limits.prompt:
        told = f"The messages have {written:,} characters; up to {limits.prompt:,} are taken."
        raise invalid(where, told, code="context_length_exceeded")
    if sum(len(each.media) for each in messages) > limits.media:
        raise invalid(where, f"A request takes up to {limits.media} pictures and recordings.")


def _with_names(messages: list[Message]) -> list[Message]:
    """What tools answered, with the names of the functions that were called: some templates write them. Clients count
    their calls anew in each turn, so the last call before an answer is meant.
    """
    names: dict[str, str] = {}
    made = []
    for each in messages:
        names |= {call.id: call.name for call in each.tool_calls}
        unnamed = each.role is Role.TOOL and not each.name
        made.append(replace(each, name=names.get(each.tool_call_id, "")) if unnamed else each)
    return made
