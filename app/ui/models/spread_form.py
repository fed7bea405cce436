"""A model of this computer is spread over others here: which file, over which computers, by which llama-server."""

from pathlib import Path

from PySide6.QtGui import QIntValidator
from PySide6.QtWidgets import QLineEdit, QWidget

from app.core.errors import UserError
from app.core.model_ref import ModelRef
from app.remote.worker import USUAL_CONTEXT, Spread, workers_typed
from app.services.remote.model_servers import ModelServers
from app.services.remote.states import KnownServer
from app.ui.formatting.sentences import translated
from app.ui.models.page_form import PageForm
from app.ui.widgets.buttons import push_button
from app.ui.widgets.file_dialogs import ask_for_file
from app.ui.widgets.flow_row import FlowRow
from app.ui.widgets.layouts import grow, hbox, vbox
from app.ui.widgets.plain_text import plain_label, tell

_LEAST, _MOST = 512, 1 << 20
"""Tokens of a context."""


class SpreadForm(PageForm):
    """GUI thread. Nothing is asked and nothing started before "Save" is pressed."""

    def __init__(self, servers: ModelServers, parent: QWidget) -> None:
        super().__init__(parent)
        self._servers = servers
        self._changed = ""
        """Id of the one that is changed; empty where one is added."""
        self.model, self.workers, self.program, self.context, self.name = (QLineEdit(self) for _ in range(5))
        self.context.setValidator(QIntValidator(_LEAST, _MOST, self.context))
        self.workers.setPlaceholderText("192.168.1.5:50052, 192.168.1.6:50052")
        self.program.setPlaceholderText(self.tr("The one that this computer finds by itself"))
        self.problem = plain_label("danger", self, wraps=True)
        self.model_button = push_button(
            self.tr("Browse…"), self, self._browse_model, name=self.tr("Choose the model's file")
        )
        self.program_button = push_button(
            self.tr("Browse…"), self, self._browse_program, name=self.tr("Choose llama-server")
        )
        self.save_button = push_button(self.tr("Save"), self, self._save, tone="primary")
        self.cancel_button = push_button(self.tr("Cancel"), self, self.cancel)
        self._lay_out()
        for field in (self.model, self.workers, self.program, self.context, self.name):
            field.textChanged.connect(self._refresh)
            field.returnPressed.connect(self.save_button.click)

    def begin(self, changed: KnownServer | None = None, chosen: ModelRef | None = None) -> None:
        """Add one, of the model that is `chosen` now; or change one."""
        spread = changed.saved.spread if changed is not None else None
        self._changed = changed.id if changed is not None else ""
        file = str(chosen.file) if chosen is not None and chosen.is_file and not chosen.is_guide else ""
        self.model.setText(spread.model if spread is not None else file)
        self.workers.setText(", ".join(map(str, spread.workers)) if spread is not None else "")
        self.program.setText(spread.program if spread is not None else "")
        self.context.setText(str(spread.n_ctx if spread is not None else USUAL_CONTEXT))
        self.name.setText(changed.name if changed is not None else "")
        tell(self.problem, "")
        self.show()
        self._refresh()
        self.model.setFocus()

    def _refresh(self) -> None:
        named = self.model.text().strip() and self.workers.text().strip()
        self.save_button.setEnabled(bool(named) and self.context.hasAcceptableInput())

    def _save(self) -> None:
        try:
            workers = workers_typed(self.workers.text())
        except UserError as error:
            tell(self.problem, translated(error.sentence))
            self.workers.setFocus()
            return
        model, program = self.model.text().strip(), self.program.text().strip()
        self._servers.spread(self.name.text(), Spread(model, workers, program, int(self.context.text())), self._changed)
        self.end()

    def _browse_model(self) -> None:
        filters = (self.tr("Models (*.gguf)"), self.tr("All files (*)"))
        ask_for_file(self, self.tr("The model's file"), self._take_model, filters=filters)

    def _browse_program(self) -> None:
        ask_for_file(self, self.tr("llama-server"), self._take_program, filters=(self.tr("All files (*)"),))

    def _take_model(self, path: Path) -> None:
        self.model.setText(str(path))

    def _take_program(self, path: Path) -> None:
        self.program.setText(str(path))

    def _lay_out(self) -> None:
        told = self.tr(
            "A model that is too large for one computer can be computed on several. On each of them rpc-server of "
            "llama.cpp has to run, of the same build as llama-server here; both come with llama.cpp where it was built "
            "with RPC. rpc-server has no password and no encryption: use it in a network that you trust alone."
        )
        intro = plain_label("muted", self, told, wraps=True)
        parts: list[QWidget] = []
        rows = (
            (self.model, self.tr("The model's file"), self.model_button),
            (self.workers, self.tr("Computers that help (addresses of their rpc-server)"), None),
            (self.program, self.tr("llama-server (may be empty)"), self.program_button),
            (self.context, self.tr("Context (tokens)"), None),
            (self.name, self.tr("Name (may be empty)"), None),
        )
        for field, text, button in rows:
            field.setAccessibleName(text)
            label = plain_label("small", self, text)
            label.setBuddy(field)
            row: QWidget = field
            if button is not None:
                row = QWidget(self)
                hbox(grow(field), button, on=row, gap=8)
            parts += [label, row]
        buttons = FlowRow((self.save_button, self.cancel_button), self)
        vbox(intro, *parts, self.problem, buttons, on=self, gap=6)
