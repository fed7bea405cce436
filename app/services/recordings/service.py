"""The recordings of conversations, as the window shows and plays them."""

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.core.errors import UserError
from app.core.messages import AudioPart
from app.services.recordings.player import Player, find_problem
from app.services.recordings.reader import Waveform, original, waveform_of
from app.services.runtime.worker_thread import Work, WorkerThread, told
from app.storage.attachments import AttachmentStore

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_RATE = 24_000
"""Hertz that are played: more than models hear, and half of what ten minutes would take otherwise."""
_STEP_MS = 50


class RecordingService(QObject):
    """GUI thread. Reads and decodes in a thread. `close` must be called before the last reference goes."""

    loaded = Signal(str)
    """The hash of a recording: its waveform is there."""
    played = Signal()
    """What is played, how far it has come, or whether anything can be played."""
    noticed = Signal(object)
    """A sentence."""

    def __init__(self, store: AttachmentStore, player: Player | None = None, parent: QObject | None = None) -> None:
        """With a `player` of others no sound device is looked for."""
        super().__init__(parent)
        self._store = store
        self._thread = WorkerThread(self, name="recordings")
        self._player = player or Player()
        self._looked = player is not None
        self._problem = ""
        self._waveforms: dict[str, Waveform] = {}
        self._asked: set[str] = set()
        self._playing = ""
        """The hash of what is played, or read to be played."""
        self._reading: Work | None = None
        self._clock = QTimer(self)
        self._clock.setInterval(_STEP_MS)
        self._clock.timeout.connect(self._step)

    @property
    def problem(self) -> str:
        """Why nothing can be played; empty where it can, or nobody knows yet."""
        return self._problem

    def close(self) -> None:
        self._player.stop()
        self._thread.close()

    def waveform(self, part: AudioPart) -> Waveform | None:
        """None while it is being read, and where its file is gone; `loaded` tells when it is there."""
        self.look_for_device()
        if part.content_hash not in self._asked:
            self._asked.add(part.content_hash)
            self._thread.submit(partial(waveform_of, self._store, part), partial(self._hear_waveform, part))
        return self._waveforms.get(part.content_hash)

    def look_for_device(self) -> None:
        """Find out once whether anything can be played; `played` tells where it can't."""
        if not self._looked:
            self._looked = True
            self._thread.submit(find_problem, self._hear_problem)

    def share_of(self, part: AudioPart) -> float | None:
        """How far its playing has come, 0 to 1; None while it is not played."""
        if part.content_hash != self._playing:
            return None
        return 0.0 if self._reading is not None else self._player.share

    def toggle(self, part: AudioPart) -> None:
        """Play it from its beginning, or stop it."""
        was_played = self._playing == part.content_hash
        self._stop()
        if not was_played and not self._problem:
            self._playing = part.content_hash
            self._reading = self._thread.submit(partial(_samples, self._store, part), self._hear_samples)
        self.played.emit()

    def _stop(self) -> None:
        self._playing = ""
        if self._reading is not None:
            self._thread.cancel(self._reading)
            self._reading = None
        self._clock.stop()
        self._player.stop()

    def _hear_problem(self, problem: str | Exception) -> None:
        bug = "Sounds can't be played. The log tells more."
        self._problem = problem if isinstance(problem, str) else told(problem, bug)
        self.played.emit()

    def _hear_waveform(self, part: AudioPart, result: Waveform | Exception) -> None:
        if not isinstance(result, Exception):
            self._waveforms[part.content_hash] = result
            self.loaded.emit(part.content_hash)

    def _hear_samples(self, result: "NDArray[np.float32] | Exception") -> None:
        self._reading = None
        try:
            if isinstance(result, Exception):
                raise result
            self._player.play(result, _RATE)
            self._clock.start()
        except UserError as error:
            self._playing = ""
            self.noticed.emit(error.sentence)
        self.played.emit()

    @Slot()
    def _step(self) -> None:
        if self._player.share is None:
            self._stop()
        self.played.emit()


def _samples(store: AttachmentStore, part: AudioPart) -> "NDArray[np.float32]":
    from app.engine.media.audio import read_audio

    return read_audio(original(store, part), part.name, _RATE).samples
