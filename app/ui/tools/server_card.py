"""One server on the page of tools: what it is, what it has, and what can be done with it."""

from PySide6.QtCore import QUrl, Signal
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from app.services.tools.servers import Server, ServerState
from app.ui.formatting.sentences import translated
from app.ui.theme.appearance import Appearance
from app.ui.tools.words import reckoned_price, state_name
from app.ui.widgets.buttons import push_button
from app.ui.widgets.dynamic_property import set_property
from app.ui.widgets.flow_row import FlowRow
from app.ui.widgets.fold import FoldButton
from app.ui.widgets.layouts import grow, hbox, lead, vbox
from app.ui.widgets.plain_text import plain_label
from app.ui.widgets.setting_editors import SwitchEdit

_LOG_LINES = 8
_MOST_TOLD = 160
"""Letters of what a tool does."""


class ServerCard(QFrame):
    """What it shows is told to it; what is wished is told by signals."""

    restart_clicked = Signal()
    stop_clicked = Signal()
    sign_in_clicked = Signal()
    remove_clicked = Signal()

    def __init__(self, appearance: Appearance, server: Server, parent: QWidget) -> None:
        super().__init__(parent)
        name = server.entry.name
        self.setObjectName("fold")
        self.setAccessibleName(name)
        self._name = plain_label("heading", self, name, wraps=True)
        self._state = plain_label("small", self)
        self._where = plain_label("small", self, wraps=True)
        self._problem = plain_label("danger", self, wraps=True)
        self.switch = SwitchEdit(self)
        self.switch.setAccessibleName(self.tr("Use {name}").format(name=name))
        self.switch.setToolTip(self.tr("New chats are told of its tools"))
        self.believe = SwitchEdit(self)
        self.believe.setAccessibleName(self.tr("Believe what {name} says of its tools").format(name=name))
        self.believe.setToolTip(
            self.tr("Which only read, and which stay on this computer. Nobody has checked that: tick it for servers "
                    "that you know.")
        )  # fmt: skip
        self.tools_fold = FoldButton(appearance, "", self)
        self._tools = plain_label("small", self, wraps=True)
        self.log_fold = FoldButton(appearance, self.tr("Log"), self)
        self._log = QPlainTextEdit(self)
        self._log.setReadOnly(True)
        self._log.setObjectName("details")
        self._log.setAccessibleName(self.tr("Log"))
        self._log.setToolTip(self.tr("What the server said last"))
        self._log.setFixedHeight(_LOG_LINES * self._log.fontMetrics().lineSpacing())
        self._sign_in_told = plain_label("", self, wraps=True)
        self.sign_in = push_button(
            self.tr("Sign in…"), self, self.sign_in_clicked,
            name=self.tr("Sign in to {name}").format(name=name), tip=self.tr("Opens your browser"), tone="primary",
        )  # fmt: skip
        self.stop = push_button(
            self.tr("Stop"), self, self.stop_clicked, tip=self.tr("It starts again when it is needed"), tone="link"
        )
        self.restart = push_button(self.tr("Restart"), self, self.restart_clicked, tone="link")
        self.remove = push_button(self.tr("Remove"), self, self.remove_clicked, tone="link")
        for button in (self.stop, self.restart, self.remove):
            button.setAccessibleName(f"{button.text()}: {name}")
        for fold, inside in ((self.tools_fold, self._tools), (self.log_fold, self._log)):
            inside.hide()
            fold.toggled.connect(inside.setVisible)
        self._lay_out()

    @property
    def told(self) -> str:
        return self._state.text()

    @property
    def where(self) -> str:
        return self._where.text()

    @property
    def problem(self) -> str:
        return self._problem.text()

    @property
    def tools_told(self) -> str:
        return self._tools.text()

    def show_server(self, server: Server, log: str, *, believed: bool) -> None:
        self._where.setText(server.entry.where)
        self._state.setText(state_name(server.state))
        set_property(self._state, "tone", "danger" if server.state is ServerState.FAILED else "small")
        self.switch.setChecked(server.entry.enabled)
        self.believe.setChecked(believed)
        self.restart.setVisible(server.entry.enabled)
        self.restart.setText(self.tr("Start") if server.state is ServerState.RESTING else self.tr("Restart"))
        self._problem.setText(translated(server.problem.sentence) if server.problem is not None else "")
        self._problem.setVisible(server.problem is not None)
        self.stop.setVisible(server.state in (ServerState.STARTING, ServerState.SIGN_IN, ServerState.READY))
        told = self.tr("It wants you to sign in at {place}. What it grants is kept in this computer's keyring.")
        self._sign_in_told.setText(told.format(place=QUrl(server.sign_in).host()))
        self._sign_in_told.setVisible(bool(server.sign_in))
        self.sign_in.setVisible(bool(server.sign_in))
        tools = server.tools or ()
        told = self.tr("%n tool(s), about {tokens} tokens", "", len(tools))
        self.tools_fold.setText(told.format(tokens=reckoned_price(server.entry.name, tools)))
        self.tools_fold.setVisible(bool(tools))
        self._tools.setVisible(bool(tools) and self.tools_fold.isChecked())
        self._tools.setText("\n".join(f"{tool.name}: {_first_sentence(tool.description)}" for tool in tools))
        self.log_fold.setVisible(bool(log))
        self._log.setVisible(bool(log) and self.log_fold.isChecked())
        if self._log.toPlainText() != log:
            self._log.setPlainText(log)

    def _lay_out(self) -> None:
        head = hbox(grow(self._name), self._state, self.switch, gap=12)
        told = plain_label("", self, self.tr("Believe what it says of its tools"), wraps=True)
        belief = hbox(grow(told), self.believe, gap=12)
        foot = FlowRow((self.stop, self.restart, self.remove), self)
        vbox(
            head, self._where, self._problem, self._sign_in_told, lead(self.sign_in),
            lead(self.tools_fold), self._tools, belief, lead(self.log_fold), self._log, foot,
            on=self, gap=6, margins=(14, 12, 14, 10),
        )  # fmt: skip


def _first_sentence(text: str) -> str:
    line = text.strip().split("\n")[0]
    sentence = line.split(". ")[0]
    return sentence if len(sentence) <= _MOST_TOLD else f"{sentence[:_MOST_TOLD].rsplit(' ', 1)[0]}…"
