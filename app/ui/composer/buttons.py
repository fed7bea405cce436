"""The buttons of the composer: attach, send, queue, stop."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QPoint, Signal
from PySide6.QtWidgets import QMenu, QWidget

from app.tools.tool import Resource
from app.ui.theme.appearance import Appearance
from app.ui.widgets.buttons import IconButton
from app.ui.widgets.layouts import hbox
from app.ui.widgets.menus import add_action

_SIDE = 34
_MOST_RESOURCES = 30
"""In a menu; the command palette finds all."""


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
        for each in (self.enqueue, self.send):
            each.setFixedSize(_SIDE, _SIDE)
        hbox(self.enqueue, self.send, on=self, gap=8)
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


class AttachButton(IconButton):
    picture_clicked = Signal()
    audio_clicked = Signal()
    file_clicked = Signal()
    resource_clicked = Signal(object)
    """Resource"""

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(appearance, "plus", self.tr("Add pictures, recordings or files"), size=20, parent=parent)
        self.choices = QMenu(self)
        self._picture = self.choices.addAction(self.tr("Add a picture…"))
        self._picture.triggered.connect(self.picture_clicked)
        self._audio = self.choices.addAction(self.tr("Add a recording…"))
        self._audio.triggered.connect(self.audio_clicked)
        self._file = self.choices.addAction(self.tr("Attach a file…"))
        self._file.triggered.connect(self.file_clicked)
        self.collections = self.choices.addMenu(self.tr("Documents"))
        """Collections that are looked through for each question; whoever knows them fills it."""
        self.collections.menuAction().setVisible(False)
        self._resources = self.choices.addMenu(self.tr("From a server"))
        self.show_resources(())
        self.clicked.connect(self._ask)
        appearance.changed.connect(self._tint_choices)
        self._tint_choices()

    def show_resources(self, resources: Sequence[Resource]) -> None:
        """What servers of tools have to attach."""
        self._resources.clear()
        self._resources.menuAction().setVisible(bool(resources))
        for each in resources[:_MOST_RESOURCES]:
            act = partial(self.resource_clicked.emit, each)
            add_action(self._resources, f"{each.name} · {each.server}", act)

    def _ask(self) -> None:
        """Above the button, for the composer stands at the lower end of the window."""
        corner = self.mapToGlobal(QPoint(0, -4))
        self.choices.popup(corner - QPoint(0, self.choices.sizeHint().height()))
        self.choices.setActiveAction(self._picture)

    def _tint_choices(self) -> None:
        self._picture.setIcon(self._appearance.icon("picture", "muted"))
        self._audio.setIcon(self._appearance.icon("audio", "muted"))
        self._file.setIcon(self._appearance.icon("document", "muted"))
        self.collections.setIcon(self._appearance.icon("folder", "muted"))
        self._resources.setIcon(self._appearance.icon("tool", "muted"))
