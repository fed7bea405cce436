"""A conversation that changes between this computer and a paired one takes its state along, where that is quicker than
to read it again there.
"""

import logging
import shutil
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.core.cancel import CancelFlag
from app.core.errors import UserError
from app.core.events import Finished, HeldState, ModelInfo, ReplyEvent
from app.core.requests import ChatRequest
from app.core.sentence import Sentence
from app.engine.memory.rates import Rate
from app.remote.moving import StateLink, pays
from app.remote.stop_signal import StopSignal
from app.services.engine.elsewhere import Asks
from app.services.engine.futures import Hear, Reply
from app.services.engine.state_trial import StateTrial
from app.services.engine.states import ModelReady, ReplyFailed, ReplyUpdate
from app.services.remote.remote_replies import Answers, RemoteReplies
from app.services.remote.saved_servers import SavedServer
from app.services.runtime.detached_thread import DetachedThread

if TYPE_CHECKING:
    from app.engine.reply.session import Session

_log = logging.getLogger(__name__)
LINK = 50e6
"""Bytes in a second between two computers of one house, before anything was moved: a good Wi-Fi."""
_WEIGHT = 16e6
_MIB = 1 << 20
_FEW = 256
"""Entries that are read again without a word, before it was measured what a move costs."""
_OTHER = "{name} has another model file, build or settings of it than this computer, so the conversation was read anew."
_SLOWER = "Reading {n:,} tokens again was quicker than moving {size} MB between {name} and this computer."


@dataclass(frozen=True, slots=True)
class _There:
    """Who wrote a conversation's last answer."""

    saved: SavedServer
    make: Callable[[], Answers]


@dataclass(frozen=True, slots=True)
class _Worth:
    """A state is brought here."""

    model: ModelInfo
    """That shall hold it."""
    n_new: int
    """Entries that it would read otherwise."""


@dataclass(slots=True)
class _Move:
    """One that is under way: where its file lies, and what is said of it."""

    stop: StopSignal
    note: str = ""
    folder: Path | None = None
    """While there is a file."""
    reply: Reply | None = None
    """The one that was begun after it."""

    def path(self) -> Path:
        """Not in the GUI thread, as `end`."""
        if self.folder is None:
            self.folder = Path(tempfile.mkdtemp(prefix="hearth-state-"))
        return self.folder / "The moved state"

    def tell(self, note: str) -> None:
        """With the answer."""
        self.note = note

    def answer(self, reply: Reply) -> None:
        """The answer was begun, whatever came of the move."""
        self.reply = reply
        if self.stop.is_set:
            reply.cancel()

    def cancel(self) -> None:
        self.stop.set()
        if self.reply is not None:
            self.reply.cancel()

    def end(self) -> None:
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder = None


