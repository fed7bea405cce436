"""Where a scrolled text ends at an edge it fades out: nothing is cut through the middle of its letters."""

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QColor, QGuiApplication, QLinearGradient, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

_HIGH = 22
"""Pixels."""
_SOLID = 0.1
"""Of the height, at the edge, where nothing shines through."""


class EdgeFade(QWidget):
    """Lies over one edge of a scroll area, in the colour of its ground, while more is to be seen beyond."""

    def __init__(self, area: QAbstractScrollArea, *, upper: bool, is_told: bool = False) -> None:
        """Where it `is_told`, the area calls `refresh` when range and value belong together."""
        # Within what it covers: Qt copies what is scrolled where nothing but its own children lies above it.
        super().__init__(area.viewport())
        self._area = area
        self._upper = upper
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()
        bar = area.verticalScrollBar()
        if not is_told:
            bar.valueChanged.connect(self.refresh)
            bar.rangeChanged.connect(self.refresh)
        area.viewport().installEventFilter(self)

    def refresh(self) -> None:
        """There may be more beyond it now, or no more."""
        bar = self._area.verticalScrollBar()
        self.setVisible(bar.value() > bar.minimum() if self._upper else bar.value() < bar.maximum())

    def put(self) -> None:
        """Lie at the edge."""
        port = self._area.viewport().rect()
        self.setGeometry(0, 0 if self._upper else port.bottom() + 1 - _HIGH, port.width(), _HIGH)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self.put()
            self.raise_()
        return False

    def paintEvent(self, event: QPaintEvent) -> None:
        # That of the area itself may be transparent.
        ground = QGuiApplication.palette().window().color()
        clear = QColor(ground)
        clear.setAlpha(0)
        shade = QLinearGradient(0, 0, 0, self.height())
        for place, colour in ((0.0, ground), (_SOLID, ground), (1.0, clear)):
            shade.setColorAt(place if self._upper else 1 - place, colour)
        QPainter(self).fillRect(self.rect(), shade)
