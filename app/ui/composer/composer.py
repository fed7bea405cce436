"""Where people write: text that grows, with pictures and files above it, and what waits to be sent."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QMouseEvent, QResizeEvent, QTextCursor
from PySide6.QtWidgets import QFrame, QWidget

from app.core.settings import SendKey
from app.services.drafts.draft_size import DraftSize, Fit
from app.services.drafts.pending import PendingAttachment
from app.ui.composer.audio_tray import AudioTray
from app.ui.composer.buttons import AttachButton, SendButtons
from app.ui.composer.document_tray import DocumentTray
from app.ui.composer.message_edit import MessageEdit
from app.ui.composer.notice_line import Action, NoticeLine
from app.ui.composer.picture_tray import PictureTray
from app.ui.composer.queue_cards import QueueCards
from app.ui.composer.token_meter import TokenMeter
from app.ui.formatting.sentences import translated
from app.ui.theme.appearance import Appearance
from app.ui.theme.measures import COLUMN, MARGIN, side_margin
from app.ui.widgets.buttons import IconButton
from app.ui.widgets.dynamic_property import set_property
from app.ui.widgets.layouts import FILL, hbox, vbox

_SHARE = 0.4
"""Of the window's height, the text takes no more than this."""
_DROPS = (Fit.DROPS_OLDEST, Fit.DROPS_MIDDLE)


