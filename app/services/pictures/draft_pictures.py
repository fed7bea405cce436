"""The pictures of messages that are still being written: read at once, kept, and shown to the model early."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QImage

from app.core.messages import ImagePart
from app.core.sentence import Sentence
from app.engine.vision.image_limits import shown
from app.services.engine.futures import Future
from app.services.engine.service import EngineService
from app.services.engine.states import ModelReady, known_model
from app.services.pictures.reader import (
    ReadPicture,
    SvgPainter,
    file_bytes,
    png_bytes,
    read_and_keep,
    thumbnail_of,
)
from app.services.pictures.states import PendingPicture, PictureState
from app.services.runtime.settings_service import SettingsService
from app.services.runtime.worker_thread import Work, WorkerThread, told
from app.storage.attachments import AttachmentStore

if TYPE_CHECKING:
    from app.engine.reply.session import Session

MOST_PICTURES = 16
"""In one message."""


@dataclass(slots=True, eq=False)
class _Entry:
    picture: PendingPicture
    work: Work | None = None
    """While it is being read."""
    encoding: Future[bool] | None = None
    """While it is being encoded, or waits for that."""
    encoded: bool = False
    """By the model that is loaded now."""


@dataclass(frozen=True, slots=True)
class TakenPictures:
    """What `DraftPictures.take` hands out; `give_back` accepts it again."""

    parts: tuple[ImagePart, ...] = ()
    entries: tuple[_Entry, ...] = ()


class DraftPictures(QObject):
    """GUI thread. Widgets call its methods and show what `changed` carries. Each conversation has its own draft."""

    changed = Signal(object)
    """tuple[PendingPicture, ...]: those of the draft on screen, in order"""
    noticed = Signal(object)
    """A sentence: why a picture was not taken, or what was left out of it"""

    def __init__(
        self,
        store: AttachmentStore,
        engine: EngineService,
        settings: SettingsService,
        thread: WorkerThread,
        paint_svg: SvgPainter,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._store = store
        self._engine = engine
        self._settings = settings
        self._thread = thread
        self._paint_svg = paint_svg
        self._numbers = itertools.count(1)
        self._conversation: int | None = None
        self._drafts: dict[int | None, list[_Entry]] = {}
        self._sent: list[_Entry] = []
        """Handed out while the engine was still encoding them."""
        engine.state_changed.connect(self._engine_changed)
        settings.changed.connect(self._settings_changed)

    @property
    def pictures(self) -> tuple[PendingPicture, ...]:
        """Of the draft on screen."""
        return tuple(entry.picture for entry in self._entries)

    @property
    def parts(self) -> tuple[ImagePart, ...]:
        """Those of the draft on screen that are read."""
        return tuple(entry.picture.part for entry in self._entries if entry.picture.part is not None)

    @property
    def obstacle(self) -> str:
        """Why the model that is loaded takes no pictures, and what to do; empty when it does, or is not known yet."""
        info = known_model(self._engine.state)
        if info is None or info.sees:
            return ""
        if info.vision_problem:
            return info.vision_problem
        return Sentence(
            "{name} can't see pictures: there is no mmproj file with it. Find that file, or choose a model that sees.",
            name=info.name,
        )

    def add(self, data: bytes, name: str = "") -> None:
        """A picture file's bytes, of any format."""
        self._add(name, lambda: data)

    def add_file(self, path: Path) -> None:
        self._add(path.name, partial(file_bytes, path))

    def add_image(self, image: QImage, name: str = "") -> None:
        """Pixels from another program, kept as PNG."""
        self._add(name, partial(png_bytes, image))

    def restore(self, parts: tuple[ImagePart, ...]) -> None:
        """Put what was kept of a draft before what is there; what it looks like is read again."""
        kept = []
        for part in parts:
            entry = _Entry(PendingPicture(next(self._numbers), part.name, PictureState.READY, part))
            entry.work = self._thread.submit(partial(thumbnail_of, self._store, part), partial(self._hear_look, entry))
            kept.append(entry)
        self._entries[:0] = kept
        if kept:
            self._encode_early()
            self._tell()

    def remove(self, number: int) -> None:
        """Take a picture away, and stop whatever is being done about it."""
        for entry in [each for each in self._entries if each.picture.number == number]:
            self._stop(entry)
            self._entries.remove(entry)
            self._tell()

    def show_conversation(self, conversation: int | None) -> None:
        """Put the draft away and bring out the other conversation's."""
        if conversation == self._conversation:
            return
        for entry in self._entries:
            self._stop_encoding(entry)
        if not self._entries:
            self._drafts.pop(self._conversation, None)
        self._conversation = conversation
        self._encode_early()
        self._tell()

    def take(self) -> TakenPictures:
        """The draft's pictures, to be sent; those that are still being read stay in the draft."""
        entries = tuple(each for each in self._entries if each.picture.part is not None)
        self._drafts[self._conversation] = [each for each in self._entries if each.picture.part is None]
        self._sent += [entry for entry in entries if entry.encoding is not None]
        if entries:
            self._tell()
        return TakenPictures(tuple(each.picture.part for each in entries if each.picture.part is not None), entries)

    def give_back(self, taken: TakenPictures) -> None:
        """Nobody took these: they are in the draft again."""
        if not taken.entries:
            return
        self._sent = [entry for entry in self._sent if entry not in taken.entries]
        self._entries[:0] = taken.entries
        self._tell()

    def cancel_sent(self) -> None:
        """Stop encoding what was sent, when its answer is stopped."""
        for entry in self._sent:
            self._stop_encoding(entry)
        self._sent.clear()

    def close(self) -> None:
        """Stop everything. The thread is its owner's to close."""
        for entry in [*itertools.chain(*self._drafts.values()), *self._sent]:
            self._stop(entry)
        self._drafts.clear()
        self._sent.clear()

    @property
    def _entries(self) -> list[_Entry]:
        return self._drafts.setdefault(self._conversation, [])

    def _add(self, name: str, data: Callable[[], bytes]) -> None:
        if len(self._entries) >= MOST_PICTURES:
            full = "A message takes at most {count} pictures; send these first."
            self.noticed.emit(Sentence(full, count=MOST_PICTURES))
            return
        entry = _Entry(PendingPicture(next(self._numbers), name, PictureState.READING))
        store, paint_svg = self._store, self._paint_svg
        entry.work = self._thread.submit(
            lambda: read_and_keep(store, paint_svg, data(), name), partial(self._hear_read, entry)
        )
        self._entries.append(entry)
        self._tell()

    def _hear_read(self, entry: _Entry, result: ReadPicture | Exception) -> None:
        entry.work = None
        if isinstance(result, Exception):
            for draft in self._drafts.values():
                if entry in draft:
                    draft.remove(entry)
            self.noticed.emit(told(result, self._cannot_read(entry.picture.name)))
        else:
            entry.picture = replace(
                entry.picture,
                name=result.part.name,
                state=PictureState.READY,
                part=result.part,
                thumbnail=result.thumbnail,
                note=result.note,
            )
            if result.note:
                self.noticed.emit(result.note)
            self._encode_early()
        self._tell()

    def _hear_look(self, entry: _Entry, result: QImage | Exception) -> None:
        entry.work = None
        if isinstance(result, QImage):
            entry.picture = replace(entry.picture, thumbnail=result)
            self._tell()
        else:
            self._hear_read(entry, result)

    @staticmethod
    def _cannot_read(name: str) -> str:
        if not name:
            return "The picture could not be read because of a fault in Hearth. The log tells more."
        return Sentence("{name} could not be read because of a fault in Hearth. The log tells more.", name=shown(name))

    def _encode_early(self) -> None:
        """Ask the engine to look at what the draft on screen holds; the answer then begins sooner."""
        state = self._engine.state
        if not self._settings.settings.pictures.encode_while_typing:
            return
        if not isinstance(state, ModelReady) or not state.info.sees:
            return
        for entry in self._entries:
            if entry.picture.state is PictureState.READY and entry.picture.part is not None and not entry.encoded:
                look = partial(_encode, entry.picture.part)
                entry.encoding = self._engine.ask(look, partial(self._hear_encoded, entry))
                entry.picture = replace(entry.picture, state=PictureState.ENCODING)

    def _hear_encoded(self, entry: _Entry, ended: bool | Exception) -> None:
        # Also where it failed: it is tried again with the reply, which then tells why.
        entry.encoded = bool(ended)
        self._end_encoding(entry)
        self._sent = [each for each in self._sent if each is not entry]
        self._tell()

    @Slot(object)
    def _engine_changed(self, state: object) -> None:
        if not isinstance(state, ModelReady):
            for entry in itertools.chain(*self._drafts.values(), self._sent):
                entry.encoded = False
                self._stop_encoding(entry)
            self._sent.clear()
        self._encode_early()
        self._tell()

    @Slot(object)
    def _settings_changed(self, settings: object) -> None:
        self._encode_early()
        self._tell()

    def _stop(self, entry: _Entry) -> None:
        if entry.work is not None:
            self._thread.cancel(entry.work)
            entry.work = None
        self._stop_encoding(entry)

    def _stop_encoding(self, entry: _Entry) -> None:
        if entry.encoding is not None:
            entry.encoding.cancel()
        self._end_encoding(entry)

    def _end_encoding(self, entry: _Entry) -> None:
        entry.encoding = None
        if entry.picture.state is PictureState.ENCODING:
            entry.picture = replace(entry.picture, state=PictureState.READY)

    def _tell(self) -> None:
        self.changed.emit(self.pictures)


def _encode(part: ImagePart, session: "Session", cancelled: Callable[[], bool]) -> bool:
    """In the engine thread. Whether it ended by itself; it fails where the model sees nothing."""
    return session.encode(part) or not cancelled()
