"""Scrolling while the mouse selects beyond the edge."""

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QApplication

from app.services.runtime.debounce import Ticker
from app.ui.richtext.block_selection import BlockSelection
from app.ui.transcript.message_list import MessageList

_TICK_MS = 30
_FASTEST = 60
"""Pixels in one step."""


class DragScroll(QObject):
    """The further out the mouse is, the faster it goes."""

    def __init__(self, listed: MessageList) -> None:
        super().__init__(listed)
        self._list = listed
        self._selection: BlockSelection | None = None
        self._timer = Ticker(_TICK_MS, self._step, self)

    def watch(self, selection: BlockSelection) -> None:
        """The mouse selects with this, somewhere."""
        self._selection = selection
        if beyond(self._place().y(), self._list.viewport().height()) and not self._timer.isActive():
            self._timer.start()

    def _step(self) -> None:
        place = self._place()
        pixels = beyond(place.y(), self._list.viewport().height())
        pressed = QApplication.mouseButtons() & Qt.MouseButton.LeftButton
        # The message that it began in may be gone.
        there = any(view.blocks_view.selection is self._selection for view in self._list.views)
        if not pixels or not pressed or not there or self._selection is None:
            self._timer.stop()
            self._selection = None
            return
        self._list.scroll_by(pixels)
        self._selection.extend_to(self._list.viewport(), place)

    def _place(self) -> QPoint:
        return self._list.viewport().mapFromGlobal(QCursor.pos())


def beyond(y: int, height: int) -> int:
    """How far to scroll with the mouse at `y` in something that is `height` pixels high; negative is up."""
    out = y if y < 0 else max(0, y - height)
    return max(-_FASTEST, min(_FASTEST, out))
