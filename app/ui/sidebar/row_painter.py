"""Draws the sidebar's rows: titles, folders, hits in their context."""

from unicodedata import bidirectional

from PySide6.QtCore import QCoreApplication, QPointF, QRect, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QHelpEvent,
    QPainter,
    QPen,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLineEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolTip,
    QWidget,
)

from app.core.messages import Role
from app.services.conversations.chat_marks import ChatMark
from app.services.engine.states import Warmth
from app.storage.search import Hit
from app.ui.formatting.dates import short_moment
from app.ui.formatting.utf16 import between, units
from app.ui.sidebar.list_model import MARK_ROLE, WARMTH_ROLE, hit_text
from app.ui.sidebar.rows import ArchiveRow, ChatRow, FolderRow, Group, HitRow, MoreHitsRow, Row, Section
from app.ui.theme.appearance import Appearance
from app.ui.theme.fonts import SMALL_SIZE, half_scaled, text_font
from app.ui.widgets.plain_text import plain_tip
from app.ui.widgets.row_painter import draw_ground, format_range
from app.ui.widgets.rows_model import ROW, Index

_PAD = 13
_INDENT = 22
_ICON = 16
_FLAME = 14
_MORE = 22
_HIT_LINES = 2
_TURN = 30
"""Degrees by which the mark of an answer that is being written moves on."""


