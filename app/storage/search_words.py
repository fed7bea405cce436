"""What people type into a search field, and texts as an index holds them: without accents, and cut where SQLite's
tokenizer would not.

unicode61 takes a run of letters for one word. Chinese, Japanese, Thai and others write no blanks between words, so
that each of their characters is made a word of its own, and a word of theirs is looked for as a phrase.
"""

import re
import unicodedata
from dataclasses import dataclass

_CUT = "\u200b"
"""A blank that is not seen, and that is no letter for unicode61."""
_UNSPACED = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f"  # Burmese
    "\u1780-\u17ff"  # Khmer
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"  # kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Han
    "\uff66-\uff9d"  # half-width katakana
    "\U00020000-\U0003134f"
)
# Patterns as text where they take long to compile: `re` does it when they are wanted, and keeps what comes of it.
_BETWEEN = f"(?<=[{_UNSPACED}])(?=\\w)|(?<=\\w)(?=[{_UNSPACED}])"
_TERM = re.compile(r'"([^"]*)("?)|(\S+)')
_LETTER = re.compile(r"\w")
_SEPARATORS = r"\s!-/:-@\[-`{-~"
_AFTER_WORD = re.compile(f"[{_SEPARATORS}]")
_LAST_LETTER = re.compile(f"(?:^|(?<=[{_SEPARATORS}]))[a-zA-Z0-9]$")

_MARKDOWN = (
    # The lines that open and close code, and those that rule a table.
    (r"(?m)^[ \t]*(?:`{3,}|~{3,})[^\n`]*$|^[ \t|:-]+$", ""),
    (r"(?<=\n)[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|[-*+][ \t]+(?:\[[ xX]\][ \t]+)?|\|)|^(?:#{1,6}[ \t]+|\|)", ""),
    (r"!?\[([^\]\n]*)\]\([^()\s]*\)", r"\1"),
    # Also half of one, where the piece begins or ends.
    (r"</?(?:sub|sup|kbd)(?:>|(?=…?$))|(?:^|(?<=^…))/?(?:sub|sup|kbd)>", ""),
    (r"</?(?:br|details|summary)[ \t]*/?>", " "),
    (r"[ \t]*\|[ \t]*(?=\n|$)", ""),
    (r"(?<![\w*])(?:\*{1,3}|~~)(?=[^\s*~])|(?<=[^\s*~])(?:\*{1,3}|~~)(?![\w*])", ""),
    (r"`+", ""),
)
"""What Markdown writes around words, and what is left of it. A piece of a text may lack the other half of a pair."""


@dataclass(frozen=True, slots=True)
class Term:
    """One word or phrase that has to be there."""

    text: str
    is_prefix: bool = False
    """Its last word may go on: it is still being typed."""


def terms_of(wanted: str) -> tuple[Term, ...]:
    """The words and the phrases in quotes; what holds no letter or digit says nothing and is left out."""
    found: list[Term] = []
    for match in _TERM.finditer(wanted):
        phrase, closed, word = match.groups()
        text = word if phrase is None else phrase
        if _LETTER.search(text):
            goes_on = match.end() == len(wanted) and not closed and not _AFTER_WORD.match(text[-1])
            found.append(Term(text, goes_on))
    return tuple(found)


def telling(terms: tuple[Term, ...]) -> tuple[Term, ...]:
    """Without a last letter that has only just been typed: it is in every message, and finding that out takes time."""
    if not terms or not terms[-1].is_prefix or (letter := _LAST_LETTER.search(terms[-1].text)) is None:
        return terms
    before = terms[-1].text[: letter.start()]
    return (*terms[:-1], Term(before)) if _LETTER.search(before) else terms[:-1]


def match_expression(terms: tuple[Term, ...]) -> str:
    """For FTS5's MATCH over texts that `cut` prepared: all terms, in any order. Empty where there are none."""
    return " ".join('"{}"{}'.format(cut(term.text).replace('"', '""'), "*" if term.is_prefix else "") for term in terms)


def cut(text: str) -> str:
    """With invisible blanks around each character of a script that writes none. NUL, which ends a text for SQLite,
    and lone surrogates, which it refuses, are replaced.
    """
    if text.isascii():
        return text.replace("\0", " ")
    return re.sub(_BETWEEN, _CUT, text.replace("\0", " ").encode("utf-8", "replace").decode())


def uncut(text: str) -> str:
    return text.replace(_CUT, "")


def fold(text: str) -> str:
    """For comparing: case and accents do not count."""
    if text.isascii():
        return text.lower()
    parted = unicodedata.normalize("NFKD", text.casefold())
    return "".join(each for each in parted if not unicodedata.combining(each))


def plain_text(markdown: str) -> str:
    """A piece of an answer as it reads, without the marks of its Markdown, as far as they can be told by themselves."""
    for marks, left in _MARKDOWN:
        markdown = re.sub(marks, left, markdown)
    return markdown
