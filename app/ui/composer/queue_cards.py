"""The messages that wait for the answer to end, as small cards above the composer."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QWidget

from app.core.messages import Message
from app.services.drafts.outbox import Hold, Queue
from app.ui.theme.appearance import Appearance
from app.ui.theme.fonts import scaled
from app.ui.widgets.buttons import IconButton, push_button
from app.ui.widgets.discard import discard
from app.ui.widgets.layouts import grow, hbox, scroll, vbox
from app.ui.widgets.plain_text import plain_label, tell

_MOST_SHOWN = 4
_SHARE = 0.2
"""Of the window's height, the cards take no more than this."""
_CARD = 36
_GAP = 4


class QueueCard(QFrame):
    """One message. Enter or a click brings it back to the field, Delete takes it out, Alt with arrows moves it."""

    edit_wanted = Signal(object)
    """This card, as with the others"""
    remove_wanted = Signal(object)
    move_wanted = Signal(object, int)
    stepped = Signal(object, int)

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self.text = ""
        self.setObjectName("queued")
        self.setFixedHeight(scaled(_CARD))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._number = plain_label("small", self)
        self._number.setMinimumWidth(12)
        self._text = plain_label("", self)
        self._text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._more = plain_label("small", self)
        self.edit_button = IconButton(appearance, "edit", self.tr("Change this message"), size=16, parent=self)
        self.remove_button = IconButton(appearance, "close", self.tr("Take this message out"), size=14, parent=self)
        self.edit_button.clicked.connect(lambda: self.edit_wanted.emit(self))
        self.remove_button.clicked.connect(lambda: self.remove_wanted.emit(self))
        for each in (self.edit_button, self.remove_button):
            # By the keyboard the card itself does both.
            each.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        parts = (self._number, grow(self._text), self._more, self.edit_button, self.remove_button)
        hbox(*parts, on=self, gap=8, margins=(12, 0, 6, 0))

    def show_message(self, message: Message, place: int, of: int) -> None:
        """`place` counts from 1."""
        attached = message.attachments
        names = ", ".join(each.name or self.tr("a picture or recording") for each in attached)
        self.text = " ".join(message.text.split()) or names
        self._number.setText(str(place))
        files = self.tr("1 attachment") if len(attached) == 1 else ""
        if len(attached) > 1:
            files = self.tr("{count} attachments").format(count=len(attached))
        tell(self._more, files)
        said = self.tr("Waiting message {place} of {count}: {text}").format(place=place, count=of, text=self.text)
        self.setAccessibleName(f"{said}, {files}" if files else said)
        self.setAccessibleDescription(
            self.tr("Enter changes it, Delete takes it out, Alt with the arrow keys moves it.")
        )
        self.setToolTip(self.tr("Change this message"))
        self._elide()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
        step = steps.get(Qt.Key(event.key()))
        if step is not None and event.modifiers() & Qt.KeyboardModifier.AltModifier:
            self.move_wanted.emit(self, step)
        elif step is not None:
            self.stepped.emit(self, step)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.edit_wanted.emit(self)
        elif event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.remove_wanted.emit(self)
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.edit_wanted.emit(self)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._elide()

    def _elide(self) -> None:
        layout = self.layout()
        if layout is not None:
            layout.activate()
        metrics = self._text.fontMetrics()
        self._text.setText(metrics.elidedText(self.text, Qt.TextElideMode.ElideRight, max(20, self._text.width())))


class QueueCards(QWidget):
    """Shows what it is given and reports what is wanted. Hidden while nothing waits."""

    edit_wanted = Signal(int)
    """Place in the queue, from 0, as with the others"""
    remove_wanted = Signal(int)
    move_wanted = Signal(int, int)
    """From one place to another"""
    send_now_clicked = Signal()
    emptied = Signal()
    """The last card went by the keyboard: the focus needs another place."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self.cards: list[QueueCard] = []
        self._busy = False
        self._queue = Queue()
        self.sentence = plain_label("line", self, wraps=True)
        self.sentence.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        told = self.tr("Send the waiting messages now")
        self.send_now = push_button(self.tr("Send now"), self, self.send_now_clicked, name=told, tip=told, tone="link")
        self._inside = QWidget(self)
        self._inside.setObjectName("bare")
        self._column = vbox(on=self._inside, gap=_GAP)
        self._scroll = QScrollArea(self)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll(self._scroll, self._inside)
        head = hbox(grow(self.sentence), self.send_now, margins=(6, 0, 0, 0))
        vbox(head, self._scroll, on=self, gap=4, margins=(0, 0, 0, 8))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Waiting messages"))
        self.hide()
        appearance.changed.connect(self._look_changed)

    def set_busy(self, busy: bool) -> None:
        """Whether an answer is being written."""
        self._busy = busy
        self._say()

    def show_queue(self, queue: Queue) -> None:
        self._queue = queue
        focused = next((index for index, card in enumerate(self.cards) if card.hasFocus()), None)
        gone = self.cards[len(queue.messages) :]
        del self.cards[len(queue.messages) :]
        for card in gone:
            self._column.removeWidget(card)
        discard(*gone)
        while len(self.cards) < len(queue.messages):
            self.cards.append(self._make())
        for place, (card, message) in enumerate(zip(self.cards, queue.messages, strict=True), 1):
            card.show_message(message, place, len(queue.messages))
        shown = min(len(self.cards), _MOST_SHOWN)
        for card in self.cards:
            card.setFixedHeight(scaled(_CARD))
        high = shown * (scaled(_CARD) + _GAP) - (_GAP if shown else 0)
        self._scroll.setFixedHeight(min(high, max(scaled(_CARD), round(_SHARE * self.window().height()))))
        self._say()
        self.setVisible(bool(self.cards))
        if focused is not None:
            self.focus_card(min(focused, len(self.cards) - 1))

    def _look_changed(self) -> None:
        self.show_queue(self._queue)

    def focus_card(self, index: int) -> None:
        if not self.cards:
            self.emptied.emit()
            return
        card = self.cards[max(0, min(index, len(self.cards) - 1))]
        card.setFocus(Qt.FocusReason.TabFocusReason)
        self._scroll.ensureWidgetVisible(card, 0, 0)

    def _make(self) -> QueueCard:
        card = QueueCard(self._appearance, self._inside)
        card.edit_wanted.connect(lambda card: self.edit_wanted.emit(self.cards.index(card)))
        card.remove_wanted.connect(lambda card: self.remove_wanted.emit(self.cards.index(card)))
        card.move_wanted.connect(self._move)
        card.stepped.connect(lambda card, by: self.focus_card(self.cards.index(card) + by))
        self._column.addWidget(card)
        card.show()
        return card

    def _move(self, card: QueueCard, by: int) -> None:
        place = self.cards.index(card)
        if 0 <= place + by < len(self.cards):
            self.move_wanted.emit(place, place + by)
            self.focus_card(place + by)

    def _say(self) -> None:
        held = self._queue.hold is not None
        self.send_now.setVisible(held or not self._busy)
        self.sentence.setText(self._sentence())

    def _sentence(self) -> str:
        match self._queue.hold:
            case Hold.STOPPED:
                return self.tr("The answer was stopped; these wait.")
            case Hold.FAILED:
                return self.tr("The answer failed; these wait.")
            case Hold.FULL:
                return self.tr("The context is full; these wait.")
            case Hold.REFUSED:
                return self.tr("The first could not be sent; these wait.")
            case Hold.RESTARTED:
                return self.tr("These were not sent before Hearth was closed.")
        return self.tr("Sent one by one, as each answer ends.")
