"""Tools under the names by which a model knows them."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from app.tools.schema import completed
from app.tools.tool import OfferedTool, Tool

_NAME = re.compile(r"[^A-Za-z0-9_-]+")
_LONGEST_NAME = 64


def offered_tools(
    sources: Iterable[tuple[str, Sequence[Tool]]], before: Sequence[OfferedTool] = ()
) -> tuple[OfferedTool, ...]:
    """Tools under names that no other has: those of `before` first, as they were, where their source is among them."""
    sources = list(sources)
    made = [each for each in before if each.server in {source for source, _ in sources}]
    known = {(each.server, each.tool) for each in made}
    taken = {each.name for each in made}
    for source, tools in sources:
        for tool in tools:
            if (source, tool.name) not in known:
                name = _free_name(tool, taken)
                taken.add(name)
                made.append(OfferedTool(name, source, tool.name, _declared(tool, name)))
    return tuple(made)


def _free_name(tool: Tool, taken: set[str]) -> str:
    """Its own where that is free, otherwise with its server's before it."""
    own = _NAME.sub("_", tool.name)[:_LONGEST_NAME] or "tool"
    if own not in taken:
        return own
    longer = _NAME.sub("_", f"{tool.server}_{tool.name}")[: _LONGEST_NAME - 4]
    numbered = (f"{longer}_{n}" for n in range(2, 1000))
    return next(each for each in (longer, *numbered) if each not in taken)


def _declared(tool: Tool, name: str) -> dict[str, Any]:
    told = {"name": name, "description": tool.description, "parameters": completed(tool.schema)}
    return {"type": "function", "function": told}
