"""Below a call in the conversation: whether it may run."""

from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QWidget

from app.services.tools.call_states import Asked
from app.tools.schema import arguments_for
from app.tools.tool import Decision
from app.ui.tools.words import question
from app.ui.widgets.buttons import push_button
from app.ui.widgets.flow_row import FlowRow
from app.ui.widgets.layouts import vbox
from app.ui.widgets.plain_text import plain_label

_LINES = 3, 14
"""The fewest and the most that are seen of arguments while they are changed."""


@dataclass(frozen=True, slots=True)
class CallAnswer:
    """What a person said."""

    decision: Decision
    reason: str = ""
    arguments: str | None = None
    """JSON, where they were changed."""


class ApprovalBar(QWidget):
    """It takes no focus by itself: whoever is writing goes on writing."""

    decided = Signal(object)
    """CallAnswer"""
    edits = Signal(bool)
    """Whether the arguments are being changed: they stand here then."""
    resized = Signal()

    def __init__(self, asked: Asked, arguments: str, parent: QWidget) -> None:
        """`arguments` as they are shown."""
        super().__init__(parent)
        self._asked = asked
        self._arguments = arguments
        self.setAccessibleName(self.tr("Permission"))
        self._told = plain_label("", self, question(asked), wraps=True)
        self.editor = QPlainTextEdit(arguments, self)
        self.editor.setAccessibleName(self.tr("Arguments"))
        self.editor.setToolTip(self.tr("Arguments, as JSON"))
        self.editor.setTabChangesFocus(True)
        self.editor.setObjectName("details")
        self.editor.setVisible(False)
        self.editor.textChanged.connect(self._check)
        self._problem = plain_label("danger", self, wraps=True)
        self._problem.setVisible(False)
        self.once = push_button(self.tr("Allow once"), self, lambda: self._decide(Decision.ONCE), tone="primary")
        self.chat = push_button(
            self.tr("In this chat"), self, lambda: self._decide(Decision.CHAT),
            name=self.tr("Allow in this chat"), tip=self.tr("Until Hearth is closed, it does not ask here again"),
        )  # fmt: skip
        self.always = push_button(
            self.tr("Always"), self, lambda: self._decide(Decision.ALWAYS),
            name=self.tr("Allow always"), tip=self.tr("In all chats, until you take it back in the settings"),
        )  # fmt: skip
        self.change = push_button(self.tr("Change…"), self, self._edit, name=self.tr("Change the arguments"))
        self.deny = push_button(self.tr("Don't allow"), self, lambda: self._decide(Decision.NO))
        self.reason = QLineEdit(self)
        self.reason.setObjectName("reason")
        self.reason.setPlaceholderText(self.tr("Reason (optional)"))
        self.reason.setAccessibleName(self.tr("Reason for not allowing it"))
        self.reason.setToolTip(self.tr("The model is told why; Enter does not allow it"))
        self.reason.returnPressed.connect(lambda: self._decide(Decision.NO))
        self.always.setVisible(asked.tool.nature is None or asked.tool.nature.asks)
        self._buttons = FlowRow((self.once, self.chat, self.always, self.change, self.deny, self.reason), self)
        vbox(self._told, self.editor, self._problem, self._buttons, on=self, gap=8, margins=(14, 6, 14, 10))

    @property
    def told(self) -> str:
        return self._told.text()

    def height_for(self, width: int) -> int:
        """Pixels that it takes at this width."""
        left, right = 14, 14
        self._buttons.resize(max(1, width - left - right), self._buttons.height())
        self._buttons.arrange()
        layout = self.layout()
        return layout.totalHeightForWidth(width) if layout is not None else 0

    def _edit(self) -> None:
        opens = self.editor.isHidden()
        self.editor.setVisible(opens)
        self.change.setText(self.tr("As it was") if opens else self.tr("Change…"))
        if opens:
            self.editor.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self.editor.setPlainText(self._arguments)
        self._check()
        self._buttons.arrange()
        self.edits.emit(opens)

    def _check(self) -> None:
        least, most = _LINES
        lines = min(max(self.editor.document().blockCount(), least), most)
        self.editor.setFixedHeight(lines * self.editor.fontMetrics().lineSpacing() + 28)
        found = arguments_for(self._asked.tool.schema, self.editor.toPlainText()) if self._is_changed else {}
        problem = found if isinstance(found, str) else ""
        self._problem.setText(problem)
        self._problem.setVisible(bool(problem))
        for button in (self.once, self.chat, self.always):
            button.setEnabled(not problem)
        self.resized.emit()

    @property
    def _is_changed(self) -> bool:
        return not self.editor.isHidden() and self.editor.toPlainText() != self._arguments

    def _decide(self, decision: Decision) -> None:
        reason = self.reason.text().strip() if decision is Decision.NO else ""
        arguments = self.editor.toPlainText() if self._is_changed else None
        self.decided.emit(CallAnswer(decision, reason, arguments))
