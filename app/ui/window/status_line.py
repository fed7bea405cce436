"""The line at the right of the header: what is being done, in a few words. Numbers stand at the message field."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from app.core.events import QueuedFor
from app.services.engine.states import Activity, Calling, Encoding, Generating, Idle, Prefilling, Stopping, Waiting
from app.ui.formatting.numbers import looking_at, speed_text
from app.ui.formatting.sentences import translated


class StatusLine(QLabel):
    """Empty while nothing is being done."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("tone", "small")
        self.setAccessibleName(self.tr("Status"))
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._activity: Activity = Idle()

    def show_activity(self, activity: Activity) -> None:
        self._activity = activity
        self._refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._refresh()

    def _refresh(self) -> None:
        text = self._sentence()
        self.setText(self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, self.width()))
        self.setToolTip(text)
        self.setAccessibleDescription(text)

    def _sentence(self) -> str:
        match self._activity:
            case Waiting(QueuedFor()):
                return self.tr("Waits for another answer…")
            case Waiting(why=why) if why:
                return self.tr("{why} It is asked again.").format(why=translated(why))
            case Waiting():
                return self.tr("Waiting for the model…")
            case Prefilling():
                return self.tr("Reading…")
            case Encoding(looking):
                return looking_at(looking)
            case Generating(tokens_per_second):
                return speed_text(tokens_per_second) if tokens_per_second else self.tr("Writing…")
            case Calling(asks):
                return self.tr("Waits for you") if asks else self.tr("Tools run…")
            case Stopping():
                return self.tr("Stopping…")
            case Idle():
                return ""
