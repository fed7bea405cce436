"""In the answer's place while its prompt is read: how far that is, and how long it will take."""

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QProgressBar, QSizePolicy, QWidget

from app.services.runtime.debounce import Ticker
from app.ui.formatting.numbers import reading
from app.ui.formatting.prefill_clock import PrefillClock
from app.ui.widgets.layouts import lead, vbox
from app.ui.widgets.plain_text import plain_label

_TICK_MS = 250
_WIDE = 320
_LONG = 1.5
"""Seconds; what takes less needs no figures."""


class PrefillLine(QWidget):
    """Moves between the figures that the engine tells, which may be far apart."""

    def __init__(self, clock: PrefillClock, parent: QWidget) -> None:
        super().__init__(parent)
        self._clock = clock
        self.label = plain_label("muted", self)
        self.bar = QProgressBar(self)
        self.bar.setTextVisible(False)
        self.bar.setFixedWidth(_WIDE)
        self.bar.setAccessibleName(self.tr("Reading the prompt"))
        # Its place is kept: nothing jumps when it comes.
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setRetainSizeWhenHidden(True)
        self.bar.setSizePolicy(policy)
        vbox(self.label, lead(self.bar), on=self, gap=8)
        self._ticks = Ticker(_TICK_MS, self.refresh, self)
        self._ticks.start()
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        now = self._clock.now()
        if now is None:
            return
        is_long = now.elapsed >= _LONG or (now.left is not None and now.elapsed + now.left >= _LONG)
        self.label.setText(reading(now) if is_long else self.tr("Reading…"))
        self.bar.setVisible(is_long and now.to_read > 1)
        self.bar.setRange(0, max(1, now.to_read))
        self.bar.setValue(now.read)
