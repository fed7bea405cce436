"""How an answer was made: a button that opens all that is known of it."""

from collections.abc import Iterable, Mapping

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.ui.formatting.numbers import Detail, answer_details, answer_line
from app.ui.theme.appearance import Appearance
from app.ui.widgets.buttons import IconButton
from app.ui.widgets.plain_text import plain_label
from app.ui.widgets.popover import Popover

_VALUES = 300
"""Pixels of the widest value."""


class StatsButton(IconButton):
    """Hidden where nothing is known."""

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(appearance, "info", "", parent=parent)
        self.say(self.tr("About this answer"))
        self._details: tuple[Detail, ...] = ()
        self._sheet: StatsSheet | None = None
        self.clicked.connect(self.open)

    def show_figures(self, figures: Mapping[str, object]) -> None:
        """As they are stored with the message."""
        self._details = tuple(answer_details(figures))
        self.setVisible(bool(self._details))
        self.setAccessibleDescription(answer_line(figures))

    @property
    def sheet(self) -> "StatsSheet | None":
        """The one that was opened last."""
        return self._sheet

    def open(self) -> None:
        """Show all of them; Escape closes."""
        self._sheet = StatsSheet(self._details, self.window())
        self._sheet.adjustSize()
        self._sheet.put_at(self, ends=False)
        self._sheet.show()


class StatsSheet(Popover):
    """All that is known of one answer, to read and to copy. It deletes itself when it closes."""

    def __init__(self, details: Iterable[Detail], parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAccessibleName(self.tr("About this answer"))
        self._told = tuple(details)
        grid = QGridLayout()
        grid.setHorizontalSpacing(18)
        grid.setVerticalSpacing(7)
        for row, (name, value) in enumerate(self._told):
            grid.addWidget(self._label(name, "muted"), row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(self._value(value), row, 1, Qt.AlignmentFlag.AlignTop)
        copy = QPushButton(self.tr("Copy"), self)
        copy.setProperty("tone", "link")
        copy.setAccessibleName(self.tr("Copy all of this"))
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.text))
        copy.clicked.connect(self.close)
        below = QHBoxLayout()
        below.addStretch(1)
        below.addWidget(copy)
        column = QVBoxLayout(self)
        column.setContentsMargins(18, 16, 12, 8)
        column.addLayout(grid)
        column.addLayout(below)
        copy.setFocus()

    @property
    def text(self) -> str:
        """One to a line."""
        return "\n".join(f"{name}: {value}" for name, value in self._told)

    def _label(self, text: str, tone: str) -> QLabel:
        label = plain_label(tone, self)
        label.setText(text)
        return label

    def _value(self, text: str) -> QLabel:
        label = self._label(text, "")
        if label.sizeHint().width() > _VALUES:
            label.setWordWrap(True)
            label.setFixedWidth(_VALUES)
        label.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        return label
