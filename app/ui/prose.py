"""A piece of text as one light widget: as high as its text, to be selected, copied and followed."""

from dataclasses import dataclass

from PySide6.QtCore import QPoint, QPointF, QRectF, Qt, QUrl, Signal
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QColor,
    QContextMenuEvent,
    QFocusEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QResizeEvent,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import QMenu, QScrollBar, QWidget

from app.ui.document import SafeDocument, prose_css
from app.ui.theme import Look

_SCROLL_BAR = 10
_LINE_HEIGHT = 140
"""Per cent, of plain text."""


@dataclass(frozen=True, slots=True)
class Link:
    start: int
    end: int
    address: str


class ProseView(QWidget):
    """Shows the HTML of one Markdown block, or plain text. Its height follows from its width by `height_for`.

    A QTextBrowser would do the same with six widgets, at twenty times the cost of a change of theme.
    """

    link_clicked = Signal(str)

    def __init__(self, look: Look, name: str, *, gap: int = 0, parent: QWidget | None = None) -> None:
        """`gap` pixels stay free below the text: a document leaves out its last block's margin."""
        super().__init__(parent)
        self._look = look
        self._gap = gap
        self._html: str | None = None
        self._longest: int | None = None
        self._links: tuple[Link, ...] = ()
        self._bar: QScrollBar | None = None
        self._document = SafeDocument(self)
        self._cursor = QTextCursor(self._document)
        self.setAccessibleName(name)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setCursor(Qt.CursorShape.IBeamCursor)
        look.changed.connect(self._restyle)

    @property
    def html(self) -> str | None:
        """What `show_html` was given; None for plain text."""
        return self._html

    @property
    def links(self) -> tuple[Link, ...]:
        return self._links

    @property
    def selected_text(self) -> str:
        return self._cursor.selection().toPlainText()

    @property
    def scroll_bar(self) -> QScrollBar | None:
        """Below a table that is wider than the page; None while there is none."""
        return self._bar

    def document(self) -> QTextDocument:
        return self._document

    def plain_text(self) -> str:
        return self._document.toPlainText()

    def show_html(self, html: str) -> None:
        self._html = html
        self._document.setDefaultStyleSheet(prose_css(self._look.tokens))
        self._document.setHtml(html)
        self._links = _links_of(self._document) if "<a href" in html else ()
        self._text_changed()

    def show_plain(self, text: str) -> None:
        self._html = None
        self._document.setPlainText(text)
        spacing = QTextBlockFormat()
        spacing.setLineHeight(_LINE_HEIGHT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        cursor = QTextCursor(self._document)
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.mergeBlockFormat(spacing)
        self._links = ()
        self._text_changed()

    def height_for(self, width: int) -> int:
        """Pixels that the text needs at this width. Whoever places the widget asks; no Qt layout does.

        Qt's own heightForWidth would be asked for many widths in a row, and lay the text out for each.
        """
        if self._document.textWidth() != width:
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

    def select_all(self) -> None:
        self._cursor.select(QTextCursor.SelectionType.Document)
        self.update()

    def copy(self) -> None:
        if self._cursor.hasSelection():
            QGuiApplication.clipboard().setText(self.selected_text)

    # -- drawing -------------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        shift = self._shift()
        painter = QPainter(self)
        painter.translate(-shift, 0)
        context = QAbstractTextDocumentLayout.PaintContext()
        colours = QPalette(self.palette())
        colours.setColor(QPalette.ColorRole.Text, QColor(self._look.tokens.text))
        context.palette = colours
        context.clip = QRectF(event.rect()).translated(shift, 0)
        if self._cursor.hasSelection():
            context.selections = [self._selection()]
        self._document.documentLayout().draw(painter, context)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_scroll_bar()

    def _selection(self) -> QAbstractTextDocumentLayout.Selection:
        selection = QAbstractTextDocumentLayout.Selection()
        selection.cursor = self._cursor
        style = QTextCharFormat()
        style.setBackground(QColor(self._look.tokens.selection))
        style.setForeground(QColor(self._look.tokens.text))
        selection.format = style
        return selection

    def _shift(self) -> int:
        return self._bar.value() if self._bar is not None else 0

    def _fit_scroll_bar(self) -> None:
        beyond = int(self._document.size().width()) - self.width()
        if beyond <= 1:
            if self._bar is not None:
                self._bar.deleteLater()
                self._bar = None
            return
        if self._bar is None:
            self._bar = QScrollBar(Qt.Orientation.Horizontal, self)
            self._bar.setSingleStep(24)
            self._bar.valueChanged.connect(self.update)
            self._bar.show()
        self._bar.setRange(0, beyond)
        self._bar.setPageStep(self.width())
        self._bar.setGeometry(0, self.height() - self._gap - _SCROLL_BAR, self.width(), _SCROLL_BAR)

    def _text_changed(self) -> None:
        self._longest = None
        self._cursor = QTextCursor(self._document)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if self._links else Qt.FocusPolicy.ClickFocus)
        self.setAccessibleDescription(self.plain_text())
        self.update()

    def _restyle(self) -> None:
        if self._html is not None:
            width = self._document.textWidth()
            self.show_html(self._html)
            self._document.setTextWidth(width)
        self.update()

    # -- mouse ---------------------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            extend = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self._move_cursor(event.position(), keep_anchor=extend)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._move_cursor(event.position(), keep_anchor=True)
            return
        address = self._address_at(event.position())
        self.setCursor(Qt.CursorShape.PointingHandCursor if address else Qt.CursorShape.IBeamCursor)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and not self._cursor.hasSelection():
            self._follow(self._address_at(event.position()))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._move_cursor(event.position(), keep_anchor=False)
        self._cursor.select(QTextCursor.SelectionType.WordUnderCursor)
        self.update()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu_at(event.pos()).popup(event.globalPos())

    def menu_at(self, position: QPoint) -> QMenu:
        """What can be done with the text there. It deletes itself when it closes."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        copy = menu.addAction(self.tr("Copy"))
        copy.setEnabled(self._cursor.hasSelection())
        copy.triggered.connect(self.copy)
        if address := self._address_at(QPointF(position)):
            link = menu.addAction(self.tr("Copy the link's address"))
            link.triggered.connect(lambda: QGuiApplication.clipboard().setText(address))
        menu.addAction(self.tr("Select all")).triggered.connect(self.select_all)
        return menu

    def _move_cursor(self, place: QPointF, *, keep_anchor: bool) -> None:
        found = self._document.documentLayout().hitTest(self._in_document(place), Qt.HitTestAccuracy.FuzzyHit)
        mode = QTextCursor.MoveMode.KeepAnchor if keep_anchor else QTextCursor.MoveMode.MoveAnchor
        self._cursor.setPosition(max(0, found), mode)
        self.update()

    def _address_at(self, place: QPointF) -> str:
        return self._document.documentLayout().anchorAt(self._in_document(place)) if self._links else ""

    def _in_document(self, place: QPointF) -> QPointF:
        return QPointF(place.x() + self._shift(), place.y())

    def _follow(self, address: str) -> None:
        if address:
            self.link_clicked.emit(QUrl(address).toString(QUrl.ComponentFormattingOption.FullyEncoded))

    # -- keyboard ------------------------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            self.select_all()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and (link := self._link_in_focus()) is not None:
            self._follow(link.address)
        else:
            super().keyPressEvent(event)

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Tab goes from link to link before it leaves the text."""
        link = self._link_in_focus()
        if link is not None:
            index = self._links.index(link) + (1 if forward else -1)
            if 0 <= index < len(self._links):
                self._choose(self._links[index])
                return True
        return super().focusNextPrevChild(forward)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if self._links and event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason):
            self._choose(self._links[0 if event.reason() == Qt.FocusReason.TabFocusReason else -1])

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() not in (Qt.FocusReason.PopupFocusReason, Qt.FocusReason.ActiveWindowFocusReason):
            self._cursor.clearSelection()
            self.update()

    def _link_in_focus(self) -> Link | None:
        place = (self._cursor.selectionStart(), self._cursor.selectionEnd())
        return next((link for link in self._links if (link.start, link.end) == place), None)

    def _choose(self, link: Link) -> None:
        self._cursor.setPosition(link.start)
        self._cursor.setPosition(link.end, QTextCursor.MoveMode.KeepAnchor)
        self.update()


def _links_of(document: QTextDocument) -> tuple[Link, ...]:
    """The links in the order of the text. A link in several formats counts once."""
    links: list[Link] = []
    block = document.begin()
    while block.isValid():
        pieces = block.begin()
        while not pieces.atEnd():
            fragment = pieces.fragment()
            pieces += 1
            address = fragment.charFormat().anchorHref()
            start, end = fragment.position(), fragment.position() + fragment.length()
            if not address:
                continue
            if links and links[-1].end == start and links[-1].address == address:
                links[-1] = Link(links[-1].start, end, address)
            else:
                links.append(Link(start, end, address))
        block = block.next()
    return tuple(links)
