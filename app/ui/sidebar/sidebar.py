"""The conversations at the left: start one, find one, open, order, rename or delete one."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListView,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.services.conversations.states import Library
from app.storage.conversations import Conversation
from app.ui.sidebar.pane import ChatPane
from app.ui.sidebar.trash_bar import TrashBar
from app.ui.theme.appearance import Appearance
from app.ui.theme.fonts import half_scaled
from app.ui.theme.icons import icon_size
from app.ui.theme.measures import SIDEBAR
from app.ui.widgets.buttons import IconButton
from app.ui.widgets.search_field import SearchField


class Sidebar(QFrame):
    """Shows what it is given and reports what is wanted; a conversation that was deleted can be brought back."""

    new_clicked = Signal()
    collapse_clicked = Signal()
    settings_clicked = Signal()
    open_requested = Signal(int)
    rename_requested = Signal(int, str)
    delete_requested = Signal(object)
    """Conversation"""
    wished = Signal(object)
    """ChatAction"""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sidebar")
        self._appearance = appearance
        self._collapse = IconButton(appearance, "sidebar", self.tr("Hide the sidebar"), parent=self)
        self._new = QPushButton(self.tr("New chat"), self)
        self._search = SearchField(self.tr("Search conversations"), self)
        self._trash_bar = TrashBar(appearance, self)
        self.chats = ChatPane(appearance, self)
        self._settings = QPushButton(self.tr("Settings"), self)
        self._trash = IconButton(appearance, "trash", self.tr("Trash"), parent=self)
        self._set_up_controls()
        self._connect()
        self._lay_out()
        self._tint()
        appearance.changed.connect(self._tint)

    @property
    def list_view(self) -> QListView:
        return self.chats.list_view

    @property
    def new_button(self) -> QPushButton:
        return self._new

    @property
    def collapse_button(self) -> IconButton:
        return self._collapse

    @property
    def settings_button(self) -> QPushButton:
        return self._settings

    @property
    def trash_button(self) -> IconButton:
        return self._trash

    @property
    def trash_bar(self) -> TrashBar:
        return self._trash_bar

    @property
    def search_field(self) -> QLineEdit:
        return self._search

    def show_conversations(self, conversations: Sequence[Conversation]) -> None:
        self.show_library(Library(tuple(conversations)))

    def show_library(self, library: Library) -> None:
        self.chats.show_library(library)
        n_trashed = len(library.trash)
        self._trash_bar.empty.setEnabled(bool(n_trashed))
        self._trash.say(self.tr("Trash (%n)", None, n_trashed) if n_trashed else self.tr("Trash"))

    def show_trash(self, shown: bool) -> None:
        """The trash in place of the conversations, or these again."""
        focus = QApplication.focusWidget()
        had_focus = focus is not None and self._trash_bar.isAncestorOf(focus)
        self._trash.setChecked(shown)
        for each in (self._new, self._search):
            each.setVisible(not shown)
        self._trash_bar.setVisible(shown)
        self.chats.show_trash(shown)
        if had_focus and not shown:
            # What had it is gone; Qt would give it to whatever stands next.
            self.chats.take_focus()
            if not self.list_view.hasFocus():
                self._keep_focus()

    def _keep_focus(self) -> None:
        """Within the list there is nothing left for the keyboard."""
        stays = self._trash_bar.back if self._trash.isChecked() else self._new
        stays.setFocus(Qt.FocusReason.OtherFocusReason)

    def focus_search(self) -> None:
        self.show_trash(False)
        self._search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._search.selectAll()

    def _set_up_controls(self) -> None:
        self._new.setProperty("tone", "row")
        self._new.setAccessibleName(self.tr("New chat"))
        self._settings.setProperty("tone", "flat")
        self._settings.setAccessibleName(self.tr("Settings"))
        self._trash.setCheckable(True)
        self._trash.setFixedSize(34, 34)
        self._trash_bar.empty.setEnabled(False)
        self._trash_bar.hide()
        self._search.setToolTip(self.tr("Searches titles and everything that was said. Words in quotes stay together."))
        self._search.setClearButtonEnabled(False)

    def _connect(self) -> None:
        self._collapse.clicked.connect(self.collapse_clicked)
        self._new.clicked.connect(self.new_clicked)
        self._settings.clicked.connect(self.settings_clicked)
        self._trash.clicked.connect(self.show_trash)
        self._trash_bar.back_clicked.connect(lambda: self.show_trash(False))
        self._trash_bar.empty_clicked.connect(self.chats.empty_trash)
        self._search.textChanged.connect(self.chats.search)
        self._search.left_downwards.connect(self.chats.take_focus)
        self._search.returnPressed.connect(self.chats.open_first_found)
        self.chats.open_requested.connect(self.open_requested)
        self.chats.rename_requested.connect(self.rename_requested)
        self.chats.delete_requested.connect(self.delete_requested)
        self.chats.wished.connect(self.wished)
        self.chats.focus_lost.connect(self._keep_focus)

    def _lay_out(self) -> None:
        brand = QLabel("Hearth", self)
        brand.setProperty("tone", "brand")
        self._collapse.setProperty("tone", "framed")
        self._collapse.setFixedSize(34, 34)
        head = QHBoxLayout()
        head.setContentsMargins(4, 0, 0, 0)
        head.addWidget(brand)
        head.addStretch(1)
        head.addWidget(self._collapse)
        foot = QHBoxLayout()
        foot.addWidget(self._settings, 1)
        foot.addWidget(self._trash)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 11, 12, 12)
        layout.setSpacing(8)
        layout.addLayout(head)
        layout.addWidget(self._new)
        layout.addWidget(self._search)
        layout.addWidget(self._trash_bar)
        layout.addWidget(self.chats, 1)
        layout.addLayout(foot)

    def _tint(self) -> None:
        # The conversation wants room too.
        self.setFixedWidth(half_scaled(SIDEBAR))
        for button in (self._new, self._settings):
            button.setIconSize(icon_size(18))
        self._new.setIcon(self._appearance.icon("plus"))
        self._settings.setIcon(self._appearance.icon("settings", "muted"))
