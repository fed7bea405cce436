"""The hub's token: where to get one, a field for it, and what became of it."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLayout, QLineEdit, QWidget

from app.services.models.hub_search import HubSearch
from app.ui.formatting.sentences import translated
from app.ui.widgets.buttons import push_button, rename
from app.ui.widgets.dialogs import SmallDialog
from app.ui.widgets.links import ask_link

_PAGE = "https://huggingface.co/settings/tokens"
_WIDTH = 440


class TokenDialog(SmallDialog):
    """GUI thread; show it by `open()`."""

    taken = Signal()
    """A token that was entered here is in force."""

    def __init__(self, hub: HubSearch, parent: QWidget) -> None:
        super().__init__(self.tr("Hugging Face token"), parent)
        self._hub = hub
        self.say(
            self.tr(
                "Some makers give their models only to people who have accepted their terms. Accept them on the "
                "model's page, make a token that may read, and enter it here. It is kept in this computer's keyring "
                "and sent to the hub alone."
            ),
            width=_WIDTH,
        )
        self.field = QLineEdit(self)
        self.field.setEchoMode(QLineEdit.EchoMode.Password)
        self.field.setPlaceholderText(self.tr("hf_…"))
        self.field.setAccessibleName(self.tr("Token"))
        self.field.setToolTip(self.tr("A token of Hugging Face; they begin with hf_"))
        self.field.textChanged.connect(self._refresh)
        self.body.addWidget(self.field)
        self.status = self.say("", "danger", width=_WIDTH)
        self.status.hide()
        self.page_button = push_button(
            self.tr("Make a token…"), self, lambda: ask_link(_PAGE, self), tip=self.tr("Opens its page on Hugging Face")
        )
        self.forget_button = push_button(
            self.tr("Forget the token"), self, self._forget, tip=self.tr("Removes it from the keyring")
        )
        self.close_button = push_button(self.tr("Cancel"), self, self.reject)
        self.keep_button = push_button(self.tr("Keep"), self, self._keep, tip=self.tr("Puts it into the keyring"))
        self.finish_layout(self.close_button, self.keep_button, before=(self.page_button, self.forget_button))
        self.body.setSizeConstraint(QLayout.SizeConstraint.SetFixedSize)
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
        rename(self.close_button, self.tr("Close"))
        self._refresh()

    def _refresh(self) -> None:
        self.keep_button.setEnabled(bool(self.field.text().strip()) and not self._is_asking)
        self.forget_button.setEnabled(not self._is_asking)
