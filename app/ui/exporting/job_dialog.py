"""Dialogs about something that takes its time: what it is, how far it is, and how to stop it."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QProgressBar, QPushButton, QVBoxLayout, QWidget

from app.core.errors import UserError
from app.services.exchange.exchange import Job
from app.storage.exchange.outfile import Stopped
from app.ui.formatting.sentences import translated

_STEPS = 1000


class JobDialog(QDialog):
    """GUI thread; show it by `open()`. While a job runs its progress is shown, and Escape stops it."""

    details_wanted = Signal(object)
    """UserError: somebody wants to read more about it"""

    def __init__(self, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAccessibleName(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._job: Job | None = None
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(24, 22, 24, 18)
        self._column.setSpacing(10)
        self.body = QVBoxLayout()
        self.body.setSpacing(8)
        self._column.addLayout(self.body)
        self.status = self.say("")
        self.progress = QProgressBar(self)
        self.progress.setTextVisible(False)
        self.progress.setRange(0, _STEPS)
        self.progress.setAccessibleName(self.tr("Progress"))
        self._column.addWidget(self.progress)
        self._column.addSpacing(6)
        self._row = QHBoxLayout()
        self._row.setSpacing(8)
        self._row.addStretch(1)
        self._column.addLayout(self._row)
        self.buttons: list[QPushButton] = []
        self.show_idle()

    def say(self, text: str, tone: str = "", *, inside: QVBoxLayout | None = None) -> QLabel:
        label = QLabel(self)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setWordWrap(True)
        label.setText(text)
        label.setMinimumWidth(440)
        if tone:
            label.setProperty("tone", tone)
        (self._column if inside is None else inside).addWidget(label)
        return label

    def set_buttons(self, *buttons: QPushButton) -> None:
        """In this order at the right; the last one is the default."""
        for old in self.buttons:
            self._row.removeWidget(old)
            old.hide()
        self.buttons = list(buttons)
        for button in buttons:
            button.setAutoDefault(False)
            button.setAccessibleName(button.text())
            self._row.addWidget(button)
            button.show()
        buttons[-1].setDefault(True)
        buttons[-1].setFocus()

    def button(self, text: str) -> QPushButton:
        made = QPushButton(text, self)
        made.setAutoDefault(False)
        made.setAccessibleName(text)
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
        """For subclasses."""
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
        self.status.setText(sentence)
        self.status.setVisible(bool(sentence))
        self.status.setProperty("tone", tone)
        self.status.style().unpolish(self.status)
        self.status.style().polish(self.status)
