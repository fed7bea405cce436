"""Dialogs about something that takes its time: what it is, how far it is, and how to stop it."""

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QProgressBar, QPushButton, QWidget

from app.core.errors import UserError
from app.services.exchange.exchange import Job
from app.storage.exchange.outfile import Stopped
from app.ui.formatting.sentences import translated
from app.ui.widgets.buttons import push_button
from app.ui.widgets.dialogs import Dialog
from app.ui.widgets.dynamic_property import set_property
from app.ui.widgets.layouts import FILL, hbox, vbox
from app.ui.widgets.plain_text import plain_label, tell

_STEPS = 1000


class JobDialog(Dialog):
    """GUI thread; show it by `open()`. While a job runs its progress is shown, and Escape stops it."""

    details_wanted = Signal(object)
    """UserError: somebody wants to read more about it"""

    def __init__(self, title: str, parent: QWidget) -> None:
        super().__init__(title, parent)
        self._job: Job | None = None
        self.body = vbox(gap=8)
        self.status = self._label("")
        self.progress = QProgressBar(self)
        self.progress.setTextVisible(False)
        self.progress.setRange(0, _STEPS)
        self.progress.setAccessibleName(self.tr("Progress"))
        self._row = hbox(FILL, gap=8)
        vbox(self.body, self.status, self.progress, 6, self._row, on=self, gap=10, margins=(24, 22, 24, 18))
        self.buttons: list[QPushButton] = []
        self.stop_button = self.button(self.tr("Stop"), self.reject)
        self.close_button = self.button(self.tr("Close"), self.reject)
        self.show_idle()

    def say(self, text: str, tone: str = "") -> QLabel:
        """The next line of the body."""
        label = self._label(text, tone)
        self.body.addWidget(label)
        return label

    def set_buttons(self, *buttons: QPushButton) -> None:
        """In this order at the right; the last one is the default."""
        for old in self.buttons:
            self._row.removeWidget(old)
            old.hide()
        self.buttons = list(buttons)
        for button in buttons:
            self._row.addWidget(button)
            button.show()
        buttons[-1].setDefault(True)
        buttons[-1].setFocus()

    def button(self, text: str, act: Callable[[], object]) -> QPushButton:
        """Shown by `set_buttons`."""
        made = push_button(text, self, act)
        made.hide()
        return made

    @property
    def is_running(self) -> bool:
        return self._job is not None

    def follow(self, job: Job, sentence: str) -> None:
        """Show how far the job is until it ends; then `job_ended` is called."""
        self._job = job
        job.progressed.connect(self._progressed)
        job.ended.connect(self._ended)
        self._tell(sentence, "")
        self.progress.setValue(0)
        self.progress.show()
        self.setAccessibleDescription(sentence)
        self.fit()

    def show_idle(self, sentence: str = "", tone: str = "") -> None:
        """No job runs. `sentence` says what came of the last one."""
        self.progress.hide()
        self._tell(sentence, tone)
        self.setAccessibleDescription(sentence)
        self.fit()

    def job_ended(self, result: object) -> None:
        """For subclasses: what came of the job, when it was neither stopped nor failed."""

    def job_failed(self, sentence: str) -> None:
        """For subclasses, where there is more to do than to read why and to close."""
        self.show_failure(sentence, self.close_button)

    def show_failure(self, sentence: str, *buttons: QPushButton) -> None:
        self.set_buttons(*buttons)
        self.show_idle(sentence, "danger")

    def job_stopped(self) -> None:
        """For subclasses."""
        super().reject()

    def reject(self) -> None:
        """Closing stops what runs, and waits until it has."""
        if self._job is None:
            super().reject()
        else:
            self._job.stop()
            self._tell(self.tr("Stopping…"), "")

    def fit(self) -> None:
        """As high as what is shown."""
        layout = self.layout()
        assert layout is not None
        layout.activate()
        self.resize(max(self.width(), layout.minimumSize().width()), layout.totalSizeHint().height())

    def _progressed(self, share: float) -> None:
        self.progress.setValue(round(share * _STEPS))

    def _ended(self, result: object) -> None:
        self._job = None
        match result:
            case Stopped():
                self.job_stopped()
            case UserError():
                self.job_failed(translated(result.sentence))
            case Exception():
                self.job_failed(self.tr("That failed because of a fault in Hearth. The log tells more."))
                raise result
            case _:
                self.job_ended(result)

    def _tell(self, sentence: str, tone: str) -> None:
        tell(self.status, sentence)
        set_property(self.status, "tone", tone)

    def _label(self, text: str, tone: str = "") -> QLabel:
        label = plain_label(tone, self, text, wraps=True)
        label.setMinimumWidth(440)
        return label
