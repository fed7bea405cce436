"""Which letters of a program's text are keywords, strings and so on. No Qt in here."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from app.ui.formatting.utf16 import units

if TYPE_CHECKING:
    from pygments.lexer import Lexer

LONGEST = 200_000
"""Characters; what is longer stays plain."""


@dataclass(frozen=True, slots=True)
class Span:
    """Part of one line, in UTF-16 units as Qt counts them. `role` names a token `code_<role>` of the theme."""

    start: int
    length: int
    role: str


def spans_by_line(language: str, text: str) -> Iterator[tuple[Span, ...]]:
    """One tuple for each line of `text`, from a lexer that works as the lines are asked for.

    Yields nothing for a language that is not known or for text that is too long. The number of lines is that of
    `text.split("\\n")`.
    """
    lexer = _lexer(language)
    if lexer is None or len(text) > LONGEST:
        return
    line: list[Span] = []
    column = 0
    # Some lexers know a line by its end only, such as those of diffs.
    for _, kind, value in lexer.get_tokens_unprocessed(text + "\n"):
        role = _role(tuple(kind))
        for number, piece in enumerate(value.split("\n")):
            if number:
                yield tuple(line)
                line, column = [], 0
            length = units(piece)
            if role and length:
                line.append(Span(column, length, role))
            column += length


def is_known(language: str) -> bool:
    return _lexer(language) is not None


@lru_cache(maxsize=64)
def _lexer(language: str) -> "Lexer | None":
    if not language:
        return None
    # Imported with the first code block: the window need not wait for it.
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


_ROLES = {
    ("Comment", "Preproc"): "keyword",
    ("Comment",): "comment",
    ("Keyword", "Constant"): "number",
    ("Keyword", "Type"): "type",
    ("Keyword",): "keyword",
    ("Operator", "Word"): "keyword",
    ("Name", "Function"): "function",
    ("Name", "Class"): "type",
    ("Name", "Exception"): "type",
    ("Name", "Decorator"): "function",
    ("Name", "Tag"): "keyword",
    ("Name", "Attribute"): "function",
    ("Name", "Constant"): "number",
    ("Name", "Builtin"): "function",
    ("Name", "Builtin", "Pseudo"): "number",
    ("Name", "Variable"): "type",
    ("Literal", "String"): "string",
    ("Literal", "Number"): "number",
    ("Generic", "Inserted"): "inserted",
    ("Generic", "Deleted"): "deleted",
    ("Generic", "Heading"): "function",
    ("Generic", "Subheading"): "function",
}


@lru_cache(maxsize=512)
def _role(kind: tuple[str, ...]) -> str:
    for length in range(len(kind), 0, -1):
        if kind[:length] in _ROLES:
            return _ROLES[kind[:length]]
    return ""
