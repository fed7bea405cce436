"""The conversations at the left: start one, find one, open, order, rename or delete one."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QFrame, QLabel, QWidget

from app.services.conversations.states import Library
from app.storage.conversations import Conversation
from app.ui.sidebar.pane import ChatPane, KeepsOnDisk
from app.ui.sidebar.trash_bar import TrashBar
from app.ui.theme.appearance import Appearance
from app.ui.theme.fonts import half_scaled
from app.ui.theme.icons import icon_size
from app.ui.theme.measures import SIDEBAR
from app.ui.widgets.buttons import IconButton, push_button
from app.ui.widgets.layouts import FILL, grow, hbox, vbox
from app.ui.widgets.search_field import SearchField


class Sidebar(QFrame):
    """Shows what it is given; its buttons and `chats` report what is wanted."""

    def __init__(
        self, appearance: Appearance, parent: QWidget | None = None, *, keeps_on_disk: KeepsOnDisk = lambda _: None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("sidebar")
        self._appearance = appearance
        self.collapse_button = IconButton(appearance, "sidebar", self.tr("Hide the sidebar"), parent=self)
        self.new_button = push_button(self.tr("New chat"), self, tone="row")
        self.search_field = SearchField(self.tr("Search conversations"), self)
        self.trash_bar = TrashBar(appearance, self)
        self.chats = ChatPane(appearance, keeps_on_disk, self)
        self.list_view = self.chats.list_view
        self.settings_button = push_button(self.tr("Settings"), self, tone="flat")
        self.documents_button = IconButton(appearance, "document", self.tr("Documents"), parent=self)
        self.trash_button = IconButton(appearance, "trash", self.tr("Trash"), parent=self)
        self._set_up_controls()
        self._connect()
        self._lay_out()
        self._tint()
        appearance.changed.connect(self._tint)

    def show_conversations(self, conversations: Sequence[Conversation]) -> None:
        self.show_library(Library(tuple(conversations)))

    def show_library(self, library: Library) -> None:
        self.chats.show_library(library)
        n_trashed = len(library.trash)
        self.trash_bar.empty.setEnabled(bool(n_trashed))
        self.trash_button.say(self.tr("Trash (%n)", None, n_trashed) if n_trashed else self.tr("Trash"))

    def show_trash(self, shown: bool) -> None:
        """The trash in place of the conversations, or these again."""
        focus = QApplication.focusWidget()
        had_focus = focus is not None and self.trash_bar.isAncestorOf(focus)
        self.trash_button.setChecked(shown)
        for each in (self.new_button, self.search_field):
            each.setVisible(not shown)
        self.trash_bar.setVisible(shown)
        self.chats.show_trash(shown)
        if had_focus and not shown:
            # What had it is gone; Qt would give it to whatever stands next.
            self.take_focus()

    def take_focus(self) -> None:
        """To the list, or to what stands above one that is empty."""
        self.chats.take_focus()
        if not self.list_view.hasFocus():
            self._keep_focus()

    def _keep_focus(self) -> None:
        """Within the list there is nothing left for the keyboard."""
        stays = self.trash_bar.back if self.trash_button.isChecked() else self.new_button
        stays.setFocus(Qt.FocusReason.OtherFocusReason)

    def focus_search(self) -> None:
        self.show_trash(False)
        self.search_field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search_field.selectAll()

    def _set_up_controls(self) -> None:
        self.trash_button.setCheckable(True)
        for button in (self.documents_button, self.trash_button):
            button.setFixedSize(34, 34)
        self.trash_bar.empty.setEnabled(False)
        self.trash_bar.hide()
        self.search_field.setToolTip(
            self.tr("Searches titles and everything that was said. Words in quotes stay together.")
        )
        self.search_field.setClearButtonEnabled(False)

    def _connect(self) -> None:
        self.trash_button.clicked.connect(self.show_trash)
        self.trash_bar.back.clicked.connect(lambda: self.show_trash(False))
        self.trash_bar.empty.clicked.connect(self.chats.empty_trash)
        self.search_field.textChanged.connect(self.chats.search)
        self.search_field.left_downwards.connect(self.chats.take_focus)
        self.search_field.returnPressed.connect(self.chats.open_first_found)
        self.chats.focus_lost.connect(self._keep_focus)

    def _lay_out(self) -> None:
        brand = QLabel("Hearth", self)
        brand.setProperty("tone", "brand")
        self.collapse_button.setProperty("tone", "framed")
        self.collapse_button.setFixedSize(34, 34)
        vbox(
            hbox(brand, FILL, self.collapse_button, margins=(4, 0, 0, 0)),
            self.new_button,
            self.search_field,
            self.trash_bar,
            grow(self.chats),
            hbox(grow(self.settings_button), self.documents_button, self.trash_button),
            on=self,
            gap=8,
            margins=(12, 11, 12, 12),
        )

    def _tint(self) -> None:
        # The conversation wants room too.
        self.setFixedWidth(half_scaled(SIDEBAR))
        for button in (self.new_button, self.settings_button):
            button.setIconSize(icon_size(18))
        self.new_button.setIcon(self._appearance.icon("plus"))
        self.settings_button.setIcon(self._appearance.icon("settings", "muted"))
