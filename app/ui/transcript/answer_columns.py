"""Several answers to the last question, beside each other where there is room, and below each other otherwise."""

from collections.abc import Sequence

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QWidget

from app.services.pictures.preview_cache import PreviewCache
from app.storage.conversations import StoredMessage
from app.ui.theme.appearance import Appearance
from app.ui.theme.fonts import scaled
from app.ui.theme.measures import MARGIN
from app.ui.transcript.answer_column import AnswerColumn
from app.ui.widgets.discard import discard
from app.ui.widgets.layouts import grow, vbox

_LEAST_WIDTH, _LEAST_HEIGHT = 300, 110
_GAP = 8


class AnswerColumns(QWidget):
    """Hidden while there are none."""

    keep_wanted = Signal(int)
    """message"""
    stop_wanted = Signal(int)
    link_clicked = Signal(str)
    passage_wanted = Signal(object)
    """CitationList"""

    def __init__(self, appearance: Appearance, parent: QWidget, *, previews: PreviewCache | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._previews = previews
        self.columns: list[AnswerColumn] = []
        self.setAccessibleName(self.tr("Answers side by side"))
        self._boxes = QWidget(self)
        self._row = QBoxLayout(QBoxLayout.Direction.LeftToRight, self._boxes)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(_GAP)
        # What short answers leave of the room lies below them.
        rest = vbox(grow(self._boxes), on=self, margins=(MARGIN, 0, MARGIN, _GAP))
        rest.addStretch(0)
        self.hide()

    def show_answers(self, answers: Sequence[tuple[StoredMessage, str]]) -> None:
        """Each with its preset's name, which may be empty."""
        gone, self.columns = self.columns, []
        for column in gone:
            self._row.removeWidget(column)
        discard(*gone)
        for place, (stored, preset) in enumerate(answers, 1):
            name = self.tr("Answer {n}").format(n=place)
            name = f"{name} · {preset}" if preset else name
            column = AnswerColumn(self._appearance, stored, name, self._boxes, previews=self._previews)
            column.setMinimumHeight(scaled(_LEAST_HEIGHT))
            column.keep_clicked.connect(self.keep_wanted)
            column.stop_clicked.connect(self.stop_wanted)
            column.height_changed.connect(self._fit)
            column.view.blocks_view.link_clicked.connect(self.link_clicked)
            column.view.passage_wanted.connect(self.passage_wanted)
            self._row.addWidget(column, 1)
            self.columns.append(column)
        self.setVisible(bool(self.columns))
        self._turn()

    def of(self, message_id: int) -> AnswerColumn | None:
        return next((each for each in self.columns if each.message_id == message_id), None)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._turn()

    def _turn(self) -> None:
        direction = QBoxLayout.Direction
        beside = self.width() >= len(self.columns) * scaled(_LEAST_WIDTH)
        self._row.setDirection(direction.LeftToRight if beside else direction.TopToBottom)
        self._fit()

    @Slot()
    def _fit(self) -> None:
        """No higher than the answers: short ones would stand in empty boxes."""
        heights = [max(each.whole_height, each.minimumHeight()) for each in self.columns]
        if self._row.direction() is QBoxLayout.Direction.LeftToRight:
            whole = max(heights, default=0)
        else:
            whole = sum(heights) + _GAP * max(0, len(heights) - 1)
        self._boxes.setMaximumHeight(whole)
