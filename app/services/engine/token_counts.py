"""How much of the context texts, documents and pictures take, counted by the loaded model when it has time."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from app.core.messages import AudioPart, DocumentPart, ImagePart, Part, PassagePart, TextPart
from app.core.model_ref import ModelRef
from app.core.overflow import reckoned
from app.services.engine.futures import Future
from app.services.engine.service import EngineService
from app.services.engine.states import ModelReady

if TYPE_CHECKING:
    from app.engine.reply.session import Session

_MOST_KEPT = 64


@dataclass(frozen=True, slots=True)
class TokenCount:
    """How much of the context something takes."""

    n: int
    exact: bool
    """Counted by the model that is loaded; otherwise reckoned from the length."""


class TokenCounts(QObject):
    """GUI thread. One question at a time is in the engine, and what is wanted meanwhile replaces what was before.

    A reply that is asked for does not wait for it.
    """

    changed = Signal()
    """Some count is known now, or is not valid any more."""

    def __init__(self, engine: EngineService, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._engine = engine
        self._known: OrderedDict[Part, int] = OrderedDict()
        self._model: ModelRef | None = None
        self._asked: Future[list[int]] | None = None
        self._next: tuple[Part, ...] = ()
        engine.state_changed.connect(self._engine_changed)
        self._engine_changed(engine.state)

    def of(self, part: Part) -> TokenCount:
        if (known := self._known.get(part)) is not None:
            self._known.move_to_end(part)
            return TokenCount(known, exact=True)
        match part:
            case TextPart(text):
                return TokenCount(reckoned(text), exact=not text)
            case DocumentPart(_, name, _, True):
                return TokenCount(reckoned(name) + 14, exact=False)
            case DocumentPart(_, name, text) | PassagePart(_, _, name, text):
                return TokenCount(reckoned(text) + reckoned(name) + 6, exact=False)
            case ImagePart() | AudioPart():
                return TokenCount(0, exact=False)

    def total(self, parts: Sequence[Part]) -> TokenCount:
        """Of all of them together."""
        counts = [self.of(each) for each in parts]
        return TokenCount(sum(each.n for each in counts), exact=all(each.exact for each in counts))

    def want(self, parts: Sequence[Part]) -> bool:
        """Count what is not counted yet; `changed` tells when it is. False when nobody can count now."""
        wanted = tuple(each for each in parts if each not in self._known and each != TextPart(""))
        self._next = wanted
        if not isinstance(self._engine.state, ModelReady):
            return False
        if wanted and self._asked is None:
            self._ask()
        return True

    def _ask(self) -> None:
        parts, self._next = self._next, ()
        self._asked = self._engine.ask(partial(_sizes, parts), partial(self._hear, parts), waits=True)

    def _hear(self, parts: tuple[Part, ...], sizes: list[int] | Exception) -> None:
        """No sizes where it was cancelled."""
        self._asked = None
        counts = [] if isinstance(sizes, Exception) else sizes
        for part, n in zip(parts, counts, strict=False):
            self._known[part] = n
        while len(self._known) > _MOST_KEPT:
            self._known.popitem(last=False)
        self._next = tuple(each for each in self._next if each not in self._known)
        if self._next and isinstance(self._engine.state, ModelReady):
            self._ask()
        if counts:
            self.changed.emit()

    @Slot(object)
    def _engine_changed(self, state: object) -> None:
        model = state.info.ref if isinstance(state, ModelReady) else None
        if model != self._model:
            self._model = model
            self._known.clear()
            if self._asked is not None:
                # By the model that was there.
                self._asked.cancel()
                self._asked = None
            self.changed.emit()


def _sizes(parts: tuple[Part, ...], session: "Session", cancelled: Callable[[], bool]) -> list[int]:
    """In the engine thread: all of them, or none where it was cancelled."""
    sizes: list[int] = []
    for part in parts:
        if cancelled() or (size := session.size_of(part, cancelled)) is None:
            return []
        sizes.append(size)
    return sizes