class Composer(QWidget):
    """Hands text out by `submitted`; who takes it calls nothing, who cannot take it calls `show_text`.

    What is attached lies with `DraftAttachments`, what waits with `Outbox`; here they are shown, and the text waits for
    them.
    """

    submitted = Signal(str)
    stop_clicked = Signal()
    text_changed = Signal(str)
    refused = Signal(object)
    """A sentence: why the message was not sent"""
    find_clicked = Signal()
    get_model_clicked = Signal()

    def __init__(self, appearance: Appearance, parent: QWidget | None = None, *, can_get_models: bool = False) -> None:
        """`can_get_models`: whether `get_model_clicked` leads anywhere."""
        super().__init__(parent)
        self._busy = False
        self._obstacle, self._can_find = "", False
        self._size: DraftSize | None = None
        self._offered_ways: Sequence[Action] = ()
        """What can be done about a message that does not fit."""
        self._full: tuple[str, Sequence[Action]] = ("", ())
        self._can_get_models = can_get_models
        self._waits = False
        """Enter was pressed, and pictures or files are still being read."""
        self._box = QFrame(self)
        self._box.setObjectName("composer")
        self.queue = QueueCards(appearance, self)
        self.pictures = PictureTray(appearance, self._box)
        self.recordings = AudioTray(appearance, self._box)
        self.documents = DocumentTray(appearance, self._box)
        self._trays = (self.pictures, self.recordings, self.documents)
        self.edit = MessageEdit(self._box)
        self.line = NoticeLine(self._box)
        self.attach_button = AttachButton(appearance, self._box)
        self.meter = TokenMeter(self._box)
        self._buttons = SendButtons(appearance, self._box)
        self._tools = hbox(self.attach_button, FILL, self.meter, self._buttons, gap=8)
        self._connect()
        self._lay_out()
        self._text_changed()

    @property
    def send_button(self) -> IconButton:
        return self._buttons.send

    @property
    def enqueue_button(self) -> IconButton:
        return self._buttons.enqueue

    @property
    def is_waiting(self) -> bool:
        """Whether the message goes as soon as its pictures and files are read."""
        return self._waits

    @property
    def has_something(self) -> bool:
        """Whether there is a message to send."""
        return bool(self.edit.toPlainText().strip()) or not all(tray.is_empty for tray in self._trays)

    def show_attachments(self, pending: Sequence[PendingAttachment], obstacle: str, *, can_find: bool = True) -> None:
        """All of the draft's, and why the model can't take them; empty when it can. `can_find`: whether a file could
        help.
        """
        self._can_find = can_find
        lost = [tray.show_pending(pending) for tray in self._trays]
        self._obstacle = obstacle
        # Without a picture or a file that could not be read it would be another message.
        self._waits = self._waits and not any(lost)
        self._refresh()
        if self._waits and not self._is_reading:
            self.submit()

    def show_size(self, size: DraftSize | None, ways: Sequence[Action] = ()) -> None:
        """How much of the context the message takes, and what can be done where it does not fit; None for nothing to
        tell.
        """
        self._size, self._offered_ways = size, ways
        self.meter.show_size(size)
        self._refresh()

    def show_full(self, sentence: str, actions: Sequence[Action]) -> None:
        """Why the conversation can't go on as it is, and what can be done about it; an empty sentence where it can."""
        self._full = (sentence, actions)
        self._refresh()

    def add_tool(self, tool: QWidget) -> None:
        """Put `tool` in the row below the text, before the buttons that send."""
        self._tools.insertWidget(self._tools.count() - 1, tool)

    def set_model(self, name: str) -> None:
        """Who is being written to; empty for nobody yet."""
        self.edit.set_model(name)

    def set_keys(self, send_key: SendKey, long_paste: int) -> None:
        """How the field takes Enter, and from how many characters on pasted text is attached."""
        self.edit.set_keys(send_key, long_paste)

    def set_busy(self, busy: bool) -> None:
        """While an answer is being made, the send button is the stop button, and what is sent waits."""
        if busy == self._busy:
            return
        self._busy = busy
        self._buttons.set_busy(busy)
        self.queue.set_busy(busy)
        self.edit.set_busy(busy)
        self._text_changed()

    def show_text(self, text: str) -> None:
        """Another draft."""
        self._waits = False
        self.edit.setPlainText(text)
        self.edit.moveCursor(QTextCursor.MoveOperation.End)

    def submit(self) -> None:
        text = self.edit.toPlainText()
        self._waits = False
        if not self.has_something:
            return
        if self._obstacle:
            self._refuse(self._obstacle)
            return
        if self._is_reading:
            self._waits = True
            self._refresh()
            return
        exact = self._size is not None and self._size.count.exact
        if self._size is not None and (self._size.fit is Fit.TOO_MUCH or (self._size.fit is Fit.TOO_LONG and exact)):
            self._refuse(self.meter.warning(self._size))
            return
        # Emptied first: what is sent may open another conversation, and is no draft of this one.
        self.edit.clear()
        self.submitted.emit(text)

    def focus_text(self) -> None:
        self.edit.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def take_key(self, event: QKeyEvent) -> bool:
        """Whether a key that nobody wanted writes or pastes; then it is meant for the message, and goes there."""
        held = event.modifiers() & ~(Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier)
        # A blank alone scrolls or presses a button, nearly everywhere.
        writes = not held and event.text().isprintable() and bool(event.text().strip())
        if self.edit.hasFocus() or not (writes or event.matches(QKeySequence.StandardKey.Paste)):
            return False
        self.focus_text()
        self.edit.keyPressEvent(event)
        return True

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """The whole box looks like one field, and is."""
        if event.button() == Qt.MouseButton.LeftButton and self._box.geometry().contains(event.position().toPoint()):
            self.focus_text()
        else:
            super().mousePressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        side = side_margin(self.width())
        layout = self.layout()
        if layout is not None:
            layout.setContentsMargins(side, 0, side, 16)
            layout.activate()
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self._fit()

    def sizeHint(self) -> QSize:
        return QSize(COLUMN, super().sizeHint().height())

    @property
    def _is_reading(self) -> bool:
        return any(tray.is_reading for tray in self._trays)

    def _refuse(self, sentence: str) -> None:
        """The line says it already."""
        self.line.insist()
        self.refused.emit(sentence)

    def _stop_if_busy(self) -> None:
        if self._busy:
            self.stop_clicked.emit()

    def _ways(self, size: DraftSize) -> list[Action]:
        """What can be done about a message that does not fit."""
        if size.fit is Fit.TOO_MUCH:
            return [Action(self.tr("Get a model"), self.get_model_clicked.emit)] if self._can_get_models else []
        ways = list(self._offered_ways)
        if (number := self.documents.longest_paged) is not None:
            ways.insert(0, Action(self.tr("Choose pages…"), lambda: self.documents.pages_wanted.emit(number)))
        return ways

    def _text_changed(self) -> None:
        self._refresh()
        self._fit()
        self.text_changed.emit(self.edit.toPlainText())

    def _refresh(self) -> None:
        can_send = self.has_something and not self._is_reading
        self._buttons.show_message(is_there=self.has_something, can_go=can_send)
        warning = self.meter.warning(self._size) if self._size is not None else ""
        if self._waits:
            self.line.say(next((tray.waiting for tray in reversed(self._trays) if tray.is_reading), ""))
        elif self._obstacle:
            find = [Action(self.tr("Find it…"), self.find_clicked.emit)] if self._can_find else []
            self.line.say(translated(self._obstacle), actions=find)
        elif self._size is not None and warning:
            level = "warning" if self._size.fit in _DROPS else "danger"
            self.line.say(warning, actions=self._ways(self._size), level=level)
        else:
            sentence, actions = self._full
            self.line.say("" if self.has_something else sentence, actions=actions, level="warning")

    def _mark_active(self, active: bool) -> None:
        set_property(self._box, "active", "true" if active else "false")

    def _fit(self) -> None:
        most = int(self.window().height() * _SHARE)
        wanted = self.edit.lines_height()
        policy = Qt.ScrollBarPolicy.ScrollBarAsNeeded if wanted > most else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.edit.setVerticalScrollBarPolicy(policy)
        self.edit.setFixedHeight(min(wanted, max(most, 60)))

    def _connect(self) -> None:
        edit = self.edit
        edit.entered.connect(self.submit)
        edit.escaped.connect(self._stop_if_busy)
        edit.focus_changed.connect(self._mark_active)
        edit.textChanged.connect(self._text_changed)
        edit.document().documentLayout().documentSizeChanged.connect(self._fit)
        for each in (*self._trays, self.queue):
            each.emptied.connect(self.focus_text)
        self._buttons.submit_clicked.connect(self.submit)
        self._buttons.stop_clicked.connect(self.stop_clicked)

    def _lay_out(self) -> None:
        vbox(*self._trays, self.edit, self.line, self._tools, on=self._box, gap=4, margins=(16, 12, 10, 10))
        vbox(self.queue, self._box, on=self, gap=0, margins=(MARGIN, 0, MARGIN, 16))
