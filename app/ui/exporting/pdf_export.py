"""Conversations on pages, for PDF files and printers. For any thread that has one of these for itself."""

from collections.abc import Callable, Iterator
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from PySide6.QtCore import QMarginsF, QRectF, QSizeF, Qt, QUrl
from PySide6.QtGui import (
    QColor,
    QFont,
    QImage,
    QPagedPaintDevice,
    QPageLayout,
    QPageSize,
    QPainter,
    QPdfWriter,
    QTextBlock,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextOption,
)

from app.core.errors import UserError
from app.core.messages import AudioPart, DocumentPart, ImagePart, Message, Role, TextPart
from app.services.exchange.export_plans import Bytes
from app.services.pictures.reader import as_image, fitted
from app.storage.exchange.export_markdown import day, speaker, told_sources
from app.storage.exchange.records import ConversationRecord, MessageRecord
from app.ui.exporting.print_html import KEPT, PrintHtml, UserPrintHtml, code_card, paper_css
from app.ui.exporting.web_html import clean
from app.ui.richtext.formulas import draw
from app.ui.richtext.list_marks import draw_marks, indent_for
from app.ui.richtext.markdown_html import make_renderer
from app.ui.richtext.safe_document import nothing
from app.ui.richtext.user_text_html import make_typed_parser
from app.ui.theme.fonts import text_font
from app.ui.theme.palette import LIGHT
from app.ui.theme.svg_image import svg_image
from app.ui.widgets.markdown_links import formula_of

Picture = Callable[[ImagePart], QImage | None]
"""The decoded picture; None for one that is lost or cannot be read."""

MARGINS = QMarginsF(20, 18, 20, 20)
"""Millimetres."""
_LARGEST = 1800
"""Pixels of a picture's longer side; 270 to the inch on a page."""
_PIXELS_PER_INCH = 96
_FINENESS = 3
"""Formulas are drawn this many times larger than they are shown."""
_LONGEST = 150_000
"""Characters of messages that are laid out together: Qt's time for a document grows faster than its length."""
_HIGHEST = 0.7
"""Of a page's height, a picture takes no more."""
_PICTURE = "picture:"


def write_pdf(
    path: Path,
    records: Iterator[ConversationRecord],
    picture: Bytes,
    reasoning: bool,
    letter: bool,
    done: Callable[[], None],
) -> None:
    """All conversations in one file, each from a page of its own. Raises UserError. A `PdfWriter`."""
    writer = QPdfWriter(str(path))
    writer.setResolution(300)
    writer.setCreator("Hearth")
    writer.setPageSize(QPageSize(QPageSize.PageSizeId.Letter if letter else QPageSize.PageSizeId.A4))
    writer.setPageMargins(MARGINS, QPageLayout.Unit.Millimeter)
    PrintedPages(writer, decoded(picture), reasoning=reasoning).write(records, done)


def decoded(picture: Bytes) -> Picture:
    """From files to pictures, all through one door."""

    def decode(part: ImagePart) -> QImage | None:
        # Imported here, in the thread: Pillow would delay the window's start.
        from app.engine.media.images import read_picture

        data = picture(part.content_hash)
        if data is None:
            return None
        try:
            return fitted(as_image(read_picture(data, part.name)), _LARGEST, _LARGEST)
        except UserError:
            return None

    return decode


