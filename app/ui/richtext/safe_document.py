"""Documents that load nothing from anywhere, and how they are coloured."""

from PySide6.QtCore import QByteArray, QObject, QUrl
from PySide6.QtGui import QImage, QTextDocument, QTextOption

from app.ui.richtext.list_marks import NUMBERS_CSS, indent_for
from app.ui.theme.fonts import READING_SIZE, load_fonts, scaled, scaled_css, text_font
from app.ui.theme.palette import Palette

_INDENT = 32
"""Pixels, at the usual size of text: the number of an item has room up to 99."""


class SafeDocument(QTextDocument):
    """A document in which no text can make the program read a file or ask the network.

    Qt's own would load `<img src=file:…>` and `@import`, relative and `//host/share` paths included.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.setDocumentMargin(0)
        self.setIndentWidth(scaled(_INDENT))
        self.setDefaultFont(text_font(READING_SIZE))
        self.setUndoRedoEnabled(False)
        self.break_words(True)

    def break_words(self, breaks: bool) -> None:
        """Whether a word that is wider than the text is broken; else the text gets as wide as it."""
        mode = QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere if breaks else QTextOption.WrapMode.WordWrap
        option = self.defaultTextOption()
        if option.wrapMode() != mode:
            option.setWrapMode(mode)
            self.setDefaultTextOption(option)

    def fit_indent(self, html: str) -> None:
        """Give the numbers of its lists the room that they need, now that it shows `html`."""
        usual = scaled(_INDENT)
        self.setIndentWidth(indent_for(self, usual) if "<ol" in html else usual)

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        return nothing(kind)


def nothing(kind: int) -> object:
    """What stands in for every resource. An empty answer would not do: Qt then opens the picture's name as a file."""
    if kind == QTextDocument.ResourceType.ImageResource.value:
        image = QImage(1, 1, QImage.Format.Format_ARGB32)
        image.fill(0)
        return image
    return QByteArray()


def prose_css(tokens: Palette) -> str:
    """Colours and spacing for the classes that `markdown_html` writes. `list_marks` draws the marks of lists."""
    code = f"font-family: '{load_fonts()[1]}'; font-size: 13px;"
    cell = f"border: 1px solid {tokens.border}; padding: 7px 10px;"
    return scaled_css(f"""
        p {{ margin-top: 0; margin-bottom: 10px; line-height: 150%; }}
        ul, ol {{ margin-top: 0; margin-bottom: 0; }}
        {NUMBERS_CSS}
        li {{ line-height: 150%; margin-bottom: 4px; }}
        li p {{ margin-bottom: 4px; }}
        p.h1 {{ font-size: 22px; }} p.h2 {{ font-size: 19px; }} p.h3 {{ font-size: 17px; }}
        p.h1, p.h2, p.h3, p.h4, p.h5, p.h6 {{ font-weight: 600; line-height: 130%; margin-top: 20px; }}
        b, strong, p.summary {{ font-weight: 600; }}
        p.summary {{ line-height: 120%; }}
        a {{ color: {tokens.link}; text-decoration: none; }}
        a.dead {{ color: {tokens.text}; }}
        span.cite-found, span.cite-partly, span.cite-not_found {{ font-size: 11px; font-weight: 600; }}
        span.cite-found {{ color: {tokens.link}; background-color: {tokens.selected}; }}
        span.cite-partly {{ color: {tokens.warning}; background-color: {tokens.raised}; }}
        span.cite-not_found {{ color: {tokens.danger}; background-color: {tokens.danger_soft}; }}
        code {{ {code} background-color: {tokens.raised}; }}
        table.grid {{ border-collapse: collapse; margin-top: 2px; margin-bottom: 6px; }}
        table.grid td {{ {cell} }}
        table.grid td.head {{ {cell} font-weight: 600; background-color: {tokens.raised}; }}
        table.grid td.short {{ white-space: nowrap; }}
        table.grid td.high {{ vertical-align: middle; }}
        table.quote {{ margin-top: 2px; margin-bottom: 4px; }}
        td.bar {{ background-color: {tokens.scroll}; }}
        td.quoted {{ color: {tokens.muted}; padding-left: 14px; padding-top: 2px; }}
        table.card {{ margin-top: 4px; margin-bottom: 10px; }}
        td.card {{ background-color: {tokens.code}; border: 1px solid {tokens.border}; padding: 10px; }}
        p.math {{ margin-top: 4px; line-height: 100%; }}
        p.pre {{ {code} margin: 0; white-space: pre-wrap; line-height: 120%; }}
        table.rule {{ margin-top: 6px; margin-bottom: 6px; }}
        td.rule {{ background-color: {tokens.border}; font-size: 1px; }}
    """)
