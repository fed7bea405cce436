"""The recordings of one message, as chips with their waveforms; a click plays one, or stops it."""

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Slot
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QWidget

from app.core.messages import AudioPart
from app.services.recordings.service import RecordingService
from app.ui.formatting.numbers import play_time
from app.ui.formatting.sentences import translated
from app.ui.theme.appearance import Appearance
from app.ui.theme.fonts import scaled, text_font
from app.ui.widgets.discard import discard
from app.ui.widgets.flow import flow
from app.ui.widgets.plain_text import plain_tip
from app.ui.widgets.waveform import paint_waveform

_WIDE, _HIGH = 300, 46
"""Pixels, as all here, at the usual size of text."""
_ICON, _ICON_ROOM, _TIME_ROOM = 20, 42, 52
_RADIUS, _GAP = 10, 6
_NAME_SIZE = 13


class RecordingView(QAbstractButton):
    """Loads its waveform when it is first painted, which is when it comes into view."""

    def __init__(self, appearance: Appearance, recordings: RecordingService, part: AudioPart, parent: QWidget) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._recordings = recordings
        self.part = part
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.clicked.connect(self._toggle)
        appearance.changed.connect(self.update)
        recordings.loaded.connect(self._loaded)
        recordings.played.connect(self._show_playing)
        self._show_playing()

    @property
    def share(self) -> float | None:
        """How far its playing has come; None while it is not played."""
        return self._recordings.share_of(self.part)

    def sizeHint(self) -> QSize:
        return QSize(scaled(_WIDE), scaled(_HIGH))

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens, painter, has_focus = self._appearance.tokens, QPainter(self), self.hasFocus()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(tokens.accent if has_focus else tokens.border), 2.0 if has_focus else 1.0))
        painter.setBrush(QColor(tokens.hover if self.underMouse() and self.isEnabled() else tokens.window))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), _RADIUS, _RADIUS)
        name = "audio" if not self.isEnabled() else "play" if self.share is None else "stop"
        icon = QRect((_ICON_ROOM - _ICON) // 2, (self.height() - _ICON) // 2, _ICON, _ICON)
        self._appearance.icon(name, "text" if self.isEnabled() else "muted").paint(painter, self._mirrored(icon))
        words, half = self.width() - _ICON_ROOM - scaled(_TIME_ROOM), self.height() // 2
        self._paint_words(painter, words)
        wave = QRectF(self._mirrored(QRect(_ICON_ROOM, half + 2, words, half - 8)))
        waveform = self._recordings.waveform(self.part) or ()
        paint_waveform(painter, wave, waveform, self.share, tokens.accent, tokens.scroll)
        painter.end()

    def _paint_words(self, painter: QPainter, width: int) -> None:
        """The name above the waveform, and how long it lasts behind both."""
        painter.setFont(text_font(_NAME_SIZE))
        shown = painter.fontMetrics().elidedText(self._name(), Qt.TextElideMode.ElideMiddle, width)
        name = QRect(_ICON_ROOM, 4, width, self.height() // 2 - 2)
        time = QRect(self.width() - scaled(_TIME_ROOM), 0, scaled(_TIME_ROOM) - 12, self.height())
        sides, tokens = Qt.AlignmentFlag, self._appearance.tokens
        for place, side, colour, text in (
            (name, sides.AlignLeading, tokens.text, shown),
            (time, sides.AlignTrailing, tokens.muted, play_time(self.part.seconds)),
        ):
            painter.setPen(QColor(colour))
            painter.drawText(self._mirrored(place), side | sides.AlignVCenter, text)

    def _mirrored(self, place: QRect) -> QRect:
        if not self.isRightToLeft():
            return place
        return QRect(self.width() - place.right() - 1, place.top(), place.width(), place.height())

    def _name(self) -> str:
        return self.part.name or self.tr("recording without a name")

    @Slot()
    def _toggle(self) -> None:
        self._recordings.toggle(self.part)

    @Slot(str)
    def _loaded(self, content_hash: str) -> None:
        if content_hash == self.part.content_hash:
            self.update()

    @Slot()
    def _show_playing(self) -> None:
        problem, playing = self._recordings.problem, self.share is not None
        self.setEnabled(not problem)
        does = self.tr("Stop") if playing else self.tr("Play")
        self.setToolTip(plain_tip("\n".join((self._name(), translated(problem) or does)), wraps=False))
        self.setAccessibleName(
            self.tr("{name}, {time}: {does}").format(name=self._name(), time=play_time(self.part.seconds), does=does)
        )
        self.setCursor(Qt.CursorShape.ArrowCursor if problem else Qt.CursorShape.PointingHandCursor)
        self.update()


class RecordingRow(QWidget):
    """As high as its rows for the width that `place` is told."""

    def __init__(self, appearance: Appearance, recordings: RecordingService, parent: QWidget) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._recordings = recordings
        self._views: list[RecordingView] = []

    @property
    def views(self) -> tuple[RecordingView, ...]:
        return tuple(self._views)

    def show_recordings(self, parts: tuple[AudioPart, ...]) -> None:
        if parts == tuple(view.part for view in self._views):
            return
        gone = self._views
        self._views = [RecordingView(self._appearance, self._recordings, each, self) for each in parts]
        discard(*gone)
        for view in self._views:
            view.show()

    def place(self, width: int) -> int:
        """Lay out in `width` pixels, at the side where the user's words stand; returns the height."""
        sizes = [view.sizeHint().boundedTo(QSize(width, scaled(_HIGH))) for view in self._views]
        places, height = flow(sizes, width, _GAP, to_right=not self.isRightToLeft())
        for view, size, place in zip(self._views, sizes, places, strict=True):
            view.resize(size)
            view.move(place)
        self.resize(width, height)
        return height
