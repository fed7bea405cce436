"""What the layers below the window say, in the window's language.

They speak English in whole sentences and know nothing of Qt. The sentences that they can say are listed in
`resources/translations/sentences.txt`, which `packaging/translations.py` collects from the sources: one a line, with
`%1`, `%2` … for what is filled in. A sentence is recognised by that, translated, and filled again.
"""

import re
from functools import cache, lru_cache

from PySide6.QtCore import QCoreApplication

from app.ui.formatting.translation import TRANSLATIONS

CONTEXT = "sentences"
LIST = TRANSLATIONS / "sentences.txt"
_GAP = re.compile(r"%(\d)")
_NEXT = re.compile(r"(?<=[.!?…]) ")


def translated(sentence: str) -> str:
    """`sentence`, or several in a row, as the window says it; as it came where nobody translated it."""
    if not sentence:
        return ""
    exact = QCoreApplication.translate(CONTEXT, sentence)
    if exact != sentence:
        return exact
    pattern, values = _recognised(sentence)
    if not pattern:
        return _told_in_parts(sentence)
    wording = QCoreApplication.translate(CONTEXT, pattern)
    if wording == pattern:
        return sentence
    filled = [translated(value) for value in values]
    return _GAP.sub(lambda gap: filled[int(gap[1]) - 1], wording)


def _told_in_parts(text: str) -> str:
    for found in _NEXT.finditer(text):
        first = text[: found.start()]
        if QCoreApplication.translate(CONTEXT, first) != first or _recognised(first)[0]:
            return f"{translated(first)} {translated(text[found.end() :])}"
    return text


@lru_cache(maxsize=512)
def _recognised(sentence: str) -> tuple[str, tuple[str, ...]]:
    """The sentence's pattern and what is filled in; nothing where it is none of the known ones."""
    for pattern, matches in _patterns():
        if found := matches.fullmatch(sentence):
            return pattern, found.groups()
    return "", ()


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Those that say most first, so that none takes what another one knows better."""
    lines = LIST.read_text("utf-8").splitlines()
    return tuple(
        (line, re.compile("(.+?)".join(map(re.escape, _GAP.split(line)[::2])), re.DOTALL))
        for line in sorted(lines, key=lambda line: -len(_GAP.sub("", line)))
        if _GAP.search(line)
    )
