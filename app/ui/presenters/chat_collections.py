"""Collections of documents that a chat's questions are looked up in: the menu behind the plus, and what is chosen."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QToolButton, QWidget

from app.storage.passages.passage import Collection
from app.ui.composer.buttons import AttachButton
from app.ui.theme.appearance import Appearance
from app.ui.theme.icons import icon_size
from app.ui.widgets.buttons import pop_up

if TYPE_CHECKING:
    from app.services.chat.chat_controller import ChatController

_LONGEST = 24
"""Characters of a name on the button."""


class ChatCollections(QObject):
    """`window` owns it. `button` stands in the composer while anything is chosen."""

    manage_wanted = Signal()
    """The dialog in which collections are made."""

    def __init__(
        self,
        appearance: Appearance,
        collections: Callable[[], Sequence[Collection]],
        controller: "ChatController",
        attach: AttachButton,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._appearance = appearance
        self._collections = collections
        self._controller = controller
        self._menu = attach.collections
        self.button = QToolButton(window)
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
        appearance.changed.connect(self.refresh)
        self.refresh()

    @property
    def _chosen(self) -> tuple[int, ...]:
        return self._controller.options.collections(self._controller.active.conversation_id)

    @Slot()
    def refresh(self) -> None:
        """What is chosen, or known, may be something else now."""
        names = [each.name for each in self._collections() if each.id in self._chosen]
        told = names[0] if len(names) == 1 else self.tr("%n collection(s)", "", len(names))
        shown = told if len(told) <= _LONGEST else f"{told[: _LONGEST - 1]}…"
        self.button.setText(shown.replace("&", "&&"))
        self.button.setAccessibleName(self.tr("Documents of this chat: {names}").format(names=", ".join(names)))
        self.button.setIcon(self._appearance.icon("folder", "muted"))
        self.button.setVisible(bool(names))

    @Slot()
    def _fill(self) -> None:
        self._menu.clear()
        for each in self._collections():
            action = self._menu.addAction(each.name.replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(each.id in self._chosen)
            action.toggled.connect(partial(self._choose, each.id))
        if not self._menu.isEmpty():
            self._menu.addSeparator()
        self._menu.addAction(self.tr("Collections of documents…"), self.manage_wanted.emit)

    def _choose(self, collection: int, chosen: bool) -> None:
        others = [each for each in self._chosen if each != collection]
        wanted = [*others, collection] if chosen else others
        self._controller.options.set_collections(self._controller.active.conversation_id, sorted(wanted))
