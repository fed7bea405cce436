"""What files would bring, before anything comes."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QWidget

from app.services.exchange.exchange import Exchange, Imported
from app.storage.exchange.stage import Found
from app.ui.exporting.job_dialog import JobDialog
from app.ui.formatting.numbers import count
from app.ui.widgets.setting_editors import SwitchEdit, switch_row


class ImportDialog(JobDialog):
    imported = Signal(str, object)
    """A sentence about what came, and the ids of the conversations"""

    def __init__(self, exchange: Exchange, files: Sequence[Path], parent: QWidget) -> None:
        super().__init__(self.tr("Import"), parent)
        self._exchange = exchange
        self._found: Found | None = None
        self.summary = self.say("")
        self.known = self.say("", "small")
        self.again = SwitchEdit(self)
        self._again_label = QLabel(self.tr("Bring those too, as copies"), self)
        self.body.addLayout(switch_row(self.again, self._again_label))
        self.skipped = self.say("", "small")
        self.cancel_button = self.button(self.tr("Cancel"), self.reject)
        self.import_button = self.button(self.tr("Import"), self._take)
        self.again.toggled.connect(self._refresh)
        self._show_found(None)
        self.set_buttons(self.stop_button)
        self.finished.connect(self._forget)
        names = files[0].name if len(files) == 1 else self.tr("{count} files").format(count=len(files))
        self.follow(exchange.read(files), self.tr("Reading {name}…").format(name=names))

    def job_ended(self, result: object) -> None:
        match result:
            case Found():
                self._show_found(result)
                self.show_idle()
                self.set_buttons(self.cancel_button, self.import_button)
                self._refresh()
            case Imported(conversations):
                one = self.tr("One conversation was imported.")
                many = self.tr("{count} conversations were imported.").format(count=count(len(conversations)))
                self.imported.emit(one if len(conversations) == 1 else many, conversations)
                self.accept()

    def job_failed(self, sentence: str) -> None:
        self._show_found(None)
        self.show_failure(sentence, self.cancel_button)

    def _take(self) -> None:
        self.again.setEnabled(False)
        self.set_buttons(self.stop_button)
        job = self._exchange.take(with_known=self.again.isChecked())
        self.follow(job, self.tr("Writing the conversations…"))
        # How far it is, nobody knows before: it is all or nothing.
        self.progress.setRange(0, 0)

    def _show_found(self, found: Found | None) -> None:
        self._found = found
        has_known = found is not None and found.n_known > 0
        self.summary.setText(self._summary(found) if found is not None else "")
        self.summary.setVisible(found is not None)
        self.known.setText(self._known_words(found) if found is not None else "")
        for each in (self.known, self.again, self._again_label):
            each.setVisible(has_known)
        self.skipped.setText(self._skipped_words(found) if found is not None else "")
        self.skipped.setVisible(found is not None and found.n_skipped > 0)
        self.fit()

    def _refresh(self) -> None:
        """Nothing to bring is nothing to press."""
        found = self._found
        if found is not None:
            coming = found.n_conversations - (0 if self.again.isChecked() else found.n_known)
            self.import_button.setEnabled(coming > 0)
            self.import_button.setText(
                self.tr("Import {count}").format(count=count(coming)) if coming else self.tr("Import")
            )
            self.import_button.setAccessibleName(self.import_button.text())

    def _summary(self, found: Found) -> str:
        if not found.n_conversations:
            return self.tr("There is no conversation in it.")
        words = {
            (True, True): self.tr("One conversation with one message, from {source}."),
            (True, False): self.tr("One conversation with {messages} messages, from {source}."),
        }.get(
            (found.n_conversations == 1, found.n_messages == 1),
            self.tr("{conversations} conversations with {messages} messages, from {source}."),
        )
        return words.format(
            conversations=count(found.n_conversations), messages=count(found.n_messages), source=found.source
        )

    def _known_words(self, found: Found) -> str:
        if found.n_known == found.n_conversations:
            return self.tr("All of that is here already.")
        if found.n_known == 1:
            return self.tr("One of them is here already.")
        return self.tr("{count} of them are here already.").format(count=count(found.n_known))

    def _skipped_words(self, found: Found) -> str:
        reasons = {
            "it has no messages": (self.tr("one without a message"), self.tr("{count} without a message")),
            "it is damaged": (self.tr("one that is damaged"), self.tr("{count} that are damaged")),
        }
        told = [
            (reasons[why][0] if number == 1 else reasons[why][1]).format(count=count(number))
            for why, number in found.skipped
            if why in reasons
        ]
        return self.tr("Left out: {reasons}.").format(reasons=", ".join(told))

    def _forget(self) -> None:
        self._exchange.forget()
