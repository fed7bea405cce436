"""A recording as a row of bars, of which those that were played have another colour."""

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter

_BAR, _STEP = 2.0, 4.0
"""Pixels: how wide a bar is, and from one to the next."""


def paint_waveform(
    painter: QPainter, box: QRectF, waveform: Sequence[float], share: float | None, played: str, rest: str
) -> None:
    """`waveform` is 0 to 1 each; `share` of it was played, None while it is not. `played` and `rest` are colours."""
    count = int(box.width() // _STEP)
    if not waveform or count < 2:
        return
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    for number in range(count):
        first, last = number * len(waveform) // count, max(1, -(-(number + 1) * len(waveform) // count))
        high = max(_BAR, box.height() * max(waveform[first:last]))
        is_played = share is None or number / count < share
        painter.setBrush(QColor(played if is_played else rest))
        bar = QRectF(box.left() + number * _STEP, box.center().y() - high / 2, _BAR, high)
        painter.drawRoundedRect(bar, _BAR / 2, _BAR / 2)
    painter.restore()
