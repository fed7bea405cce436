"""A piece of text as a widget that is as high as its text and loads nothing from anywhere."""

from PySide6.QtCore import QByteArray, QObject, Qt, QUrl, Signal
from PySide6.QtGui import QImage, QTextBlockFormat, QTextCursor, QTextDocument, QTextOption, QWheelEvent
from PySide6.QtWidgets import QFrame, QTextBrowser, QWidget

from app.ui.fonts import READING_SIZE, load_fonts, text_font
from app.ui.theme import Look
from app.ui.tokens import Tokens

_SCROLL_BAR = 10
_INDENT = 28
_LINE_HEIGHT = 140
"""Per cent."""


class SafeDocument(QTextDocument):
    """A document in which no text can make the program read a file or ask the network.

    Qt's own would load `<img src=file:…>` and `@import`, relative and `//host/share` paths included.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.setDocumentMargin(0)
        self.setIndentWidth(_INDENT)
        self.setDefaultFont(text_font(READING_SIZE))
        self.setUndoRedoEnabled(False)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setDefaultTextOption(option)

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        return nothing(kind)


def nothing(kind: int) -> object:
    """What stands in for every resource. An empty answer would not do: Qt then opens the picture's name as a file."""
    if kind == QTextDocument.ResourceType.ImageResource.value:
        image = QImage(1, 1, QImage.Format.Format_ARGB32)
        image.fill(0)
        return image
    return QByteArray()


class ProseView(QTextBrowser):
    """Shows the HTML of one Markdown block, or plain text. Its height follows from its width by `height_for`."""

    link_clicked = Signal(str)

    def __init__(self, look: Look, name: str, *, gap: int = 0, parent: QWidget | None = None) -> None:
        """`gap` pixels stay free below the text: a document leaves out its last block's margin."""
        super().__init__(parent)
        self._look = look
        self._gap = gap
        self._longest: int | None = None
        self._html: str | None = None
        self.setProperty("tone", "prose")
        self.setAccessibleName(name)
        self.setDocument(SafeDocument(self))
        self.setOpenLinks(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.anchorClicked.connect(self._follow)
        look.changed.connect(self._restyle)

    @property
    def html(self) -> str | None:
        """What `show_html` was given; None for plain text."""
        return self._html

    def show_html(self, html: str) -> None:
        self._html = html
        self._longest = None
        self.document().setDefaultStyleSheet(prose_css(self._look.tokens))
        self.setHtml(html)
        has_link = "<a href" in html
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if has_link else Qt.FocusPolicy.ClickFocus)

    def show_plain(self, text: str) -> None:
        self._html = None
        self._longest = None
        self.setPlainText(text)
        cursor = QTextCursor(self.document())
        cursor.select(QTextCursor.SelectionType.Document)
        spacing = QTextBlockFormat()
        spacing.setLineHeight(_LINE_HEIGHT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        cursor.mergeBlockFormat(spacing)

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        return nothing(kind)

    def height_for(self, width: int) -> int:
        """Pixels that the text needs at this width. Whoever places the widget asks; no Qt layout does.

        Qt's own heightForWidth would be asked for many widths in a row, and lay the text out for each.
        """
        document = self.document()
        if document.textWidth() != width:
            document.setTextWidth(width)
        size = document.size()
        return int(size.height() + 0.999) + self._gap + (_SCROLL_BAR if size.width() > width + 1 else 0)

    def longest_line(self) -> int:
        """Pixels that the text would take without being wrapped."""
        if self._longest is None:
            document = self.document()
            width = document.textWidth()
            document.setTextWidth(-1)
            self._longest = int(document.idealWidth()) + 2
            document.setTextWidth(width)
        return self._longest

    def wheelEvent(self, event: QWheelEvent) -> None:
        if abs(event.angleDelta().y()) >= abs(event.angleDelta().x()):
            event.ignore()
        else:
            super().wheelEvent(event)

    def _restyle(self) -> None:
        if self._html is not None:
            self.show_html(self._html)

    def _follow(self, url: QUrl) -> None:
        self.link_clicked.emit(url.toString(QUrl.ComponentFormattingOption.FullyEncoded))


def prose_css(tokens: Tokens) -> str:
    """Colours and spacing for the classes that `app.ui.markdown_html` writes."""
    code = f"font-family: '{load_fonts()[1]}'; font-size: 13px;"
    cell = f"border: 1px solid {tokens.border}; padding: 7px 10px;"
    return f"""
        p {{ margin-top: 0; margin-bottom: 10px; line-height: 150%; }}
        ul, ol {{ margin-top: 0; margin-bottom: 0; }}
        ul.contains-task-list {{ list-style-type: none; }}
        li {{ line-height: 150%; margin-bottom: 4px; }}
        li p {{ margin-bottom: 4px; }}
        p.h1 {{ font-size: 22px; }} p.h2 {{ font-size: 19px; }} p.h3 {{ font-size: 17px; }}
        p.h1, p.h2, p.h3, p.h4, p.h5, p.h6 {{ font-weight: 600; line-height: 130%; margin-top: 8px; }}
        b, strong {{ font-weight: 600; }}
        a {{ color: {tokens.link}; text-decoration: none; }}
        a.dead {{ color: {tokens.text}; }}
        code {{ {code} background-color: {tokens.raised}; }}
        table.grid {{ border-collapse: collapse; margin-top: 2px; margin-bottom: 6px; }}
        table.grid td {{ {cell} }}
        table.grid th {{ {cell} font-weight: 600; background-color: {tokens.raised}; }}
        table.quote {{ margin-top: 2px; margin-bottom: 4px; }}
        td.bar {{ background-color: {tokens.scroll}; }}
        td.quoted {{ color: {tokens.muted}; padding-left: 14px; padding-top: 2px; }}
        table.card {{ margin-top: 4px; margin-bottom: 10px; }}
        td.card {{ background-color: {tokens.code}; border: 1px solid {tokens.border}; padding: 10px; }}
        p.pre {{ {code} margin: 0; white-space: pre-wrap; line-height: 120%; }}
        table.rule {{ margin-top: 6px; margin-bottom: 6px; }}
        td.rule {{ background-color: {tokens.border}; font-size: 1px; }}
    """
