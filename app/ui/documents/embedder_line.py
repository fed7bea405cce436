"""How far the fetching of an embedding model is, with a button that stops it, or tries again."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QProgressBar, QWidget

from app.services.models.download_states import Download
from app.services.models.embedder_download import EmbedderProgress
from app.ui.formatting.numbers import size_text
from app.ui.formatting.sentences import translated
from app.ui.widgets.buttons import push_button
from app.ui.widgets.layouts import grow, hbox, vbox
from app.ui.widgets.plain_text import plain_label

_STEPS = 1000


class EmbedderLine(QWidget):
    """Hidden while nothing is fetched."""

    stop_clicked = Signal()
    again_clicked = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.text = plain_label("small", self, wraps=True)
        self.bar = QProgressBar(self)
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(self.tr("Downloading an embedding model"))
        self.again_button = push_button(self.tr("Try again"), self, self.again_clicked.emit)
        self.stop_button = push_button(self.tr("Stop"), self, self.stop_clicked.emit)
        vbox(hbox(grow(self.text), self.again_button, self.stop_button, gap=8), self.bar, on=self, gap=6)
        self.hide()

    def show_progress(self, progress: EmbedderProgress) -> None:
        download = progress.download
        self.setVisible(progress.asks or download is not None or bool(progress.problem))
        self.again_button.setVisible(bool(progress.problem))
        self.bar.setVisible(not progress.problem)
        is_known = download is not None and download.size > 0
        self.bar.setRange(0, _STEPS if is_known else 0)
        if download is not None and is_known:
            self.bar.setValue(_STEPS * download.done // download.size)
        self.text.setText(self._told(progress, download))

    def _told(self, progress: EmbedderProgress, download: Download | None) -> str:
        if progress.problem:
            return translated(progress.problem)
        if download is None:
            return self.tr("Asking Hugging Face for the embedding model…")
        told = self.tr("Downloading {name}: {done} of {size}. Passages are searched by words until then.")
        return told.format(name=download.name, done=size_text(download.done), size=size_text(download.size))
