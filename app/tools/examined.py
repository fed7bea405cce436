"""A call before anybody is asked: what it means, or what is wrong with it."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from app.core.messages import ToolCall
from app.tools.built_in.source import Source
from app.tools.permissions import Circumstances, Permissions, Why
from app.tools.schema import arguments_for
from app.tools.tool import OfferedTool, Tool, to_model

Find = Callable[[OfferedTool], tuple[Tool, Source | None] | str]
"""A tool as it is now, and its source where it is built in; or what the model is told, where it can't be called."""


@dataclass(frozen=True, slots=True)
class Examined:
    """A call that may run as soon as it is allowed."""

    tool: Tool
    source: Source | None
    arguments: Mapping[str, object]
    why: Why | None
    """Why a person is asked; None where nobody is."""


def examined(
    call: ToolCall, offered: Sequence[OfferedTool], find: Find, permissions: Permissions, now: Circumstances
) -> Examined | str:
    """Or what the model is told of a call that is wrong."""
    known = next((each for each in offered if each.name == call.name), None)
    if known is None:
        names = ", ".join(each.name for each in offered if not each.waits)
        return to_model("There is no tool {name}. There are: {names}.", name=call.name, names=names or "none")
    found = find(known)
    if isinstance(found, str):
        return found
    tool, source = found
    arguments = arguments_for(tool.schema, call.arguments)
    if isinstance(arguments, str):
        return arguments
    if source is not None:
        tool = source.aimed(tool, arguments)
    return Examined(tool, source, arguments, permissions.why_ask(tool, now))


def times_made(call: ToolCall, before: Iterable[ToolCall]) -> int:
    """How often the same call came, whatever its blanks."""
    same = (each.name == call.name and _meant(each) == _meant(call) for each in before)
    return sum(same)


def _meant(call: ToolCall) -> object:
    try:
        return json.loads(call.arguments)
    except (ValueError, RecursionError):
        return call.arguments
