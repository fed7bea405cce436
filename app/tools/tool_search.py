"""Tools that wait: too many to be read before every chat, so the model looks for what it needs.

What is found is told in a result, and may be called from then on: the beginning of the prompt stays as it is.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import log

from app.tools.schema import arguments_for
from app.tools.tool import OfferedTool, to_model

SEARCH = ":search"
"""The source of the tool that finds others: no server's name."""
_NAMES = ("search_tools", "find_tools", "search_for_tools")
_FOUND = 5
_SATURATION, _LENGTH = 1.2, 0.75
"""Okapi BM25's k1 and b (Robertson and Zaragoza 2009)."""
_SCHEMA = {
    "type": "object",
    "properties": {"query": {"type": "string", "description": "A few words for what the tool should do, or its name"}},
    "required": ["query"],
}


def waiting(offered: Sequence[OfferedTool]) -> tuple[OfferedTool, ...]:
    """The same tools behind one that finds them; what is built in goes on to be told."""
    made = tuple(each if _is_built_in(each) else replace(each, waits=True) for each in offered)
    return (_search_tool(made), *made)


def searched(arguments: str, offered: Iterable[OfferedTool]) -> str:
    """What the model is told that calls the search with these arguments."""
    asked = arguments_for(_SCHEMA, arguments)
    if isinstance(asked, str):
        return asked
    found = best([each for each in offered if each.waits], str(asked["query"]))
    if not found:
        return to_model("No tool has these words. Try others.")
    told = (json.dumps(each.declaration["function"], ensure_ascii=False) for each in found)
    return "\n".join((to_model("These may be called now:"), *told))


def names_found(text: str) -> set[str]:
    """The tools that a result of the search told of."""
    return {name for line in text.splitlines() if (name := _name_in(line))}


def best(tools: Sequence[OfferedTool], query: str) -> list[OfferedTool]:
    """Those whose names and descriptions have the words of `query`, by BM25."""
    held = [Counter(_words(_text(each))) for each in tools]
    usual = sum(counts.total() for counts in held) / max(1, len(held))
    wanted = {word: sum(word in counts for counts in held) for word in _words(query)}

    def score(counts: Counter[str]) -> float:
        room = _SATURATION * (1 - _LENGTH + _LENGTH * counts.total() / usual)
        rare = {word: log(1 + (len(held) - n + 0.5) / (n + 0.5)) for word, n in wanted.items()}
        return sum(rare[word] * counts[word] * (_SATURATION + 1) / (counts[word] + room) for word in wanted)

    scores = [score(counts) for counts in held]
    order = sorted(range(len(tools)), key=lambda at: -scores[at])
    return [tools[at] for at in order[:_FOUND] if scores[at] > 0]


def _search_tool(tools: Sequence[OfferedTool]) -> OfferedTool:
    counts = Counter(each.server for each in tools if each.waits)
    servers = ", ".join(f"{name} ({n})" for name, n in counts.items())
    description = to_model("Finds further tools. These servers have some: {servers}.", servers=servers)
    taken = {each.name for each in tools}
    name = next(each for each in _NAMES if each not in taken)
    function = {"name": name, "description": description, "parameters": _SCHEMA}
    return OfferedTool(name, SEARCH, name, {"type": "function", "function": function})


def _is_built_in(tool: OfferedTool) -> bool:
    return not tool.server or tool.server.startswith(":")


def _text(tool: OfferedTool) -> str:
    """The name counts twice."""
    function = tool.declaration["function"]
    arguments = " ".join(function["parameters"]["properties"])
    return f"{tool.server} {tool.name} {tool.name} {function['description']} {arguments}"


def _words(text: str) -> list[str]:
    parted = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text)
    return [word.removesuffix("s") for word in re.findall(r"[^\W_]+", parted.lower())]


def _name_in(line: str) -> str:
    try:
        told = json.loads(line)
    except ValueError:
        return ""
    return str(told.get("name", "")) if isinstance(told, dict) else ""
