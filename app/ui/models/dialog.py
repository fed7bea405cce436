"""Models: those of this computer, those of the hub, what is being fetched, and those of servers, each on a page."""

from enum import Enum

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QButtonGroup, QStackedWidget, QWidget

from app.core.model_ref import ModelRef
from app.services.models.models import Models
from app.ui.models.discover_page import DiscoverPage
from app.ui.models.downloads_page import DownloadsPage
from app.ui.models.installed_page import InstalledPage
from app.ui.models.servers_page import ServersPage
from app.ui.theme.appearance import Appearance
from app.ui.theme.fonts import scaled
from app.ui.widgets.buttons import push_button
from app.ui.widgets.flow_row import FlowRow
from app.ui.widgets.layouts import at_top, grow, hbox, vbox
from app.ui.widgets.tab_order import TabOrderDialog
from app.ui.widgets.window_geometry import size_dialog


class Page(Enum):
    HERE = 0
    DISCOVER = 1
    DOWNLOADS = 2
    SERVERS = 3


class ModelsDialog(TabOrderDialog):
    """GUI thread; show it by `open()`. It closes when a model was chosen to chat with."""

    chosen = Signal(object)
    """ModelRef: a model to load for the conversation on screen"""
    open_file_wanted = Signal()

    def __init__(self, appearance: Appearance, models: Models, parent: QWidget) -> None:
        super().__init__(self.tr("Models"), parent)
        self._appearance = appearance
        self._models = models
        self._stack = QStackedWidget(self)
        self._tabs = QButtonGroup(self)
        self.here = InstalledPage(appearance, models, self)
        self.discover = self._make_discover()
        self.downloads = self._make_downloads()
        self.servers = ServersPage(appearance, models, models.servers, self) if models.servers is not None else None
        self.close_button = push_button(self.tr("Close"), self, self.reject)
        self._lay_out()
        self._connect()
        self.show_page(Page.HERE)

    def show_page(self, page: Page) -> None:
        self._tabs.button(page.value).setChecked(True)
        self._stack.setCurrentIndex(page.value)

    @property
    def page(self) -> Page:
        return Page(self._stack.currentIndex())

    def _make_discover(self) -> DiscoverPage:
        """The hub: what can be fetched."""
        page = DiscoverPage(self._appearance, self._models, self)
        page.chosen.connect(self._choose)
        page.problem.more_button.clicked.connect(lambda: self.show_page(Page.HERE))
        page.repo.files.downloads_clicked.connect(lambda: self.show_page(Page.DOWNLOADS))
        return page

    def _make_downloads(self) -> DownloadsPage:
        """What is being fetched."""
        page = DownloadsPage(self._models, self)
        page.chosen.connect(self._choose)
        page.discover_button.clicked.connect(lambda: self.show_page(Page.DISCOVER))
        return page

    def _lay_out(self) -> None:
        names = (self.tr("On this computer"), self.tr("Discover"), self.tr("Downloads"), self.tr("Servers"))
        for page, name in zip(self._pages, names, strict=False):
            keys = QKeySequence(f"Ctrl+{page.value + 1}").toString(QKeySequence.SequenceFormat.NativeText)
            tip = self.tr("{name} ({keys})").format(name=name, keys=keys)
            button = push_button(name, self, tip=tip, tone="segment")
            button.setCheckable(True)
            self._tabs.addButton(button, page.value)
        for widget in (self.here, self.discover, self.downloads, self.servers):
            if widget is not None:
                self._stack.addWidget(widget)
        head = hbox(grow(FlowRow(tuple(self._tabs.buttons()), self)), at_top(self.close_button), gap=6)
        vbox(head, grow(self._stack), on=self, gap=14, margins=(18, 16, 18, 16))
        parent, screen = self.parentWidget(), self.screen().availableGeometry()
        around = parent.window().size() if parent else screen.size()
        wanted = QSize(scaled(1040), scaled(720)).boundedTo(around - QSize(60, 60))
        size_dialog(self, QSize(520, 420), wanted)

    def _connect(self) -> None:
        self._tabs.idClicked.connect(self._stack.setCurrentIndex)
        self.here.chosen.connect(self._choose)
        self.here.open_file_wanted.connect(self._open_file)
        self.here.empty.discover_button.clicked.connect(lambda: self.show_page(Page.DISCOVER))
        if self.servers is not None:
            self.servers.chosen.connect(self._choose)
        for page in self._pages:
            keys = QShortcut(QKeySequence(f"Ctrl+{page.value + 1}"), self)
            keys.activated.connect(lambda chosen=page: self.show_page(chosen))

    @property
    def _pages(self) -> list[Page]:
        return [each for each in Page if each is not Page.SERVERS or self.servers is not None]

    def _choose(self, model: ModelRef) -> None:
        self.chosen.emit(model)
        self.accept()

    def _open_file(self) -> None:
        self.accept()
        self.open_file_wanted.emit()
