"""The button at the top that says which model is there, or on its way."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QStyle, QStyleOptionToolButton, QStylePainter, QToolButton, QWidget

_LEAST = 12
"""Letters of a name that still tell it from others."""


class ModelButton(QToolButton):
    """Where its words have no room, the name alone is shortened, and then left out.

    Qt would cut the middle out of the whole, and join what is left of the name to the figures. There is too little room
    in a narrow window, and for the moment until a layout has heard of longer words.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._name = ""
        self._around = "{}"
        self._otherwise = ""
        self.setProperty("tone", "model")
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        # The arrow stands behind the name.
        self.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    @property
    def words(self) -> str:
        """All of them."""
        return self._around.replace("{}", self._name)

    @property
    def shown(self) -> str:
        """What of the words is painted."""
        return self._fitted(self.width() - self.sizeHint().width() + self._width(self.words))

    def say(self, name: str, around: str = "{}", otherwise: str = "") -> None:
        """The words `around` the name, which stands for {}; `otherwise` is said where no name has room."""
        self._name, self._around, self._otherwise = name, around, otherwise
        self.setText(_no_key(self.words))
        self.updateGeometry()

    def minimumSizeHint(self) -> QSize:
        """As wide as what says the least."""
        hint = super().minimumSizeHint()
        # The widths of texts are rounded, hence the two pixels.
        least = self._width(self._otherwise or "n" * _LEAST) + 2
        return QSize(hint.width() - max(0, self._width(self.words) - least), hint.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        option = QStyleOptionToolButton()
        self.initStyleOption(option)
        option.text = _no_key(self.shown)
        painter = QStylePainter(self)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ToolButton, option)
        painter.end()

    def _fitted(self, room: int) -> str:
        if self._width(self.words) <= room:
            return self.words
        left = room - self._width(self._around.replace("{}", ""))
        if left >= self._width("n" * _LEAST):
            metrics, middle = self.fontMetrics(), Qt.TextElideMode.ElideMiddle
            return self._around.replace("{}", metrics.elidedText(self._name, middle, left))
        return self.fontMetrics().elidedText(self._otherwise or self._name, Qt.TextElideMode.ElideRight, room)

    def _width(self, text: str) -> int:
        return self.fontMetrics().horizontalAdvance(text)


def _no_key(text: str) -> str:
    """No letter of it is a key."""
    return text.replace("&", "&&")
