"""The documents of the message that is being written, as chips above the text."""

from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFocusEvent,
    QFontMetrics,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractButton, QFrame, QMenu, QScrollArea, QSizePolicy, QWidget

from app.services.drafts.document_states import PendingDocument
from app.ui.formatting.numbers import count, line_of, size_text
from app.ui.theme.appearance import Appearance
from app.ui.theme.fonts import scaled, text_font
from app.ui.widgets.buttons import IconButton
from app.ui.widgets.discard import discard
from app.ui.widgets.flow import flow
from app.ui.widgets.plain_text import plain_tip

_HEIGHT = 46
_WIDEST, _NARROWEST = 260, 150
"""Pixels, as all here, at the usual size of text."""
_GAP = 8
_BELOW = 6
_SHARE = 0.25
"""Of the window's height, the files take no more than this."""
_MOST_ROWS = 3.5
"""The half of a row tells of more."""
_RADIUS = 10
_ICON = 20
_ICON_ROOM = 40
_BUTTON = 20
_BUTTON_ROOM = 30
_NAME_SIZE, _TOLD_SIZE = 13, 12
_TURN_MS = 40
_STEP = 16
"""Degrees that the ring turns each time."""


class DocumentChip(QAbstractButton):
    """One document: a click or Enter shows its text, Delete removes it, the arrow keys go to its neighbours."""

    remove_wanted = Signal(int)
    """The document's number, as with the others"""
    opened = Signal(int)
    unfolded = Signal(int)
    """Its text is wanted in the field."""
    pages_wanted = Signal(int)
    """Only some of its pages may be."""
    stepped = Signal(object, int)
    """This chip, and -1 or 1"""
    focused = Signal(object)
    """This chip"""

    def __init__(self, appearance: Appearance, document: PendingDocument, parent: QWidget) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._document = document
        self._angle = 0
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.remove_button = IconButton(appearance, "close", "", role="muted", size=12, parent=self)
        self.remove_button.setFixedSize(_BUTTON, _BUTTON)
        # By the keyboard it is the chip itself that is removed.
        self.remove_button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.remove_button.clicked.connect(self._remove)
        self.clicked.connect(self._open)
        self._turning = QTimer(self)
        self._turning.setInterval(_TURN_MS)
        self._turning.timeout.connect(self._turn)

    @property
    def document(self) -> PendingDocument:
        return self._document

    @property
    def told(self) -> str:
        """The second line: size and tokens, or how far the reading has come."""
        document = self._document
        if document.is_busy:
            if document.progress is None:
                return self.tr("Reading…")
            return self.tr("Reading, {percent} %").format(percent=round(document.progress * 100))
        size = size_text(document.size)
        if document.tokens is None:
            return size
        tokens = self.tr("{n} tokens") if document.tokens.exact else self.tr("≈ {n} tokens")
        return line_of((size, tokens.format(n=count(document.tokens.n))))

    def show_document(self, document: PendingDocument, place: int, of: int) -> None:
        """`place` counts from 1."""
        self._document = document
        said = self.tr("File {place} of {count}: {name}").format(place=place, count=of, name=document.name)
        self.setAccessibleName(f"{said}, {self.told}")
        self.setAccessibleDescription(self.tr("Enter shows the text, Delete removes the file."))
        self.setToolTip(plain_tip("\n".join(self._tip()), wraps=False))
        self.remove_button.say(self.tr("{file}, remove").format(file=said))
        self.remove_button.setToolTip(self.tr("Remove"))
        if not document.is_busy:
            self._turning.stop()
        elif not self._turning.isActive() and not self._appearance.reduced_motion:
            self._turning.start()
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        name, told = (self._metrics_width(*each) for each in ((self._document.name, True), (self.told, False)))
        wanted = _ICON_ROOM + max(name, told) + _BUTTON_ROOM
        return QSize(min(scaled(_WIDEST), max(scaled(_NARROWEST), wanted)), scaled(_HEIGHT))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_button()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LayoutDirectionChange:
            self._place_button()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Delete | Qt.Key.Key_Backspace:
                self._remove()
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self._open()
            case Qt.Key.Key_Left:
                self.stepped.emit(self, -1)
            case Qt.Key.Key_Right:
                self.stepped.emit(self, 1)
            case _:
                super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu().popup(
            event.globalPos() if not event.globalPos().isNull() else self.mapToGlobal(QPoint(8, self.height()))
        )

    def menu(self) -> QMenu:
        """What can be done with it."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if self._document.part is not None:
            menu.addAction(self.tr("Show the text"), self._open)
            menu.addAction(self.tr("Put it into the field"), self._unfold)
            if self._document.has_pages and not self._document.is_busy:
                menu.addAction(self.tr("Choose pages…"), self._choose_pages)
        menu.addAction(self.tr("Remove"), self._remove)
        return menu

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focused.emit(self)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = self._appearance.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ring = tokens.accent if self.hasFocus() else tokens.border
        width = 2.0 if self.hasFocus() else 1.0
        painter.setPen(QPen(QColor(ring), width))
        painter.setBrush(QColor(tokens.hover if self.underMouse() or self.isDown() else tokens.window))
        box = QRectF(self.rect()).adjusted(width / 2, width / 2, -width / 2, -width / 2)
        painter.drawRoundedRect(box, _RADIUS, _RADIUS)
        place = QRect((_ICON_ROOM - _ICON) // 2 + 2, (self.height() - _ICON) // 2, _ICON, _ICON)
        if self._document.is_busy:
            self._paint_ring(painter, QRectF(self._mirrored(place)))
        else:
            self._appearance.icon("document", "muted").paint(painter, self._mirrored(place))
        words = self.width() - _ICON_ROOM - _BUTTON_ROOM
        for text, top, size, role in (
            (self._document.name or self.tr("A file without a name"), 6, _NAME_SIZE, tokens.text),
            (self.told, 25, _TOLD_SIZE, tokens.muted),
        ):
            painter.setFont(text_font(size))
            painter.setPen(QColor(role))
            middle = size == _NAME_SIZE
            mode = Qt.TextElideMode.ElideMiddle if middle else Qt.TextElideMode.ElideRight
            shown = painter.fontMetrics().elidedText(text, mode, words)
            line = self._mirrored(QRect(_ICON_ROOM, scaled(top), words, scaled(18)))
            painter.drawText(line, Qt.AlignmentFlag.AlignLeading | Qt.AlignmentFlag.AlignVCenter, shown)
        painter.end()

    def _paint_ring(self, painter: QPainter, place: QRectF) -> None:
        ring = place.adjusted(2, 2, -2, -2)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(self._appearance.tokens.scroll), 2.5))
        painter.drawEllipse(ring)
        painter.setPen(
            QPen(QColor(self._appearance.tokens.accent), 2.5, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap)
        )
        progress = self._document.progress
        if progress is None:
            painter.drawArc(ring, -self._angle * 16, 100 * 16)
        else:
            painter.drawArc(ring, 90 * 16, -round(progress * 360 * 16))

    def _mirrored(self, place: QRect) -> QRect:
        if self.layoutDirection() == Qt.LayoutDirection.LeftToRight:
            return place
        return QRect(self.width() - place.right() - 1, place.top(), place.width(), place.height())

    def _place_button(self) -> None:
        place = QRect(self.width() - _BUTTON - 6, (self.height() - _BUTTON) // 2, _BUTTON, _BUTTON)
        self.remove_button.move(self._mirrored(place).topLeft())

    def _metrics_width(self, text: str, is_name: bool) -> int:
        return QFontMetrics(text_font(_NAME_SIZE if is_name else _TOLD_SIZE)).horizontalAdvance(text) + 6

    def _tip(self) -> list[str]:
        lines = [self._document.name, self.told]
        if self._document.tokens is not None and not self._document.tokens.exact:
            lines.append(self.tr("No model has counted the tokens yet: the number is reckoned."))
        return lines

    def _turn(self) -> None:
        self._angle = (self._angle + _STEP) % 360
        self.update()

    def _remove(self) -> None:
        self.remove_wanted.emit(self._document.number)

    def _choose_pages(self) -> None:
        self.pages_wanted.emit(self._document.number)

    def _unfold(self) -> None:
        self.unfolded.emit(self._document.number)

    def _open(self) -> None:
        if self._document.part is not None:
            self.opened.emit(self._document.number)


class DocumentTray(QScrollArea):
    """Shows what it is given and reports what is wanted. Hidden while there is nothing in it; many files scroll."""

    remove_wanted = Signal(int)
    opened = Signal(int)
    unfolded = Signal(int)
    pages_wanted = Signal(int)
    emptied = Signal()
    """The last document went by the keyboard: the focus needs another place."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._chips: dict[int, DocumentChip] = {}
        appearance.changed.connect(self._place)
        self._inside = QWidget(self)
        self._inside.setObjectName("bare")
        self.setWidget(self._inside)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName(self.tr("Files of this message"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.hide()

    @property
    def chips(self) -> tuple[DocumentChip, ...]:
        """They take the focus in this order."""
        return tuple(self._chips.values())

    @property
    def is_empty(self) -> bool:
        return not self._chips

    @property
    def longest_paged(self) -> int | None:
        """The number of the document that takes most of the context, if pages of it can be chosen."""
        documents = [chip.document for chip in self.chips]
        found = max(documents, key=lambda each: each.tokens.n if each.tokens is not None else 0, default=None)
        return found.number if found is not None and found.has_pages else None

    @property
    def is_reading(self) -> bool:
        """Whether a document is not ready to be sent yet."""
        return any(chip.document.part is None for chip in self.chips)

    def show_documents(self, documents: tuple[PendingDocument, ...]) -> None:
        focused = next((index for index, chip in enumerate(self.chips) if chip.hasFocus()), None)
        wanted = {each.number for each in documents}
        discard(*(self._chips.pop(number) for number in list(self._chips) if number not in wanted))
        self._chips = {each.number: self._chips.get(each.number) or self._add(each) for each in documents}
        for place, (chip, document) in enumerate(zip(self.chips, documents, strict=True), 1):
            chip.show_document(document, place, len(documents))
        self._place()
        self.setVisible(bool(documents))
        if focused is not None:
            self._focus(min(focused, len(self._chips) - 1))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def _add(self, document: PendingDocument) -> DocumentChip:
        chip = DocumentChip(self._appearance, document, self._inside)
        chip.focused.connect(self._show_chip)
        chip.remove_wanted.connect(self.remove_wanted)
        chip.opened.connect(self.opened)
        chip.unfolded.connect(self.unfolded)
        chip.pages_wanted.connect(self.pages_wanted)
        chip.stepped.connect(self._step)
        chip.show()
        return chip

    def _step(self, chip: DocumentChip, by: int) -> None:
        self._focus((self.chips.index(chip) + by) % len(self._chips))

    def _focus(self, index: int) -> None:
        if self._chips:
            self.chips[index].setFocus(Qt.FocusReason.TabFocusReason)
        else:
            self.emptied.emit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LayoutDirectionChange:
            self._place()

    def _show_chip(self, chip: DocumentChip) -> None:
        self.ensureWidgetVisible(chip, 0, _GAP)

    def _place(self) -> None:
        width = self.viewport().width()
        sizes = [chip.sizeHint().boundedTo(QSize(max(60, width), scaled(_HEIGHT))) for chip in self.chips]
        places, height = flow(sizes, width, _GAP)
        for chip, size, place in zip(self.chips, sizes, places, strict=True):
            chip.resize(size)
            right = width - place.x() - size.width()
            chip.move(place if self.layoutDirection() == Qt.LayoutDirection.LeftToRight else QPoint(right, place.y()))
        self._inside.resize(width, height)
        most = round(min(_MOST_ROWS * (scaled(_HEIGHT) + _GAP), _SHARE * self.window().height()))
        self.setFixedHeight(min(height, most) + _BELOW if self._chips else 0)
