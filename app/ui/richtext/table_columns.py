"""The pieces of one long table have columns of the same widths: those of the first piece."""

from functools import lru_cache

from PySide6.QtGui import QTextDocument, QTextLength

from app.ui.richtext.document_text import column_widths, table_of
from app.ui.richtext.safe_document import SafeDocument, prose_css
from app.ui.theme.palette import Palette

_BORDER = 1


def align_columns(document: QTextDocument, head: str, width: int, tokens: Palette) -> None:
    """Make the table of `document` as wide as that of the HTML `head` is in `width` pixels."""
    table = table_of(document)
    if table is not None:
        shape = table.format()
        shape.setColumnWidthConstraints(_columns(head, width, tokens))
        table.setFormat(shape)


@lru_cache(maxsize=16)
def _columns(head: str, width: int, tokens: Palette) -> list[QTextLength]:
    """How wide the columns of a table are at this width."""
    model = SafeDocument()
    model.break_words(False)
    model.setDefaultStyleSheet(prose_css(tokens))
    model.setHtml(head)
    model.setTextWidth(width)
    *inner, last = column_widths(model)
    # Where borders collapse, the last column gets its outer borders on top of what it is told.
    return [*inner, QTextLength(QTextLength.Type.FixedLength, last.rawValue() - 2 * _BORDER)]