class PrintedPages:
    """Paints on a device with pages, whose size and margins are set."""

    def __init__(self, device: QPagedPaintDevice, picture: Picture, *, reasoning: bool) -> None:
        self._device = device
        self._picture = picture
        self._reasoning = reasoning
        self._markdown: MarkdownIt = make_renderer(PrintHtml)
        self._typed = make_typed_parser(UserPrintHtml)
        self._n_pages = 0

    def write(self, records: Iterator[ConversationRecord], done: Callable[[], None]) -> None:
        """`done` is called after each page and may raise to stop. Raises UserError where nothing can be painted."""
        painter = QPainter()
        if not painter.begin(self._device):
            raise UserError("The pages cannot be written; choose another file or another printer.")
        try:
            for record in records:
                if isinstance(self._device, QPdfWriter) and not self._n_pages:
                    self._device.setTitle(record.title)
                for number, messages in enumerate(_groups(record.path)):
                    self._paint(painter, self._document(record, messages, first=not number), record.title, done)
        finally:
            painter.end()

    def _document(self, record: ConversationRecord, messages: list[MessageRecord], *, first: bool) -> "PrintedDocument":
        page = self._page()
        document = PrintedDocument(self._picture, page)
        head = (
            f'<p class="title">{_text(record.title or "Conversation")}</p><p class="day">{day(record.created_at)}</p>'
        )
        body = "".join(self._message(document, each) for each in messages)
        document.setHtml(f"<body>{head if first else ''}{body}</body>")
        document.setIndentWidth(indent_for(document, _INDENT))
        document.setPageSize(page)
        document.keep_lines()
        return document

    def _message(self, document: "PrintedDocument", record: MessageRecord) -> str:
        message = record.message
        blocks = [f'<p class="speaker"><a name="{KEPT}"></a>{_text(speaker(record))}</p>']
        if self._reasoning and message.reasoning.strip():
            thoughts = self._prose(message.reasoning)
            blocks.append(
                '<table class="quote" width="100%" cellspacing="0" cellpadding="0"><tr><td class="bar" width="3"></td>'
                f'<td class="quoted"><p class="small">Reasoning</p>{thoughts}</td></tr></table>'
            )
        blocks += self._parts(document, message)
        for call in message.tool_calls:
            blocks.append(f'<p class="small">Calls {_text(call.name)}</p>{code_card(clean(call.arguments), "json")}')
        return "".join(blocks)

    def _parts(self, document: "PrintedDocument", message: Message) -> list[str]:
        blocks = []
        for part in message.parts:
            match part:
                case ImagePart():
                    blocks.append(document.picture_html(part))
                case AudioPart(name=name):
                    blocks.append(f'<p class="small">[{_text(name or "recording")}]</p>')
                case DocumentPart(name=name, text=text):
                    blocks.append(f'<p class="small">{_text(name or "Document")}</p>{code_card(clean(text))}')
                case TextPart():
                    pass
        if message.text and message.role in (Role.USER, Role.TOOL):
            blocks.append(
                '<table class="said" width="100%" cellspacing="0" cellpadding="0"><tr>'
                f'<td class="said">{self._said(message)}</td></tr></table>'
            )
        elif message.text:
            blocks.append(self._prose(message.text))
        if sources := told_sources(message):
            blocks.append(f'<p class="small">Sources: {_text(sources)}</p>')
        return blocks

    def _said(self, message: Message) -> str:
        if message.role is Role.USER:
            return str(self._typed.render(clean(message.text), {}))
        lines = "<br>".join(_text(line) for line in message.text.split("\n"))
        return f'<p class="plain">{lines}</p>'

    def _prose(self, text: str) -> str:
        return str(self._markdown.render(clean(text), {}))

    def _page(self) -> QSizeF:
        """What the margins leave, in pixels of the layout."""
        inches = self._device.pageLayout().paintRect(QPageLayout.Unit.Inch)
        return QSizeF(inches.width() * _PIXELS_PER_INCH, inches.height() * _PIXELS_PER_INCH - _FOOT)

    def _paint(self, painter: QPainter, document: "PrintedDocument", title: str, done: Callable[[], None]) -> None:
        page = self._page()
        scale = self._device.logicalDpiX() / _PIXELS_PER_INCH
        for number in range(document.pageCount()):
            if self._n_pages and not self._device.newPage():
                raise UserError("The next page cannot be written; see whether the disk or the printer has room.")
            self._n_pages += 1
            painter.save()
            painter.scale(scale, scale)
            painter.save()
            top = number * page.height()
            painter.translate(0, -top)
            shown = QRectF(0, top, page.width(), page.height())
            document.drawContents(painter, shown)
            draw_marks(painter, document, shown, QColor(LIGHT.muted), QColor(LIGHT.text))
            painter.restore()
            self._paint_foot(painter, page, title)
            painter.restore()
            done()

    def _paint_foot(self, painter: QPainter, page: QSizeF, title: str) -> None:
        painter.setFont(text_font(10))
        painter.setPen(QColor(LIGHT.muted))
        foot = QRectF(0, page.height() + _FOOT / 2, page.width(), _FOOT / 2)
        shown = painter.fontMetrics().elidedText(title, Qt.TextElideMode.ElideRight, int(page.width() * 0.8))
        painter.drawText(foot, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)
        painter.drawText(foot, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, str(self._n_pages))