def more_box(row: QRect, *, mirrored: bool) -> QRect:
    """Where the button for its menu stands in a row that the mouse is at."""
    size = half_scaled(_MORE)
    box = QRect(0, 0, size, size)
    box.moveCenter(row.center())
    if mirrored:
        box.moveLeft(row.left() + _PAD // 2)
    else:
        box.moveRight(row.right() - _PAD // 2)
    return box


class ChatRowPainter(QStyledItemDelegate):
    """Also names the field in which a title is edited."""

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._phase = 0
        """How far the marks of answers that are being written have turned."""

    def turn_marks(self) -> None:
        """One step; whoever shows them has them painted again."""
        self._phase += 1

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        match index.data(ROW):
            case HitRow(_, hit):
                small = _height(text_font(SMALL_SIZE))
                fits = QFontMetrics(text_font(SMALL_SIZE)).horizontalAdvance(hit_text(hit)) <= self._room()
                return QSize(0, (1 if fits else _HIT_LINES) * (small + 2) + small + 16)
            case _:
                # All alike, so that a list of thousands is laid out by asking for one.
                return QSize(0, _height(text_font()) + 19)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row: Row = index.data(ROW)
        rect: QRect = option.rect
        direction: Qt.LayoutDirection = option.direction
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if not isinstance(row, Section):
            draw_ground(painter, self._appearance, rect, option.state)
        inner = rect.adjusted(_PAD, 0, -_PAD, 0)
        line = _Line(self._appearance, painter, inner, direction)
        is_near = bool(option.state & QStyle.StateFlag.State_MouseOver)
        if is_near and isinstance(row, ChatRow | FolderRow):
            line.more(more_box(rect, mirrored=direction == Qt.LayoutDirection.RightToLeft))
        match row:
            case Section(text, names_chat, n_found):
                line.rect.setTop(line.rect.top() + 8)
                line.space(0 if names_chat else 4 - _PAD)
                line.number(n_found)
                line.text(text, "text" if names_chat else "muted", text_font(SMALL_SIZE, QFont.Weight.Medium))
            case FolderRow(folder, n_chats):
                line.icon(_fold_icon(folder.collapsed, direction), before=-4)
                line.icon("folder")
                line.number(n_chats if folder.collapsed and not is_near else 0)
                line.text(folder.name)
            case ArchiveRow(collapsed):
                line.icon(_fold_icon(collapsed, direction), before=-4)
                line.text(str(index.data()), "muted")
            case ChatRow(_, group):
                line.space(_INDENT if group in (Group.FOLDER, Group.ARCHIVE) else 0)
                # Qt hands an enumeration of strings back as a plain string.
                warmth, mark = index.data(WARMTH_ROLE), index.data(MARK_ROLE)
                line.mark(ChatMark(mark) if mark else None, self._phase)
                line.warmth(Warmth(warmth) if warmth and not (mark or is_near) else None)
                line.text(str(index.data()))
            case HitRow(_, hit):
                self._draw_hit(painter, inner, direction, hit)
            case MoreHitsRow():
                line.text(str(index.data()), "muted", text_font(SMALL_SIZE))
        painter.restore()

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        editor = QLineEdit(parent)
        is_folder = isinstance(index.data(ROW), FolderRow)
        editor.setAccessibleName(self.tr("Name of the folder") if is_folder else self.tr("Title"))
        return editor

    def helpEvent(self, event: QHelpEvent, view: QAbstractItemView, option: QStyleOptionViewItem, index: Index) -> bool:
        """A title that can be read needs no tip, unless there is more to say."""
        row = index.data(ROW)
        indent = _INDENT if isinstance(row, ChatRow) and row.group in (Group.FOLDER, Group.ARCHIVE) else 0
        title = str(index.data())
        fits = QFontMetrics(text_font()).horizontalAdvance(title) <= self._room() - indent
        if isinstance(row, ChatRow) and fits and index.data(Qt.ItemDataRole.ToolTipRole) == plain_tip(title):
            QToolTip.hideText()
            return True
        return super().helpEvent(event, view, option, index)

    def _room(self) -> int:
        """Pixels for the text of a row."""
        view = self.parent()
        assert isinstance(view, QAbstractItemView)
        return view.viewport().width() - 2 * _PAD

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:
        rect: QRect = option.rect
        editor.setGeometry(rect.adjusted(2, 2, -2, -2))

    def _draw_hit(self, painter: QPainter, rect: QRect, direction: Qt.LayoutDirection, hit: Hit) -> None:
        tokens, font = self._appearance.tokens, text_font(SMALL_SIZE)
        text = _fitted(hit_text(hit), font, rect.width())
        layout = QTextLayout(text, font)
        towards = _direction(text, direction)
        is_left = towards == Qt.LayoutDirection.LeftToRight
        option = QTextOption(Qt.AlignmentFlag.AlignLeft if is_left else Qt.AlignmentFlag.AlignRight)
        option.setTextDirection(towards)
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        layout.setFormats(_bold(hit, QColor(tokens.text)))
        layout.beginLayout()
        height = 0.0
        for _ in range(_HIT_LINES):
            line = layout.createLine()
            if not line.isValid():
                break
            line.setLineWidth(rect.width())
            line.setPosition(QPointF(0, height))
            height += line.height() + 2
        layout.endLayout()
        painter.setPen(QColor(tokens.text))
        layout.draw(painter, QPointF(rect.left(), rect.top() + 7))
        below = QRect(rect.left(), rect.bottom() - _height(font) - 6, rect.width(), _height(font))
        _Line(self._appearance, painter, below, direction).text(_said(hit), "muted", font)


class _Line:
    """Fills a row from its leading edge; the text takes what is left."""

    def __init__(self, appearance: Appearance, painter: QPainter, rect: QRect, direction: Qt.LayoutDirection) -> None:
        self._appearance = appearance
        self._painter = painter
        self.rect = QRect(rect)
        self._mirrored = direction == Qt.LayoutDirection.RightToLeft
        self._direction = direction

    def space(self, width: int, *, at_end: bool = False) -> QRect:
        """Take that much; where it is."""
        left = at_end == self._mirrored
        taken = QRect(self.rect)
        if left:
            taken.setWidth(width)
            self.rect.setLeft(self.rect.left() + width)
        else:
            taken.setLeft(self.rect.right() - width + 1)
            self.rect.setRight(self.rect.right() - width)
        return taken

    def icon(self, name: str, *, before: int = 0) -> None:
        size = half_scaled(_ICON)
        place = self.space(size + 6 + before)
        side = QRect(0, 0, size, size)
        side.moveCenter(place.center())
        nudge = (before - 6) // 2
        self._appearance.icon(name, "muted").paint(
            self._painter, side.translated(-nudge if self._mirrored else nudge, 0)
        )

    def more(self, box: QRect) -> None:
        """The button for the row's menu, at its end."""
        if self._mirrored:
            self.rect.setLeft(max(self.rect.left(), box.right() + 4))
        else:
            self.rect.setRight(min(self.rect.right(), box.left() - 4))
        size = half_scaled(_ICON)
        place = QRect(0, 0, size, size)
        place.moveCenter(box.center())
        self._appearance.icon("more", "muted").paint(self._painter, place)

    def number(self, number: int) -> None:
        if number:
            font = text_font(SMALL_SIZE)
            place = self.space(QFontMetrics(font).horizontalAdvance(str(number)) + 8, at_end=True)
            self._painter.setFont(font)
            self._painter.setPen(QColor(self._appearance.tokens.muted))
            self._painter.drawText(place, Qt.AlignmentFlag.AlignCenter, str(number))

    def warmth(self, warmth: Warmth | None) -> None:
        """A small flame: full for what is in memory, an outline for what is on disk. A dot would mean unread."""
        if warmth is None:
            return
        size = half_scaled(_FLAME)
        place = QRect(0, 0, size, size)
        place.moveCenter(self.space(size + 4, at_end=True).center())
        self._appearance.icon("warm-filled" if warmth is Warmth.MEMORY else "warm", "muted").paint(self._painter, place)

    def mark(self, mark: ChatMark | None, phase: int) -> None:
        """A ring for what is being written, a dot for what has come, a tool for one that waits for a person."""
        if mark is None:
            return
        size = half_scaled(_FLAME)
        place = QRect(0, 0, size, size)
        place.moveCenter(self.space(size + 4, at_end=True).center())
        if mark is ChatMark.ASKING:
            self._appearance.icon("tool", "accent").paint(self._painter, place)
            return
        tokens, thick = self._appearance.tokens, size / 7
        if mark is ChatMark.UNSEEN:
            self._painter.setPen(Qt.PenStyle.NoPen)
            self._painter.setBrush(QColor(tokens.accent))
            self._painter.drawEllipse(QPointF(place.center()), size * 0.28, size * 0.28)
            return
        self._painter.setBrush(Qt.BrushStyle.NoBrush)
        ring = place.toRectF().adjusted(thick, thick, -thick, -thick)
        for colour, begin, length in ((tokens.border, 0, 360), (tokens.accent, 90 - phase * _TURN, 110)):
            self._painter.setPen(QPen(QColor(colour), thick, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
            self._painter.drawArc(ring, begin * 16, -length * 16)

    def text(self, text: str, role: str = "text", font: QFont | None = None) -> None:
        font = font or text_font()
        direction = _direction(text, self._direction)
        colour: str = getattr(self._appearance.tokens, role)
        self._painter.setFont(font)
        self._painter.setPen(QColor(colour))
        self._painter.setLayoutDirection(direction)
        edge = Qt.AlignmentFlag.AlignRight if self._mirrored else Qt.AlignmentFlag.AlignLeft
        # All rows begin at one edge, whatever they are written in.
        alignment = Qt.AlignmentFlag.AlignVCenter | edge | Qt.AlignmentFlag.AlignAbsolute
        shown = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, self.rect.width())
        self._painter.drawText(self.rect, alignment, shown)


def _fitted(text: str, font: QFont, width: int) -> str:
    """The text, with dots at its end where it takes more lines than it has."""
    layout = QTextLayout(text, font)
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    layout.setTextOption(option)
    layout.beginLayout()
    start = before = 0
    for _ in range(_HIT_LINES + 1):
        line = layout.createLine()
        if not line.isValid():
            return text
        line.setLineWidth(width)
        start, before = line.textStart(), start
    layout.endLayout()
    # What was found is bold, and a little wider.
    last, room = between(text, before, units(text)), round(width * 0.94)
    return between(text, 0, before) + QFontMetrics(font).elidedText(last, Qt.TextElideMode.ElideRight, room)


def _said(hit: Hit) -> str:
    """Who said it and when."""
    when = short_moment(hit.created_at)
    match hit.role:
        case Role.USER:
            return QCoreApplication.translate("ChatRowPainter", "You · {when}").format(when=when)
        case Role.ASSISTANT:
            return QCoreApplication.translate("ChatRowPainter", "Answer · {when}").format(when=when)
        case _:
            return when


def _bold(hit: Hit, colour: QColor) -> list[QTextLayout.FormatRange]:
    ranges: list[QTextLayout.FormatRange] = []
    start = 0
    for piece, found in hit.snippet:
        length = units(piece)
        if found:
            ranges.append(format_range(start, length, colour, weight=QFont.Weight.DemiBold))
        start += length
    return ranges


def _direction(text: str, otherwise: Qt.LayoutDirection) -> Qt.LayoutDirection:
    """By the first letter that has one."""
    for each in text:
        kind = bidirectional(each)
        if kind in ("R", "AL"):
            return Qt.LayoutDirection.RightToLeft
        if kind == "L":
            return Qt.LayoutDirection.LeftToRight
    return otherwise


def _fold_icon(collapsed: bool, direction: Qt.LayoutDirection) -> str:
    if not collapsed:
        return "chevron-down"
    return "chevron-left" if direction == Qt.LayoutDirection.RightToLeft else "chevron-right"


def _height(font: QFont) -> int:
    return QFontMetrics(font).height()
