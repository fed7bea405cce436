"""Another Hearth is paired with here: where it waits, and the code that it shows."""

from functools import partial

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QLineEdit, QProgressBar, QPushButton, QWidget

from app.remote.pairing.discovery import FoundHost
from app.services.remote.found_hosts import FoundHosts
from app.services.remote.model_servers import Asking, ModelServers, Paired
from app.services.runtime.worker_thread import told
from app.ui.formatting.sentences import translated
from app.ui.models.page_form import PageForm
from app.ui.theme.appearance import Appearance
from app.ui.widgets.buttons import push_button, rename
from app.ui.widgets.discard import discard
from app.ui.widgets.flow_row import FlowRow
from app.ui.widgets.layouts import vbox
from app.ui.widgets.plain_text import plain_label, tell


class PairForm(PageForm):
    """GUI thread. Nothing is sent before "Pair" is pressed."""

    def __init__(
        self, appearance: Appearance, servers: ModelServers, parent: QWidget, found: FoundHosts | None = None
    ) -> None:
        super().__init__(parent)
        self._servers = servers
        self._found = found or FoundHosts(self)
        self._found.changed.connect(self._show_found)
        self.hosts: list[QPushButton] = []
        """Those that show a code now."""
        self._asking: Asking[Paired] | None = None
        self.intro = plain_label(
            "muted",
            self,
            self.tr(
                "On the other computer, start “hearth serve --pair”, or press “Pair a computer…” in its settings, page "
                "Local API. It shows an address and a code."
            ),
            wraps=True,
        )
        self.address, self.code = QLineEdit(self), QLineEdit(self)
        self.address.setPlaceholderText("192.168.1.5:40123")
        self.code.setPlaceholderText("123 456")
        self._hosts = vbox(gap=2)
        self.problem = plain_label("danger", self, wraps=True)
        self.bar = QProgressBar(self)
        # A bar without an end moves for ever.
        self.bar.setRange(0, 1 if appearance.reduced_motion else 0)
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(self.tr("The other computer is being asked"))
        self.pair_button = push_button(self.tr("Pair"), self, self._pair, tone="primary")
        self.cancel_button = push_button(self.tr("Cancel"), self, self.cancel)
        self._lay_out()
        for field in (self.address, self.code):
            field.textChanged.connect(self._refresh)
            field.returnPressed.connect(self.pair_button.click)
        self._show_asking(False)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._found.begin()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._found.end()
        self._show_found(())

    def begin(self) -> None:
        for field in (self.address, self.code):
            field.clear()
        tell(self.problem, "")
        self.show()
        self.address.setFocus()

    def close_asking(self) -> None:
        """Whoever shows this goes."""
        if self._asking is not None:
            self._asking.stop()
            self._asking = None
            self._show_asking(False)

    @Slot(object)
    def _show_found(self, hosts: tuple[FoundHost, ...]) -> None:
        discard(*self.hosts)
        self.hosts = []
        for host in hosts:
            said = self.tr("{name} shows a code now, at {address}").format(name=host.name, address=host.address)
            button = push_button(said, self, partial(self._choose, host), tone="link")
            self.hosts.append(button)
            self._hosts.addWidget(button, 0, Qt.AlignmentFlag.AlignLeading)
            button.show()

    def _choose(self, host: FoundHost) -> None:
        self.address.setText(host.address)
        self.code.setFocus()

    def _refresh(self) -> None:
        is_filled = all(field.text().strip() for field in (self.address, self.code))
        self.pair_button.setEnabled(is_filled and self._asking is None)

    def _pair(self) -> None:
        tell(self.problem, "")
        self._asking = self._servers.pair(self.address.text(), self.code.text(), self._hear)
        self._show_asking(True)
        self.cancel_button.setFocus()

    def _hear(self, said: Paired | Exception) -> None:
        self._asking = None
        self._show_asking(False)
        if isinstance(said, Paired):
            self._servers.add(said.host.name, said.host.address, "", said.listing)
            self.end()
            return
        tell(self.problem, translated(told(said, "The other computer's answer can't be read.")))
        self.code.setFocus()
        self.code.selectAll()

    def cancel(self) -> None:
        """What is being asked first, and then all of it."""
        if self._asking is not None:
            self.close_asking()
            self.pair_button.setFocus()
        else:
            self.end()

    def _show_asking(self, asking: bool) -> None:
        self.bar.setVisible(asking)
        rename(self.cancel_button, self.tr("Stop") if asking else self.tr("Cancel"))
        for field in (self.address, self.code):
            field.setReadOnly(asking)
        self._refresh()

    def _lay_out(self) -> None:
        parts: list[QWidget] = []
        for field, text in ((self.address, self.tr("Address and port")), (self.code, self.tr("Code"))):
            field.setAccessibleName(text)
            label = plain_label("small", self, text)
            label.setBuddy(field)
            parts += [label, field]
        buttons = FlowRow((self.pair_button, self.cancel_button), self)
        vbox(self.intro, self._hosts, *parts, self.problem, self.bar, buttons, on=self, gap=6)
