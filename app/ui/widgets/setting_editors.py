"""One editor for each kind of value that a setting can have. All read, write and say that they changed."""

import re
from collections.abc import Sequence
from enum import StrEnum

from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPalette, QPen, QResizeEvent
from PySide6.QtWidgets import QCheckBox, QFrame, QHBoxLayout, QLabel, QLineEdit, QPlainTextEdit, QSizePolicy, QWidget

from app.core.loading import LoadMode
from app.core.setting import Declaration
from app.ui.theme.fonts import half_scaled
from app.ui.widgets.chevron_box import ChevronBox
from app.ui.widgets.layouts import grow, hbox

_MOST_LINES = 8
_SWITCH = QSize(38, 22)
_INSET = 12
"""Pixels between a field's edge and its text."""
_BEHIND = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignAbsolute | Qt.AlignmentFlag.AlignVCenter
_ESCAPES = {"\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_PLAIN = {written[1]: meant for meant, written in _ESCAPES.items()}
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.|$)", re.DOTALL)


def _tr(text: str) -> str:
    return QCoreApplication.translate("settings", text)


class NumberEdit(QLineEdit):
    """A number as text, so that what is refused can be told; the arrow keys step within the bounds."""

    value_changed = Signal()

    def __init__(self, kind: type[int] | type[float], told: Declaration, unit: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._kind = kind
        self._minimum, self._maximum = told.minimum, told.maximum
        self._unit = unit
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.textChanged.connect(self.value_changed)

    def read(self) -> int | float:
        """Raises ValueError with a sentence."""
        text = re.sub(r"[\s_']", "", self.text())
        if self._kind is int:
            if re.fullmatch(r"[+-]?[\d,]{1,30}", text) and any(each.isdigit() for each in text):
                return int(text.replace(",", ""))
            raise ValueError(_tr("Write a whole number, such as {example}.").format(example=shown(self._example())))
        try:
            return float(text.replace(",", ".") if text.count(",") == 1 and "." not in text else text)
        except ValueError:
            sentence = _tr("Write a number, such as {example}.").format(example=shown(self._example()))
            raise ValueError(sentence) from None

    def write(self, value: float) -> None:
        self.setText(shown(value))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._unit:
            painter = QPainter(self)
            painter.setPen(self.palette().color(QPalette.ColorRole.PlaceholderText))
            painter.drawText(self.rect().adjusted(_INSET, 0, -_INSET, 0), _BEHIND, self._unit)
            painter.end()

    def event(self, event: QEvent) -> bool:
        if self._unit and event.type() in (QEvent.Type.Polish, QEvent.Type.FontChange):
            # Room for the unit, which stands behind the number in every direction of writing.
            self.setTextMargins(0, 0, self.fontMetrics().horizontalAdvance(self._unit) + 6, 0)
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Up: 1, Qt.Key.Key_Down: -1, Qt.Key.Key_PageUp: 10, Qt.Key.Key_PageDown: -10}
        if not event.modifiers() and (step := steps.get(Qt.Key(event.key()))) is not None:
            self._step(step)
        else:
            super().keyPressEvent(event)

    def _step(self, steps: int) -> None:
        try:
            value = self.read()
        except ValueError:
            return
        moved = value + steps * self._step_size(value)
        if self._minimum is not None:
            moved = max(moved, self._minimum)
        if self._maximum is not None:
            moved = min(moved, self._maximum)
        self.write(self._kind(moved) if self._kind is int else round(moved, 6))
        self.selectAll()

    def _step_size(self, value: float) -> float:
        """A tenth of a number's own size, or a twentieth of 1."""
        if self._kind is float:
            return 0.05
        return float(10 ** max(0, len(str(abs(int(value)))) - 2))

    def _example(self) -> float:
        return self._minimum if self._minimum is not None and self._minimum > 0 else 1


class ChoiceEdit(ChevronBox):
    """One of an enumeration's members."""

    value_changed = Signal()

    def __init__(self, members: Sequence[StrEnum], parent: QWidget) -> None:
        super().__init__(parent)
        for member in members:
            self.addItem(shown(member), member.value)
        self._members = list(members)
        self.currentIndexChanged.connect(self.value_changed)

    def read(self) -> StrEnum:
        return self._members[self.currentIndex()]

    def write(self, value: StrEnum) -> None:
        self.setCurrentIndex(self._members.index(value))


