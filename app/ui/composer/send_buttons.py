"""The buttons of the composer that send, queue and stop."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.ui.theme.appearance import Appearance
from app.ui.widgets.buttons import IconButton

_SIDE = 34


class SendButtons(QWidget):
    """While an answer is being made the send button is the stop button, and another one lets a message wait."""

    submit_clicked = Signal()
    stop_clicked = Signal()

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self._busy = False
        self.enqueue = IconButton(
            appearance, "arrow-up", self.tr("Send when the answer ends"), role="text", size=20, parent=self
        )
        self.send = IconButton(appearance, "arrow-up", self.tr("Send"), role="on_accent", size=20, parent=self)
        self.enqueue.setObjectName("enqueue")
        self.send.setObjectName("send")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        for each in (self.enqueue, self.send):
            each.setFixedSize(_SIDE, _SIDE)
            row.addWidget(each)
        self.enqueue.clicked.connect(self.submit_clicked)
        self.send.clicked.connect(self._send_clicked)

    def set_busy(self, busy: bool) -> None:
        self._busy = busy
        self.send.show_icon("stop" if busy else "arrow-up")
        self.send.say(self.tr("Stop") if busy else self.tr("Send"))

    def show_message(self, *, is_there: bool, can_go: bool) -> None:
        """Whether there is a message, and whether it could be sent at once."""
        self.send.setEnabled(self._busy or can_go)
        self.enqueue.setVisible(self._busy and is_there)
        self.enqueue.setEnabled(can_go)

    def _send_clicked(self) -> None:
        if self._busy:
            self.stop_clicked.emit()
        else:
            self.submit_clicked.emit()