class StateMoves(QObject):
    """GUI thread. It knows where the conversations of this run were answered last; what is older is read again."""

    def __init__(self, replies: RemoteReplies, link: float, parent: QObject) -> None:
        """`link` is how many bytes pass in a second as long as nothing was measured."""
        super().__init__(parent)
        self._replies = replies
        self._guess = link
        self._links: dict[str, Rate] = {}
        """By server."""
        self._last: dict[str, _There | None] = {}
        """By conversation; None is here."""
        self._open: list[tuple[_Move, DetachedThread]] = []

    def forget(self, server_id: str) -> None:
        """It is asked for nothing any more."""
        self._last = {
            conversation: there
            for conversation, there in self._last.items()
            if there is None or there.saved.id != server_id
        }

    def close(self) -> None:
        for move, thread in self._open:
            move.stop.set()
            thread.leave()
        self._open.clear()

    def generate(
        self, saved: SavedServer, make: Callable[[], Answers], request: ChatRequest, hear: Hear, here: Asks
    ) -> Reply:
        """Have a server answer, which is sent first what this computer holds."""
        was_here = request.conversation in self._last and self._last[request.conversation] is None
        self._last[request.conversation] = _There(saved, make) if saved.address.pin is not None else None
        if saved.address.pin is None:
            self._last.pop(request.conversation)
        if not was_here or saved.address.pin is None or not isinstance(here.local_state, ModelReady):
            return self._replies.begin(make, request, hear)
        there, link = _There(saved, make), self._link(saved)

        def begin(move: _Move, hear: Hear) -> Reply:
            return self._replies.begin(lambda: _SentFirst(make(), move, there, link, request), request, hear)

        def save(move: _Move, held: HeldState, thread: DetachedThread, done: Callable[[], None]) -> None:
            question = partial(_save, request.conversation, held, link.per_second, saved.name, move)
            here.ask(question, lambda said: self._told(said, move, done))

        return self._moved(there, request, hear, save, begin)

    def bring(self, request: ChatRequest, hear: Hear, here: Asks, begin: Callable[[Hear], Reply]) -> Reply:
        """Answer here, where what a paired computer holds is brought first."""
        if not request.conversation:
            return begin(hear)
        there, self._last[request.conversation] = self._last.get(request.conversation), None
        if there is None:
            return begin(hear)
        link, trial = self._link(there.saved), here.state_trial

        def restore(move: _Move, said: object, done: Callable[[], None]) -> None:
            if isinstance(said, Exception):
                self._told(said, move, done)
                return
            question = partial(_restore, request.conversation, request.keep_on_disk, move)
            here.ask(question, lambda said: self._told(said, move, done))

        def fetch(move: _Move, held: HeldState, thread: DetachedThread, done: Callable[[], None]) -> None:
            def decided(said: _Worth | Exception | None) -> None:
                if isinstance(said, _Worth):
                    act = partial(_fetch, there, request, held, link, said, trial, move)
                    thread.submit(act, lambda said: restore(move, said, done))
                else:
                    self._told(said, move, done)

            question = partial(
                _decide, request.conversation, held, link.per_second, trial.seconds, there.saved.name, move
            )
            here.ask(question, decided)

        return self._moved(there, request, hear, fetch, lambda _, hear: begin(hear))

    def _moved(
        self,
        there: _There,
        request: ChatRequest,
        hear: Hear,
        go_on: Callable[[_Move, HeldState, DetachedThread, Callable[[], None]], None],
        begin: Callable[[_Move, Hear], Reply],
    ) -> Reply:
        """Ask what is held there, `go_on` with that, and `begin` the answer whatever came of it."""
        move = _Move(StopSignal())
        thread = DetachedThread(self, name="state")
        self._open.append((move, thread))

        def done() -> None:
            if (move, thread) not in self._open:
                return
            thread.leave()
            thread.deleteLater()
            move.answer(begin(move, partial(self._hear, move, thread, hear)))

        def hear_held(said: HeldState | Exception) -> None:
            if isinstance(said, HeldState) and not move.stop.is_set:
                go_on(move, said, thread, done)
            else:
                self._told(said, move, done)

        thread.submit(partial(_held, there, request, move.stop), hear_held)
        return Reply(hear, move.cancel)

    def _told(self, said: object, move: _Move, done: Callable[[], None]) -> None:
        """What went wrong is said with the answer, which is written all the same."""
        if isinstance(said, UserError):
            move.tell(said.sentence)
        elif isinstance(said, Exception) and not move.stop.is_set:
            _log.error("A state could not be moved", exc_info=said)
        done()

    def _hear(self, move: _Move, thread: DetachedThread, hear: Hear, said: ReplyUpdate | ReplyFailed) -> None:
        if isinstance(said, ReplyFailed) or said.is_last:
            with suppress(ValueError):
                self._open.remove((move, thread))
        if isinstance(said, ReplyUpdate) and isinstance(said.event, Finished) and move.note:
            said = replace(said, event=replace(said.event, notes=(*said.event.notes, move.note)))
        hear(said)

    def _link(self, saved: SavedServer) -> Rate:
        return self._links.setdefault(saved.id, Rate(self._guess, _WEIGHT))


def _state_link(there: _There, request: ChatRequest, stop: StopSignal) -> StateLink:
    """In a thread. Raises UserError."""
    return _link_of(there.make(), request, stop)


