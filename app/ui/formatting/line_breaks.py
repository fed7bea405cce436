"""Long names that may break where they must, for labels that wrap."""

import re

BREAK = "\u200b"
"""A space of no width. What is shown is not for copying."""
_LONGEST_WORD = 16


def breakable(text: str) -> str:
    """A path breaks behind what parts its words; a long word, such as a hash, anywhere."""
    words = re.sub(r"(?<=[/\\\-_.])(?=.)", BREAK, text)
    return re.sub(rf"([^{BREAK}]{{{_LONGEST_WORD}}})(?=[^{BREAK}])", rf"\1{BREAK}", words)
