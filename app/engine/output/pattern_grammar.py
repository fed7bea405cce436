"""A regular expression of a JSON schema as a grammar."""

import json
import re
from importlib import import_module
from typing import Any

from app.core.errors import UserError
from app.engine.output.gbnf import Rules, choice, literal

_PARSER: Any = import_module("re._parser")
"""The one that Python itself compiles with."""
_LAST = 0x10FFFF
_KNOWN = {
    "CATEGORY_DIGIT": [(48, 57)],
    "CATEGORY_WORD": [(48, 57), (65, 90), (95, 95), (97, 122)],
    "CATEGORY_SPACE": [(9, 13), (32, 32)],
}


def pattern_expression(pattern: str, rules: Rules, character: str, raw: str | None) -> str:
    """The texts in which `pattern` is found, as the inside of a JSON string, or plain where `raw` is given: then with
    none of its characters. `character` stands for any one character.

    Raises UserError for what grammars don't have, such as looking ahead.
    """
    try:
        parsed = list(_PARSER.parse(pattern, re.ASCII))
    except (re.error, RecursionError, OverflowError) as error:
        raise _unusable(pattern) from error
    made = _Pattern(pattern, rules, character, raw)
    starts = bool(parsed) and str(parsed[0][0]) == "AT"
    ends = len(parsed) > starts and str(parsed[-1][0]) == "AT"
    anything = f"{rules.add(character, 'char')}*"
    inside = made.sequence(parsed[starts : len(parsed) - ends])
    if starts and str(parsed[0][1]) not in ("AT_BEGINNING", "AT_BEGINNING_STRING"):
        raise _unusable(pattern)
    if ends and str(parsed[-1][1]) not in ("AT_END", "AT_END_STRING"):
        raise _unusable(pattern)
    return f"{'' if starts else anything} {inside} {'' if ends else anything}".strip()


class _Pattern:
    def __init__(self, pattern: str, rules: Rules, character: str, raw: str | None) -> None:
        self._pattern = pattern
        self._rules = rules
        self._character = character
        self._raw = raw

    def sequence(self, nodes: Any) -> str:
        return " ".join(self._node(str(kind), value) for kind, value in nodes) or '""'

    def _node(self, kind: str, value: Any) -> str:
        match kind:
            case "LITERAL":
                return self._literal(chr(value))
            case "NOT_LITERAL":
                return self._class([(value, value)], negated=True)
            case "ANY":
                return self._class([(10, 10)], negated=True)
            case "IN":
                return self._in(value)
            case "BRANCH":
                return choice(self.sequence(each) for each in value[1])
            case "SUBPATTERN" if not value[1] and not value[2]:
                return f"({self.sequence(value[3])})"
            case "MAX_REPEAT" | "MIN_REPEAT":
                return self._repeat(value)
            case _:
                raise _unusable(self._pattern)

    def _repeat(self, value: Any) -> str:
        low, high, inner = value
        most = None if str(high) == "MAXREPEAT" else int(high)
        return f"({self._rules.repeat(self.sequence(inner), int(low), most)})"

    def _in(self, members: Any) -> str:
        negated = bool(members) and str(members[0][0]) == "NEGATE"
        ranges: list[tuple[int, int]] = []
        for kind, value in members[negated:]:
            match str(kind):
                case "LITERAL":
                    ranges.append((value, value))
                case "RANGE":
                    ranges.append(value)
                case "CATEGORY":
                    ranges += self._category(str(value))
                case _:
                    raise _unusable(self._pattern)
        return self._class(ranges, negated=negated)

    def _category(self, name: str) -> list[tuple[int, int]]:
        positive = name.replace("_NOT_", "_")
        if positive not in _KNOWN:
            raise _unusable(self._pattern)
        known = _KNOWN[positive]
        return _complement(known) if positive != name else known

    def _class(self, ranges: list[tuple[int, int]], *, negated: bool) -> str:
        if negated:
            ranges = _complement(ranges)
        # Control characters and what must be escaped are left out: a narrower class still fits the pattern.
        barred = self._raw if self._raw is not None else '"\\'
        allowed = _without(
            ranges, [(0, 31), (127, 127), (0xD800, 0xDFFF), *((ord(each), ord(each)) for each in barred)]
        )
        ways = ["[" + "".join(f"\\U{low:08X}-\\U{high:08X}" for low, high in allowed) + "]"] if allowed else []
        if self._raw is None:
            ways += [literal(json.dumps(each)[1:-1]) for each in '"\\\n\t\r' if _has(ranges, ord(each))]
        if not ways:
            raise _unusable(self._pattern)
        return choice(ways)

    def _literal(self, character: str) -> str:
        if self._raw is not None:
            if character in self._raw:
                raise _unusable(self._pattern)
            return literal(character)
        return literal(json.dumps(character, ensure_ascii=False)[1:-1])


def _complement(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    return _without([(0, _LAST)], ranges)


def _without(ranges: list[tuple[int, int]], barred: list[tuple[int, int]]) -> list[tuple[int, int]]:
    for first, last in barred:
        cut = [(low, min(high, first - 1)) for low, high in ranges] + [
            (max(low, last + 1), high) for low, high in ranges
        ]
        ranges = [(low, high) for low, high in cut if low <= high]
    return sorted(set(ranges))


def _has(ranges: list[tuple[int, int]], code: int) -> bool:
    return any(low <= code <= high for low, high in ranges)


def _unusable(pattern: str) -> UserError:
    return UserError(
        'A schema has the pattern "{pattern}", which can\'t be enforced here. Write it more simply.',
        pattern=pattern[:80],
    )
