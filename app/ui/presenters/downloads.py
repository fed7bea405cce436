"""From the window to the downloads: how far they are, in the header, and a word when one has come or stopped."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget

from app.services.models.download_states import Download, DownloadStage
from app.services.models.embedder_download import is_recommended
from app.ui.formatting.sentences import translated
from app.ui.models.download_chip import DownloadChip
from app.ui.models.download_row import is_projector
from app.ui.presenters.models import ModelsPresenter
from app.ui.widgets.notices import Notices

if TYPE_CHECKING:
    from app.services.engine.service import EngineService
    from app.services.models.models import Models


class DownloadsPresenter(QObject):
    """GUI thread. `window` owns it."""

    def __init__(
        self,
        models: "Models",
        engine: "EngineService",
        chip: DownloadChip,
        presenter: ModelsPresenter,
        notices: Notices,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._models = models
        self._engine = engine
        self._chip = chip
        self._models_presenter = presenter
        self._notices = notices
        self._failed: set[str] = set()
        chip.clicked.connect(self.open)
        models.downloads.changed.connect(self._show)
        models.downloads.removed.connect(self._refresh)
        models.downloads.finished.connect(self._tell_end)

    def open(self) -> None:
        from app.ui.models.dialog import Page

        self._models_presenter.open(Page.DOWNLOADS)

    def discover(self) -> None:
        """To where models are found."""
        from app.ui.models.dialog import Page

        self._models_presenter.open(Page.DISCOVER)

    @Slot()
    def _refresh(self) -> None:
        self._chip.show_downloads(self._models.downloads.downloads)

    @Slot(object)
    def _show(self, download: Download) -> None:
        self._refresh()
        if download.stage is not DownloadStage.FAILED:
            self._failed.discard(download.id)
        elif download.id not in self._failed:
            self._failed.add(download.id)
            if self._models_presenter.dialog is None:
                stopped = self.tr("{name} stopped. {problem}")
                sentence = stopped.format(name=download.name, problem=translated(download.problem))
                self._notices.offer(sentence, self.tr("Show"), self.open)

    @Slot(object)
    def _tell_end(self, download: Download) -> None:
        if self._models_presenter.dialog is not None:
            # It says so itself.
            return
        sentence = self.tr("{name} is on this computer now.").format(name=download.name)
        model = download.model
        if model is None or is_projector(download) or is_recommended(download):
            self._notices.show_notice(sentence)
        else:
            self._notices.offer(sentence, self.tr("Chat"), lambda: self._engine.load(model))
