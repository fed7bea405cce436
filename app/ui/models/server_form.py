"""A server is added or changed here: where it is, its key, its name; it is asked what it is before it is kept."""

from PySide6.QtWidgets import QLineEdit, QProgressBar, QWidget

from app.core.errors import UserError
from app.remote.address import ServerAddress
from app.services.remote.model_servers import Asking, ModelServers
from app.services.remote.states import KnownServer, Listing
from app.services.runtime.worker_thread import told
from app.ui.formatting.sentences import translated
from app.ui.models.page_form import PageForm
from app.ui.theme.appearance import Appearance
from app.ui.widgets.buttons import push_button, rename
from app.ui.widgets.flow_row import FlowRow
from app.ui.widgets.layouts import vbox
from app.ui.widgets.plain_text import plain_label, tell


class ServerForm(PageForm):
    """GUI thread. What is entered here asks nobody before "Connect" is pressed."""

    def __init__(self, appearance: Appearance, servers: ModelServers, parent: QWidget) -> None:
        super().__init__(parent)
        self._servers = servers
        self._changed: KnownServer | None = None
        """Which one is changed; None where one is added."""
        self._asking: Asking[Listing] | None = None
        self.address, self.key, self.name = (QLineEdit(self) for _ in range(3))
        self.address.setPlaceholderText(self.tr("http://192.168.1.5:8080 or https://example.org"))
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        self.warning = plain_label("warning", self, wraps=True)
        self.problem = plain_label("danger", self, wraps=True)
        self.bar = QProgressBar(self)
        # A bar without an end moves for ever.
        self.bar.setRange(0, 1 if appearance.reduced_motion else 0)
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(self.tr("The server is being asked"))
        self.connect_button = push_button(self.tr("Connect"), self, self._connect, tone="primary")
        self.keep_button = push_button(
            self.tr("Keep it all the same"), self, self._keep_unasked,
            tip=self.tr("It may be switched off now. It is asked again when you choose a model."),
        )  # fmt: skip
        self.no_key_button = push_button(
            self.tr("Take its key away"),
            self,
            self._take_key_away,
            tip=self.tr("It is asked without a key from now on"),
        )
        self.cancel_button = push_button(self.tr("Cancel"), self, self.cancel)
        self._lay_out()
        for field in (self.address, self.key, self.name):
            field.textChanged.connect(self._refresh)
            field.returnPressed.connect(self.connect_button.click)
        self._show_asking(False)

    def begin(self, changed: KnownServer | None = None) -> None:
        """Add a server, or change one."""
        self._changed = changed
        self.address.setText(changed.saved.address.base if changed is not None else "")
        self.key.clear()
        unchanged = self.tr("As it is") if changed is not None else self.tr("Where the server wants one")
        self.key.setPlaceholderText(unchanged)
        self.name.setText(changed.name if changed is not None else "")
        rename(self.connect_button, self.tr("Connect") if changed is None else self.tr("Save"))
        tell(self.problem, "")
        self.keep_button.hide()
        self.no_key_button.setVisible(changed is not None and changed.saved.address.pin is None)
        self.show()
        self._refresh()
        self.address.setFocus()

    def _place(self) -> ServerAddress:
        """Raises UserError."""
        return ServerAddress.typed(self.address.text())

    def _refresh(self) -> None:
        self.connect_button.setEnabled(bool(self.address.text().strip()) and self._asking is None)
        self.keep_button.hide()
        # Of a server that is changed nobody asks the keyring for this: the key that is kept goes along.
        has_key = self._changed is not None or bool(self.key.text().strip())
        try:
            tells = has_key and self._place().tells_key
        except UserError:
            tells = False
        tell(
            self.warning,
            self.tr(
                "This address is not encrypted, and lies outside your own network: whoever stands between can read the "
                "key, and all that you write. Use https:// if the server has it."
            )
            if tells
            else "",
        )

    def _connect(self) -> None:
        try:
            address = self._place()
        except UserError as error:
            tell(self.problem, translated(error.sentence))
            self.address.setFocus()
            return
        if self._changed is not None:
            self._change(self._changed, address)
            return
        tell(self.problem, "")
        self._asking = self._servers.ask(address, self.key.text().strip(), self._hear)
        self._show_asking(True)
        self.cancel_button.setFocus()

    def _change(self, server: KnownServer, address: ServerAddress) -> None:
        """It is asked at its place in the list."""
        key = self.key.text().strip()
        self._servers.change(server.id, self.name.text(), address, key or None)
        self.end()

    def _take_key_away(self) -> None:
        if self._changed is not None:
            self._servers.change(self._changed.id, self._changed.name, self._changed.saved.address, "")
            self.end()

    def _hear(self, said: Listing | Exception) -> None:
        self._asking = None
        self._show_asking(False)
        if isinstance(said, Listing):
            self._servers.add(self.name.text(), said.server.address, self.key.text().strip(), said)
            self.end()
            return
        tell(self.problem, translated(told(said, "The server's answer can't be read.")))
        self.keep_button.show()
        self.connect_button.setFocus()

    def _keep_unasked(self) -> None:
        self._servers.add(self.name.text(), self._place(), self.key.text().strip(), None)
        self.end()

    def cancel(self) -> None:
        """What is being asked first, and then all of it."""
        if self._asking is not None:
            self._asking.stop()
            self._asking = None
            self._show_asking(False)
            self.connect_button.setFocus()
        else:
            self.end()

    def close_asking(self) -> None:
        """Whoever shows this goes."""
        if self._asking is not None:
            self._asking.stop()
            self._asking = None
            self._show_asking(False)

    def end(self) -> None:
        self.key.clear()
        super().end()

    def _show_asking(self, asking: bool) -> None:
        self.bar.setVisible(asking)
        rename(self.cancel_button, self.tr("Stop") if asking else self.tr("Cancel"))
        for field in (self.address, self.key, self.name):
            field.setReadOnly(asking)
        self._refresh()

    def _lay_out(self) -> None:
        parts: list[QWidget] = []
        for field, text in (
            (self.address, self.tr("Address")),
            (self.key, self.tr("Key (may be empty)")),
            (self.name, self.tr("Name (may be empty)")),
        ):
            field.setAccessibleName(text)
            label = plain_label("small", self, text)
            label.setBuddy(field)
            parts += [label, field]
        self.address.setToolTip(self.tr("Of a server that speaks OpenAI's chat completions, or of an Ollama"))
        self.key.setToolTip(self.tr("It is kept in this computer's keyring, and sent to this server alone"))
        self.name.setToolTip(self.tr("What you call it; empty is its address"))
        buttons = FlowRow((self.connect_button, self.keep_button, self.no_key_button, self.cancel_button), self)
        vbox(*parts, self.warning, self.problem, self.bar, buttons, on=self, gap=6)
