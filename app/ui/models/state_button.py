"""Beside the model's name: where it is, in memory, on disk or on a server, in a word, and the steps from there."""

from collections.abc import Callable, Iterator

from PySide6.QtCore import Qt, Signal, SignalInstance
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from app.services.engine.states import EngineState, ModelOnServer, ModelReady, ModelResting, known_model
from app.ui.commands.palette_entries import Entry
from app.ui.formatting.numbers import short_time
from app.ui.theme.appearance import Appearance
from app.ui.theme.icons import icon_size
from app.ui.widgets.buttons import pop_up
from app.ui.widgets.menus import add_action, passing_menu
from app.ui.widgets.plain_text import plain_tip


class StateButton(QToolButton):
    """Hidden without a model. `is_busy` is asked when the menu opens: what is being used can't be freed."""

    activate_clicked = Signal()
    deactivate_clicked = Signal()
    load_clicked = Signal()
    unload_clicked = Signal()
    servers_clicked = Signal()

    def __init__(self, appearance: Appearance, is_busy: Callable[[], bool], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._is_busy = is_busy
        self._state: EngineState | None = None
        self.setAutoRaise(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setProperty("tone", "small")
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.clicked.connect(self.open_menu)
        appearance.changed.connect(self._tint)
        self._tint()
        self.hide()

    def show_state(self, state: EngineState) -> None:
        self._state = state
        match state:
            case ModelReady():
                self._say(self.tr("ready"), self.tr("Its weights and its context are in memory."))
            case ModelResting(in_memory=True):
                self._say(self.tr("in memory"), self.tr("Its weights are in memory; it has no context."))
            case ModelResting():
                self._say(self.tr("on disk"), self.tr("Nothing of it is in memory. It loads when you write."))
            case ModelOnServer(info):
                told = self.tr("Questions go to {host}, with the conversation so far.").format(host=info.host)
                self._say(self.tr("on a server"), told)
        self._tint()
        self.setVisible(isinstance(state, ModelReady | ModelResting | ModelOnServer))

    def open_menu(self) -> QMenu:
        """It deletes itself when it closes."""
        menu = passing_menu(self, self.tr("State of the model"))
        busy = self._is_used()
        for text, step in self._steps():
            add_action(menu, text, step.emit).setEnabled(not busy)
        menu.addSeparator()
        for line in (self.tr("It is being used.") if busy else "", *self._lines()):
            if line:
                add_action(menu, line, lambda: None).setEnabled(False)
        pop_up(menu, self)
        return menu

    def entries(self) -> Iterator[Entry]:
        """The same steps, for the command palette."""
        for text, step in () if self._is_used() else self._steps():
            yield Entry(f"state:{text}", text, self.tr("Model"), step.emit)

    def _is_used(self) -> bool:
        return not isinstance(self._state, ModelOnServer) and self._is_busy()

    def _tint(self) -> None:
        """What leaves this computer is marked."""
        leaves = isinstance(self._state, ModelOnServer)
        self.setIconSize(icon_size(16))
        self.setIcon(self._appearance.icon("server", "accent") if leaves else QIcon())

    def _steps(self) -> list[tuple[str, SignalInstance]]:
        load = (self.tr("Load into memory"), self.load_clicked)
        activate = (self.tr("Activate"), self.activate_clicked)
        deactivate = (self.tr("Free the context"), self.deactivate_clicked)
        unload = (self.tr("Unload and keep it chosen"), self.unload_clicked)
        match self._state:
            case ModelReady():
                return [deactivate, unload]
            case ModelResting(in_memory=True):
                return [activate, unload]
            case ModelResting():
                return [load, activate]
            case ModelOnServer():
                return [(self.tr("Show the servers"), self.servers_clicked)]
        return []

    def _say(self, word: str, told: str) -> None:
        self.setText(word)
        self.setAccessibleName(self.tr("State of the model: {word}").format(word=word))
        self.setToolTip(plain_tip("\n".join((told, *self._lines()))))

    def _lines(self) -> list[str]:
        """What the steps took the last time."""
        info = known_model(self._state) if self._state is not None else None
        if info is None or not info.load_ms:
            return []
        return [
            self.tr("Reading it from disk took {time}").format(time=short_time(info.load_ms)),
            self.tr("Activating it took {time}").format(time=short_time(info.activate_ms)),
        ]
