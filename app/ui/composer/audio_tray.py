"""The recordings of the message that is being written, as chips with their waveforms above the text."""

from collections.abc import Callable

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.core.messages import AudioPart
from app.services.drafts.pending import PendingAudio
from app.ui.composer.attachment_chip import AttachmentChip
from app.ui.composer.attachment_tray import AttachmentTray
from app.ui.formatting.numbers import line_of, n_tokens, play_time
from app.ui.formatting.sentences import translated
from app.ui.theme.appearance import Appearance
from app.ui.theme.fonts import scaled
from app.ui.widgets.waveform import paint_waveform

ShareOf = Callable[[AudioPart], float | None]
"""How far the playing of a recording has come, 0 to 1; None while it is not played."""
_WAVE, _BESIDE = 68, 38
"""Pixels of the waveform, and of what stands behind it: the button that removes."""


class AudioChip(AttachmentChip[PendingAudio]):
    """A click or Enter plays it, or stops that."""

    ICON = "audio"

    def __init__(self, appearance: Appearance, pending: PendingAudio, parent: QWidget) -> None:
        super().__init__(appearance, pending, parent)
        self.share: float | None = None
        self.problem = ""
        """Why it can't be played."""
        self.setAccessibleDescription(self.tr("Enter plays the recording, Delete removes it."))

    @property
    def icon_name(self) -> str:
        if self.problem:
            return self.ICON
        return "play" if self.share is None else "stop"

    @property
    def told(self) -> str:
        """The second line: how long it lasts, and how many entries it takes."""
        recording = self._pending
        if recording.part is None:
            return self.tr("Reading…")
        tokens = recording.tokens.n if recording.tokens is not None else 0
        return line_of((play_time(recording.part.seconds), n_tokens(tokens) if tokens else ""))

    def show_playing(self, share: float | None, problem: str) -> None:
        if (share, problem) != (self.share, self.problem):
            self.share, self.problem = share, problem
            self.update()

    def sizeHint(self) -> QSize:
        hint = super().sizeHint()
        return QSize(hint.width() + self._beside(), hint.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        tokens, painter = self._appearance.tokens, QPainter(self)
        wide = scaled(_WAVE)
        box = QRectF(self.width() - _BESIDE - wide, self.height() / 4, wide, self.height() / 2)
        if self.isRightToLeft():
            box.moveLeft(_BESIDE)
        paint_waveform(painter, box, self._pending.waveform, self.share, tokens.accent, tokens.scroll)
        painter.end()

    def _beside(self) -> int:
        return scaled(_WAVE) + 8

    def _said(self, place: int, of: int) -> str:
        return self.tr("Recording {place} of {count}: {name}").format(place=place, count=of, name=self._pending.name)

    def _tip(self) -> list[str]:
        lines = [self._pending.name, self.told]
        if self._pending.is_encoding:
            lines.append(self.tr("the model is listening to it already"))
        lines.append(translated(self.problem) if self.problem else self.tr("A click plays it"))
        return lines


class AudioTray(AttachmentTray[AudioChip, PendingAudio]):
    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(appearance, PendingAudio, parent)
        self.setAccessibleName(self.tr("Recordings of this message"))

    @property
    def waiting(self) -> str:
        return self.tr("The message goes as soon as its recordings are read…")

    def show_playing(self, share_of: ShareOf, problem: str) -> None:
        """What is played, and why nothing can be; empty where it can."""
        for chip in self.items:
            part = chip.pending.part
            chip.show_playing(share_of(part) if part is not None else None, problem)

    def _make(self, pending: PendingAudio) -> AudioChip:
        return AudioChip(self._appearance, pending, self)
