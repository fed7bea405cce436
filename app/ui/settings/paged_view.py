"""Pages of settings, one of them shown: chosen in a list beside it, or in a box above it where there is no room."""

from collections.abc import Sequence

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QStackedWidget, QWidget

from app.ui.settings.page_scroll import PageScroll
from app.ui.theme.fonts import scaled
from app.ui.widgets.chevron_box import ChevronBox
from app.ui.widgets.layouts import at_top, grow, hbox, vbox
from app.ui.widgets.plain_list import plain_list

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
        self.list = plain_list(self.tr("Pages"), self)
        self.box = ChevronBox(self)
        """In the list's place where there is no room for it."""
        self.stack = QStackedWidget(self)
        """The pages' parent: to be given to another one, with all inside, takes as long as to be made."""
        self._set_up()
        beside = hbox(at_top(self.list), grow(self.stack), gap=_SPACING)
        vbox(self.box, grow(beside), on=self, gap=14)
        self.box.hide()
        self.list.currentRowChanged.connect(self.stack.setCurrentIndex)
        self.list.currentRowChanged.connect(self.box.setCurrentIndex)
        self.box.currentIndexChanged.connect(self.list.setCurrentRow)

    def add_pages(self, pages: Sequence[PageScroll]) -> None:
        """All of them, once; children of `stack`."""
        self._pages = pages
        for page in pages:
            self.list.addItem(page.title)
            self.box.addItem(page.title)
            self.stack.addWidget(page)
        self.list.setFixedWidth(max(_LIST_WIDTH, self.list.sizeHintForColumn(0) + 12))
        self.list.setFixedHeight(len(pages) * self.list.sizeHintForRow(0) + 4)
        self.list.setCurrentRow(0)
        self.list.setFocus()

    def show_page(self, index: int) -> None:
        self.list.setCurrentRow(index)

    def wished_width(self) -> int:
        """Pixels for the widest page, in whatever language and size, beside the list."""
        return self.list.width() + max(page.inside.minimumSizeHint().width() for page in self._pages) + _BESIDE

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        narrow = self.width() < self.list.width() + _BESIDE + scaled(_PAGE)
        if narrow == self.list.isVisibleTo(self):
            shown, hidden = (self.box, self.list) if narrow else (self.list, self.box)
            shown.show()
            if hidden.hasFocus():
                shown.setFocus()
            hidden.hide()
            for page in self._pages:
                page.show_title(not narrow)

    def _set_up(self) -> None:
        self.box.setAccessibleName(self.tr("Pages"))
        self.box.view().setAccessibleName(self.tr("Pages"))
        self.box.setToolTip(self.tr("Pages"))
        self.box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
