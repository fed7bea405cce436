"""One entry in the list of the settings: the page of one section, or those of several that belong together."""

from functools import partial

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QToolButton, QVBoxLayout, QWidget

from app.ui.settings.pages import SettingsPage
from app.ui.theme.appearance import Appearance
from app.ui.theme.icons import icon_size
from app.ui.widgets.edge_fade import EdgeFade
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
        self.folds: dict[SettingsPage, QToolButton] = {}
        self.setAccessibleName(title)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        # Only where the text is large and the screen is small.
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        # The fields inside take the keyboard; the page only moves so that they are seen.
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.inside = QWidget(self)
        self.inside.setObjectName("settings")
        self._column = QVBoxLayout(self.inside)
        self._column.setContentsMargins(4, 0, 18, 12)
        self._column.setSpacing(18)
        head = QVBoxLayout()
        head.setSpacing(4)
        self._heading = self._label("title", title)
        head.addWidget(self._heading)
        head.addWidget(self._label("muted", sentence))
        self._column.addLayout(head)
        self._column.addStretch(1)
        self.setWidget(self.inside)
        self._fades = (EdgeFade(self, upper=True), EdgeFade(self, upper=False))
        appearance.changed.connect(self._tint)

    def add_page(self, page: SettingsPage, sentence: str = "") -> None:
        """The next one below. A page whose `sentence` is given stands under a title of its own."""
        self.pages.append(page)
        if sentence:
            block = QVBoxLayout()
            block.setSpacing(4)
            block.addWidget(self._label("heading", page.title))
            block.addWidget(self._label("small", sentence))
            self._add(block)
        self._place(page)

    def add_fold(self, page: SettingsPage, sentence: str) -> None:
        """The next one below, which shows no more than its title until somebody opens it."""
        self.pages.append(page)
        fold = QToolButton(self.inside)
        fold.setCheckable(True)
        fold.setText(page.title)
        fold.setAccessibleName(page.title)
        fold.setToolTip(self.tr("Open or close"))
        fold.setProperty("tone", "fold")
        fold.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        fold.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        fold.toggled.connect(partial(self._fold, page))
        self.folds[page] = fold
        block = QVBoxLayout()
        block.setSpacing(2)
        block.addWidget(fold, 0, Qt.AlignmentFlag.AlignLeading)
        block.addWidget(self._label("small", sentence))
        self._add(block)
        self._place(page)
        self._fold(page, False)

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

    def _fold(self, page: SettingsPage, unfolded: bool) -> None:
        page.setVisible(unfolded)
        self.folds[page].setAccessibleDescription(self.tr("Shown") if unfolded else self.tr("Hidden"))
        self._tint()

    def _tint(self) -> None:
        for fold in self.folds.values():
            fold.setIconSize(icon_size(16))
            fold.setIcon(self._appearance.icon("chevron-down" if fold.isChecked() else "chevron-right", "muted"))

    def _label(self, tone: str, text: str) -> QLabel:
        label = plain_label(tone, self.inside, wraps=True)
        label.setText(text)
        label.setVisible(bool(text))
        return label
