"""What to export, in which form, and where to."""

from pathlib import Path

from PySide6.QtCore import QLocale, Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QLabel, QRadioButton, QWidget

from app.services.exchange.exchange import Exchange, Exported
from app.services.exchange.export_plans import ExportFormat, ExportPlan, suffix
from app.storage.exchange.outfile import safe_name
from app.ui.exporting.job_dialog import JobDialog
from app.ui.widgets.file_dialogs import ask_where_to_save, documents_folder
from app.ui.widgets.layouts import FILL, hbox
from app.ui.widgets.setting_editors import SwitchEdit, switch_row


class ExportDialog(JobDialog):
    exported = Signal(object)
    """Exported"""

    def __init__(
        self, exchange: Exchange, conversation_id: int | None, title: str, n_conversations: int, parent: QWidget
    ) -> None:
        """`conversation_id` and `title` are those of the open conversation; None where there is none."""
        super().__init__(self.tr("Export"), parent)
        self._exchange = exchange
        self._conversation_id = conversation_id
        self._name = title
        self._scope = QButtonGroup(self)
        self._formats = QButtonGroup(self)
        self.one = QRadioButton(self.tr("This conversation"), self)
        self.all = QRadioButton(self.tr("All conversations ({count})").format(count=n_conversations), self)
        self.formats = {
            each: QRadioButton(label, self)
            for each, label in (
                (ExportFormat.MARKDOWN, self.tr("Markdown")),
                (ExportFormat.HTML, self.tr("Web page")),
                (ExportFormat.PDF, self.tr("PDF")),
                (ExportFormat.JSON, self.tr("JSON")),
            )
        }
        self.reasoning = SwitchEdit(self)
        self._reasoning_label = QLabel(self.tr("With the reasoning of the model"), self)
        self.citations = SwitchEdit(self)
        self._citations_label = QLabel(self.tr("With citations and their sources"), self)
        self.cancel_button = self.button(self.tr("Cancel"), self.reject)
        self.export_button = self.button(self.tr("Export…"), self._ask_where)
        self._lay_out()
        self._formats.idToggled.connect(self._refresh)
        self._scope.idToggled.connect(self._refresh)
        self._refresh()
        self.set_buttons(self.cancel_button, self.export_button)
        self.fit()

    @property
    def format(self) -> ExportFormat:
        return list(self.formats)[self._formats.checkedId()]

    def write_as_named(self, path: Path) -> None:
        """Export to this file. Who types the ending of another format wants that one."""
        ending, is_one = path.suffix.lower(), self.one.isChecked()
        if ending != suffix(self.format, is_one=is_one):
            named = next((each for each in self.formats if suffix(each, is_one=is_one) == ending), self.format)
            self.formats[named].setChecked(True)
        self.write(path)

    def write(self, path: Path) -> None:
        """Export to this file, in the format that is chosen."""
        ids = (self._conversation_id,) if self.one.isChecked() and self._conversation_id is not None else None
        letter = QLocale.system().territory() in _LETTER
        reasoning, citations = self.reasoning.isChecked(), self.citations.isChecked()
        plan = ExportPlan(self.format, path, ids, reasoning=reasoning, citations=citations, letter=letter)
        self._set_enabled(False)
        self.set_buttons(self.stop_button)
        self.follow(self._exchange.export(plan), self.tr("Writing {name}…").format(name=path.name))

    def job_ended(self, result: object) -> None:
        if isinstance(result, Exported):
            self.exported.emit(result)
        self.accept()

    def job_failed(self, sentence: str) -> None:
        self._set_enabled(True)
        self.show_failure(sentence, self.cancel_button, self.export_button)

    def _ask_where(self) -> None:
        ending = suffix(self.format, is_one=self.one.isChecked())
        stem = safe_name(self._name, "Conversation") if self.one.isChecked() else self.tr("Hearth conversations")
        ask_where_to_save(
            self, self.tr("Export"), self.write_as_named, stem + ending, folder=documents_folder(), ending=ending
        )

    def _refresh(self) -> None:
        is_one = self.one.isChecked()
        sentences = {
            ExportFormat.MARKDOWN: self.tr("Text that any editor shows. Pictures lie in a folder beside it.")
            if is_one
            else self.tr("One text for each conversation, with their pictures, in one zip file."),
            ExportFormat.HTML: self.tr("One page with everything in it, for any browser, light or dark.")
            if is_one
            else self.tr("One page for each conversation and a list of them, in one zip file."),
            ExportFormat.PDF: self.tr("Pages to read or to print."),
            ExportFormat.JSON: self.tr(
                "Complete, with all versions, pictures and figures. Hearth can import it again, here or elsewhere."
            ),
        }
        self._told.setText(sentences[self.format])
        has_choice = self.format is not ExportFormat.JSON
        for each in (self.reasoning, self._reasoning_label, self.citations, self._citations_label):
            each.setEnabled(has_choice)
        self.fit()

    def _set_enabled(self, enabled: bool) -> None:
        for each in (self.one, self.all, *self.formats.values(), self.reasoning, self.citations):
            each.setEnabled(enabled)
        if enabled:
            self.one.setEnabled(self._conversation_id is not None)
            self._refresh()

    def _lay_out(self) -> None:
        for number, button in enumerate((self.one, self.all)):
            button.setAccessibleName(button.text())
            self._scope.addButton(button, number)
            self.body.addWidget(button)
        has_one = self._conversation_id is not None
        self.one.setEnabled(has_one)
        (self.one if has_one else self.all).setChecked(True)
        self.body.addSpacing(6)
        for number, button in enumerate(self.formats.values()):
            button.setAccessibleName(button.text())
            self._formats.addButton(button, number)
        self.formats[ExportFormat.MARKDOWN].setChecked(True)
        for choice in (*self._scope.buttons(), *self._formats.buttons()):
            if not choice.isChecked():
                # Qt sees to this from the first focus on; Shift+Tab would come to the last one until then.
                choice.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.body.addLayout(hbox(*self.formats.values(), FILL, gap=14))
        self._told = self.say("", "small")
        self.body.addSpacing(4)
        self.body.addLayout(switch_row(self.reasoning, self._reasoning_label))
        self.body.addLayout(switch_row(self.citations, self._citations_label))
        for switch in (self.reasoning, self.citations):
            switch.setChecked(True)


_LETTER = frozenset(
    {
        QLocale.Country.UnitedStates,
        QLocale.Country.Canada,
        QLocale.Country.Mexico,
        QLocale.Country.Philippines,
        QLocale.Country.Chile,
        QLocale.Country.Colombia,
    }
)
