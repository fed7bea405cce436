"""Below a call in the conversation: what its server asks of a person while it runs."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.tools.forms import Form, FormAction, FormAnswer
from app.ui.tools.form_fields import FormFields
from app.ui.widgets.buttons import push_button
from app.ui.widgets.flow_row import FlowRow
from app.ui.widgets.layouts import vbox
from app.ui.widgets.plain_text import plain_label

_SIDES = 14


class FormBar(QWidget):
    """It takes no focus by itself, as the bar that asks for permission."""

    filled = Signal(object)
    """FormAnswer"""
    resized = Signal()

    def __init__(self, form: Form, parent: QWidget) -> None:
        super().__init__(parent)
        self.form = form
        self.setAccessibleName(self.tr("Question of {server}").format(server=form.server))
        self._told = plain_label("", self, self._question(), wraps=True)
        self.fields = FormFields(form.fields, self)
        self.fields.setVisible(bool(form.fields))
        self._problem = plain_label("danger", self, wraps=True)
        self._problem.hide()
        opens = self.tr("Open the page") if form.url else self.tr("Send")
        self.send = push_button(opens, self, self._send, tone="primary")
        self.decline = push_button(
            self.tr("Decline"), self, lambda: self._answer(FormAction.DECLINE),
            tip=self.tr("The server is told that you do not want to say it"),
        )  # fmt: skip
        self.cancel = push_button(
            self.tr("Cancel"), self, lambda: self._answer(FormAction.CANCEL),
            tip=self.tr("The server is told that you did not answer"),
        )  # fmt: skip
        self.fields.entered.connect(self._send)
        self.fields.changed.connect(self._clear)
        self._buttons = FlowRow((self.send, self.decline, self.cancel), self)
        vbox(
            self._told, self.fields, self._problem, self._buttons,
            on=self, gap=8, margins=(_SIDES, 6, _SIDES, 10),
        )  # fmt: skip

    @property
    def told(self) -> str:
        return self._told.text()

    @property
    def problem(self) -> str:
        return self._problem.text()

    def height_for(self, width: int) -> int:
        """Pixels that it takes at this width."""
        self._buttons.resize(max(1, width - 2 * _SIDES), self._buttons.height())
        self._buttons.arrange()
        layout = self.layout()
        return layout.totalHeightForWidth(width) if layout is not None else 0

    def _question(self) -> str:
        if self.form.url:
            told = self.tr("{server} asks you to open {url} in your browser: {message}")
        else:
            told = self.tr("{server} asks: {message} What you write is sent to it; write no passwords.")
        return told.format(server=self.form.server, message=self.form.message, url=self.form.url)

    def _send(self) -> None:
        values = self.fields.values
        if problem := self.form.problem(values):
            self._problem.setText(problem)
            self._problem.show()
            self.resized.emit()
            return
        if self.form.url:
            from app.ui.widgets.links import open_link

            open_link(self.form.url, self.window())
        self.filled.emit(FormAnswer(FormAction.ACCEPT, values))

    def _answer(self, action: FormAction) -> None:
        self.filled.emit(FormAnswer(action))

    def _clear(self) -> None:
        if not self._problem.isHidden():
            self._problem.hide()
            self.resized.emit()
