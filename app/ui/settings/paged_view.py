"""Pages of settings, one of them shown: chosen in a list beside it, or in a box above it where there is no room."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QHBoxLayout,
    QListWidget,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.ui.settings.page_scroll import PageScroll
from app.ui.theme.fonts import scaled
from app.ui.widgets.chevron_box import ChevronBox

_LIST_WIDTH = 150
_SPACING = 20
_BESIDE = _SPACING + 16
"""Pixels between list and page, and for a scroll bar."""
_PAGE = 430
"""Pixels of a page, at the usual size of text; where it would be less, the box takes the list's place."""


class PagedView(QWidget):
    """`list` has the keyboard first."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._pages: Sequence[PageScroll] = ()
        self._list = QListWidget(self)
        self._box = ChevronBox(self)
        self._stack = QStackedWidget(self)
        self._set_up()
        beside = QHBoxLayout()
        beside.setSpacing(_SPACING)
        beside.addWidget(self._list, 0, Qt.AlignmentFlag.AlignTop)
        beside.addWidget(self._stack, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(14)
        column.addWidget(self._box)
        column.addLayout(beside, 1)
        self._box.hide()
        self._list.currentRowChanged.connect(self._stack.setCurrentIndex)
        self._list.currentRowChanged.connect(self._box.setCurrentIndex)
        self._box.currentIndexChanged.connect(self._list.setCurrentRow)

    @property
    def stack(self) -> QWidget:
        """The pages' parent: to be given to another one, with all inside, takes as long as to be made."""
        return self._stack

    @property
    def list(self) -> QListWidget:
        return self._list

    @property
    def box(self) -> QComboBox:
        """In the list's place where there is no room for it."""
        return self._box

    def add_pages(self, pages: Sequence[PageScroll]) -> None:
        """All of them, once; children of `stack`."""
        self._pages = pages
        for page in pages:
            self._list.addItem(page.title)
            self._box.addItem(page.title)
            self._stack.addWidget(page)
        self._list.setFixedWidth(max(_LIST_WIDTH, self._list.sizeHintForColumn(0) + 12))
        self._list.setFixedHeight(len(pages) * self._list.sizeHintForRow(0) + 4)
        self._list.setCurrentRow(0)
        self._list.setFocus()

    def show_page(self, index: int) -> None:
        self._list.setCurrentRow(index)

    def wished_width(self) -> int:
        """Pixels for the widest page, in whatever language and size, beside the list."""
        return self._list.width() + max(page.inside.minimumSizeHint().width() for page in self._pages) + _BESIDE

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        narrow = self.width() < self._list.width() + _BESIDE + scaled(_PAGE)
        if narrow == self._list.isVisibleTo(self):
            shown, hidden = (self._box, self._list) if narrow else (self._list, self._box)
            shown.show()
            if hidden.hasFocus():
                shown.setFocus()
            hidden.hide()
            for page in self._pages:
                page.show_title(not narrow)

    def _set_up(self) -> None:
        self._list.setObjectName("pages")
        self._list.setAccessibleName(self.tr("Pages"))
        self._list.setFrameShape(QFrame.Shape.NoFrame)
        self._box.setAccessibleName(self.tr("Pages"))
        self._box.view().setAccessibleName(self.tr("Pages"))
        self._box.setToolTip(self.tr("Pages"))
        self._box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