def _link_of(engine: Answers, request: ChatRequest, stop: StopSignal) -> StateLink:
    from app.remote.engine import RemoteEngine

    assert isinstance(engine, RemoteEngine)
    return StateLink(engine.server, engine.session_of(request.conversation), stop)


def _held(there: _There, request: ChatRequest, stop: StopSignal) -> HeldState:
    return _state_link(there, request, stop).held()


def _fetch(
    there: _There, request: ChatRequest, held: HeldState, link: Rate, worth: _Worth, trial: StateTrial, move: _Move
) -> None:
    cancel = CancelFlag()
    # Notes and hashes take little room beside the state; what is far larger was not what was promised.
    try:
        size, seconds = _state_link(there, request, move.stop).fetch(move.path(), 2 * held.n_bytes + 64 * _MIB)
        with move.stop.calls(cancel.set):
            trial.ensure(worth.model, move.path(), cancel)
    except Exception:
        move.end()
        raise
    link.add(size, seconds)
    seconds += trial.seconds
    told = "Fetched {size} MB from {name} in {seconds} s, instead of reading {n:,} tokens again."
    move.tell(Sentence(told, size=_mb(size), name=there.saved.name, seconds=f"{seconds:.1f}", n=worth.n_new))


def _decide(
    conversation: str, there: HeldState, link: float, trying: float, name: str, move: _Move, session: "Session",
    _: Callable[[], bool],
) -> _Worth | None:  # fmt: skip
    """In the engine thread: None where what is held there is not brought here."""
    own = replace(session.held_state(conversation), trying=trying)
    is_worth = _is_worth(there, own, link, name, move)
    return _Worth(session.info, there.n_entries - own.n_entries) if is_worth else None


def _save(
    conversation: str, there: HeldState, link: float, name: str, move: _Move, session: "Session", _: Callable[[], bool]
) -> None:
    """In the engine thread: write what is held here, where it shall be sent."""
    own = session.held_state(conversation)
    if _is_worth(own, there, link, name, move):
        session.save_state(move.path(), {}, conversation)


def _is_worth(source: HeldState, target: HeldState, link: float, name: str, move: _Move) -> bool:
    new = source.n_entries - target.n_entries
    if new < _FEW:
        return False
    if source.identity != target.identity:
        move.tell(Sentence(_OTHER, name=name))
        return False
    if pays(new, source.n_bytes, link=link, reading=target.reading, trying=target.trying):
        return True
    move.tell(Sentence(_SLOWER, n=new, size=_mb(source.n_bytes), name=name))
    return False


def _restore(conversation: str, keep_on_disk: bool, move: _Move, session: "Session", _: Callable[[], bool]) -> None:
    """In the engine thread."""
    try:
        session.restore_state(move.path(), conversation, keep_on_disk=keep_on_disk, foreign=True)
    finally:
        move.end()


def _mb(n_bytes: int) -> str:
    return f"{n_bytes / 1e6:,.1f}"


class _SentFirst:
    """Answers of a server that gets a state before it is asked."""

    def __init__(self, engine: Answers, move: _Move, there: _There, link: Rate, request: ChatRequest) -> None:
        self._engine, self._move, self._there, self._link, self._request = engine, move, there, link, request

    def reply(self, request: ChatRequest, stop: StopSignal) -> Generator[ReplyEvent, None, None]:
        if self._move.folder is not None:
            self._send(stop)
        yield from self._engine.reply(request, stop)

    def _send(self, stop: StopSignal) -> None:
        from app.remote.exchange import StoppedError

        began = time.monotonic()
        try:
            size, seconds = _link_of(self._engine, self._request, stop).send(self._move.path())
        except StoppedError:
            return  # the answer that follows is stopped, too
        except UserError as error:
            self._move.tell(error.sentence)
            return
        finally:
            self._move.end()
        self._link.add(size, seconds)
        seconds = time.monotonic() - began  # with those in which it was tried there
        told = "Sent {size} MB to {name} in {seconds} s, so that nothing is read again there."
        self._move.tell(Sentence(told, size=_mb(size), name=self._there.saved.name, seconds=f"{seconds:.1f}"))
