"""One download: how far it is, and what can be done about it."""

from PySide6.QtCore import Signal, SignalInstance
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QProgressBar, QPushButton, QWidget

from app.services.models.download_states import Download, DownloadStage
from app.ui.formatting.line_breaks import breakable
from app.ui.formatting.sentences import translated
from app.ui.models.hub_text import percent, progress_line
from app.ui.theme.fonts import scaled
from app.ui.widgets.buttons import push_button
from app.ui.widgets.flow_row import FlowRow
from app.ui.widgets.layouts import grow, hbox, turn, vbox
from app.ui.widgets.plain_text import plain_label

_STEPS = 1000
_WIDE = 700
"""Pixels."""


class DownloadRow(QFrame):
    """Its signals carry the Download."""

    pause_clicked = Signal(object)
    resume_clicked = Signal(object)
    cancel_clicked = Signal(object)
    token_clicked = Signal(object)
    chat_clicked = Signal(object)
    folder_clicked = Signal(object)

    def __init__(self, download: Download, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("file")
        self.download = download
        self._name = plain_label("", self, wraps=True)
        self._repo = plain_label("small", self, wraps=True)
        self.bar = QProgressBar(self)
        self.bar.setRange(0, _STEPS)
        self.bar.setTextVisible(False)
        self._line = plain_label("small", self, wraps=True)
        self._problem = plain_label("danger", self, wraps=True)
        goes_on, clears = self.tr("From where it stopped"), self.tr("Takes it off this list; the file stays")
        asks = self.tr("Asks what to do with what is there")
        self.pause_button = self._button(self.tr("Pause"), self.tr("What is there stays"), self.pause_clicked)
        self.resume_button = self._button(self.tr("Go on"), goes_on, self.resume_clicked)
        self.retry_button = self._button(self.tr("Try again"), goes_on, self.resume_clicked)
        self.token_button = self._button(
            self.tr("Enter a token…"), self.tr("For models that are gated"), self.token_clicked
        )
        self.cancel_button = self._button(self.tr("Cancel"), asks, self.cancel_clicked)
        self.folder_button = self._button(self.tr("Show the file"), self.tr("In the file manager"), self.folder_clicked)
        self.remove_button = self._button(self.tr("Clear"), clears, self.cancel_clicked)
        self.chat_button = self._button(self.tr("Chat"), self.tr("Load it and talk to it"), self.chat_clicked)
        self.chat_button.setProperty("tone", "primary")
        self._buttons = FlowRow(
            (
                self.token_button, self.retry_button, self.resume_button, self.pause_button, self.cancel_button,
                self.remove_button, self.folder_button, self.chat_button,
            ),
            self,
            to_end=True,
        )  # fmt: skip
        self._foot = hbox(grow(self._line), grow(self._buttons), gap=6)
        vbox(self._name, self._repo, self.bar, self._problem, self._foot, on=self, gap=6, margins=(14, 10, 12, 10))
        self.show_download(download)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Side by side where there is room for both."""
        turn(self._foot, beside=self.width() >= scaled(_WIDE))
        super().resizeEvent(event)

    def show_download(self, download: Download) -> None:
        self.download = download
        stage = download.stage
        self._name.setText(breakable(download.name))
        self._repo.setText(breakable(download.repo))
        self.bar.setValue(round(_STEPS * download.done / download.size) if download.size else 0)
        self.bar.setVisible(stage is not DownloadStage.DONE)
        told = self.tr("{name}: {percent} %").format(name=download.name, percent=percent(download))
        self.bar.setAccessibleName(told)
        self._line.setText(progress_line(download))
        self._problem.setText(" ".join(map(breakable, translated(download.problem).split(" "))))
        self._problem.setVisible(stage is DownloadStage.FAILED and bool(download.problem))
        runs = stage in (DownloadStage.RUNNING, DownloadStage.WAITING)
        is_done = stage is DownloadStage.DONE
        shown = {
            self.pause_button: runs,
            self.resume_button: stage is DownloadStage.PAUSED,
            self.retry_button: stage is DownloadStage.FAILED,
            self.token_button: download.gated,
            self.cancel_button: not is_done,
            self.chat_button: is_done and not is_projector(download),
            self.folder_button: is_done,
            self.remove_button: is_done,
        }
        has_focus = any(button.hasFocus() for button in shown)
        # First what comes, then what goes: the focus would wander off the row.
        for button in sorted(shown, key=lambda each: not shown[each]):
            if has_focus and shown[button] and not any(each.hasFocus() for each in shown if shown[each]):
                button.show()
                button.setFocus()
            button.setVisible(shown[button])
            button.setAccessibleName(f"{button.text()}: {download.name}")
        self._buttons.arrange()
        self.setAccessibleName(f"{download.name}, {progress_line(download)}")

    def _button(self, text: str, tip: str, clicked: SignalInstance) -> QPushButton:
        button = push_button(text, self, lambda: clicked.emit(self.download), tip=tip)
        button.setAccessibleDescription(tip)
        return button


def is_projector(download: Download) -> bool:
    """It can't be talked to by itself."""
    return "mmproj" in download.files[0].path.rpartition("/")[2].lower()
