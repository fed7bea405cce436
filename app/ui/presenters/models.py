"""From the menus to the models: opens the dialog, and loads what was chosen there."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from app.core.errors import UserError
from app.core.loading import differs
from app.core.model_ref import ModelRef
from app.services.engine.states import ready_model
from app.ui.commands.actions import Actions
from app.ui.theme.appearance import Appearance
from app.ui.transcript.message_actions import ShowServer
from app.ui.widgets.notices import Notices

if TYPE_CHECKING:
    from app.library.catalogue import LibraryModel
    from app.services.engine.service import EngineService
    from app.services.models.embedder_download import EmbedderDownload
    from app.services.models.models import Models
    from app.ui.models.dialog import ModelsDialog, Page


class ModelsPresenter(QObject):
    """GUI thread. `window` owns it."""

    chosen = Signal()
    """Somebody wants to chat with a model"""

    def __init__(
        self,
        appearance: Appearance,
        models: "Models",
        engine: "EngineService",
        actions: Actions,
        notices: Notices,
        ask_for_file: Callable[[], None],
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._ask_for_file = ask_for_file
        self._appearance = appearance
        self._models = models
        self._engine = engine
        self._notices = notices
        self._window = window
        self._dialog: ModelsDialog | None = None
        actions.models.triggered.connect(self.open_here)
        models.library.failed.connect(self._tell_failure)

    @property
    def dialog(self) -> "ModelsDialog | None":
        """While it is open."""
        return self._dialog

    def open_here(self) -> None:
        self.open()

    def open(self, page: "Page | None" = None) -> "ModelsDialog":
        """Show the dialog, at `page` where one is named; the one that is open already comes to the front."""
        # Imported here: the window's start need not wait for it.
        from app.ui.models.dialog import ModelsDialog

        if self._dialog is None:
            self._dialog = ModelsDialog(self._appearance, self._models, self._window)
            self._dialog.chosen.connect(self._load)
            self._dialog.open_file_wanted.connect(self._ask_for_file)
            self._dialog.finished.connect(self._forget)
            self._dialog.open()
        if page is not None:
            self._dialog.show_page(page)
        return self._dialog

    @property
    def installed(self) -> "tuple[LibraryModel, ...]":
        return self._models.library.models

    @property
    def embedder(self) -> "EmbedderDownload":
        return self._models.embedder

    def fetch_embedder(self, collection: int) -> None:
        """The recommended one, for a collection of documents."""
        self._models.embedder.fetch(collection, self._models.download_folder)

    def _load(self, model: ModelRef) -> None:
        # What is loaded already stays, unless it would be loaded otherwise now.
        info = ready_model(self._engine.state)
        stays = info is not None and info.ref == model
        if stays and info is not None and model.is_file:
            stays = not differs(self._models.fit.loading_of(model), info.loading)
        self.chosen.emit()
        if not stays:
            self._engine.load(model)

    @Slot()
    def show_servers(self) -> None:
        from app.ui.models.dialog import Page

        self.open(Page.SERVERS)

    @Slot(object)
    def hear_wish(self, wish: object) -> None:
        """Of the transcript's."""
        from app.ui.models.dialog import Page

        if isinstance(wish, ShowServer):
            page = self.open(Page.SERVERS).servers
            if page is not None:
                page.show_server(wish.server_id)

    def _forget(self) -> None:
        self._dialog = None

    def _tell_failure(self, sentence: str) -> None:
        if self._dialog is None:
            self._notices.show_error(UserError(sentence))
