"""Which efforts of reasoning a chat template tells apart: found out by trying, as families name them differently."""

from collections.abc import Callable, Mapping

from app.core.reasoning import Effort

Render = Callable[[Mapping[str, object]], str]
"""The prompt of a short question under such variables of the template; empty where that fails."""

_SWITCHES = ("enable_thinking", "thinking")
_EFFORT, _NONE, _UNKNOWN = "reasoning_effort", "none", "qneedleq"
_LEVELS = (Effort.LOW, Effort.MEDIUM, Effort.HIGH)


def efforts_of(render: Render) -> dict[Effort, dict[str, object]]:
    """In the order of `Effort`, each with the variables that ask for it; empty where there is nothing to choose."""
    switch = next((name for name in _SWITCHES if _tells_apart(render, {name: True}, {name: False})), "")
    on: dict[str, object] = {switch: True} if switch else {}
    levels = _levels(render, on)
    found: dict[Effort, dict[str, object]] = {}
    if switch:
        found[Effort.OFF] = {switch: False}
    elif _knows_none(render):
        found[Effort.OFF] = {_EFFORT: _NONE}
    if levels and (len(levels) > 1 or found):
        found |= {level: {**on, _EFFORT: level.value} for level in levels}
    elif switch:
        found[Effort.ON] = on
    return found if len(found) > 1 else {}


def _tells_apart(render: Render, one: Mapping[str, object], other: Mapping[str, object]) -> bool:
    told = render(one), render(other)
    return all(told) and told[0] != told[1]


def _levels(render: Render, on: Mapping[str, object]) -> list[Effort]:
    """Those that each give another prompt. Several that are treated as any unknown word are not known themselves."""
    if not render({**on, _EFFORT: Effort.HIGH.value}) or not _tells_any(render, on):
        return []
    groups: dict[str, list[Effort]] = {}
    for level in _LEVELS:
        groups.setdefault(render({**on, _EFFORT: level.value}), []).append(level)
    unknown = render({**on, _EFFORT: _UNKNOWN})
    groups.pop("", None)
    return [each[-1] for told, each in groups.items() if told != unknown or len(each) == 1]


def _tells_any(render: Render, on: Mapping[str, object]) -> bool:
    """Whether the word for the effort makes a difference at all."""
    return len({render({**on, _EFFORT: word}) for word in (*_LEVELS, _NONE)} - {""}) > 1


def _knows_none(render: Render) -> bool:
    """Whether "none" is a word of the template's own: no level, and not printed or passed over as any word would be."""
    unknown, none = render({_EFFORT: _UNKNOWN}), render({_EFFORT: _NONE})
    others = {render({_EFFORT: level.value}) for level in _LEVELS} - {""}
    return bool(none and others) and _UNKNOWN not in unknown and none not in {unknown, *others}
