"""One quiet sentence in the composer, perhaps with something to do about it."""

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QWidget


class ComposerLine(QWidget):
    """Hidden while there is nothing to say."""

    action_clicked = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._said = ("", "", "")
        self._label = QLabel(self)
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self._label.setProperty("tone", "line")
        self._label.setWordWrap(True)
        self._label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._button = QPushButton(self)
        self._button.setAccessibleName(self.tr("Nothing to do"))
        self._button.setProperty("tone", "link")
        self._button.setCursor(Qt.CursorShape.PointingHandCursor)
        self._button.clicked.connect(self.action_clicked)
        row = QHBoxLayout(self)
        row.setContentsMargins(2, 0, 0, 2)
        row.setSpacing(8)
        row.addWidget(self._label, 1)
        row.addWidget(self._button)
        self.hide()

    @property
    def sentence(self) -> str:
        return self._label.text()

    @property
    def button(self) -> QPushButton:
        return self._button

    def say(self, sentence: str, *, action: str = "", level: str = "") -> None:
        """An empty sentence hides the line; `action` is the button's text, `level` may be "warning" or "danger"."""
        said = (sentence, action, level)
        if said == self._said:
            return
        self._said = said
        self._label.setText(sentence)
        self._label.setAccessibleName(sentence)
        if self._label.property("level") != level:
            self._label.setProperty("level", level)
            self._label.style().unpolish(self._label)
            self._label.style().polish(self._label)
        self._button.setText(action)
        self._button.setAccessibleName(action or self.tr("Nothing to do"))
        self._button.setVisible(bool(action))
        self.setVisible(bool(sentence))
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """As high as the sentence when it is wrapped: a layout beside a button does not always ask."""
        layout = self.layout()
        if layout is not None:
            layout.activate()
        room = QRect(0, 0, max(1, self._label.width()), 10_000)
        wrapped = self._label.fontMetrics().boundingRect(room, Qt.TextFlag.TextWordWrap.value, self._label.text())
        self._label.setFixedHeight(wrapped.height())
