"""A piece of text as one light widget: as high as its text, to be selected, copied and followed."""

from collections.abc import Callable, Sequence
from html import escape

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, QUrl, Signal
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QAccessible,
    QColor,
    QContextMenuEvent,
    QFocusEvent,
    QGuiApplication,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QResizeEvent,
    QTextBlockFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)
from PySide6.QtWidgets import QMenu, QScrollBar, QToolTip, QWidget

from app.ui.accessible_roles import set_role
from app.ui.document import SafeDocument, prose_css
from app.ui.document_text import Link, links_of, selected, whole
from app.ui.fonts import UI_SIZE, text_font
from app.ui.formulas import QUIET, formula_handler, formulas, names_in, readable
from app.ui.list_marks import draw_marks
from app.ui.markdown_links import note_of
from app.ui.selector import Selector
from app.ui.table_columns import align_columns
from app.ui.text_marks import Hit, marks
from app.ui.theme import Look

_SCROLL_BAR = 10
_LINE_HEIGHT = 140
"""Per cent, of plain text."""


__all__ = ["Hit", "ProseView"]


class ProseView(QWidget):
    """Shows the HTML of one Markdown block, or plain text. Its height follows from its width by `height_for`.

    A QTextBrowser would do the same with six widgets, at twenty times the cost of a change of theme.
    """

    link_clicked = Signal(str)
    resized = Signal()
    """It needs another height at the same width."""

    def __init__(
        self, look: Look, name: str, *, gap: int = 0, quiet: bool = False, parent: QWidget | None = None
    ) -> None:
        """`gap` pixels stay free below the text: a document leaves out its last block's margin.

        `quiet` text is smaller and not as dark.
        """
        super().__init__(parent)
        self._look = look
        self._gap = gap
        self._quiet = quiet
        self._head = ""
        self._undrawn: set[str] = set()
        self._hits: Sequence[Hit] = ()
        self._current_hit: Hit | None = None
        self.selector: Selector | None = None
        """Of the text that this is a part of; without one it is selected by itself."""
        self.describe: Callable[[str], str] | None = None
        """What a link within the text leads to, in words."""
        self._html: str | None = None
        self._longest: int | None = None
        self._links: tuple[Link, ...] = ()
        self._bar: QScrollBar | None = None
        self._document = SafeDocument(self)
        if quiet:
            self._document.setDefaultFont(text_font(UI_SIZE))
            self._document.setProperty(QUIET, True)
        self._cursor = QTextCursor(self._document)
        self.setAccessibleName(name)
        set_role(self, QAccessible.Role.Paragraph)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setCursor(Qt.CursorShape.IBeamCursor)
        look.changed.connect(self._restyle)

    @property
    def html(self) -> str | None:
        """What `show_html` was given; None for plain text."""
        return self._html

    @property
    def has_selection(self) -> bool:
        return self._cursor.hasSelection()

    @property
    def links(self) -> tuple[Link, ...]:
        return self._links

    @property
    def selected_text(self) -> str:
        return selected(self._cursor)

    @property
    def scroll_bar(self) -> QScrollBar | None:
        """Below a table that is wider than the page; None while there is none."""
        return self._bar

    def document(self) -> QTextDocument:
        return self._document

    def plain_text(self) -> str:
        return whole(self._document)

    def show_html(self, html: str, *, head: str = "") -> None:
        """`head` is the HTML of a table that this one goes on with: its columns are as wide as there."""
        self._html, self._head = html, head
        self._document.setDefaultStyleSheet(prose_css(self._look.tokens))
        # The columns of a table are as wide as their longest words; what does not fit then scrolls.
        self._document.break_words('<table class="grid"' not in html)
        self._document.setHtml(self._with_formulas(html) if "<img" in html else html)
        self._links = links_of(self._document) if "<a href" in html else ()
        self._text_changed()

    def show_prose(self, html: str, *, head: str = "", gap: int = 0) -> None:
        """As `show_html`, at no cost where nothing is different. `gap` pixels stay free below."""
        self._gap = gap
        if (html, head) != (self._html, self._head):
            self.show_html(html, head=head)

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
            if self._head:
                align_columns(self._document, self._head, width, self._look.tokens)
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
        if self.selector is not None:
            self.selector.select_all()
            return
        self._cursor.select(QTextCursor.SelectionType.Document)
        self.update()

    def copy(self) -> None:
        if self.selector is not None:
            self.selector.copy()
        elif self._cursor.hasSelection():
            QGuiApplication.clipboard().setText(self.selected_text)

    # -- for the text that this is a part of ---------------------------------------------------------------------

    @property
    def length(self) -> int:
        """The last place in the text."""
        return self._document.characterCount() - 1

    def place_at(self, point: QPoint) -> int:
        """The place in the text that is nearest to `point`."""
        where = self._in_document(QPointF(point))
        return max(0, self._document.documentLayout().hitTest(where, Qt.HitTestAccuracy.FuzzyHit))

    def select(self, start: int, end: int) -> None:
        if (start, end) != (self._cursor.anchor(), self._cursor.position()):
            self._cursor.setPosition(min(start, self.length))
            self._cursor.setPosition(min(end, self.length), QTextCursor.MoveMode.KeepAnchor)
            self.update()

    def word_at(self, place: int) -> tuple[int, int]:
        cursor = QTextCursor(self._document)
        cursor.setPosition(place)
        cursor.select(QTextCursor.SelectionType.WordUnderCursor)
        return cursor.selectionStart(), cursor.selectionEnd()

    def show_hits(self, hits: Sequence[Hit], current: Hit | None) -> None:
        """Mark what was searched for."""
        if (hits, current) != (self._hits, self._current_hit):
            self._hits, self._current_hit = hits, current
            self.update()

    def top_of(self, place: int) -> int:
        """Pixels from the upper edge to the line with this place."""
        block = self._document.findBlock(place)
        top = self._document.documentLayout().blockBoundingRect(block).top()
        line = block.layout().lineForTextPosition(place - block.position())
        return int(top + (line.y() if line.isValid() else 0))

    # -- drawing -------------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        shift = self._shift()
        painter = QPainter(self)
        painter.translate(-shift, 0)
        context = QAbstractTextDocumentLayout.PaintContext()
        colours = QPalette(self.palette())
        tokens = self._look.tokens
        colours.setColor(QPalette.ColorRole.Text, QColor(tokens.muted if self._quiet else tokens.text))
        context.palette = colours
        context.clip = QRectF(event.rect()).translated(shift, 0)
        if self._cursor.hasSelection() or self._hits:
            context.selections = marks(self._cursor, self._hits, self._current_hit, tokens)
        self._document.documentLayout().draw(painter, context)
        if self._html is not None and "<ul" in self._html:
            draw_marks(painter, self._document, context.clip, QColor(tokens.muted))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_scroll_bar()

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

    def _with_formulas(self, html: str) -> str:
        """Formulas that can't be read stay the text they were."""
        waits = {name for name in names_in(html) if formulas().get(name) is None}
        self._document.documentLayout().registerHandler(
            QTextFormat.ObjectTypes.ImageObject.value, formula_handler(self._look)
        )
        if waits and not self._undrawn:
            formulas().drawn.connect(self._formula_drawn)
        elif self._undrawn and not waits:
            formulas().drawn.disconnect(self._formula_drawn)
        self._undrawn = waits
        return readable(html)

    def _formula_drawn(self, name: str) -> None:
        if name not in self._undrawn or self._html is None:
            return
        place = (self._cursor.anchor(), self._cursor.position())
        width = self._document.textWidth()
        self.show_html(self._html, head=self._head)
        self.height_for(int(width))
        self.select(*place)
        self.resized.emit()

    def _text_changed(self) -> None:
        self._longest = None
        self._cursor = QTextCursor(self._document)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if self._links else Qt.FocusPolicy.ClickFocus)
        self.setAccessibleDescription(self.plain_text())
        self.update()

    def _restyle(self) -> None:
        if self._html is not None:
            width = self._document.textWidth()
            self.show_html(self._html, head=self._head)
            self.height_for(int(width))
        self.update()

    # -- mouse ---------------------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            extend = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self._move_cursor(event.position().toPoint(), extend=extend)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._move_cursor(event.position().toPoint(), extend=True)
            return
        address = self._address_at(event.position())
        self.setCursor(Qt.CursorShape.PointingHandCursor if address else Qt.CursorShape.IBeamCursor)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and not self._has_any_selection():
            self._follow(self._address_at(event.position()))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        start, end = self.word_at(self.place_at(event.position().toPoint()))
        if self.selector is not None:
            self.selector.select(self, start, end)
        else:
            self.select(start, end)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu_at(event.pos()).popup(event.globalPos())

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            told = self._told(self._address_at(QPointF(event.pos())))
            if told:
                # As rich text, so that a long one is wrapped.
                QToolTip.showText(event.globalPos(), f"<p>{escape(told)}</p>", self)
            else:
                QToolTip.hideText()
            return True
        return super().event(event)

    def menu_at(self, position: QPoint) -> QMenu:
        """What can be done with the text there. It deletes itself when it closes."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if self.selector is not None:
            self.selector.add_actions(menu)
        else:
            copy = menu.addAction(self.tr("Copy"))
            copy.setEnabled(self._cursor.hasSelection())
            copy.triggered.connect(self.copy)
        address = self._address_at(QPointF(position))
        if address and not note_of(address):
            link = menu.addAction(self.tr("Copy the link's address"))
            link.triggered.connect(lambda: QGuiApplication.clipboard().setText(address))
        menu.addAction(self.tr("Select all")).triggered.connect(self.select_all)
        return menu

    def _told(self, address: str) -> str:
        """Where a link leads."""
        if note_of(address):
            return self.describe(address) if self.describe is not None else ""
        return address

    def _has_any_selection(self) -> bool:
        return self.selector.has_selection if self.selector is not None else self._cursor.hasSelection()

    def _move_cursor(self, point: QPoint, *, extend: bool) -> None:
        if self.selector is not None:
            self.selector.move(self, point, extend=extend)
            return
        mode = QTextCursor.MoveMode.KeepAnchor if extend else QTextCursor.MoveMode.MoveAnchor
        self._cursor.setPosition(self.place_at(point), mode)
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
            if self.selector is not None:
                self.selector.left()
            else:
                self._cursor.clearSelection()
            self.update()

    def _link_in_focus(self) -> Link | None:
        place = (self._cursor.selectionStart(), self._cursor.selectionEnd())
        return next((link for link in self._links if (link.start, link.end) == place), None)

    def _choose(self, link: Link) -> None:
        if self.selector is not None:
            self.selector.select(self, link.start, link.end)
        else:
            self.select(link.start, link.end)
