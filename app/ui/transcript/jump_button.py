"""The button that leads back to the end of a conversation."""

from PySide6.QtWidgets import QWidget

from app.ui.theme.appearance import Appearance
from app.ui.theme.measures import COLUMN
from app.ui.widgets.buttons import IconButton

_SIDE, _GAP = 34, 10
"""Pixels of the button, and of the room around it."""


class JumpButton(IconButton):
    """Beside the column, and below it in a narrow window: never on what is read."""

    def __init__(self, appearance: Appearance, page: QWidget, parent: QWidget) -> None:
        """`parent` is what it lies on, and `page` holds the conversation, with `foot` below that."""
        super().__init__(
            appearance, "arrow-down", self.tr("There is more: jump to the end"), role="text", parent=parent
        )
        self.setObjectName("jump")
        self.setFixedSize(_SIDE, _SIDE)
        self.hide()
        self.foot = QWidget(page)
        """Under the conversation, where there is no room beside it."""
        self.foot.setFixedHeight(_SIDE + _GAP)
        self.foot.hide()

    def place(self, scroll_bar: int) -> None:
        """Where the conversation's scroll bar takes so many pixels."""
        parent = self.parentWidget()
        assert parent is not None
        width, height = parent.width(), parent.height()
        beside = (width - COLUMN) // 2 - scroll_bar >= _SIDE + 2 * _GAP
        self._show_foot(not beside and not self.isHidden())
        left = (width + COLUMN) // 2 + _GAP if beside else (width - _SIDE) // 2
        if beside and parent.isRightToLeft():
            left = width - left - _SIDE
        self.move(left, height - _SIDE - _GAP // 2)
        self.raise_()

    def _show_foot(self, shown: bool) -> None:
        if self.foot.isHidden() is shown:
            self.foot.setVisible(shown)
            page = self.foot.parentWidget()
            layout = page.layout() if page is not None else None
            if layout is not None:
                # Now: what is in sight is laid out by who asked.
                layout.activate()