class SwitchEdit(QCheckBox):
    """On and off, drawn as a switch."""

    value_changed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._grow()
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.toggled.connect(self.value_changed)

    def read(self) -> bool:
        return self.isChecked()

    def write(self, value: bool) -> None:
        self.setChecked(value)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self._grow()

    def _grow(self) -> None:
        self.setFixedSize(half_scaled(_SWITCH.width()), half_scaled(_SWITCH.height()))

    def hitButton(self, place: QPoint) -> bool:
        return self.rect().contains(place)

    def paintEvent(self, event: QPaintEvent) -> None:
        role, colours = QPalette.ColorRole, self.palette()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        track = QRectF(self.rect()).adjusted(2, 2, -2, -2)
        on = colours.color(role.Accent)
        painter.setPen(QPen(on if self.isChecked() else colours.color(role.PlaceholderText), 1.5))
        painter.setBrush(on if self.isChecked() else colours.color(role.Base))
        painter.drawRoundedRect(track, track.height() / 2, track.height() / 2)
        size = track.height() - 6
        is_right = self.isChecked() != (self.layoutDirection() == Qt.LayoutDirection.RightToLeft)
        knob = QRectF(track.right() - size - 3 if is_right else track.left() + 3, track.top() + 3, size, size)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colours.color(role.Base if self.isChecked() else role.PlaceholderText))
        painter.drawEllipse(knob)
        if self.hasFocus():
            painter.setPen(QPen(colours.color(role.Text), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(
                QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), self.height() / 2, self.height() / 2
            )
        painter.end()


def switch_row(switch: SwitchEdit, label: QLabel) -> QHBoxLayout:
    """A switch with its label before it, which a click on the label does not turn."""
    switch.setAccessibleName(label.text())
    switch.setToolTip(label.text())
    label.setBuddy(switch)
    return hbox(grow(label), switch)


class TextEdit(QPlainTextEdit):
    """Text of any length; as high as its lines, up to eight."""

    value_changed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("value")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.textChanged.connect(self.value_changed)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)
        self._fit()

    def read(self) -> str:
        return self.toPlainText()

    def write(self, value: str) -> None:
        self.setPlainText(value)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def sizeHint(self) -> QSize:
        return QSize(300, self.minimumHeight())

    def _fit(self) -> None:
        lines = min(_MOST_LINES, max(1, int(self.document().size().height())))
        margins = self.contentsMargins()
        around = 2 * int(self.document().documentMargin()) + margins.top() + margins.bottom() + 10
        self.setFixedHeight(lines * self.fontMetrics().lineSpacing() + around)


class ListEdit(TextEdit):
    """Several texts, one on each line; a backslash writes what a line cannot hold."""

    def read_all(self) -> tuple[str, ...]:
        """Raises ValueError with a sentence."""
        return tuple(unescaped(line) for line in self.toPlainText().split("\n") if line)

    def write_all(self, values: Sequence[str]) -> None:
        self.setPlainText("\n".join(escaped(each) for each in values))


Editor = NumberEdit | ChoiceEdit | SwitchEdit | TextEdit


def escaped(text: str) -> str:
    """On one line, with nothing that cannot be seen but blanks."""
    return "".join(_escaped(each) for each in text)


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character == " " or character.isprintable():
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def unescaped(line: str) -> str:
    """Raises ValueError with a sentence."""
    return _ESCAPE.sub(_meant, line)


def _meant(found: "re.Match[str]") -> str:
    letter = found[1]
    if letter in _PLAIN:
        return _PLAIN[letter]
    code = int(letter[1:], 16) if len(letter) > 1 else -1
    if 0 <= code <= 0x10FFFF:
        return chr(code)
    raise ValueError(_tr("{escape} means nothing here: write \\n, \\t, \\r, \\\\ or \\u0000.").format(escape=found[0]))


def shown(value: object) -> str:
    """A setting's value as people read it, and as its editor writes it."""
    if isinstance(value, bool):
        return _tr("on") if value else _tr("off")
    if isinstance(value, StrEnum):
        return _choice(value)
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    if isinstance(value, tuple):
        return "  ".join(escaped(str(each)) for each in value)
    return str(value)


def _choice(member: StrEnum) -> str:
    """llama.cpp's own names stay as they are."""
    names = {
        "system": _tr("As the system"),
        "light": _tr("Light"),
        "dark": _tr("Dark"),
        "full": _tr("Full"),
        "reduced": _tr("Reduced"),
        "auto": _tr("Automatic"),
        "on": _tr("On"),
        "off": _tr("Off"),
        "never": _tr("Never"),
        "ask": _tr("Ask me"),
        "always": _tr("Always"),
        "enter": _tr("Enter"),
        "ctrl_enter": _tr("Ctrl+Enter"),
        "mmap": _tr("Map the file (mmap)"),
        "mlock": _tr("Lock in memory (mlock)"),
        "mmap+mlock": _tr("Map and lock (mmap+mlock)"),
        "dio": _tr("Past the file cache (dio)"),
    }
    if member is LoadMode.NONE:
        return _tr("Read it whole (none)")
    return names.get(member.value, member.value)
