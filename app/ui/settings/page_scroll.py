"""One entry in the list of the settings: the page of one section, or those of several that belong together."""

from functools import partial

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from app.ui.settings.pages import SettingsPage
from app.ui.theme.appearance import Appearance
from app.ui.widgets.edge_fade import EdgeFade
from app.ui.widgets.fold import FoldButton
from app.ui.widgets.layouts import FILL, lead, scroll, vbox
from app.ui.widgets.plain_text import plain_label

_ABOVE = 24
"""Pixels that stay free above what is shown, for the edge fades out."""


class PageScroll(QScrollArea):
    """A title, a sentence, and pages below each other, of which some are folded away."""

    def __init__(self, appearance: Appearance, title: str, sentence: str, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.title = title
        self._appearance = appearance
        self.pages: list[SettingsPage] = []
        self.folds: dict[SettingsPage, FoldButton] = {}
        self.setAccessibleName(title)
        self.inside = QWidget(self)
        self.inside.setObjectName("settings")
        self._heading = plain_label("title", self.inside, title, wraps=True)
        about = plain_label("muted", self.inside, sentence, wraps=True)
        about.setVisible(bool(sentence))
        head = vbox(self._heading, about, gap=4)
        self._column = vbox(head, FILL, on=self.inside, gap=18, margins=(4, 0, 18, 12))
        scroll(self, self.inside)
        # Only where the text is large and the screen is small.
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        # The fields inside take the keyboard; the page only moves so that they are seen.
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        for is_upper in (True, False):
            EdgeFade(self, upper=is_upper)

    def add_page(self, page: SettingsPage, sentence: str = "") -> None:
        """The next one below. A page whose `sentence` is given stands under a title of its own."""
        self.pages.append(page)
        if sentence:
            heading = plain_label("heading", self.inside, page.title, wraps=True)
            self._add(vbox(heading, plain_label("small", self.inside, sentence, wraps=True), gap=4))
        self._place(page)

    def add_fold(self, page: SettingsPage, sentence: str) -> None:
        """The next one below, which shows no more than its title until somebody opens it."""
        self.pages.append(page)
        fold = self.folds[page] = FoldButton(self._appearance, page.title, self.inside)
        fold.toggled.connect(page.setVisible)
        self._add(vbox(lead(fold), plain_label("small", self.inside, sentence, wraps=True), gap=2))
        self._place(page)
        page.hide()

    def show_page(self, page: SettingsPage) -> None:
        """Unfold one, and bring its beginning into view."""
        if page in self.folds:
            self.folds[page].setChecked(True)
        if len(self.pages) > 1:
            head = self.folds.get(page, page)
            # Where it stands is known when the layout has been done.
            QTimer.singleShot(0, self, lambda: self.verticalScrollBar().setValue(head.y() - _ABOVE))

    def show_title(self, shown: bool) -> None:
        """Not where it stands above the page anyway."""
        self._heading.setVisible(shown)

    def fit_pages(self) -> None:
        """For the width that there is."""
        for page in self.pages:
            page.fit_forms(self.viewport().width())

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.fit_pages()
        super().resizeEvent(event)

    def _place(self, page: SettingsPage) -> None:
        self._column.insertWidget(self._column.count() - 1, page)
        page.show()
        page.field_wanted.connect(partial(self._find, page))

    def _add(self, block: QVBoxLayout) -> None:
        self._column.insertLayout(self._column.count() - 1, block)

    def _find(self, page: SettingsPage, field: QWidget) -> None:
        if page in self.folds:
            self.folds[page].setChecked(True)
        self._reveal(field)

    def _reveal(self, widget: QWidget) -> None:
        # Where it stands is known when the layout has been done.
        QTimer.singleShot(0, self, partial(self.ensureWidgetVisible, widget))
