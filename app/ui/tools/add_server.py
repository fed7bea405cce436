"""Adding a server: as its makers write it down, or by its command or address."""

import shlex
from collections.abc import Callable, Collection

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QWidget

from app.core.errors import UserError
from app.tools.mcp_file import ServerEntry
from app.tools.mcp_import import is_link, pasted
from app.ui.formatting.sentences import translated
from app.ui.tools.words import what_begins
from app.ui.widgets.buttons import push_button
from app.ui.widgets.layouts import FILL, hbox, vbox
from app.ui.widgets.plain_text import plain_label


class AddServer(QWidget):
    """Nothing is begun before it is shown in full, and wished."""

    added = Signal(object)
    """tuple[ServerEntry, ...]"""
    cancelled = Signal()

    def __init__(self, known: Callable[[], Collection[str]], parent: QWidget) -> None:
        """`known` tells the names of the servers that are there."""
        super().__init__(parent)
        self._known = known
        self._replaces = False
        self.where = QLineEdit(self)
        self.where.setPlaceholderText(self.tr("npx -y @modelcontextprotocol/server-filesystem ~/Documents"))
        self.name = QLineEdit(self)
        self.variables = QPlainTextEdit(self)
        self.variables.setPlaceholderText(self.tr("API_KEY=…"))
        self.pasted = QPlainTextEdit(self)
        self.pasted.setPlaceholderText(self.tr('{"mcpServers": {"name": {"command": "…", "args": ["…"]}}}'))
        self._preview = plain_label("small", self, wraps=True)
        self._problem = plain_label("danger", self, wraps=True)
        self.add = push_button(self.tr("Add"), self, self._add, tone="primary")
        self.cancel = push_button(self.tr("Cancel"), self, self.cancelled)
        self._lay_out()
        for field in (self.where, self.name):
            field.textChanged.connect(self._refresh)
            field.returnPressed.connect(self._enter)
        for area in (self.variables, self.pasted):
            area.textChanged.connect(self._refresh)
        self._refresh()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter adds the server; it would press the dialog's own button, too."""
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)

    @property
    def told(self) -> str:
        """What will be begun, or what is wrong."""
        return self._preview.text() or self._problem.text()

    def clear(self) -> None:
        for field in (self.where, self.name, self.variables, self.pasted):
            field.clear()

    def _entries(self) -> tuple[ServerEntry, ...]:
        """Raises UserError."""
        if text := self.pasted.toPlainText().strip():
            return pasted(text)
        where, name = self.where.text().strip(), self.name.text().strip()
        if not where:
            return ()
        if is_link(where) or where.startswith("{") or where.endswith("}"):
            # People paste where the cursor stands.
            return pasted(where)
        pairs = _pairs(self.variables.toPlainText())
        if where.startswith(("http://", "https://")):
            return (ServerEntry(name or where.split("/")[2], url=where, headers=pairs),)
        try:
            command, *args = shlex.split(where)
        except ValueError as error:
            raise UserError("A quotation mark is missing in the command.") from error
        return (ServerEntry(name or _name_of(command, args), command, tuple(args), pairs),)

    def _refresh(self) -> None:
        try:
            entries, problem = self._entries(), ""
        except UserError as error:
            entries, problem = (), translated(error.sentence)
        self._problem.setText(problem)
        self._problem.setVisible(bool(problem))
        taken = [each.name for each in entries if each.name in self._known()]
        told = [what_begins(each) for each in entries]
        told += [self.tr("There is a server {name}: this one takes its place.").format(name=name) for name in taken]
        self._preview.setText("\n\n".join(told))
        self._preview.setVisible(bool(entries))
        self._replaces = bool(taken)
        self.add.setText(self.tr("Replace") if taken else self.tr("Add"))
        self.add.setEnabled(bool(entries))

    def _enter(self) -> None:
        """What replaces another is not done by a key that was meant for the field."""
        if self._replaces:
            self.add.setFocus()
        else:
            self._add()

    def _add(self) -> None:
        if self.add.isEnabled():
            self.added.emit(self._entries())

    def _lay_out(self) -> None:
        lines = self.variables.fontMetrics().lineSpacing()
        self.variables.setFixedHeight(3 * lines)
        self.pasted.setFixedHeight(6 * lines)
        parts = []
        for field, told in (
            (self.where, self.tr("Command or address")),
            (self.name, self.tr("Name (may be empty)")),
            (self.variables, self.tr("Environment variables, or headers of an address: one NAME=value on each line")),
            (self.pasted, self.tr("Or the JSON that the server's page gives, or the link of its button")),
        ):
            field.setAccessibleName(told)
            field.setToolTip(told)
            parts += [plain_label("small", self, told, wraps=True), field]
        for area in (self.variables, self.pasted):
            area.setTabChangesFocus(True)
            area.setObjectName("details")
        vbox(*parts, self._preview, self._problem, hbox(self.add, self.cancel, FILL, gap=8), on=self, gap=6)


def _pairs(text: str) -> dict[str, str]:
    lines = (line.partition("=") for line in text.splitlines())
    return {name.strip(): value.strip() for name, sign, value in lines if sign and name.strip()}


def _name_of(command: str, args: list[str]) -> str:
    """Of a package, where there is one: `@scope/server-files` is called files."""
    words = [each for each in args if not each.startswith(("-", "/", "~", "."))] or [command]
    last = words[0].replace("\\", "/").rsplit("/", 1)[-1].split("@")[0]
    return last.removeprefix("server-").removeprefix("mcp-server-") or command
