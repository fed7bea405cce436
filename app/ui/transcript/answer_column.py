"""One of several answers to a question, in a column of its own."""

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from app.core.events import DeltaKind
from app.core.messages import ToolCall
from app.services.engine.states import Activity, Idle, Prefilling, Stopping
from app.services.pictures.preview_cache import PreviewCache
from app.storage.conversations import MessageState, StoredMessage
from app.ui.formatting.prefill_clock import PrefillClock
from app.ui.theme.appearance import Appearance
from app.ui.transcript.answer_view import AnswerView
from app.ui.widgets.buttons import push_button
from app.ui.widgets.layouts import grow, hbox, vbox
from app.ui.widgets.plain_text import plain_label

_MARGIN, _EDGE = 12, 6
"""Pixels beside the text, and beside the scroll bar."""
_NEAR_END = 8


class AnswerColumn(QFrame):
    """Grows while it is written, and follows its end until somebody scrolls up."""

    keep_clicked = Signal(int)
    """message"""
    stop_clicked = Signal(int)
    height_changed = Signal()

    def __init__(
        self,
        appearance: Appearance,
        stored: StoredMessage,
        name: str,
        parent: QWidget,
        *,
        previews: PreviewCache | None = None,
    ) -> None:
        """`name` says which of them it is."""
        super().__init__(parent)
        self.setObjectName("column-of-answer")
        self.setAccessibleName(name)
        self.message_id = stored.id
        self._clock = PrefillClock()
        self._arranging = False
        self._follows = True
        self.title = plain_label("small", self)
        self.title.setText(name)
        told = self.tr("Stop {name}").format(name=name)
        self.stop_button = push_button(self.tr("Stop"), self, self._stop, name=told, tone="flat")
        told = self.tr("Keep {name}").format(name=name)
        self.keep_button = push_button(self.tr("Keep this one"), self, self._keep, name=told, tone="link")
        self.area = QScrollArea(self)
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setAccessibleName(name)
        self.view = AnswerView(appearance, stored, previews=previews)
        # What can be done with an answer can be done with the one that is kept.
        self.view.tools.setEnabled(False)
        self.view.tools.setFixedHeight(0)
        self.view.resized.connect(self._arrange)
        self.area.setWidget(self.view)
        self.area.viewport().installEventFilter(self)
        self.area.verticalScrollBar().valueChanged.connect(self._scrolled)
        self.view.place_wanted.connect(self.area.verticalScrollBar().setValue)
        head = hbox(grow(self.title), self.stop_button, self.keep_button, gap=6)
        vbox(head, grow(self.area), on=self, gap=4, margins=(_MARGIN, 6, _EDGE, 6))
        self.show_message(stored)

    @property
    def whole_height(self) -> int:
        """Pixels in which nothing of it has to be scrolled."""
        return self.height() - self.area.height() + self.view.height()

    def append(self, text: str, kind: DeltaKind) -> None:
        self.view.append(text, kind)

    def show_calls(self, calls: tuple[ToolCall, ...]) -> None:
        self.view.grow_calls(calls)

    def show_message(self, stored: StoredMessage) -> None:
        self.view.show_message(stored)
        self.stop_button.setVisible(stored.state is MessageState.WRITING)

    def show_activity(self, activity: Activity) -> None:
        self._clock.hear(activity.progress if isinstance(activity, Prefilling) else None)
        self.view.show_activity(activity, self._clock)
        self.stop_button.setEnabled(not isinstance(activity, Stopping | Idle))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._arrange()
            self.height_changed.emit()
        return super().eventFilter(watched, event)

    def _arrange(self) -> None:
        if self._arranging:
            return
        self._arranging = True
        before = self.whole_height
        bar, seen = self.area.verticalScrollBar(), self.area.viewport().size()
        width = seen.width() - (_MARGIN - _EDGE)
        # Twice: a text that is laid out for the first time is not as high as was thought.
        for _ in range(2):
            height = self.view.arrange(width, bar.value(), bar.value() + seen.height())
            self.view.resize(width, height)
            if self._follows:
                bar.setValue(bar.maximum())
        self._arranging = False
        if self.whole_height != before:
            self.height_changed.emit()

    def _scrolled(self, value: int) -> None:
        if not self._arranging:
            self._follows = value >= self.area.verticalScrollBar().maximum() - _NEAR_END
            self._arrange()

    def _stop(self) -> None:
        self.stop_clicked.emit(self.message_id)

    def _keep(self) -> None:
        self.keep_clicked.emit(self.message_id)
