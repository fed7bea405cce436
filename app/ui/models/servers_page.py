"""Servers whose models can be chosen beside this computer's: added, asked, changed and removed here."""

from functools import partial

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QPushButton, QScrollArea, QWidget

from app.core.model_options import key_of
from app.core.model_ref import ModelRef
from app.services.models.models import Models
from app.services.remote.model_servers import ModelServers
from app.services.remote.states import KnownServer
from app.ui.formatting.sentences import translated
from app.ui.models.dialogs import RemoveServerDialog
from app.ui.models.pair_form import PairForm
from app.ui.models.server_card import ServerCard
from app.ui.models.server_form import ServerForm
from app.ui.models.server_rows import server_rows
from app.ui.models.server_settings_dialog import ServerSettingsDialog
from app.ui.models.spread_form import SpreadForm
from app.ui.theme.appearance import Appearance
from app.ui.widgets.buttons import push_button
from app.ui.widgets.discard import discard
from app.ui.widgets.flow_row import FlowRow
from app.ui.widgets.layouts import FILL, grow, scroll, vbox
from app.ui.widgets.plain_text import plain_label, tell


class ServersPage(QWidget):
    """GUI thread. Servers are asked when it comes into sight, and when somebody wishes it."""

    chosen = Signal(object)
    """ModelRef: a model to chat with"""

    def __init__(
        self, appearance: Appearance, models: Models, servers: ModelServers, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._models = models
        self._servers = servers
        self.cards: dict[str, ServerCard] = {}
        """By server."""
        inside = QWidget(self)
        inside.setObjectName("settings")
        self.intro = plain_label(
            "muted",
            inside,
            self.tr(
                "Models can also answer from other computers: a llama-server, vLLM, Ollama or LM Studio of yours, a "
                "Hearth that serves, or any server that speaks OpenAI's chat completions. What you write to such a "
                "model leaves this computer, and goes to that server alone."
            ),
            wraps=True,
        )
        self.note = plain_label("hint", inside, wraps=True)
        self.note.hide()
        self.add_button = push_button(self.tr("Add a server…"), inside, self.open_form)
        self.pair_button = push_button(
            self.tr("Pair with another Hearth…"), inside, self.open_pairing,
            tip=self.tr("One of your network: encrypted, and without a key"),
        )  # fmt: skip
        self.spread_button = push_button(self.tr("Spread a model over other computers…"), inside, self.open_spread_form)
        self.form, self.pair_form = ServerForm(appearance, servers, inside), PairForm(appearance, servers, inside)
        self.spread_form = SpreadForm(servers, inside)
        self._buttons = FlowRow((self.add_button, self.pair_button, self.spread_button), inside)
        for form, button in (
            (self.form, self.add_button), (self.pair_form, self.pair_button), (self.spread_form, self.spread_button),
        ):  # fmt: skip
            form.hide()
            form.ended.connect(partial(self._close_form, button))
        self._cards = vbox(gap=10)
        column = vbox(
            self.intro, self._cards, self.note, self._buttons, self.form, self.pair_form, self.spread_form, FILL,
            on=inside, gap=12, margins=(0, 0, 12, 0),
        )  # fmt: skip
        column.setObjectName("servers")
        self._area = QScrollArea(self)
        self._area.setObjectName("servers")
        self._area.setAccessibleName(self.tr("Servers"))
        scroll(self._area, inside)
        vbox(grow(self._area), on=self)
        servers.changed.connect(self.refresh)
        servers.noticed.connect(self._tell)
        models.chosen_changed.connect(self.refresh)
        if models.options is not None:
            models.options.changed.connect(self.refresh)
        self.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._servers.refresh_all()
        if not self.cards:
            self.add_button.setFocus()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.form.close_asking()
        self.pair_form.close_asking()

    @Slot()
    def refresh(self) -> None:
        servers = self._servers.all
        for server_id in self.cards.keys() - {each.id for each in servers}:
            discard(self.cards.pop(server_id))
        listed = list(self._servers.models())
        starred = self._models.options.favourites() if self._models.options is not None else frozenset()
        for server in servers:
            if server.id not in self.cards:
                self._add_card(server)
            own = [each for each in listed if each.server.id == server.id]
            stars = frozenset(each.ref for each in own if key_of(each.ref) in starred)
            self.cards[server.id].show_server(server, server_rows(own), stars, self._models.chosen)

    def open_form(self, changed: KnownServer | None = None) -> None:
        """Add a server, or change one."""
        self._hide_forms()
        self.form.begin(changed if isinstance(changed, KnownServer) else None)
        self._area.ensureWidgetVisible(self.form, 0, self.form.sizeHint().height())

    def open_pairing(self) -> None:
        self._hide_forms()
        self.pair_form.begin()
        self._area.ensureWidgetVisible(self.pair_form, 0, self.pair_form.sizeHint().height())

    def open_spread_form(self, changed: KnownServer | None = None) -> None:
        """Spread a model over other computers, or change how."""
        self._hide_forms()
        self.spread_form.begin(changed if isinstance(changed, KnownServer) else None, self._models.chosen)
        self._area.ensureWidgetVisible(self.spread_form, 0, self.spread_form.sizeHint().height())

    def _hide_forms(self) -> None:
        """One at a time."""
        for each in (self._buttons, self.form, self.pair_form, self.spread_form):
            each.hide()
        for form in (self.form, self.pair_form):
            form.close_asking()

    def show_server(self, server_id: str) -> None:
        """Bring it into sight, with the keyboard at what can be changed."""
        if (card := self.cards.get(server_id)) is not None:
            self._area.ensureWidgetVisible(card)
            card.change_button.setFocus()

    def change(self, server_id: str) -> None:
        if (server := self._servers.get(server_id)) is not None:
            (self.open_form if server.saved.spread is None else self.open_spread_form)(server)

    def ask_removal(self, server_id: str) -> RemoveServerDialog | None:
        """Say what it means, and remove the server when that is confirmed."""
        server = self._servers.get(server_id)
        if server is None:
            return None
        dialog = RemoveServerDialog(server.name, self)
        dialog.accepted.connect(partial(self._remove, server_id))
        dialog.open()
        return dialog

    def _remove(self, server_id: str) -> None:
        self._servers.remove(server_id)
        self.add_button.setFocus()

    def _add_card(self, server: KnownServer) -> None:
        card = self.cards[server.id] = ServerCard(self._appearance, server, self._area.widget() or self)
        card.chosen.connect(self.chosen)
        card.settings_wanted.connect(self._open_settings)
        card.starred.connect(self._star)
        card.refresh_clicked.connect(partial(self._servers.refresh, server.id))
        card.stop_clicked.connect(partial(self._servers.stop, server.id))
        card.change_clicked.connect(partial(self.change, server.id))
        card.remove_clicked.connect(partial(self.ask_removal, server.id))
        self._cards.addWidget(card)
        card.show()

    @Slot(object)
    def _open_settings(self, model: ModelRef) -> None:
        if self._models.options is not None:
            ServerSettingsDialog(self._appearance, self._models.options, self._servers, model, self).open()

    @Slot(object, bool)
    def _star(self, model: ModelRef, is_starred: bool) -> None:
        if self._models.options is not None:
            self._models.options.set_favourite(model, is_starred)

    def _close_form(self, button: QPushButton) -> None:
        self._buttons.show()
        button.setFocus()

    @Slot(object)
    def _tell(self, sentence: str) -> None:
        """The window's own notices lie behind this page."""
        tell(self.note, translated(sentence))
