"""A backup of everything, and the way back."""

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.services.exchange.exchange import Exchange
from app.storage.exchange.backup import Backup
from app.storage.exchange.restore import Restorable
from app.ui.exporting.job_dialog import JobDialog
from app.ui.formatting.dates import day_and_time
from app.ui.formatting.numbers import count, size_text


class BackupDialog(JobDialog):
    """Begins at once."""

    backed_up = Signal(object, str)
    """The file's Path, and a sentence"""

    def __init__(self, exchange: Exchange, path: Path, parent: QWidget) -> None:
        super().__init__(self.tr("Back up everything"), parent)
        self._path = path
        self.say(self.tr("Conversations, pictures, documents, presets and settings; no models."), "small")
        self.set_buttons(self.stop_button)
        self.follow(exchange.back_up(path), self.tr("Writing {name}…").format(name=path.name))

    def job_ended(self, result: object) -> None:
        assert isinstance(result, Backup)
        told = self.tr("Everything is in {name} ({size}).")
        self.backed_up.emit(self._path, told.format(name=self._path.name, size=size_text(self._path.stat().st_size)))
        self.accept()


class RestoreDialog(JobDialog):
    """Looks at the backup first. Nothing that is here changes before the next start."""

    restart_wanted = Signal()
    """Close the program now"""

    def __init__(self, exchange: Exchange, path: Path, parent: QWidget) -> None:
        super().__init__(self.tr("Restore a backup"), parent)
        self._exchange = exchange
        self.summary = self.say("")
        self.more = self.say("", "small")
        self.summary.hide()
        self.more.hide()
        self._is_ready = False
        self.discard_button = self.button(self.tr("Don't restore"), self.reject)
        self.later_button = self.button(self.tr("Later"), self.accept)
        self.now_button = self.button(self.tr("Close Hearth now"), self._restart)
        self.set_buttons(self.stop_button)
        self.follow(exchange.prepare_restore(path), self.tr("Checking {name}…").format(name=path.name))

    def job_ended(self, result: object) -> None:
        assert isinstance(result, Restorable)
        self._is_ready = True
        when = day_and_time(result.created_at)
        self.summary.setText(
            self.tr("The backup of {when} is sound: {conversations} conversations with {messages} messages.").format(
                when=when, conversations=count(result.n_conversations), messages=count(result.n_messages)
            )
        )
        self.more.setText(
            self.tr(
                "It takes the place of what is here when Hearth starts next. "
                "What is here now is kept as a backup of its own, and can be restored in the same way."
            )
        )
        self.summary.show()
        self.more.show()
        self.show_idle()
        self.set_buttons(self.discard_button, self.later_button, self.now_button)

    def reject(self) -> None:
        """Nothing waits then."""
        if self._is_ready:
            self._exchange.discard_restore()
        super().reject()

    def _restart(self) -> None:
        self.accept()
        self.restart_wanted.emit()
