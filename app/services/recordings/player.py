"""Plays samples on the system's sound device, by miniaudio, which is loaded when the first are played."""

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from app.core.errors import UserError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NO_DEVICE = "This computer has no sound device, so nothing can be played."
_BUFFER_MS = 100
_SILENT = ("Discard all samples", "NULL ")
"""How the devices begin that are none: ALSA's and miniaudio's own."""


def find_problem() -> str:
    """Why nothing can be played, in a sentence; empty where a device is there. Takes up to a second; for any thread."""
    import miniaudio

    try:
        devices = miniaudio.Devices().get_playbacks()
    except miniaudio.MiniaudioError:
        return NO_DEVICE
    return "" if any(not each["name"].startswith(_SILENT) for each in devices) else NO_DEVICE


class Player:
    """One recording at a time. Lives in one thread; miniaudio calls for samples in one of its own."""

    def __init__(self, *, silent: bool = False) -> None:
        """`silent` plays to nobody, at the same speed."""
        self._silent = silent
        self._device: Any = None
        self._place = 0
        self._count = 0

    @property
    def share(self) -> float | None:
        """How far it has come, 0 to 1; None while nothing is played, and when all of it was."""
        return self._place / self._count if self._device is not None and self._place < self._count else None

    def play(self, samples: "NDArray[np.float32]", rate: int) -> None:
        """One channel at `rate` hertz. Raises UserError where no device plays it."""
        import miniaudio

        self.stop()
        backends = [miniaudio.Backend.NULL] if self._silent else None
        try:
            device = miniaudio.PlaybackDevice(
                miniaudio.SampleFormat.FLOAT32, 1, rate, buffersize_msec=_BUFFER_MS, backends=backends
            )
            self._place, self._count, self._device = 0, len(samples), device
            stream = self._stream(samples)
            next(stream)
            device.start(stream)
        except miniaudio.MiniaudioError as error:
            self.stop()
            raise UserError(NO_DEVICE, detail=str(error)) from error

    def stop(self) -> None:
        """Safe to call at any time."""
        device, self._device = self._device, None
        if device is not None:
            device.close()

    def _stream(self, samples: "NDArray[np.float32]") -> Generator[bytes, int, None]:
        wanted = yield b""
        while self._place < self._count:
            block = samples[self._place : self._place + wanted]
            self._place += len(block)
            wanted = yield block.tobytes()
