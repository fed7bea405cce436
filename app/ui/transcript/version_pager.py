"""Which version of a message is on screen, and the way to the others: ‹ 2/3 ›."""

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QWidget

from app.ui.theme.appearance import Appearance
from app.ui.theme.fonts import scaled
from app.ui.widgets.buttons import IconButton
from app.ui.widgets.layouts import hbox
from app.ui.widgets.plain_text import plain_label, plain_tip

_WIDEST = 220
"""Pixels of a model's name, at the usual size of text."""


class _ModelName(QLabel):
    """As much of a name as there is room for."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("tone", "small")
        self._name = ""

    def show_name(self, name: str) -> None:
        self._name = name
        self.setToolTip(plain_tip(name))
        self._elide()
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        # Qt rounds down, and then has too little room for the same text.
        width = self.fontMetrics().horizontalAdvance(self._name) + 1
        return QSize(min(width, scaled(_WIDEST)), super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._elide()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._elide()
            self.updateGeometry()

    def _elide(self) -> None:
        self.setText(self.fontMetrics().elidedText(self._name, Qt.TextElideMode.ElideMiddle, self.width()))


class VersionPager(QWidget):
    """Hidden where there is only one."""

    walked = Signal(int)
    """-1 or 1"""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.back = IconButton(appearance, "chevron-left", self.tr("Previous version"), size=16, parent=self)
        self.forth = IconButton(appearance, "chevron-right", self.tr("Next version"), size=16, parent=self)
        self._label = plain_label("small", self)
        self._model = _ModelName(self)
        self.back.clicked.connect(lambda: self.walked.emit(-1))
        self.forth.clicked.connect(lambda: self.walked.emit(1))
        hbox(self.back, self._label, self.forth, self._model, on=self, gap=0)
        self.show_version(1, 1)

    @property
    def text(self) -> str:
        """Empty where there is only one version."""
        return "" if self.isHidden() else self._label.text()

    def show_version(self, number: int, count: int, model: str = "") -> None:
        """`model` is the name of the one that wrote it; empty where nobody knows, and for questions."""
        self._label.setText(f"{number}/{count}")
        told = self.tr("Version {number} of {count}").format(number=number, count=count)
        if model:
            told = self.tr("{version}, by {model}").format(version=told, model=model)
        self._model.show_name(model)
        self._model.setVisible(bool(model))
        self._label.setAccessibleName(told)
        for button in (self.back, self.forth):
            button.setAccessibleDescription(told)
        self.back.setEnabled(number > 1)
        self.forth.setEnabled(number < count)
        self.setVisible(count > 1)

    @property
    def model(self) -> str:
        """Who wrote the version, as it is shown; empty where nobody is named."""
        return "" if self._model.isHidden() else self._model.text()

    def take_focus(self, *, forth: bool) -> bool:
        """Give the focus to one of the buttons, to the other where it leads nowhere. False where neither does."""
        wanted = (self.forth, self.back) if forth else (self.back, self.forth)
        button = next((each for each in wanted if each.isEnabled() and not self.isHidden()), None)
        if button is not None:
            button.setFocus(Qt.FocusReason.OtherFocusReason)
        return button is not None
