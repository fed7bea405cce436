"""Widgets beside each other, in as many rows as they need."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.ui.widgets.flow import flow

_GAP = 6


class FlowRow(QWidget):
    """As high as its rows. Whoever shows or hides one of the widgets calls `arrange`."""

    def __init__(self, widgets: Sequence[QWidget], parent: QWidget, *, to_end: bool = False) -> None:
        super().__init__(parent)
        self._widgets = widgets
        self._to_end = to_end
        for widget in widgets:
            widget.setParent(self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def arrange(self) -> None:
        shown = [widget for widget in self._widgets if not widget.isHidden()]
        sizes = [widget.sizeHint().boundedTo(QSize(max(1, self.width()), 1 << 14)) for widget in shown]
        mirrored = self.isRightToLeft()
        places, height = flow(sizes, self.width(), _GAP, to_right=self._to_end)
        for widget, place, size in zip(shown, places, sizes, strict=True):
            left = self.width() - place.x() - size.width() if mirrored else place.x()
            widget.setGeometry(left, place.y(), size.width(), size.height())
        if height != self.height():
            self.setFixedHeight(height)

    def minimumSizeHint(self) -> QSize:
        return QSize(max((each.sizeHint().width() for each in self._widgets if not each.isHidden()), default=0), 0)

    def sizeHint(self) -> QSize:
        shown = [each.sizeHint().width() for each in self._widgets if not each.isHidden()]
        return QSize(sum(shown) + _GAP * max(0, len(shown) - 1), self.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.arrange()

    def event(self, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.FontChange, QEvent.Type.Polish, QEvent.Type.Show):
            self.arrange()
        return super().event(event)
