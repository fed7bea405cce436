"""What is being fetched and what came, and where it goes."""

from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QMessageBox, QScrollArea, QWidget

from app.services.models.download_states import Download, DownloadStage
from app.services.models.models import Models
from app.ui.formatting.line_breaks import breakable
from app.ui.formatting.numbers import size_text
from app.ui.models.download_row import DownloadRow
from app.ui.models.token_dialog import TokenDialog
from app.ui.theme.fonts import scaled
from app.ui.widgets.buttons import push_button
from app.ui.widgets.discard import discard
from app.ui.widgets.file_dialogs import ask_for_folder
from app.ui.widgets.layouts import Placed, grow, hbox, middle, scroll, turn, vbox
from app.ui.widgets.open_outside import open_folder
from app.ui.widgets.plain_text import plain_label, plain_tip

_WIDE = 480
"""Pixels."""


class DownloadsPage(QWidget):
    chosen = Signal(object)
    """ModelRef: a model to chat with"""

    def __init__(self, models: Models, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._models = models
        self.rows: dict[str, DownloadRow] = {}
        """By download."""
        self._free: dict[Path, int] = {}
        """Bytes, by folder, as they were when somebody looked last."""
        inside = QWidget(self)
        inside.setObjectName("settings")
        self._box = vbox(gap=8)
        nothing = self.tr("Nothing is being downloaded. Find a model under Discover; here you see how far it is.")
        self.empty = plain_label("muted", inside, nothing, wraps=True)
        self.discover_button = push_button(self.tr("Discover models"), inside)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        parts = (self._box, Placed(), self.empty, middle(self.discover_button), Placed(share=3))
        self._column = vbox(*parts, on=inside, gap=8, margins=(0, 0, 12, 0))
        area = QScrollArea(self)
        area.setObjectName("downloads")
        area.setAccessibleName(self.tr("Downloads"))
        scroll(area, inside)
        self.folder_label = plain_label("small", self, wraps=True)
        self.folder_button = push_button(
            self.tr("Choose a folder…"), self, self._ask_folder, tip=self.tr("For what is downloaded from now on")
        )
        shared = self.tr("The one of Hugging Face, which other programs find models in as well")
        self.shared_button = push_button(
            self.tr("Use the shared folder"), self, lambda: models.download_to(None), tip=shared
        )
        self._foot = hbox(grow(self.folder_label), self.shared_button, self.folder_button, gap=8)
        vbox(grow(area), self._foot, on=self, gap=10)
        downloads = models.downloads
        for each in downloads.downloads:
            self._show(each)
        downloads.changed.connect(self._show)
        downloads.removed.connect(self._remove)
        models.changed.connect(self._show_folder)
        models.disks.free_known.connect(self._take_free)
        self._refresh()
        self._show_folder()

    def resizeEvent(self, event: QResizeEvent) -> None:
        turn(self._foot, beside=self.width() >= scaled(_WIDE))
        super().resizeEvent(event)

    def _show(self, download: Download) -> None:
        row = self.rows.get(download.id)
        if row is not None:
            if row.download.stage is not download.stage:
                self._show_folder()
            row.show_download(download)
            return
        row = DownloadRow(download, self)
        downloads = self._models.downloads
        row.pause_clicked.connect(lambda download: downloads.pause(download.id))
        row.resume_clicked.connect(lambda download: downloads.resume(download.id))
        row.cancel_clicked.connect(self._ask_cancel)
        row.token_clicked.connect(self._ask_token)
        row.chat_clicked.connect(lambda download: self.chosen.emit(download.model))
        row.folder_clicked.connect(self._open_folder)
        self.rows[download.id] = row
        # The newest first.
        self._box.insertWidget(0, row)
        row.show()
        self._refresh()

    def _remove(self, id: str) -> None:
        row = self.rows.pop(id, None)
        if row is not None:
            self._box.removeWidget(row)
            discard(row)
        self._refresh()
        self._show_folder()

    def _refresh(self) -> None:
        self._column.setStretch(1, 0 if self.rows else 2)
        self.empty.setVisible(not self.rows)
        self.discover_button.setVisible(not self.rows)

    def _show_folder(self) -> None:
        self._tell_folder()
        self._models.disks.look(self._place)

    @property
    def _place(self) -> Path:
        return self._models.download_folder or self._models.downloads.cache

    @Slot(object, object)
    def _take_free(self, place: Path, free: int) -> None:
        self._free[place] = free
        self._tell_folder()

    def _tell_folder(self) -> None:
        folder, place = self._models.download_folder, self._place
        told = (
            self.tr("Downloads go to {folder}.")
            if folder is not None
            else self.tr("Downloads go to {folder}, which other programs use as well.")
        ).format(folder=breakable(_short(place)))
        if free := self._free.get(place, 0):
            told += " " + self.tr("{size} is free there.").format(size=size_text(free))
        self.folder_label.setText(told)
        self.folder_label.setToolTip(plain_tip(str(place)))
        self.shared_button.setVisible(folder is not None)

    def _ask_folder(self) -> None:
        folder = str(self._models.download_folder or "")
        ask_for_folder(self, self.tr("Choose a folder for models"), self._models.download_to, folder=folder)

    def _ask_cancel(self, download: Download) -> None:
        """Only where something would be lost."""
        downloads = self._models.downloads
        if download.stage is DownloadStage.DONE or not download.done:
            downloads.remove(download.id)
            return
        ran = download.stage in (DownloadStage.RUNNING, DownloadStage.WAITING)
        if ran:
            downloads.pause(download.id)
        box = QMessageBox(self)
        box.setIcon(QMessageBox.Icon.NoIcon)
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setWindowTitle(self.tr("Cancel the download"))
        box.setText(
            self.tr("What shall become of the {size} of {name} that are here?").format(
                size=size_text(download.done), name=download.name
            )
        )
        box.setInformativeText(self.tr("What is kept is not downloaded again if you want the model later."))
        keep = box.addButton(self.tr("Keep the part"), QMessageBox.ButtonRole.AcceptRole)
        box.addButton(self.tr("Delete the part"), QMessageBox.ButtonRole.DestructiveRole)
        back = box.addButton(self.tr("Go on") if ran else self.tr("Leave it paused"), QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(keep)
        box.setEscapeButton(back)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)

        def act() -> None:
            if download.id not in self.rows:
                return
            if box.clickedButton() is not back:
                downloads.remove(download.id, keep_part=box.clickedButton() is keep)
            elif ran:
                downloads.resume(download.id)

        box.finished.connect(act)
        box.open()

    def _open_folder(self, download: Download) -> None:
        assert download.path is not None
        open_folder(download.path.parent, self)

    def _ask_token(self, download: Download) -> None:
        dialog = TokenDialog(self._models.hub, self)
        # Also where it lasts for this run alone, which the dialog goes on to tell.
        dialog.taken.connect(lambda: self._models.downloads.resume(download.id))
        dialog.open()


def _short(folder: Path) -> str:
    """With the user's own folder as ~, as people know it."""
    home = Path.home()
    return f"~/{folder.relative_to(home).as_posix()}" if folder.is_relative_to(home) else str(folder)
