"""The menus of conversations and folders in the sidebar."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from app.storage.chat_folders import ChatFolder
from app.storage.conversations import Conversation
from app.ui.sidebar.actions import (
    Archive,
    ChatAction,
    DeleteFolder,
    Destroy,
    KeepOnDisk,
    Move,
    NewFolder,
    Pin,
    Restore,
    SortByTime,
)
from app.ui.sidebar.rows import ChatRow
from app.ui.theme.appearance import Appearance
from app.ui.widgets.menus import add_action, passing_menu

Say = Callable[[ChatAction], object]


class ChatMenus(QObject):
    """Makes menus that delete themselves when they close. What is chosen goes to `say`."""

    def __init__(self, appearance: Appearance, say: Say, parent: QWidget) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._say = say
        self._parent = parent

    def of_chat(
        self,
        row: ChatRow,
        folders: Sequence[ChatFolder],
        *,
        rename: Callable[[], object],
        delete: Callable[[], object],
        step: Callable[[int], object],
        in_order: Sequence[int],
        keeps_on_disk: bool | None,
    ) -> QMenu:
        """`in_order` are those that it stands among in the user's order. `keeps_on_disk` is None where nothing is."""
        chat = row.conversation
        menu = self._menu()
        self._add(menu, self.tr("Rename"), rename, "edit", keys="F2")
        is_pinned, is_archived = chat.pinned_at is not None, chat.archived_at is not None
        pin = self.tr("Unpin") if is_pinned else self.tr("Pin")
        self._add(menu, pin, lambda: self._say(Pin(chat.id, not is_pinned)), "pin")
        self._add_folders(menu, chat, folders)
        if row.is_ordered:
            self._add_steps(menu, step, in_order)
        archive = self.tr("Bring back from the archive") if is_archived else self.tr("Archive")
        self._add(menu, archive, lambda: self._say(Archive(chat.id, not is_archived)), "archive")
        if keeps_on_disk is not None:
            menu.addSeparator()
            kept = self._add(menu, self.tr("Keep warm on disk"), lambda: None)
            kept.setCheckable(True)
            kept.setChecked(keeps_on_disk)
            kept.setToolTip(self.tr("What the model has read of this chat is kept for the next start."))
            kept.toggled.connect(lambda keeps: self._say(KeepOnDisk(chat.id, keeps)))
        menu.addSeparator()
        self._add(menu, self.tr("Delete"), delete, "trash", role="danger", keys="Ctrl+Shift+Backspace")
        return menu

    def of_folder(
        self,
        folder: ChatFolder,
        *,
        rename: Callable[[], object],
        step: Callable[[int], object],
        chats: Sequence[Conversation],
    ) -> QMenu:
        menu = self._menu()
        self._add(menu, self.tr("Rename"), rename, "edit", keys="F2")
        self._add(menu, self.tr("New folder"), lambda: self._say(NewFolder()), "folder")
        self._add_steps(menu, step, [each.id for each in chats if each.place is not None])
        menu.addSeparator()
        delete = self.tr("Delete the folder, keep its chats")
        self._add(menu, delete, lambda: self._say(DeleteFolder(folder.id)), "trash", role="danger")
        return menu

    def of_trashed(self, conversation: Conversation) -> QMenu:
        menu = self._menu()
        self._add(menu, self.tr("Restore"), lambda: self._say(Restore(conversation)), "refresh")
        menu.addSeparator()
        destroy = lambda: self._say(Destroy((conversation,)))  # noqa: E731 - as the others
        self._add(menu, self.tr("Delete for good…"), destroy, "trash", role="danger")
        return menu

    def of_nothing(self) -> QMenu:
        """Beside the rows."""
        menu = self._menu()
        self._add(menu, self.tr("New folder"), lambda: self._say(NewFolder()), "folder")
        return menu

    def _add_folders(self, menu: QMenu, chat: Conversation, folders: Sequence[ChatFolder]) -> None:
        inside = QMenu(self.tr("Move to a folder"), menu)
        inside.setIcon(self._appearance.icon("folder", "muted"))
        for folder in folders:
            move = self._add(inside, folder.name, lambda to=folder.id: self._say(Move(chat.id, to)))
            move.setCheckable(True)
            move.setChecked(folder.id == chat.folder_id)
            move.setEnabled(folder.id != chat.folder_id or chat.archived_at is not None)
        if folders:
            inside.addSeparator()
        self._add(inside, self.tr("New folder"), lambda: self._say(NewFolder(chat.id)), "plus")
        if chat.folder_id is not None:
            self._add(inside, self.tr("Out of the folder"), lambda: self._say(Move(chat.id, None)))
        menu.addMenu(inside)

    def _add_steps(self, menu: QMenu, step: Callable[[int], object], in_order: Sequence[int]) -> None:
        self._add(menu, self.tr("Move up"), lambda: step(-1), "arrow-up", keys="Alt+Up")
        self._add(menu, self.tr("Move down"), lambda: step(1), "arrow-down", keys="Alt+Down")
        if in_order:
            self._add(menu, self.tr("Sort by time"), lambda: self._say(SortByTime(tuple(in_order))))

    def _menu(self) -> QMenu:
        menu = passing_menu(self._parent)
        menu.setToolTipsVisible(True)
        return menu

    def _add(
        self, menu: QMenu, text: str, do: Callable[..., object], icon: str = "", *, role: str = "muted", keys: str = ""
    ) -> QAction:
        action = add_action(menu, text, do, self._appearance.icon(icon, role) if icon else None)
        if keys:
            # Shown here, and heard by the list: as a shortcut of the menu alone it never fires.
            action.setShortcut(QKeySequence(keys))
        return action
