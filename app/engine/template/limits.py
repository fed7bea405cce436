"""What a chat template may cost: templates come with model files, and those come from anywhere.

Bounded are the steps (iterations of loops and calls), the seconds, the characters and list items that are made
in all, the length of one text, the length of ranges, and how deep macros call one another (by Python). Not
bounded is a single comparison of lists that a template nested into themselves many times over.
"""

from collections.abc import MappingView
from dataclasses import dataclass
from time import monotonic
from typing import Any

from jinja2.utils import Namespace

from app.engine.template.marked_text import LONGEST, TextTooLongError, marked

LARGEST = 100_000
"""What a template may ask a filter for in columns, digits or items; also the longest range."""
_INTEGER_BITS = 4096
_MOST_ITEMS = 1 << 20
_ITEM = 16


class TemplateLimitError(Exception):
    """The template asked for more than it may have."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one rendering."""

    seconds: float = 10.0
    steps: int = 5_000_000
    made: int = 1 << 28
    """Characters of text, over all operations, with what was thrown away again; an item of a list is 16 of them."""


class Meter:
    """Counts what one rendering uses, and raises TemplateLimitError beyond the limits."""

    def __init__(self, limits: Limits) -> None:
        self._steps = limits.steps
        self._made = limits.made
        self._deadline = monotonic() + limits.seconds

    def tick(self) -> None:
        """One step."""
        self._steps -= 1
        if self._steps < 0:
            raise TemplateLimitError("too many steps")
        if monotonic() > self._deadline:
            raise TemplateLimitError("too much time")

    def charge(self, value: Any) -> Any:
        """`value`, which an operation has just made."""
        if isinstance(value, (str, list, tuple, dict)):
            self._made -= len(value) if isinstance(value, str) else len(value) * _ITEM
            if self._made < 0:
                raise TemplateLimitError("too much memory")
        return value


def text_of(value: object) -> str:
    """`value` as a template prints it: text keeps its origins, everything else becomes a plain `str`."""
    if isinstance(value, str):
        return value
    check_printable(value)
    return str(value)


def check_printable(value: object) -> None:
    """Raises where a list is too large to print, as one that holds itself many times over is."""
    characters, items = LONGEST, LARGEST
    waiting = [value]
    while waiting:
        value = waiting.pop()
        items -= 1
        if isinstance(value, str):
            characters -= len(value)
        elif isinstance(value, dict):
            waiting += (*value, *value.values())
        elif isinstance(value, (list, tuple, set, MappingView)):
            waiting += value  # type: ignore[arg-type]  # all views can be iterated
        elif isinstance(value, Namespace):
            raise TemplateLimitError("a namespace as text")
        if characters < 0 or items < len(waiting):
            raise TextTooLongError("a list as text")


def add(left: Any, right: Any) -> Any:
    """`left + right` within bounds; texts see to theirs."""
    if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
        _check_items(len(left) + len(right))
    return left + right


def multiply(left: Any, right: Any) -> Any:
    """`left * right` within bounds."""
    for items, count in ((left, right), (right, left)):
        if isinstance(items, (list, tuple)) and isinstance(count, int):
            _check_items(len(items) * count)
        if isinstance(items, str) and isinstance(count, int):
            return marked(items) * count
    if isinstance(left, int) and isinstance(right, int):
        _check_bits(left.bit_length() + right.bit_length())
    return left * right


def power(base: Any, exponent: Any) -> Any:
    """`base ** exponent` within bounds."""
    if isinstance(base, int) and isinstance(exponent, int):
        _check_bits(base.bit_length() * abs(exponent))
    return base**exponent


def _check_items(count: int) -> None:
    if count > _MOST_ITEMS:
        raise TemplateLimitError(f"a list of {count} items")


def _check_bits(bits: int) -> None:
    if bits > _INTEGER_BITS:
        raise TemplateLimitError(f"a number of {bits} bits")
