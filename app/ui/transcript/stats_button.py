"""How an answer was made: a button that opens all that is known of it."""

from collections.abc import Iterable, Mapping

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QWidget

from app.ui.formatting.numbers import Detail, answer_details, answer_line
from app.ui.theme.appearance import Appearance
from app.ui.widgets.buttons import IconButton, push_button
from app.ui.widgets.layouts import FILL, grid, hbox, vbox
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
        self.sheet: StatsSheet | None = None
        """The one that was opened last."""
        self.clicked.connect(self.open)

    def show_figures(self, figures: Mapping[str, object]) -> None:
        """As they are stored with the message."""
        self._details = tuple(answer_details(figures))
        self.setVisible(bool(self._details))
        self.setAccessibleDescription(answer_line(figures))

    def open(self) -> None:
        """Show all of them; Escape closes."""
        self.sheet = StatsSheet(self._details, self.window())
        self.sheet.adjustSize()
        self.sheet.put_at(self, ends=False)
        self.sheet.show()


class StatsSheet(Popover):
    """All that is known of one answer, to read and to copy. It deletes itself when it closes."""

    def __init__(self, details: Iterable[Detail], parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAccessibleName(self.tr("About this answer"))
        self._told = tuple(details)
        lines = grid(gaps=(18, 7))
        for row, (name, value) in enumerate(self._told):
            lines.addWidget(plain_label("muted", self, name), row, 0, Qt.AlignmentFlag.AlignTop)
            lines.addWidget(self._value(value), row, 1, Qt.AlignmentFlag.AlignTop)
        copy = push_button(self.tr("Copy"), self, self._copy, name=self.tr("Copy all of this"), tone="link")
        vbox(lines, hbox(FILL, copy), on=self, margins=(18, 16, 12, 8))
        copy.setFocus()

    @property
    def text(self) -> str:
        """One to a line."""
        return "\n".join(f"{name}: {value}" for name, value in self._told)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text)
        self.close()

    def _value(self, text: str) -> QLabel:
        label = plain_label("", self, text)
        if label.sizeHint().width() > _VALUES:
            label.setWordWrap(True)
            label.setFixedWidth(_VALUES)
        label.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        return label
