"""A language that nobody speaks: English with accents, longer by two fifths, so that one sees what it does."""

import re
from pathlib import Path

from PySide6.QtCore import QObject, QTranslator
from sentences import sentences

_APP = Path(__file__).resolve().parents[2] / "app"
_PLAIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_ACCENTED = "àƀćđéƒĝĥíĵķĺɱñóþɋřšťúṽŵẋýžÀƁĆĐÉƑĜĤÍĴĶĹṀÑÓÞɊŘŠŤÚṼŴẊÝŽ"
_LETTERS = str.maketrans(_PLAIN, _ACCENTED)
_KEPT = re.compile(r"(\{[^}]*\}|%n|%L?\d|&.|<[^>]*>)")
"""Places for values, marks of menus and tags stay as they are."""
_LONGER = 0.4
FIRST, LAST = "⟦", "⟧"


def pseudo(text: str) -> str:
    parts = [each if _KEPT.fullmatch(each) else each.translate(_LETTERS) for each in _KEPT.split(text)]
    filling = " ~~~~" * (round(len(text) * _LONGER / 5) + 1)
    return FIRST + "".join(parts) + filling[: max(1, round(len(text) * _LONGER))] + LAST


class PseudoTranslator(QTranslator):
    """Remembers what it was asked for."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.asked: set[tuple[str, str]] = set()
        self._said = frozenset(sentences(_APP))

    def translate(self, context: str, source: str, disambiguation: str | None = None, n: int = -1) -> str:
        if not source or context.startswith("Q"):
            return ""
        if context == "sentences" and source not in self._said:
            # As with a real language: only what is listed can have been translated.
            return source
        self.asked.add((context, source))
        return pseudo(source)

    def isEmpty(self) -> bool:
        return False
