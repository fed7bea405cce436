"""The line at the right of the header: how full the context is, how fast the answer comes."""

from collections.abc import Callable, Mapping
from time import monotonic

from PySide6.QtCore import Qt, QTimer, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from app.core.draft_record import drafts_from
from app.core.speculation import DraftFigures
from app.services.states import Activity, EngineState, Idle, LookingAt, Reading, Stopping, Waiting, Writing, known_model
from app.ui.draft_words import working_parts
from app.ui.figures import DOT, context_used, line_of, looking_at, number, reading, speed
from app.ui.reading_clock import ReadingClock

_TICK_MS = 500
"""While the time that is left is told, in seconds."""


class StatusLine(QLabel):
    """While something is being done it says what; else it keeps the last answer's figures."""

    def __init__(self, parent: QWidget | None = None, *, clock: Callable[[], float] = monotonic) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("tone", "small")
        self.setAccessibleName(self.tr("Status"))
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._n_ctx = 0
        self._model = ""
        self._figures: Mapping[str, object] = {}
        self._activity: Activity = Idle()
        self._reading = ReadingClock(clock)
        self._ticks = QTimer(self)
        self._ticks.setInterval(_TICK_MS)
        self._ticks.timeout.connect(self._refresh)

    def show_engine(self, state: EngineState) -> None:
        info = known_model(state)
        self._n_ctx = info.n_ctx if info is not None else 0
        self._model = info.name if info is not None else ""
        self._refresh()

    def show_figures(self, figures: Mapping[str, object] | None) -> None:
        """Of the answer that the context holds now; None for none."""
        self._figures = figures or {}
        self._refresh()

    def show_activity(self, activity: Activity) -> None:
        self._activity = activity
        self._reading.hear(activity.progress if isinstance(activity, Reading) else None)
        if not self._reading.counts:
            self._ticks.stop()
        elif not self._ticks.isActive():
            self._ticks.start()
        self._refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._refresh()

    @Slot()
    def _refresh(self) -> None:
        text = self._sentence()
        self.setText(self._fitted(text))
        self.setToolTip(text)
        self.setAccessibleDescription(text)

    def _fitted(self, text: str) -> str:
        """In a narrow window, the last parts go first. Half a number says nothing."""
        while self.fontMetrics().horizontalAdvance(text) > self.width() and DOT in text:
            text = text.rpartition(DOT)[0]
        if isinstance(self._activity, Idle | Writing) and self.fontMetrics().horizontalAdvance(text) > self.width():
            return ""
        return self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, self.width())

    def _sentence(self) -> str:
        match self._activity:
            case Waiting():
                return self.tr("Waiting for the model…")
            case Reading(progress):
                return reading(progress, self._reading.since)
            case LookingAt(looking):
                return looking_at(looking)
            case Writing(tokens_per_second, n_past, drafting):
                return self._figures_line(n_past, tokens_per_second, drafting)
            case Stopping():
                return self.tr("Stopping…")
            case Idle() if self._figures.get("model", self._model) != self._model:
                return ""
            case Idle():
                written, milliseconds = number(self._figures, "predicted_n"), number(self._figures, "predicted_ms")
                return self._figures_line(
                    int(number(self._figures, "n_past")),
                    written / milliseconds * 1000 if milliseconds else 0,
                    drafts_from(self._figures.get("drafting")),
                )

    def _figures_line(self, n_past: int, tokens_per_second: float, drafting: DraftFigures | None) -> str:
        parts = []
        if self._n_ctx and n_past:
            parts.append(context_used(n_past, self._n_ctx))
        if tokens_per_second:
            parts.append(speed(tokens_per_second))
        if drafting is not None:
            parts += working_parts(drafting)
        return line_of(parts)
