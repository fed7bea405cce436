"""Where people write: grows with the text, sends with Enter, keeps a draft for each conversation."""

from itertools import pairwise

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent, QTextCursor
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from app.services.picture_states import PendingPicture
from app.ui.buttons import IconButton
from app.ui.composer_line import ComposerLine
from app.ui.image_tray import ImageTray
from app.ui.message_edit import MessageEdit
from app.ui.theme import Look
from app.ui.transcript import COLUMN

_SHARE = 0.4
"""Of the window's height, the text takes no more than this."""


class Composer(QWidget):
    """Hands text out by `submitted`; who takes it calls nothing, who cannot take it calls `give_back`.

    Pictures lie with `PictureDesk`; here they are shown, and the text waits for them.
    """

    submitted = Signal(str)
    stop_clicked = Signal()
    offered = Signal(object)
    """picture_drops.Offer"""
    add_picture_clicked = Signal()
    remove_picture_wanted = Signal(int)
    picture_opened = Signal(object)
    """ImagePart"""
    refused = Signal(str)
    """A sentence: why the message was not sent"""
    find_clicked = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._busy = False
        self._drafts: dict[int | None, str] = {}
        self._conversation: int | None = None
        self._box = QFrame(self)
        self._box.setObjectName("composer")
        self._obstacle = ""
        self._waits = False
        """Enter was pressed, and pictures are still being read."""
        self._tray = ImageTray(look, self._box)
        self._edit = MessageEdit(self._box)
        self._line = ComposerLine(self.tr("Find it…"), self._box)
        self._add_picture = IconButton(look, "attach", self.tr("Add a picture"), size=20, parent=self._box)
        self._send = IconButton(look, "arrow-up", self.tr("Send"), role="on_accent", size=20, parent=self._box)
        self._send.setObjectName("send")
        self._send.setFixedSize(34, 34)
        self._tools = QHBoxLayout()
        self._added: list[QWidget] = []
        self._edit.entered.connect(self.submit)
        self._edit.escaped.connect(self._stop_if_busy)
        self._edit.focus_changed.connect(self._mark_active)
        self._edit.textChanged.connect(self._text_changed)
        self._edit.document().documentLayout().documentSizeChanged.connect(self._fit)
        self._edit.offered.connect(self.offered)
        self._tray.remove_wanted.connect(self.remove_picture_wanted)
        self._tray.opened.connect(self.picture_opened)
        self._tray.emptied.connect(self.focus_text)
        self._line.action_clicked.connect(self.find_clicked)
        self._add_picture.clicked.connect(self.add_picture_clicked)
        self._send.clicked.connect(self._button_clicked)
        self._lay_out()
        self.set_model("")
        self._text_changed()

    @property
    def edit(self) -> MessageEdit:
        return self._edit

    @property
    def send_button(self) -> IconButton:
        return self._send

    @property
    def tray(self) -> ImageTray:
        return self._tray

    @property
    def line(self) -> ComposerLine:
        return self._line

    @property
    def picture_button(self) -> IconButton:
        return self._add_picture

    @property
    def is_waiting(self) -> bool:
        """Whether the message goes as soon as its pictures are read."""
        return self._waits

    def show_pictures(self, pictures: tuple[PendingPicture, ...]) -> None:
        """The draft's pictures, all of them."""
        lost = len({tile.picture.number for tile in self._tray.tiles} - {each.number for each in pictures})
        self._tray.show_pictures(pictures)
        self._order_tabs()
        # Without a picture that could not be read it would be another message.
        self._waits = self._waits and not lost
        self._refresh()
        if self._waits and not self._tray.is_reading:
            self.submit()

    def show_obstacle(self, sentence: str) -> None:
        """Why the model takes no pictures; empty when it does."""
        self._obstacle = sentence
        self._refresh()

    def add_tool(self, tool: QWidget) -> None:
        """Put `tool` in the row below the text, before the send button."""
        self._tools.insertWidget(self._tools.count() - 1, tool)
        self._added.append(tool)
        self._order_tabs()

    def set_model(self, name: str) -> None:
        """Who is being written to; empty for nobody yet."""
        whom = self.tr("Message {model}…").format(model=name) if name else self.tr("Message…")
        self._edit.setPlaceholderText(whom + self.tr("  (Enter to send, Shift+Enter for a new line)"))
        # Qt 6.11 draws another placeholder only when it shows or hides.
        self._edit.viewport().update()

    def set_busy(self, busy: bool) -> None:
        """While an answer is being made, the send button is the stop button."""
        self._busy = busy
        self._send.show_icon("stop" if busy else "arrow-up")
        self._send.say(self.tr("Stop") if busy else self.tr("Send"))
        self._text_changed()

    def set_conversation(self, conversation: int | None) -> None:
        """Put the draft away and bring out the other conversation's."""
        if conversation == self._conversation:
            return
        self._keep_draft()
        self._conversation = conversation
        self._waits = False
        self._edit.setPlainText(self._drafts.get(conversation, ""))
        self._edit.moveCursor(QTextCursor.MoveOperation.End)

    def submit(self) -> None:
        text = self._edit.toPlainText()
        self._waits = False
        if not self._has_something():
            return
        if not self._tray.is_empty and self._obstacle:
            self.refused.emit(self._obstacle)
            return
        if self._tray.is_reading:
            self._waits = True
            self._refresh()
            return
        # Emptied first: what is sent may open another conversation, and is no draft of this one.
        self._edit.clear()
        self._drafts.pop(self._conversation, None)
        self.submitted.emit(text)

    def give_back(self, text: str) -> None:
        """Nobody took this: it stands in the field again."""
        self._edit.setPlainText(text)
        self._edit.moveCursor(QTextCursor.MoveOperation.End)

    def focus_text(self) -> None:
        self._edit.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        side = max(24, (self.width() - COLUMN) // 2)
        layout = self.layout()
        if layout is not None:
            layout.setContentsMargins(side, 0, side, 16)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self._fit()

    def _keep_draft(self) -> None:
        text = self._edit.toPlainText()
        if text.strip():
            self._drafts[self._conversation] = text
        else:
            self._drafts.pop(self._conversation, None)

    def _button_clicked(self) -> None:
        if self._busy:
            self.stop_clicked.emit()
        else:
            self.submit()

    def _stop_if_busy(self) -> None:
        if self._busy:
            self.stop_clicked.emit()

    def _has_something(self) -> bool:
        return bool(self._edit.toPlainText().strip()) or not self._tray.is_empty

    def _text_changed(self) -> None:
        self._refresh()
        self._fit()

    def _refresh(self) -> None:
        self._send.setEnabled(self._busy or (self._has_something() and not self._tray.is_reading))
        if self._waits:
            self._line.say(self.tr("The message goes as soon as its pictures are read…"))
        elif self._obstacle and not self._tray.is_empty:
            self._line.say(self._obstacle, can_act=True)
        else:
            self._line.say("")

    def _mark_active(self, active: bool) -> None:
        self._box.setProperty("active", "true" if active else "false")
        self._box.style().unpolish(self._box)
        self._box.style().polish(self._box)

    def _fit(self) -> None:
        most = int(self.window().height() * _SHARE)
        wanted = self._edit.lines_height()
        policy = Qt.ScrollBarPolicy.ScrollBarAsNeeded if wanted > most else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self._edit.setVerticalScrollBarPolicy(policy)
        self._edit.setFixedHeight(min(wanted, max(most, 60)))

    def _order_tabs(self) -> None:
        """Anew for each picture: what is made late would stand last in the window."""
        order = (*self._tray.buttons(), self._edit, self._line.button, self._add_picture, *self._added, self._send)
        for first, second in pairwise(order):
            self.setTabOrder(first, second)

    def _lay_out(self) -> None:
        column = QVBoxLayout(self._box)
        column.setContentsMargins(16, 12, 10, 10)
        column.setSpacing(4)
        column.addWidget(self._tray)
        column.addWidget(self._edit)
        column.addWidget(self._line)
        self._tools.setSpacing(8)
        self._tools.addWidget(self._add_picture)
        self._tools.addStretch(1)
        self._tools.addWidget(self._send)
        column.addLayout(self._tools)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 0, 24, 16)
        layout.addWidget(self._box)
        self._order_tabs()

    def sizeHint(self) -> QSize:
        return QSize(COLUMN, super().sizeHint().height())
