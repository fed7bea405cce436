"""How far the reading of documents is, with a button that pauses it."""

from pathlib import PurePath

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QProgressBar, QWidget

from app.services.documents.index_states import IndexProgress
from app.ui.formatting.numbers import count
from app.ui.widgets.buttons import push_button, rename
from app.ui.widgets.layouts import grow, hbox, vbox
from app.ui.widgets.plain_text import plain_label


class IndexProgressLine(QWidget):
    """Hidden while nothing is read."""

    pause_clicked = Signal(bool)
    """Whether it is to rest."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._paused = False
        self._most = 0
        """Files that waited when it began, or passages."""
        self._vectors = False
        self.text = plain_label("small", self)
        self.bar = QProgressBar(self)
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(self.tr("Reading documents"))
        self.button = push_button("", self, self._click)
        vbox(hbox(grow(self.text), self.button, gap=8), self.bar, on=self, gap=6)
        self.hide()

    def show_progress(self, progress: IndexProgress) -> None:
        self._paused = progress.paused
        if progress.vectors is not self._vectors:
            self._vectors, self._most = progress.vectors, 0
        self._most = max(self._most, progress.n_left + 1) if progress.at or progress.paused else 0
        self.setVisible(bool(progress.at) or progress.paused)
        rename(self.button, self.tr("Go on") if progress.paused else self.tr("Pause"))
        self.bar.setRange(0, self._most if self._most > 1 else 0)
        self.bar.setValue(self._most - progress.n_left)
        self.text.setText(self._told(progress))
        self.setAccessibleName(self.text.text())

    def _told(self, progress: IndexProgress) -> str:
        if progress.paused:
            return self.tr("Reading is paused.")
        name = PurePath(progress.at).name
        if progress.vectors:
            told = self.tr("Works through the passages with {name}; {count} wait")
            return told.format(name=name, count=count(progress.n_left))
        if progress.n_left:
            told = self.tr("Reads {name}; {count} more wait")
            return told.format(name=name, count=count(progress.n_left))
        return self.tr("Reads {name}").format(name=name)

    def _click(self) -> None:
        self.pause_clicked.emit(not self._paused)
