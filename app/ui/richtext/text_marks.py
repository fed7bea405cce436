"""What is marked in a document when it is painted: the selection, and what was searched for."""

from collections.abc import Sequence

from PySide6.QtGui import QAbstractTextDocumentLayout, QColor, QTextCharFormat, QTextCursor

from app.ui.theme.palette import Palette

Hit = tuple[int, int]
"""From, to: places in the document."""


def marks(
    cursor: QTextCursor, hits: Sequence[Hit], current: Hit | None, tokens: Palette
) -> list[QAbstractTextDocumentLayout.Selection]:
    """`cursor` selects; the hits lie below that."""
    made = []
    last = cursor.document().characterCount() - 1
    for hit in hits:
        found = QTextCursor(cursor.document())
        found.setPosition(min(hit[0], last))
        found.setPosition(min(hit[1], last), QTextCursor.MoveMode.KeepAnchor)
        ground, ink = (tokens.found_now, tokens.on_found) if hit == current else (tokens.found, tokens.text)
        made.append(_marked(found, ground, ink))
    if cursor.hasSelection():
        made.append(_marked(cursor, tokens.selection, tokens.text))
    return made


def _marked(cursor: QTextCursor, ground: str, ink: str) -> QAbstractTextDocumentLayout.Selection:
    selection = QAbstractTextDocumentLayout.Selection()
    selection.cursor = cursor
    style = QTextCharFormat()
    style.setBackground(QColor(ground))
    style.setForeground(QColor(ink))
    selection.format = style
    return selection
