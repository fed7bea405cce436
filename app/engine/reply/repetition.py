"""Whether a text that is being written only repeats itself by now."""

import re

WINDOW = 12_288
"""Characters at the end of a text that are looked at."""
_FLOOR = 600
"""Characters that a repeating end has at least."""
_TIMES = 3
"""Of its period that it has beyond them."""
_WORDLESS_FLOOR = 4_000
"""The same as `_FLOOR` where nothing is a word: tables of numbers, rulers, drawings."""
_WORD = re.compile(r"[^\W\d_]{2}")


def repeats(text: str) -> bool:
    """Whether the end of `text` is the same few characters, line or paragraph over and over, and long enough for that
    to be no list, table or drawing. The longer what comes back is, the fewer times are enough.
    """
    tail = text[-WINDOW:]
    probe = tail[-_FLOOR // 2 :]
    if len(tail) < _FLOOR or tail.find(probe) == len(tail) - len(probe):
        return False
    runs = ((period, run) for period, run in _runs(tail) if run >= _FLOOR + _TIMES * period)
    return any(_WORD.search(2 * tail[-period:]) or run >= _WORDLESS_FLOOR + _TIMES * period for period, run in runs)


def _runs(tail: str) -> list[tuple[int, int]]:
    """Periods with the lengths of the ends that have them: the Z-function of the text read backwards."""
    turned = tail[::-1]
    n = len(turned)
    z = [0] * n
    left = right = 0
    for at in range(1, n):
        length = min(right - at, z[at - left]) if at < right else 0
        while at + length < n and turned[length] == turned[at + length]:
            length += 1
        z[at] = length
        if at + length > right:
            left, right = at, at + length
    return [(at, at + z[at]) for at in range(1, n)]
