"""The hub's token: where to get one, a field for it, and what became of it."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from app.services.models.hub_search import HubSearch
from app.ui.formatting.sentences import translated
from app.ui.widgets.plain_text import plain_label

_PAGE = "https://huggingface.co/settings/tokens"
_WIDTH = 440


class TokenDialog(QDialog):
    """GUI thread; show it by `open()`."""

    link_clicked = Signal(str)
    taken = Signal()
    """A token that was entered here is in force."""

    def __init__(self, hub: HubSearch, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Hugging Face token"))
        self.setAccessibleName(self.windowTitle())
        self._hub = hub
        text = plain_label("", self, wraps=True)
        text.setMinimumWidth(_WIDTH)
        text.setText(
            self.tr(
                "Some makers give their models only to people who have accepted their terms. Accept them on the "
                "model's page, make a token that may read, and enter it here. It is kept in this computer's keyring "
                "and sent to the hub alone."
            )
        )
        self.field = QLineEdit(self)
        self.field.setEchoMode(QLineEdit.EchoMode.Password)
        self.field.setPlaceholderText(self.tr("hf_…"))
        self.field.setAccessibleName(self.tr("Token"))
        self.field.setToolTip(self.tr("A token of Hugging Face; they begin with hf_"))
        self.field.textChanged.connect(self._refresh)
        self.status = plain_label("danger", self, wraps=True)
        self.status.hide()
        self.page_button = self._button(self.tr("Make a token…"), self.tr("Opens its page on Hugging Face"))
        self.forget_button = self._button(self.tr("Forget the token"), self.tr("Removes it from the keyring"))
        self.close_button = self._button(self.tr("Cancel"), "")
        self.keep_button = self._button(self.tr("Keep"), self.tr("Puts it into the keyring"))
        self.keep_button.setDefault(True)
        self.page_button.clicked.connect(lambda: self.link_clicked.emit(_PAGE))
        self.forget_button.clicked.connect(self._forget)
        self.close_button.clicked.connect(self.reject)
        self.keep_button.clicked.connect(self._keep)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.page_button)
        row.addWidget(self.forget_button)
        row.addStretch(1)
        row.addWidget(self.close_button)
        row.addWidget(self.keep_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 22, 24, 18)
        column.setSpacing(10)
        for widget in (text, self.field, self.status):
            column.addWidget(widget)
        column.addSpacing(6)
        column.addLayout(row)
        column.setSizeConstraint(QLayout.SizeConstraint.SetFixedSize)
        self._is_asking = False
        self._is_keeping = False
        hub.token_changed.connect(self._tell_taken)
        hub.token_kept.connect(self._hear)
        self.field.setFocus()
        self._refresh()

    def _keep(self) -> None:
        self._is_asking = self._is_keeping = True
        self._refresh()
        self._hub.keep_token(self.field.text())

    def _forget(self) -> None:
        self._is_asking = True
        self._refresh()
        self._hub.forget_token()

    def _tell_taken(self) -> None:
        if self._is_keeping:
            self._is_keeping = False
            self.taken.emit()

    def _hear(self, sentence: str) -> None:
        if not self._is_asking:
            return
        self._is_asking = self._is_keeping = False
        if not sentence:
            self.accept()
            return
        self.status.setText(translated(sentence))
        self.status.show()
        self.close_button.setText(self.tr("Close"))
        self.close_button.setAccessibleName(self.close_button.text())
        self._refresh()

    def _refresh(self) -> None:
        self.keep_button.setEnabled(bool(self.field.text().strip()) and not self._is_asking)
        self.forget_button.setEnabled(not self._is_asking)

    def _button(self, text: str, tip: str) -> QPushButton:
        button = QPushButton(text, self)
        button.setAutoDefault(False)
        button.setAccessibleName(text)
        button.setToolTip(tip or text)
        return button
