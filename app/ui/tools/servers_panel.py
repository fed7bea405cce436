"""The servers of tools and what was allowed to them; what is done here is in force at once."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QScrollArea, QWidget

from app.core.errors import UserError
from app.services.runtime.debounce import Ticker
from app.services.tools.servers import Server, ServerState
from app.tools.mcp_file import ServerEntry
from app.tools.mcp_import import OtherProgram
from app.tools.permissions import Rule
from app.ui.formatting.sentences import translated
from app.ui.theme.appearance import Appearance
from app.ui.tools.add_server import AddServer
from app.ui.tools.import_servers import ImportServers
from app.ui.tools.server_card import ServerCard
from app.ui.widgets.buttons import push_button
from app.ui.widgets.discard import discard
from app.ui.widgets.layouts import FILL, clear, grow, hbox, vbox
from app.ui.widgets.links import open_link
from app.ui.widgets.open_outside import open_file
from app.ui.widgets.plain_text import plain_label

if TYPE_CHECKING:
    from app.services.chat.conversation_tools import ConversationTools

_LOG_MS = 500


class ServersPanel(QWidget):
    """Shows what `ConversationTools` knows, and does there what is wished."""

    def __init__(self, appearance: Appearance, tools: "ConversationTools", parent: QWidget) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._tools = tools
        self.cards: dict[str, ServerCard] = {}
        self._nothing = plain_label(
            "muted",
            self,
            self.tr("Tools let a model do more than write: read your files, look something up, write a note. They come "
                    "from servers, small programs that speak the Model Context Protocol (MCP). Before a tool runs, you "
                    "are asked. There is no server yet."),
            wraps=True,
        )  # fmt: skip
        self._preparing = plain_label(
            "small",
            self,
            self.tr("Python is being prepared, once on this computer. Switched off, that stops."),
            wraps=True,
        )
        self._problem = plain_label("danger", self, wraps=True)
        self._note = plain_label("small", self, wraps=True)
        self._note.hide()
        self.add_button = push_button(self.tr("Add a server…"), self, self._open_form)
        self.import_button = push_button(
            self.tr("Import…"), self, self._open_import, tip=self.tr("Servers of other programs on this computer")
        )
        self.edit_button = push_button(
            self.tr("Edit mcp.json"), self, self._edit, tip=self.tr("Opens the file of servers"), tone="link"
        )
        servers = tools.servers
        self.form = AddServer(lambda: {each.entry.name for each in servers.all}, self)
        self.form.hide()
        self.form.added.connect(self._add)
        self.form.cancelled.connect(self._close_form)
        self.imports: ImportServers | None = None
        """While servers of other programs are looked at."""
        self._import_place = vbox()
        self._cards = vbox(gap=10)
        self._rules_title = plain_label("heading", self, self.tr("Always allowed"))
        self._rules = vbox(gap=4)
        buttons = hbox(self.add_button, self.import_button, self.edit_button, FILL, gap=8)
        vbox(
            self._preparing, self._nothing, self._cards, self._problem, self._note, buttons, self.form,
            self._import_place, self._rules_title, self._rules,
            on=self, gap=12,
        )  # fmt: skip
        self._shown_rules: tuple[Rule, ...] | None = None
        self._log_timer = Ticker(_LOG_MS, self.refresh, self)
        servers.noticed.connect(self._tell)
        servers.failed.connect(self._fail)
        servers.others_found.connect(self._show_import)
        tools.changed.connect(self.refresh)
        self.refresh()

    @property
    def problem(self) -> str:
        return self._problem.text()

    @property
    def rules(self) -> tuple[str, ...]:
        return tuple(f"{each.tool} · {each.server}" for each in self._shown_rules or ())

    def refresh(self) -> None:
        servers, permissions = self._tools.servers.all, self._tools.permissions
        problem = self._tools.servers.problem
        self._say(problem)
        for name in self.cards.keys() - {each.entry.name for each in servers}:
            discard(self.cards.pop(name))
        for server in servers:
            name = server.entry.name
            if name not in self.cards:
                self._add_card(server)
            believed = permissions.believes(server.entry.fingerprint)
            self.cards[name].show_server(server, self._tools.servers.log_of(name), believed=believed)
        self._preparing.setVisible(self._tools.preparation.is_running)
        self._nothing.setVisible(not servers and problem is None)
        if self.isVisible() and any(each.state is ServerState.STARTING for each in servers):
            # What it says meanwhile is news: npx downloads for minutes.
            self._log_timer.start()
        else:
            self._log_timer.stop()
        self._show_rules(permissions.rules())

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._tools.servers.look()
        self.refresh()

    def _add_card(self, server: Server) -> None:
        card = self.cards[server.entry.name] = ServerCard(self._appearance, server, self)
        name, servers = server.entry.name, self._tools.servers
        card.switch.clicked.connect(lambda on: self._do(lambda: servers.set_enabled(name, on)))
        card.believe.clicked.connect(lambda on: self._believe(name, on))
        card.restart_clicked.connect(lambda: servers.restart(name))
        card.stop_clicked.connect(lambda: servers.rest(name))
        card.sign_in_clicked.connect(partial(self._sign_in, name))
        card.remove_clicked.connect(partial(self._remove, name))
        self._cards.addWidget(card)
        card.show()

    def _show_rules(self, rules: tuple[Rule, ...]) -> None:
        self._rules_title.setVisible(bool(rules))
        if rules == self._shown_rules:
            return
        self._shown_rules = rules
        clear(self._rules)
        for rule in rules:
            told = plain_label("", self, f"{rule.tool} · {rule.server}", wraps=True)
            name = self.tr("Ask again before {tool} of {server}").format(tool=rule.tool, server=rule.server)
            revoke = push_button(self.tr("Ask again"), self, partial(self._revoke, rule), name=name, tone="link")
            row = QWidget(self)
            hbox(grow(told), revoke, on=row)
            self._rules.addWidget(row)
            row.show()

    def _revoke(self, rule: Rule) -> None:
        self._do(lambda: self._tools.permissions.revoke(rule))
        self.refresh()

    def _believe(self, name: str, believed: bool) -> None:
        server = self._tools.servers.get(name)
        if server is not None:
            self._do(lambda: self._tools.permissions.believe(server.entry.fingerprint, name, believed))
        self.refresh()

    def _sign_in(self, name: str) -> None:
        if (server := self._tools.servers.get(name)) is not None:
            open_link(server.sign_in, self)

    def _remove(self, name: str) -> None:
        server = self._tools.servers.get(name)
        if server is not None:
            self._forget(server.entry.fingerprint)
            self._do(lambda: self._tools.servers.remove(name))
        self.add_button.setFocus()

    def _forget(self, fingerprint: str) -> None:
        self._do(lambda: self._tools.permissions.forget(fingerprint))

    def _add(self, entries: tuple[ServerEntry, ...]) -> None:
        found = [(each, self._tools.servers.get(each.name)) for each in entries]
        if self._do(lambda: self._tools.servers.add(entries)):
            for each, before in found:
                if before is not None and before.entry.fingerprint != each.fingerprint:
                    self._forget(before.entry.fingerprint)
            self._close_form()

    def _open_form(self) -> None:
        self._close_form()
        self.form.clear()
        self.form.show()
        self.add_button.hide()
        self.form.where.setFocus()
        self._bring(self.form)

    def _open_import(self) -> None:
        self._close_form()
        self.import_button.setEnabled(False)
        self._tools.servers.find_others()

    @Slot(object)
    def _show_import(self, programs: tuple[OtherProgram, ...]) -> None:
        self.import_button.setEnabled(True)
        if not programs:
            self._problem.setText(self.tr("No servers of Claude Desktop, Cursor, LM Studio or VS Code were found."))
            self._problem.show()
            return
        known = {each.entry.name for each in self._tools.servers.all}
        self.imports = ImportServers(programs, known, self)
        self.imports.added.connect(self._add)
        self.imports.cancelled.connect(self._close_form)
        self._import_place.addWidget(self.imports)
        self.imports.show()
        self.import_button.hide()
        self._bring(self.imports)

    def _bring(self, form: QWidget) -> None:
        """Into sight, when it has its place."""
        area = form.parentWidget()
        while area is not None and not isinstance(area, QScrollArea):
            area = area.parentWidget()
        if area is not None:
            QTimer.singleShot(0, form, lambda: area.ensureWidgetVisible(form, 0, form.height()))

    def _close_form(self) -> None:
        self.form.hide()
        if self.imports is not None:
            discard(self.imports)
            self.imports = None
        for button in (self.import_button, self.add_button):
            button.show()
        self.add_button.setFocus()

    def _edit(self) -> None:
        if self._do(self._tools.servers.file.ensure):
            open_file(self._tools.servers.file.path, self)

    def _do(self, act: Callable[[], object]) -> bool:
        """False after saying what was wrong."""
        try:
            act()
        except UserError as error:
            self._say(error)
            return False
        return True

    @Slot(object)
    def _tell(self, sentence: str) -> None:
        """The window's own notices lie behind this page."""
        self._note.setText(translated(sentence))
        self._note.show()

    @Slot(object)
    def _fail(self, error: UserError) -> None:
        self._tell(error.sentence)

    def _say(self, error: UserError | None) -> None:
        self._problem.setText(translated(error.sentence) if error is not None else "")
        self._problem.setVisible(error is not None)
