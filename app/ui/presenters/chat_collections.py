"""Collections of documents that a chat's questions are looked up in: the menu behind the plus, and what is chosen."""

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QToolButton

from app.ui.composer.composer import Composer
from app.ui.theme.appearance import Appearance
from app.ui.theme.icons import icon_size
from app.ui.widgets.buttons import pop_up

if TYPE_CHECKING:
    from app.services.chat.chat_controller import ChatController
    from app.services.documents.document_collections import DocumentCollections

_LONGEST = 24
"""Characters of a name on the button."""


class ChatCollections(QObject):
    """`composer` owns it. `button` stands in the composer while anything is chosen."""

    def __init__(
        self,
        appearance: Appearance,
        collections: "DocumentCollections",
        controller: "ChatController",
        composer: Composer,
        manage: QAction,
    ) -> None:
        """`manage` opens the dialog in which collections are made."""
        super().__init__(composer)
        self._appearance = appearance
        self._collections = collections
        self._controller = controller
        self._menu = composer.attach_button.collections
        self._manage = manage
        self.button = QToolButton(composer)
        self.button.setProperty("tone", "chip")
        self.button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.button.setIconSize(icon_size(14))
        self.button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.button.setToolTip(self.tr("Collections that are looked through for each question"))
        self.button.clicked.connect(lambda: pop_up(self._menu, self.button))
        self._menu.menuAction().setVisible(True)
        self._menu.aboutToShow.connect(self._fill)
        controller.active.switched.connect(self.refresh)
        controller.options.changed.connect(self.refresh)
        collections.changed.connect(self.refresh)
        appearance.changed.connect(self.refresh)
        composer.add_tool(self.button)
        self.refresh()

    @property
    def _chosen(self) -> tuple[int, ...]:
        return self._controller.options.collections(self._controller.active.conversation_id)

    @Slot()
    def refresh(self) -> None:
        """What is chosen, or known, may be something else now."""
        names = [each.name for each in self._collections.collections if each.id in self._chosen]
        told = names[0] if len(names) == 1 else self.tr("%n collection(s)", "", len(names))
        shown = told if len(told) <= _LONGEST else f"{told[: _LONGEST - 1]}…"
        self.button.setText(shown.replace("&", "&&"))
        self.button.setAccessibleName(self.tr("Documents of this chat: {names}").format(names=", ".join(names)))
        self.button.setIcon(self._appearance.icon("folder", "muted"))
        self.button.setVisible(bool(names))

    @Slot()
    def _fill(self) -> None:
        self._menu.clear()
        for each in self._collections.collections:
            action = self._menu.addAction(each.name.replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(each.id in self._chosen)
            action.toggled.connect(partial(self._choose, each.id))
        if not self._menu.isEmpty():
            self._menu.addSeparator()
        self._menu.addAction(self.tr("Collections of documents…"), self._manage.trigger)

    def _choose(self, collection: int, chosen: bool) -> None:
        others = [each for each in self._chosen if each != collection]
        wanted = [*others, collection] if chosen else others
        self._controller.options.set_collections(self._controller.active.conversation_id, sorted(wanted))
