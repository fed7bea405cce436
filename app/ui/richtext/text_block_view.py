"""A piece of text as one light widget: as high as its text, to be selected, copied and followed."""

from collections.abc import Callable
from functools import lru_cache

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, QUrl, Signal
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QAccessible,
    QColor,
    QFocusEvent,
    QGuiApplication,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QResizeEvent,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextLength,
)
from PySide6.QtWidgets import QMenu, QScrollBar, QToolTip, QWidget

from app.ui.richtext.document_text import Link, column_widths, links_of, selected, table_of, whole
from app.ui.richtext.formulas import QUIET, formula_handler, formulas, names_in, readable, sink_in_tables
from app.ui.richtext.list_marks import draw_marks
from app.ui.richtext.safe_document import SafeDocument, prose_css
from app.ui.richtext.selectable_text import SelectableText, Selector
from app.ui.richtext.text_marks import marks
from app.ui.theme.appearance import Appearance
from app.ui.theme.fonts import UI_SIZE, text_font
from app.ui.theme.palette import Palette
from app.ui.widgets.accessible_roles import set_role
from app.ui.widgets.discard import discard
from app.ui.widgets.markdown_links import leads_within
from app.ui.widgets.plain_text import plain_tip

_SCROLL_BAR = 10


class TextBlockView(SelectableText):
    """Shows the HTML of one Markdown block. Its height follows from its width by `height_for`.

    A QTextBrowser would do the same with six widgets, at twenty times the cost of a change of theme.
    """

    link_clicked = Signal(str)
    resized = Signal()
    """It needs another height at the same width."""
    _document: SafeDocument

    def __init__(
        self,
        appearance: Appearance,
        name: str,
        *,
        gap: int = 0,
        quiet: bool = False,
        describe: Callable[[str], str] = lambda _: "",
        selector: Selector | None = None,
        parent: QWidget | None = None,
    ) -> None:
        """`gap` pixels stay free below the text: a document leaves out its last block's margin.

        `quiet` text is smaller and not as dark. `describe` says in words what a link within the text leads to.
        """
        super().__init__(SafeDocument(), selector, parent)
        self._appearance = appearance
        self._document.setDefaultStyleSheet(prose_css(appearance.tokens))
        self._gap = gap
        self._quiet = quiet
        self._head = ""
        self._undrawn: set[str] = set()
        self._describe = describe
        self.html: str | None = None
        """What `show_html` was given; None before."""
        self._longest: int | None = None
        self.links: tuple[Link, ...] = ()
        self.scroll_bar: QScrollBar | None = None
        """Below a table that is wider than the page; None while there is none."""
        if quiet:
            self._document.setDefaultFont(text_font(UI_SIZE))
            self._document.setProperty(QUIET, True)
        self.setAccessibleName(name)
        set_role(self, QAccessible.Role.Paragraph)
        self.setMouseTracking(True)
        appearance.changed.connect(self._restyle)

    @property
    def selected_text(self) -> str:
        return selected(self._cursor)

    def plain_text(self) -> str:
        return whole(self._document)

    def show_html(self, html: str, *, head: str = "") -> None:
        """`head` is the HTML of a table that this one goes on with: its columns are as wide as there."""
        self.html, self._head = html, head
        # The columns of a table are as wide as their longest words; what does not fit then scrolls.
        self._document.break_words('<table class="grid"' not in html)
        self._document.setHtml(self._with_formulas(html) if "<img" in html else html)
        if "<img" in html and '<table class="grid"' in html:
            sink_in_tables(self._document)
        self._document.fit_indent(html)
        self.links = links_of(self._document) if "<a href" in html else ()
        self._text_changed()

    def show_prose(self, html: str, *, head: str = "", gap: int = 0) -> None:
        """As `show_html`, at no cost where nothing is different. `gap` pixels stay free below."""
        self._gap = gap
        if (html, head) != (self.html, self._head):
            self.show_html(html, head=head)

    def height_for(self, width: int) -> int:
        """Pixels that the text needs at this width. Whoever places the widget asks; no Qt layout does.

        Qt's own heightForWidth would be asked for many widths in a row, and lay the text out for each.
        """
        if self._document.textWidth() != width:
            if self._head:
                align_columns(self._document, self._head, width, self._appearance.tokens)
            self._document.setTextWidth(width)
        size = self._document.size()
        return int(size.height() + 0.999) + self._gap + (_SCROLL_BAR if size.width() > width + 1 else 0)

    def longest_line(self) -> int:
        """Pixels that the text would take without being wrapped."""
        if self._longest is None:
            width = self._document.textWidth()
            self._document.setTextWidth(-1)
            self._longest = int(self._document.idealWidth()) + 2
            self._document.setTextWidth(width)
        return self._longest

    def place_at(self, point: QPoint) -> int:
        where = self._in_document(QPointF(point))
        return max(0, self._document.documentLayout().hitTest(where, Qt.HitTestAccuracy.FuzzyHit))

    def top_of(self, place: int) -> int:
        """Pixels from the upper edge to the line with this place."""
        block = self._document.findBlock(place)
        top = self._document.documentLayout().blockBoundingRect(block).top()
        line = block.layout().lineForTextPosition(place - block.position())
        return int(top + (line.y() if line.isValid() else 0))

    def paintEvent(self, event: QPaintEvent) -> None:
        shift = self._shift()
        painter = QPainter(self)
        painter.translate(-shift, 0)
        context = QAbstractTextDocumentLayout.PaintContext()
        colours = QPalette(self.palette())
        tokens = self._appearance.tokens
        colours.setColor(QPalette.ColorRole.Text, QColor(tokens.muted if self._quiet else tokens.text))
        context.palette = colours
        context.clip = QRectF(event.rect()).translated(shift, 0)
        if self._cursor.hasSelection() or self._hits:
            context.selections = marks(self._cursor, self._hits, self._current_hit, tokens)
        self._document.documentLayout().draw(painter, context)
        if self.html is not None and ("<ul" in self.html or "<ol" in self.html):
            ink = QColor(tokens.muted if self._quiet else tokens.text)
            draw_marks(painter, self._document, context.clip, QColor(tokens.muted), ink)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_scroll_bar()

    def _shift(self) -> int:
        return self.scroll_bar.value() if self.scroll_bar is not None else 0

    def _fit_scroll_bar(self) -> None:
        beyond = int(self._document.size().width()) - self.width()
        if beyond <= 1:
            if self.scroll_bar is not None:
                gone, self.scroll_bar = self.scroll_bar, None
                discard(gone)
            return
        if self.scroll_bar is None:
            self.scroll_bar = QScrollBar(Qt.Orientation.Horizontal, self)
            self.scroll_bar.setSingleStep(24)
            self.scroll_bar.valueChanged.connect(self.update)
            self.scroll_bar.show()
        self.scroll_bar.setRange(0, beyond)
        self.scroll_bar.setPageStep(self.width())
        self.scroll_bar.setGeometry(0, self.height() - self._gap - _SCROLL_BAR, self.width(), _SCROLL_BAR)

    def _with_formulas(self, html: str) -> str:
        """Formulas that can't be read stay the text they were."""
        waits = {name for name in names_in(html) if formulas().get(name) is None}
        self._document.documentLayout().registerHandler(
            QTextFormat.ObjectTypes.ImageObject.value, formula_handler(self._appearance)
        )
        if waits and not self._undrawn:
            formulas().drawn.connect(self._formula_drawn)
        elif self._undrawn and not waits:
            formulas().drawn.disconnect(self._formula_drawn)
        self._undrawn = waits
        return readable(html)

    def _formula_drawn(self, name: str) -> None:
        if name not in self._undrawn or self.html is None:
            return
        self._show_again(self.html)
        self.resized.emit()

    def _show_again(self, html: str) -> None:
        """What is selected stays so."""
        place = (self._cursor.anchor(), self._cursor.position())
        width = self._document.textWidth()
        self.show_html(html, head=self._head)
        self.height_for(int(width))
        self.select(*place)

    def _text_changed(self) -> None:
        self._longest = None
        self._cursor = QTextCursor(self._document)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if self.links else Qt.FocusPolicy.ClickFocus)
        self.setAccessibleDescription(self.plain_text())
        self.update()

    def _restyle(self) -> None:
        self._document.setDefaultStyleSheet(prose_css(self._appearance.tokens))
        if self.html is not None:
            self._show_again(self.html)
        self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        if not event.buttons() & Qt.MouseButton.LeftButton:
            address = self._address_at(event.position())
            self.setCursor(Qt.CursorShape.PointingHandCursor if address else Qt.CursorShape.IBeamCursor)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and not self._has_any_selection():
            self._follow(self._address_at(event.position()))

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            told = self._told(self._address_at(QPointF(event.pos())))
            if told:
                # As rich text, so that a long one is wrapped.
                QToolTip.showText(event.globalPos(), plain_tip(told), self)
            else:
                QToolTip.hideText()
            return True
        return super().event(event)

    def _add_actions(self, menu: QMenu, position: QPoint) -> None:
        address = self._address_at(QPointF(position))
        if address and not leads_within(address):
            link = menu.addAction(self.tr("Copy the link's address"))
            link.triggered.connect(lambda: QGuiApplication.clipboard().setText(address))

    def _told(self, address: str) -> str:
        """Where a link leads."""
        return self._describe(address) if leads_within(address) else address

    def _has_any_selection(self) -> bool:
        return self._selector.has_selection if self._selector is not None else self._cursor.hasSelection()

    def _address_at(self, place: QPointF) -> str:
        return self._document.documentLayout().anchorAt(self._in_document(place)) if self.links else ""

    def _in_document(self, place: QPointF) -> QPointF:
        return QPointF(place.x() + self._shift(), place.y())

    def _follow(self, address: str) -> None:
        if address:
            self.link_clicked.emit(QUrl(address).toString(QUrl.ComponentFormattingOption.FullyEncoded))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and (link := self._link_in_focus()) is not None:
            self._follow(link.address)
        else:
            super().keyPressEvent(event)

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Tab goes from link to link before it leaves the text."""
        link = self._link_in_focus()
        if link is not None:
            index = self.links.index(link) + (1 if forward else -1)
            if 0 <= index < len(self.links):
                link = self.links[index]
                self._choose(link.start, link.end)
                return True
        return super().focusNextPrevChild(forward)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if self.links and event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason):
            link = self.links[0 if event.reason() == Qt.FocusReason.TabFocusReason else -1]
            self._choose(link.start, link.end)

    def _link_in_focus(self) -> Link | None:
        place = (self._cursor.selectionStart(), self._cursor.selectionEnd())
        return next((link for link in self.links if (link.start, link.end) == place), None)


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