_INDENT = 24
"""Pixels by which lists are set in, where their numbers leave room."""
_FOOT = 36
"""Pixels below the text for the number of the page."""


class PrintedDocument(QTextDocument):
    """Loads nothing but its own pictures and formulas."""

    def __init__(self, picture: Picture, page: QSizeF) -> None:
        super().__init__()
        self._picture = picture
        self._page_size = page
        self._images: dict[str, QImage] = {}
        self.setDocumentMargin(0)
        self.setIndentWidth(_INDENT)
        self.setUndoRedoEnabled(False)
        font = text_font(13)
        font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
        # Signs that are chosen by their neighbours would be copied out of a PDF as other ones.
        font.setFeature(QFont.Tag("calt"), 0)
        self.setDefaultFont(font)
        self.setUseDesignMetrics(True)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setDefaultTextOption(option)
        self.setDefaultStyleSheet(paper_css())

    def picture_html(self, part: ImagePart) -> str:
        image = self._picture(part)
        if image is None or image.isNull():
            return f'<p class="small">[{_text(part.name or "picture")}]</p>'
        name = f"{_PICTURE}{len(self._images)}"
        self._images[name] = image
        room = QSizeF(self._page_size.width(), self._page_size.height() * _HIGHEST)
        size = image.size().toSizeF()
        if size.width() > room.width() or size.height() > room.height():
            size = size.scaled(room, Qt.AspectRatioMode.KeepAspectRatio)
        return f'<p class="picture"><img src="{name}" width="{size.width():.0f}" height="{size.height():.0f}"></p>'

    def keep_lines(self) -> None:
        """Headings, and who speaks, never stand alone at the end of a page."""
        block = self.begin()
        while block.isValid():
            following = block.next()
            if following.isValid() and _is_kept(block) and self._page_of(block) != self._page_of(following):
                cursor = QTextCursor(block)
                form = cursor.blockFormat()
                form.setPageBreakPolicy(QTextFormat.PageBreakFlag.PageBreak_AlwaysBefore)
                cursor.setBlockFormat(form)
            block = following

    def _page_of(self, block: QTextBlock) -> int:
        top = self.documentLayout().blockBoundingRect(block).top()
        return int(top // self.pageSize().height())

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        asked = name.toString(QUrl.ComponentFormattingOption.FullyEncoded) if isinstance(name, QUrl) else name
        if asked in self._images:
            return self._images[asked]
        formula = formula_of(asked)
        return nothing(kind) if formula is None else _formula_image(*formula)


def _is_kept(block: QTextBlock) -> bool:
    fragments = block.begin()
    return not fragments.atEnd() and KEPT in fragments.fragment().charFormat().anchorNames()


def _formula_image(tex: str, display: bool) -> QImage:
    made = draw(tex, display=display)
    if not made.svg:
        return _words_image(tex)
    # The letters of formulas are made for the screen's text, which is larger.
    factor = _FINENESS * 13 / 15
    width, height = made.width * factor, (made.ascent + made.descent) * factor
    image = svg_image(made.svg, round(width), round(height))
    image.setDevicePixelRatio(_FINENESS)
    return image


def _words_image(tex: str) -> QImage:
    """For what cannot be read as a formula."""
    font = text_font(11 * _FINENESS)
    probe = QImage(1, 1, QImage.Format.Format_ARGB32_Premultiplied)
    painter = QPainter(probe)
    painter.setFont(font)
    box = painter.fontMetrics().boundingRect(tex)
    painter.end()
    image = QImage(box.width() + 4, box.height() + 4, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(0)
    painter = QPainter(image)
    painter.setFont(font)
    painter.drawText(image.rect(), Qt.AlignmentFlag.AlignCenter, tex)
    painter.end()
    image.setDevicePixelRatio(_FINENESS)
    return image


def _groups(messages: tuple[MessageRecord, ...]) -> Iterator[list[MessageRecord]]:
    """At least one, which may be empty."""
    group: list[MessageRecord] = []
    size = 0
    for each in messages:
        length = len(each.message.text) + len(each.message.reasoning) + sum(len(d.text) for d in each.message.documents)
        if group and size + length > _LONGEST:
            yield group
            group, size = [], 0
        group.append(each)
        size += length
    yield group


def _text(text: str) -> str:
    return str(escapeHtml(clean(text)))
