"""Media of a message that is still being written are shown to the model early; the answer then begins sooner."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from app.core.messages import MediaPart
from app.services.engine.futures import Future
from app.services.engine.service import EngineService
from app.services.engine.states import ModelReady
from app.services.runtime.settings_service import SettingsService

if TYPE_CHECKING:
    from app.engine.reply.session import Session


class EarlyEncoding(QObject):
    """GUI thread. Parts are known by numbers of their owner's."""

    changed = Signal()
    """What is being encoded, or what could be."""

    def __init__(self, engine: EngineService, settings: SettingsService, parent: QObject) -> None:
        super().__init__(parent)
        self._engine = engine
        self._settings = settings
        self._running: dict[int, Future[bool]] = {}
        """Or waiting."""
        self._ended: set[int] = set()
        """With the model that is loaded now."""
        engine.state_changed.connect(self._engine_changed)
        settings.changed.connect(self.changed)

    @property
    def running(self) -> frozenset[int]:
        """What is being encoded, or waits for that."""
        return frozenset(self._running)

    def begin(self, parts: Mapping[int, MediaPart]) -> None:
        """Ask for those that the model takes, each once."""
        state = self._engine.state
        if not isinstance(state, ModelReady) or not self._settings.settings.pictures.encode_while_typing:
            return
        for number in parts.keys() - self._running.keys() - self._ended:
            if not state.info.refusal([parts[number]]):
                look = partial(_encode, parts[number])
                self._running[number] = self._engine.ask(look, partial(self._hear, number))

    def cancel(self, numbers: Iterable[int]) -> None:
        for number in self._running.keys() & set(numbers):
            self._running.pop(number).cancel()

    def _hear(self, number: int, _: bool | Exception) -> None:
        # Also where it failed: it is tried again with the reply, which then tells why.
        del self._running[number]
        self._ended.add(number)
        self.changed.emit()

    @Slot(object)
    def _engine_changed(self, state: object) -> None:
        if not isinstance(state, ModelReady):
            self._ended.clear()
            self.cancel(self.running)
        self.changed.emit()


def _encode(part: MediaPart, session: "Session", cancelled: Callable[[], bool]) -> bool:
    """In the engine thread. Whether it ended by itself; it fails where the model does not take it."""
    return session.encode(part) or not cancelled()
