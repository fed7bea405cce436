"""The row above the conversation: model, status, menu, and the sidebar's buttons while that is hidden."""

from collections.abc import Sequence

from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from app.services.local_api.clients import Client
from app.ui.models.download_chip import DownloadChip
from app.ui.models.picker import ModelPicker
from app.ui.theme.appearance import Appearance
from app.ui.widgets.buttons import IconButton, pop_up
from app.ui.widgets.layouts import grow, hbox
from app.ui.window.status_line import StatusLine

HEIGHT = 50


class ClientChip(QPushButton):
    """Hidden while nobody is there."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("visitors")
        menu = QMenu(self)
        self.stop_action = menu.addAction(self.tr("Stop them"))
        self.setMenu(menu)
        self.show_visitors(())

    def show_visitors(self, visitors: Sequence[Client]) -> None:
        self.setHidden(not visitors)
        names = list(dict.fromkeys(visit.client for visit in visitors if visit.client))
        if len(names) > 1:
            who = self.tr("{n} programs").format(n=len(names))
        else:
            who = names[0] if names else self.tr("1 program")
        self.setText(who)
        told = self.tr("{who}: answering through the local API").format(who=", ".join(names) or who)
        self.setToolTip(told)
        self.setAccessibleName(told)


class Header(QWidget):
    def __init__(
        self, appearance: Appearance, picker: ModelPicker, status: StatusLine, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setFixedHeight(HEIGHT)
        self.show_sidebar = IconButton(appearance, "sidebar", self.tr("Show the sidebar"), parent=self)
        self.new_chat = IconButton(appearance, "plus", self.tr("New chat"), parent=self)
        self.menu_button = IconButton(appearance, "menu", self.tr("Menu"), self.open_menu, parent=self)
        self.visitors = ClientChip(self)
        self.downloads = DownloadChip(self)
        self.menu = QMenu(self)
        hbox(
            self.show_sidebar, self.new_chat, picker, 12, grow(status), 6, self.downloads, self.visitors,
            self.menu_button, on=self, gap=4, margins=(16, 0, 14, 0),
        )  # fmt: skip
        self.sidebar_shown(True)

    def set_menu(self, menu: QMenu) -> None:
        self.menu = menu

    def open_menu(self) -> None:
        pop_up(self.menu, self.menu_button, align_right=True)

    def sidebar_shown(self, shown: bool) -> None:
        self.show_sidebar.setHidden(shown)
        self.new_chat.setHidden(shown)
