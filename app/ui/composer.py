"""Where people write: text that grows, with pictures and files above it, and what waits to be sent."""

from itertools import pairwise

from PySide6.QtCore import QEvent, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QMouseEvent, QResizeEvent, QShowEvent, QTextCursor
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QVBoxLayout, QWidget

from app.core.settings import SendKey
from app.services.document_states import PendingDocument
from app.services.draft_size import DraftSize, Fit
from app.services.picture_states import PendingPicture
from app.ui.buttons import IconButton
from app.ui.composer_line import ComposerLine
from app.ui.document_tray import DocumentTray
from app.ui.draft_meter import DraftMeter
from app.ui.image_tray import ImageTray
from app.ui.message_edit import MessageEdit
from app.ui.message_list import COLUMN, NARROW
from app.ui.queue_cards import QueueCards
from app.ui.sentences import translated
from app.ui.theme import Look

_SHARE = 0.4
"""Of the window's height, the text takes no more than this."""
_SIDE = 24
_DROPS = (Fit.DROPS_OLDEST, Fit.DROPS_MIDDLE)


class Composer(QWidget):
    """Hands text out by `submitted`; who takes it calls nothing, who cannot take it calls `give_back`.

    Pictures lie with `PictureDesk`, files with `DocumentDesk`, what waits with `Outbox`; here they are shown, and the
    text waits for them.
    """

    submitted = Signal(str)
    stop_clicked = Signal()
    text_changed = Signal(str)
    offered = Signal(object)
    """picture_drops.Offer"""
    long_pasted = Signal(str)
    add_picture_clicked = Signal()
    attach_file_clicked = Signal()
    remove_picture_wanted = Signal(int)
    picture_opened = Signal(object)
    """ImagePart"""
    refused = Signal(str)
    """A sentence: why the message was not sent"""
    find_clicked = Signal()
    older_wanted = Signal()
    newer_wanted = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._busy = False
        self._model = ""
        self._obstacle = ""
        self._size: DraftSize | None = None
        self._waits = False
        """Enter was pressed, and pictures or files are still being read."""
        self._box = QFrame(self)
        self._box.setObjectName("composer")
        self._queue = QueueCards(look, self)
        self._tray = ImageTray(look, self._box)
        self._documents = DocumentTray(look, self._box)
        self._edit = MessageEdit(self._box)
        self._line = ComposerLine(self.tr("Find it…"), self._box)
        self._attach = IconButton(look, "plus", self.tr("Add pictures or files"), size=20, parent=self._box)
        self._meter = DraftMeter(self._box)
        self._enqueue = IconButton(
            look, "arrow-up", self.tr("Send when the answer ends"), role="text", size=20, parent=self._box
        )
        self._send = IconButton(look, "arrow-up", self.tr("Send"), role="on_accent", size=20, parent=self._box)
        self._enqueue.setObjectName("enqueue")
        self._send.setObjectName("send")
        for each in (self._enqueue, self._send):
            each.setFixedSize(34, 34)
        self._tools = QHBoxLayout()
        self._added: list[QWidget] = []
        self._menu = self._make_menu()
        self._connect()
        self._lay_out()
        self.set_model("")
        self._text_changed()

    # -- parts ---------------------------------------------------------------------------------------------------

    @property
    def edit(self) -> MessageEdit:
        return self._edit

    @property
    def send_button(self) -> IconButton:
        return self._send

    @property
    def enqueue_button(self) -> IconButton:
        return self._enqueue

    @property
    def tray(self) -> ImageTray:
        return self._tray

    @property
    def documents(self) -> DocumentTray:
        return self._documents

    @property
    def queue(self) -> QueueCards:
        return self._queue

    @property
    def line(self) -> ComposerLine:
        return self._line

    @property
    def meter(self) -> DraftMeter:
        return self._meter

    @property
    def attach_button(self) -> IconButton:
        return self._attach

    @property
    def attach_menu(self) -> QMenu:
        return self._menu

    @property
    def is_waiting(self) -> bool:
        """Whether the message goes as soon as its pictures and files are read."""
        return self._waits

    @property
    def has_something(self) -> bool:
        """Whether there is a message to send."""
        return bool(self._edit.toPlainText().strip()) or not self._is_bare

    # -- what is shown -------------------------------------------------------------------------------------------

    def show_pictures(self, pictures: tuple[PendingPicture, ...]) -> None:
        """The draft's pictures, all of them."""
        lost = len({tile.picture.number for tile in self._tray.tiles} - {each.number for each in pictures})
        self._tray.show_pictures(pictures)
        self._attachments_changed(lost=bool(lost))

    def show_documents(self, documents: tuple[PendingDocument, ...]) -> None:
        """The draft's files, all of them."""
        lost = len({chip.document.number for chip in self._documents.chips} - {each.number for each in documents})
        self._documents.show_documents(documents)
        self._attachments_changed(lost=bool(lost))

    def show_obstacle(self, sentence: str) -> None:
        """Why the model takes no pictures; empty when it does."""
        self._obstacle = sentence
        self._refresh()

    def show_size(self, size: DraftSize | None) -> None:
        """How much of the context the message takes; None for nothing to tell."""
        self._size = size
        self._meter.show_size(size)
        self._refresh()

    def add_tool(self, tool: QWidget) -> None:
        """Put `tool` in the row below the text, before the buttons that send."""
        self._tools.insertWidget(self._tools.count() - 2, tool)
        self._added.append(tool)
        self._order_tabs()

    def set_model(self, name: str) -> None:
        """Who is being written to; empty for nobody yet."""
        self._model = name
        self._say_whom()

    def set_keys(self, send_key: SendKey, long_paste: int) -> None:
        """How the field takes Enter, and from how many characters on pasted text is attached."""
        self._edit.send_key = send_key
        self._edit.long_paste = long_paste
        self.set_model(self._model)

    def set_busy(self, busy: bool) -> None:
        """While an answer is being made, the send button is the stop button, and what is sent waits."""
        if busy == self._busy:
            return
        self._busy = busy
        self._send.show_icon("stop" if busy else "arrow-up")
        self._send.say(self.tr("Stop") if busy else self.tr("Send"))
        self._queue.set_busy(busy)
        self.set_model(self._model)
        self._text_changed()

    def show_text(self, text: str) -> None:
        """Another draft."""
        self._waits = False
        self._edit.setPlainText(text)
        self._edit.moveCursor(QTextCursor.MoveOperation.End)

    def submit(self) -> None:
        text = self._edit.toPlainText()
        self._waits = False
        if not self.has_something:
            return
        if not self._tray.is_empty and self._obstacle:
            self.refused.emit(self._obstacle)
            return
        if self._is_reading:
            self._waits = True
            self._refresh()
            return
        # Emptied first: what is sent may open another conversation, and is no draft of this one.
        self._edit.clear()
        self.submitted.emit(text)

    def give_back(self, text: str) -> None:
        """Nobody took this: it stands in the field again."""
        self.show_text(text)

    def focus_text(self) -> None:
        self._edit.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def take_key(self, event: QKeyEvent) -> bool:
        """Whether a key that nobody wanted writes or pastes; then it is meant for the message, and goes there."""
        held = event.modifiers() & ~(Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier)
        # A blank alone scrolls or presses a button, nearly everywhere.
        writes = not held and event.text().isprintable() and bool(event.text().strip())
        if self._edit.hasFocus() or not (writes or event.matches(QKeySequence.StandardKey.Paste)):
            return False
        self.focus_text()
        self._edit.keyPressEvent(event)
        return True

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """The whole box looks like one field, and is."""
        if event.button() == Qt.MouseButton.LeftButton and self._box.geometry().contains(event.position().toPoint()):
            self.focus_text()
        else:
            super().mousePressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._say_whom()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        least = _SIDE if self.width() >= NARROW else _SIDE // 2
        side = max(least, (self.width() - COLUMN) // 2)
        layout = self.layout()
        if layout is not None:
            layout.setContentsMargins(side, 0, side, 16)
            layout.activate()
        self._fit()
        self._say_whom()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self._fit()
            self._say_whom()

    def sizeHint(self) -> QSize:
        return QSize(COLUMN, super().sizeHint().height())

    # -- inside --------------------------------------------------------------------------------------------------

    @property
    def _is_bare(self) -> bool:
        return self._tray.is_empty and self._documents.is_empty

    @property
    def _is_reading(self) -> bool:
        return self._tray.is_reading or self._documents.is_reading

    def _say_whom(self) -> None:
        """On one line: which keys send is left out where there is no room for it."""
        whom = self.tr("Message {model}…").format(model=self._model) if self._model else self.tr("Message…")
        room = self._edit.viewport().width() - 2 * int(self._edit.document().documentMargin()) - 2
        letters = self._edit.fontMetrics()
        words = whom + self._keys()
        if self.isVisible() and letters.horizontalAdvance(words) > room:
            words = letters.elidedText(whom, Qt.TextElideMode.ElideRight, room)
        if words == self._edit.placeholderText():
            return
        self._edit.setPlaceholderText(words)
        # Qt 6.11 draws another placeholder only when it shows or hides.
        self._edit.viewport().update()

    def _keys(self) -> str:
        if self._busy:
            return self.tr("  (sent when the answer ends)")
        if self._edit.send_key is SendKey.CTRL_ENTER:
            return self.tr("  (Ctrl+Enter to send)")
        return self.tr("  (Enter to send, Shift+Enter for a new line)")

    def _attachments_changed(self, *, lost: bool) -> None:
        self._order_tabs()
        # Without a picture or a file that could not be read it would be another message.
        self._waits = self._waits and not lost
        self._refresh()
        if self._waits and not self._is_reading:
            self.submit()

    def _button_clicked(self) -> None:
        if self._busy:
            self.stop_clicked.emit()
        else:
            self.submit()

    def _stop_if_busy(self) -> None:
        if self._busy:
            self.stop_clicked.emit()

    def _text_changed(self) -> None:
        self._refresh()
        self._fit()
        self.text_changed.emit(self._edit.toPlainText())

    def _refresh(self) -> None:
        can_send = self.has_something and not self._is_reading
        self._send.setEnabled(self._busy or can_send)
        self._enqueue.setVisible(self._busy and self.has_something)
        self._enqueue.setEnabled(can_send)
        warning = self._meter.warning(self._size) if self._size is not None else ""
        if self._waits:
            pictures = self.tr("The message goes as soon as its pictures are read…")
            files = self.tr("The message goes as soon as its files are read…")
            self._line.say(files if self._documents.is_reading else pictures)
        elif self._obstacle and not self._tray.is_empty:
            self._line.say(translated(self._obstacle), can_act=True)
        elif self._size is not None and warning:
            self._line.say(warning, level="warning" if self._size.fit in _DROPS else "danger")
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

    def _open_menu(self) -> None:
        """Above the button, for the composer stands at the lower end of the window."""
        corner = self._attach.mapToGlobal(QPoint(0, -4))
        self._menu.popup(corner - QPoint(0, self._menu.sizeHint().height()))
        self._menu.setActiveAction(self._menu.actions()[0])

    def _make_menu(self) -> QMenu:
        menu = QMenu(self)
        picture = menu.addAction(self.tr("Add a picture…"))
        picture.triggered.connect(self.add_picture_clicked)
        file = menu.addAction(self.tr("Attach a file…"))
        file.triggered.connect(self.attach_file_clicked)
        self._look.changed.connect(self._tint_menu)
        self._menu_icons = ((picture, "picture"), (file, "document"))
        self._tint_menu()
        return menu

    def _tint_menu(self) -> None:
        for action, icon in self._menu_icons:
            action.setIcon(self._look.icon(icon, "muted"))

    def _order_tabs(self) -> None:
        """Anew for each picture: what is made late would stand last in the window."""
        order = (
            *self._queue.buttons(),
            *self._tray.buttons(),
            *self._documents.chips,
            self._edit,
            self._line.button,
            self._attach,
            *self._added,
            self._enqueue,
            self._send,
        )
        for first, second in pairwise(order):
            self.setTabOrder(first, second)

    def _connect(self) -> None:
        edit = self._edit
        edit.entered.connect(self.submit)
        edit.escaped.connect(self._stop_if_busy)
        edit.focus_changed.connect(self._mark_active)
        edit.textChanged.connect(self._text_changed)
        edit.document().documentLayout().documentSizeChanged.connect(self._fit)
        edit.offered.connect(self.offered)
        edit.long_pasted.connect(self.long_pasted)
        edit.older_wanted.connect(self.older_wanted)
        edit.newer_wanted.connect(self.newer_wanted)
        self._tray.remove_wanted.connect(self.remove_picture_wanted)
        self._tray.opened.connect(self.picture_opened)
        for each in (self._tray, self._documents, self._queue):
            each.emptied.connect(self.focus_text)
        self._line.action_clicked.connect(self.find_clicked)
        self._attach.clicked.connect(self._open_menu)
        self._enqueue.clicked.connect(self.submit)
        self._send.clicked.connect(self._button_clicked)

    def _lay_out(self) -> None:
        column = QVBoxLayout(self._box)
        column.setContentsMargins(16, 12, 10, 10)
        column.setSpacing(4)
        for each in (self._tray, self._documents, self._edit, self._line):
            column.addWidget(each)
        self._tools.setSpacing(8)
        self._tools.addWidget(self._attach)
        self._tools.addStretch(1)
        self._tools.addWidget(self._meter)
        self._tools.addWidget(self._enqueue)
        self._tools.addWidget(self._send)
        column.addLayout(self._tools)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(_SIDE, 0, _SIDE, 16)
        layout.setSpacing(0)
        layout.addWidget(self._queue)
        layout.addWidget(self._box)
        self._order_tabs()
