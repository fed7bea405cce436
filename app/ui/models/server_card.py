"""One server on the page of servers: what it is, whether it answers, and its models to choose from."""

from PySide6.QtCore import QModelIndex, QPoint, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QFrame, QProgressBar, QWidget

from app.core.model_ref import ModelRef
from app.services.remote.saved_servers import SavedServer
from app.services.remote.states import KnownServer, ServerState
from app.ui.formatting.line_breaks import breakable
from app.ui.formatting.sentences import translated
from app.ui.models.list_model import ModelPainter, ModelsList, ModelsListView
from app.ui.models.rows import DOT, ServerRow
from app.ui.theme.appearance import Appearance
from app.ui.widgets.buttons import IconButton, push_button
from app.ui.widgets.dynamic_property import set_property
from app.ui.widgets.flow_row import FlowRow
from app.ui.widgets.fuzzy_match import folded
from app.ui.widgets.layouts import grow, hbox, vbox
from app.ui.widgets.menus import add_action, passing_menu
from app.ui.widgets.plain_text import plain_label, tell
from app.ui.widgets.search_field import SearchField

_MOST_ROWS = 6
_SEARCHED = 8
"""Models; fewer are found by looking."""


class ServerCard(QFrame):
    """What it shows is told to it; what is wished is told by signals."""

    chosen = Signal(object)
    """ModelRef"""
    settings_wanted = Signal(object)
    """ModelRef"""
    starred = Signal(object, bool)
    """ModelRef"""
    refresh_clicked = Signal()
    stop_clicked = Signal()
    change_clicked = Signal()
    remove_clicked = Signal()

    def __init__(self, appearance: Appearance, server: KnownServer, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("fold")
        self._rows: tuple[ServerRow, ...] = ()
        self._stars: frozenset[ModelRef] = frozenset()
        self._name = plain_label("heading", self, wraps=True)
        self._state = plain_label("small", self)
        self._where = plain_label("small", self, wraps=True)
        self._problem = plain_label("danger", self, wraps=True)
        self._bar = QProgressBar(self)
        # A bar without an end moves for ever.
        self._bar.setRange(0, 1 if appearance.reduced_motion else 0)
        self._bar.setTextVisible(False)
        self.search = SearchField(self.tr("Find a model"), self)
        self.list: ModelsList[ServerRow] = ModelsList(lambda _: None, self)
        self.view = ModelsListView(self.list, ModelPainter(appearance, self), self)
        self._nothing = plain_label("muted", self, wraps=True)
        self.chat_button = push_button(self.tr("Chat with it"), self, self._choose, tone="primary")
        self.star = IconButton(appearance, "star", "", parent=self)
        self.star.setCheckable(True)
        self.settings_button = push_button(self.tr("Settings of the model…"), self, self._ask_settings)
        self.refresh_button = push_button(self.tr("Ask again"), self, self.refresh_clicked, tone="link")
        self.stop_button = push_button(self.tr("Stop"), self, self.stop_clicked, tone="link")
        self.change_button = push_button(self.tr("Change…"), self, self.change_clicked, tone="link")
        self.remove_button = push_button(self.tr("Remove"), self, self.remove_clicked, tone="link")
        self._lay_out()
        self.search.textChanged.connect(self._filter)
        self.search.left_downwards.connect(self.view.setFocus)
        self.view.chosen.connect(self._choose)
        self.view.menu_wanted.connect(self._open_menu)
        self.view.selectionModel().currentChanged.connect(self._show_current)
        self.star.toggled.connect(self._tell_star)
        self.show_server(server, (), frozenset(), None)

    @property
    def told(self) -> str:
        return self._state.text()

    @property
    def where(self) -> str:
        return self._where.text()

    @property
    def problem(self) -> str:
        return self._problem.text() if not self._problem.isHidden() else ""

    @property
    def current(self) -> ModelRef | None:
        row = self.list.row_at(self.view.currentIndex())
        return row.ref if row is not None else None

    def show_server(
        self,
        server: KnownServer,
        rows: tuple[ServerRow, ...],
        stars: frozenset[ModelRef],
        chosen: ModelRef | None,
    ) -> None:
        """`chosen` is the model that the window asks."""
        saved, asking = server.saved, server.state is ServerState.ASKING
        self.setAccessibleName(server.name)
        self._name.setText(breakable(server.name))
        self._where.setText(breakable(DOT.join(filter(None, (saved.kind.maker, saved.version, self._place(saved))))))
        self._state.setText(self._state_words(server.state))
        set_property(self._state, "tone", "danger" if server.state is ServerState.AWAY else "small")
        tell(self._problem, translated(server.problem.sentence) if server.problem is not None and not asking else "")
        self._bar.setVisible(asking)
        self.stop_button.setVisible(asking)
        self.refresh_button.setVisible(not asking)
        self._bar.setAccessibleName(self.tr("{name} is being asked").format(name=server.name))
        for button in (self.refresh_button, self.stop_button, self.change_button, self.remove_button):
            button.setAccessibleName(f"{button.text()}: {server.name}")
        self.list.show_loaded(chosen)
        if (rows, stars) != (self._rows, self._stars):
            self._rows, self._stars = rows, stars
            self._filter()
        self.search.setVisible(len(rows) > _SEARCHED)
        tell(self._nothing, "" if rows or asking else self._no_models(server.state))
        self._show_current()

    def _place(self, saved: SavedServer) -> str:
        if saved.spread is None:
            return saved.address.base
        return self.tr("computed on {names}").format(names=", ".join(map(str, saved.spread.workers)))

    def _state_words(self, state: ServerState) -> str:
        return {
            ServerState.UNASKED: self.tr("not asked yet"),
            ServerState.ASKING: self.tr("being asked…"),
            ServerState.THERE: self.tr("answers"),
            ServerState.AWAY: self.tr("does not answer"),
        }[state]

    def _no_models(self, state: ServerState) -> str:
        if state is ServerState.THERE:
            return self.tr("It lists no model that chats.")
        return self.tr("Its models are listed as soon as it has answered.")

    def _filter(self) -> None:
        before = self.current
        words = folded(self.search.text()).split()
        self.list.show_rows([row for row in self._rows if all(word in row.index for word in words)])
        at = self.list.index_of(before) if before is not None else QModelIndex()
        self.view.setCurrentIndex(at if at.isValid() else self.list.index(0, 0))
        self._fit()
        self._show_current()

    def _fit(self) -> None:
        rows = min(_MOST_ROWS, self.list.rowCount())
        self.view.setVisible(bool(rows))
        self.view.setFixedHeight(rows * max(1, self.view.sizeHintForRow(0)) + 2)

    def _show_current(self) -> None:
        model = self.current
        for part in (self.chat_button, self.star, self.settings_button):
            part.setVisible(model is not None)
        is_starred = model in self._stars
        with QSignalBlocker(self.star):
            self.star.setChecked(is_starred)
        self.star.show_icon("star-filled" if is_starred else "star")
        self.star.say(self.tr("Remove the star") if is_starred else self.tr("Give it a star: such models come first"))

    def _choose(self) -> None:
        if (model := self.current) is not None:
            self.chosen.emit(model)

    def _ask_settings(self) -> None:
        if (model := self.current) is not None:
            self.settings_wanted.emit(model)

    def _tell_star(self, is_starred: bool) -> None:
        if (model := self.current) is not None:
            self.starred.emit(model, is_starred)

    def _open_menu(self, index: QModelIndex, place: QPoint) -> None:
        if self.list.row_at(index) is None:
            return
        self.view.setCurrentIndex(index)
        menu = passing_menu(self, self.tr("Model"))
        for button in (self.chat_button, self.settings_button):
            add_action(menu, button.text(), button.click)
        menu.popup(self.view.viewport().mapToGlobal(place))

    def _lay_out(self) -> None:
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        head = hbox(grow(self._name), self._state, gap=12)
        model = FlowRow((self.chat_button, self.star, self.settings_button), self)
        foot = FlowRow((self.refresh_button, self.stop_button, self.change_button, self.remove_button), self)
        vbox(
            head, self._where, self._problem, self._bar, self._nothing, self.search, self.view, model, foot,
            on=self, gap=6, margins=(14, 12, 14, 10),
        )  # fmt: skip
