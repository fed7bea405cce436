"""The settings page of tools: the servers, what is always allowed, and limits."""

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from app.ui.settings.pages import SectionPage
from app.ui.theme.appearance import Appearance
from app.ui.tools.servers_panel import ServersPanel

if TYPE_CHECKING:
    from app.services.chat.conversation_tools import ConversationTools
    from app.services.runtime.settings_service import SettingsService


class ToolsPage(SectionPage):
    """One section, below what is there."""

    servers: ServersPanel | None = None
    """None where the window has no tools."""

    def __init__(
        self, appearance: Appearance, section: type, settings: "SettingsService", title: str, parent: QWidget
    ) -> None:
        super().__init__(appearance, section, settings, title, parent)
        self._appearance = appearance

    def show_tools(self, tools: "ConversationTools") -> None:
        self.servers = ServersPanel(self._appearance, tools, self)
        self.column.insertWidget(0, self.servers)
