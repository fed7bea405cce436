"""What a browser opens: shown before it is opened, or to be copied where there is none."""

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QWidget

from app.ui.widgets.buttons import push_button
from app.ui.widgets.dialogs import SmallDialog
from app.ui.widgets.markdown_links import is_safe_link

_LONGEST_ADDRESS = 2000


class LinkDialog(SmallDialog):
    """Shows where a link leads before anything is opened. `address` must be one that `is_safe_link` passes."""

    def __init__(self, address: str, parent: QWidget) -> None:
        super().__init__(self.tr("Open a link"), parent)
        if not is_safe_link(address):
            raise ValueError("not a link that may be opened")
        self._address = address
        self.question = self.say(self.tr("Open this address in your browser?"), "title", width=440)
        shown = address if len(address) <= _LONGEST_ADDRESS else address[:_LONGEST_ADDRESS] + "…"
        self.show_text(shown, self.tr("Address")).setFixedHeight(84)
        copy = push_button(self.tr("Copy address"), self, self._copy)
        cancel = push_button(self.tr("Cancel"), self, self.reject)
        self.open_button = push_button(self.tr("Open"), self, self._open)
        self.finish_layout(copy, cancel, self.open_button)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._address)
        self.reject()

    def _open(self) -> None:
        if QDesktopServices.openUrl(QUrl(self._address)):
            self.accept()
        else:
            self.tell_no_browser()

    def tell_no_browser(self) -> None:
        self.question.setText(self.tr("This computer has no browser for it; copy the address."))


def ask_link(address: str, parent: QWidget) -> None:
    """Show where a link leads, if it is one that may be opened."""
    if is_safe_link(address):
        LinkDialog(address, parent).open()


def open_link(address: str, parent: QWidget) -> None:
    """In the browser; where there is none, show the address."""
    if not QDesktopServices.openUrl(QUrl(address)) and is_safe_link(address):
        dialog = LinkDialog(address, parent)
        dialog.tell_no_browser()
        dialog.open()
