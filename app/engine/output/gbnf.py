"""Pieces of grammars in llama.cpp's notation (GBNF): expressions are texts, rules have names."""

import re
from collections.abc import Iterable, Sequence


class Rules:
    """Rules by name."""

    def __init__(self) -> None:
        self._rules: dict[str, str] = {}
        self._names: dict[str, str] = {}

    def add(self, expression: str, hint: str = "r") -> str:
        """A rule that stands for `expression`; its value is the name. The same expression has one rule."""
        if expression not in self._names:
            self.define(self.reserve(hint), expression)
        return self._names[expression]

    def reserve(self, hint: str = "r") -> str:
        """A name that `define` fills later, for rules that need themselves."""
        hint = re.sub(r"[^a-zA-Z0-9]+", "-", hint).strip("-")[:40] or "r"
        name = f"{hint}-{len(self._rules)}"
        self._rules[name] = '""'
        return name

    def define(self, name: str, expression: str) -> None:
        self._rules[name] = expression
        self._names.setdefault(expression, name)

    def grammar(self, root: str) -> str:
        """The text of all rules, with `root` as the expression that everything has to fit."""
        return "\n".join([f"root ::= {root}", *(f"{name} ::= {rule}" for name, rule in self._rules.items())]) + "\n"

    def until(self, end: str) -> str:
        """Any text up to and with the first `end`."""
        states = [self.reserve("until") for _ in end]
        for at, state in enumerate(states):
            going: dict[int, list[str]] = {}
            for character in dict.fromkeys(end):
                going.setdefault(_overlap(end[:at] + character, end), []).append(character)
            known = [character for target, group in going.items() if target for character in group]
            ways = [f"{not_of(known)} {states[0]}"]
            for target, group in going.items():
                if target == len(end):
                    ways.append(one_of(group))
                elif target:
                    ways.append(f"{one_of(group)} {states[target]}")
            self.define(state, " | ".join(ways))
        return states[0]

    def repeat(self, item: str, low: int, high: int | None) -> str:
        """`item`, `low` to `high` times, None for any number."""
        if high is not None and high <= 0:
            return '""'
        return f"({item}){{{low},{'' if high is None else high}}}"


def literal(text: str) -> str:
    return '"' + "".join(map(_escaped, text)) + '"' if text else '""'


def choice(ways: Iterable[str]) -> str:
    """Any of `ways`. Raises ValueError where there is none."""
    ways = list(dict.fromkeys(ways))
    if not ways:
        raise ValueError("a choice of nothing")
    return ways[0] if len(ways) == 1 else "(" + " | ".join(ways) + ")"


def one_of(characters: Iterable[str]) -> str:
    return "[" + "".join(map(_escaped, characters)) + "]"


def not_of(characters: Sequence[str]) -> str:
    return "[^" + "".join(map(_escaped, characters)) + "]" if characters else "[^\\x00]"


def integers(low: int | None, high: int | None) -> str:
    """The decimal integers of a range, without leading zeros; where a bound is missing they may have 16 digits."""
    if low is None and high is None:
        return '("-"? ("0" | [1-9] [0-9]{0,15}))'
    low = low if low is not None else min(-(10**16) + 1, high or 0)
    high = high if high is not None else max(10**16 - 1, low)
    ways = []
    if low < 0:
        ways += [f'"-" {way}' for way in _digits(max(1, -high), -low)]
    if high >= 0:
        ways += _digits(max(0, low), high)
    return choice(ways)


def _digits(low: int, high: int) -> list[str]:
    """Ways to write the integers from `low` to `high`, both at least 0, by their number of digits."""
    ways = []
    for size in range(len(str(low)), len(str(high)) + 1):
        smallest, largest = (10 ** (size - 1) if size > 1 else 0), 10**size - 1
        ways.append(_same_size(str(max(low, smallest)), str(min(high, largest))))
    return ways


def _same_size(low: str, high: str) -> str:
    if not low:
        return '""'
    if set(low) == {"0"} and set(high) == {"9"}:
        return f"[0-9]{{{len(low)}}}"
    first, last = low[0], high[0]
    if first == last:
        return f'"{first}" {_same_size(low[1:], high[1:])}' if low[1:] else f'"{first}"'
    if not low[1:]:
        return f"[{first}-{last}]"
    ways = []
    lowest, highest = "0" * len(low[1:]), "9" * len(low[1:])
    if low[1:] != lowest:
        ways.append(f'"{first}" {_same_size(low[1:], highest)}')
        first = str(int(first) + 1)
    behind = "" if high[1:] == highest else f'"{last}" {_same_size(lowest, high[1:])}'
    if behind:
        last = str(int(last) - 1)
    if first <= last:
        ways.append(f"[{first}-{last}] [0-9]{{{len(lowest)}}}")
    return choice([*ways, behind] if behind else ways)


def _overlap(text: str, end: str) -> int:
    """Length of the longest end of `text` that begins `end`."""
    return next(size for size in range(min(len(text), len(end)), -1, -1) if text.endswith(end[:size]))


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    return f"\\x{ord(character):02X}" if ord(character) < 0x20 or ord(character) == 0x7F else character


_ESCAPES = {
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\\": "\\\\",
    '"': '\\"',
    "[": "\\[",
    "]": "\\]",
    "^": "\\x5E",
    "-": "\\x2D",
}
