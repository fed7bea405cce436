"""Several replies at once in one context: who works next, and on what."""

import logging
import time
from collections import deque
from collections.abc import Callable, Sequence
from itertools import count
from statistics import median
from typing import Generic

from app.core.errors import ContextFullError
from app.core.requests import ChatRequest
from app.core.speculation import DraftFigures
from app.engine.memory.slot import Slot
from app.engine.memory.turns import ALL, MOMENT, TextTurn, TokenTurn, WaitTurn
from app.engine.reply.flash_choice import Reading, Worked
from app.engine.reply.live_reply import Aim, Asker, HearReply, LiveReply
from app.engine.reply.reading_together import SECONDS, may_begin, pieces, together
from app.engine.reply.session import Session
from app.engine.reply.slice_size import GAP, TILE, SliceSize

_log = logging.getLogger(__name__)

_SHORT = 4
"""What is left of a prompt is short where it is no more than so many slices."""
_KEPT = 0.55
"""Of the pace that those who write had, this is left to them: half, and a little for what is not timed here."""
_LEAST = 0.4
"""Of what somebody who writes takes, this pays for what was read at least, however slow that has become: the longer
another reads, the longer grow the answers beside it, which makes all of them slower still.
"""
_MAKING = 0.25
"""Seconds that those who write may wait for a context that is made anew before another reads, or twice what a token for
each of them takes.
"""
_MARGIN = 256
"""Entries that must be free beyond what a reply holds before it comes back to its cells."""


class Scheduler(Generic[Asker]):
    """Runs the replies of a session, step by step, in the engine thread.

    One alone has all as if there were no others. Of several, those who write get a token each, together or in turns,
    whichever is cheaper here; who reads does so by itself, a slice at a time, and then the others get as much time as
    that took. All share the context's cells: who came last steps aside where these run out. A slot whose reply has
    ended is emptied as long as others go on, for cells that nobody uses cost everybody time.
    """

    def __init__(
        self,
        session: Session,
        aim: Aim[Asker],
        hear: HearReply[Asker],
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        """`hear` must not ask anything of this."""
        self._session = session
        self._aim = aim
        self._hear = hear
        self._clock = clock
        self._live: list[LiveReply[Asker]] = []
        """In the order in which they came."""
        self._order = count(1)
        self._owed = 0.0
        """Seconds that those who write get before anybody reads again."""
        self._last_slice = 0
        """Who writes and was `served` after that has had a token since somebody read."""
        self._paces: deque[float] = deque(maxlen=9)
        """Seconds that a token of one who writes took, while nobody read."""
        self._round = 0.0
        """Seconds that a token for each of those who write took last."""
        self._slice = SliceSize(session.slot.rates.reading.per_second, session.slot.context.n_ubatch)
        self._missing = 0
        """Cells that were reckoned free and were not there."""

    @property
    def is_busy(self) -> bool:
        return bool(self._live)

    def drafted(self, asker: Asker) -> DraftFigures | None:
        """What drafting has done for a reply that has not ended."""
        slot = next((each.slot for each in self._live if each.asker is asker), None)
        return self._session.drafted_in(slot) if slot is not None else None

    def make_room(self) -> bool:
        """Whether another reply may be added, for which the context is made anew where it has one sequence alone."""
        if not self._live:
            return True
        if len(self._live) >= self._session.n_parallel:
            return False
        return self._session.widen(self._live[0].slot)

    def add(self, asker: Asker, request: ChatRequest) -> None:
        """Begin a reply, where there is room."""
        slot = self._free_slot()
        live = LiveReply(asker, slot, self._session.reply_in(slot, request), self._aim, self._hear, self._order)
        self._live.append(live)
        self._share_checkpoints()
        live.resume(0)
        self._sweep()

    def _free_slot(self) -> Slot:
        session = self._session
        if not self._live:
            session.begin_alone()
            return session.slot
        self._live[0].slot.accompany(None)
        taken = {each.slot.context.seq for each in self._live}
        free = next(seq for seq in range(session.n_parallel) if seq not in taken)
        slot = session.slot.beside(session.slot.context.sequence(free))
        slot.begin_beside(tuple(each.slot for each in self._live))
        return slot

    def step(self) -> None:
        """Let the next one, or several, work for a moment."""
        for each in [each for each in self._live if each.asker.cancelled]:
            self._cancel(each)
        self._let_in()
        inside = [each for each in self._live if not (each.entering or each.ended)]
        held = [(each.slot, len(each.slot)) for each in inside]
        if len(inside) == 1 and isinstance(inside[0].turn, TokenTurn):
            self._write(inside, beside=False)
        elif len(inside) == 1:
            self._go_on(inside[0], ALL)
        elif inside:
            self._take_turns(inside)
        self._sweep()
        self._choose_flash([Worked(len(slot) - n, len(slot)) for slot, n in held if len(slot) > n])

    def _choose_flash(self, batch: Sequence[Worked]) -> None:
        """Not while one reads beside others, but before (`_made_for`): who writes would wait for a slice, and for a
        context being made.
        """
        holding = [each.slot for each in self._live if not each.entering]
        reads = len(self._live) > 1 and any(isinstance(each.turn, TextTurn) for each in self._live)
        if holding and batch and not reads:
            self._session.choose_flash(holding, batch)

    def fail(self, error: Exception) -> None:
        """End all of them by that."""
        for each in self._live:
            each.end(error)
            each.slot.forget()
        self._sweep()

    def _cancel(self, live: LiveReply[Asker]) -> None:
        if live.out:
            live.slot.forget()
        live.resume(0)

    def _let_in(self) -> None:
        """Give cells to those who have none, the first first: nobody overtakes another."""
        for live in (each for each in self._live if each.entering and not each.ended):
            free = self._n_free()
            alone = not any(each.n_held for each in self._live if not each.entering)
            if not alone and live.entering + (_MARGIN if live.out else 0) > free:
                for waiting in (each for each in self._live if each.entering):
                    waiting.tell_to_wait()
                return
            live.step_in(live.slot.context.n_ctx if alone else max(live.entering, free))

    def _n_free(self) -> int:
        held = sum(each.n_held for each in self._live if not each.entering)
        return self._session.slot.context.n_ctx - held - self._missing

    def _take_turns(self, inside: Sequence[LiveReply[Asker]]) -> None:
        writing = [each for each in inside if isinstance(each.turn, TokenTurn)]
        reading = [each for each in inside if not isinstance(each.turn, TokenTurn)]
        # The longer ones one after the other: what the first has read, the next need not read again.
        reading.sort(key=lambda each: not each.asker.goes_first)
        first = next(iter(reading), None)
        if first is not None and writing and isinstance(first.turn, WaitTurn) and not first.turn.wait(0):
            first = None
        # Nobody waits for two slices, but where those who read had better write together with the others soon.
        had_theirs = all(each.served > self._last_slice for each in writing) or len(reading) >= len(writing)
        if first is not None and (not writing or (self._owed <= 0 and had_theirs)):
            if not self._made_for(first, writing):
                self._read(reading, len(writing))
        elif len(writing) > self._n_free():
            inside[-1].step_out()
        else:
            self._write(sorted(writing, key=lambda each: each.served), beside=bool(reading))

    def _made_for(self, live: LiveReply[Asker], writing: Sequence[LiveReply[Asker]]) -> bool:
        """Whether the context was made anew for what is left of a prompt; who writes waits for that as for a slice."""
        slot, most = live.slot, int(self._slice)
        left = live.reserved - len(slot)
        if not writing or left <= most or not isinstance(live.turn, TextTurn):
            return False
        tokens = [Worked(1, len(each.slot)) for each in writing]
        ahead = Reading(Worked(most, len(slot) + most), left, tokens, max(_MAKING, 2 * self._round))
        done = self._session.choose_flash([each.slot for each in self._live if not each.entering], ahead)
        if done:
            self._owed, self._last_slice = ahead.longest, next(self._order)
        return done

    def _read(self, reading: Sequence[LiveReply[Asker]], n_writing: int) -> None:
        """Let the first of those who read work, for a moment where others write, by itself or with others.

        Where as many read as write, they had better write together soon: what is short is read at once, and of the time
        that this takes those who write get their share alone.
        """
        live, n_reading = reading[0], len(reading)
        slot, reads = live.slot, isinstance(live.turn, TextTurn)
        most, left = int(self._slice) if n_writing else slot.context.n_ubatch, live.reserved - len(slot)
        if left <= GAP * slot.rates.reading.per_second and not live.is_in_slices:
            most = max(most, left)  # in pieces it would take longer
        is_short = left <= min(TILE, _SHORT * most)
        hurries = n_reading >= n_writing > 0 and reads and is_short
        group = self._reading_with(reading, most if n_writing and not hurries else self._at_once)
        began, before = self._clock(), len(slot)
        if len(group) > 1:
            self._decode(group, pieces(group))
        else:
            self._go_on(live, max(most, TILE) if hurries else most)
        seconds = self._clock() - began
        self._last_slice = live.served
        live.note_slice(reads)
        self._owed = seconds * (n_writing / n_reading if hurries else bool(n_writing))
        if n_writing and reads and len(group) <= 1 and before < len(slot) <= before + most:
            self._slice.add(len(slot) - before, seconds, self._round)

    @property
    def _at_once(self) -> int:
        """Entries of several prompts that are read in one batch."""
        slot = self._session.slot
        return min(slot.context.n_ubatch, int(SECONDS * slot.rates.reading.per_second))

    def _reading_with(self, reading: Sequence[LiveReply[Asker]], most: int) -> list[LiveReply[Asker]]:
        """The first, and those whose short prompts are read with its."""
        first = reading[0]
        if not (isinstance(first.turn, TextTurn) and self._session.shares_batches):
            return [first]
        equals = [each for each in reading if each.asker.goes_first == first.asker.goes_first]
        for each in equals:
            if may_begin(each, equals, most):
                self._go_on(each, most)
        return together([each for each in equals if not each.ended], most)

    def _write(self, writing: Sequence[LiveReply[Asker]], *, beside: bool) -> None:
        """Let them write a token, all or some; `beside`: somebody waits to read."""
        group = writing[: self._session.step_costs.cheapest(len(writing)) if self._session.shares_batches else 1]
        began = self._clock()
        if len(group) == 1:
            self._go_on(group[0], 0)
        else:
            self._decode(group, [[each.turn.token] for each in group if isinstance(each.turn, TokenTurn)])
        seconds = self._clock() - began
        self._session.step_costs.add(len(group), seconds)
        self._round = seconds * len(writing) / len(group)
        if beside:
            self._owed -= self._paid(len(group), seconds)
        else:
            self._paces.append(seconds / len(group))

    def _paid(self, n: int, seconds: float) -> float:
        """What `n` tokens pay of the time that was read, so that those who write have `_KEPT` of their pace: about
        their own time, but less where what has been read meanwhile makes them slower.
        """
        if not self._paces:
            return seconds
        return max(n * median(self._paces) / _KEPT - seconds, _LEAST * seconds)

    def _decode(self, group: Sequence[LiveReply[Asker]], texts: Sequence[list[int]]) -> None:
        """Evaluate these tokens of each, which all write or all read."""
        self._aim(None)  # a batch that is stopped may leave all of its sequences wrong
        try:
            done = group[0].slot.evaluate_with([(each.slot, text) for each, text in zip(group, texts, strict=True)])
        except Exception as error:  # noqa: BLE001 - whoever else is there goes on
            for each in group:
                each.end(error)
            return
        if not done and isinstance(group[0].turn, TextTurn):
            self._go_on(group[0], len(texts[0]))
        elif not done:
            self._send_out_last()
        else:
            for each, text in zip(group, texts, strict=True):
                each.resume(len(text))

    def _send_out_last(self) -> None:
        """There was none for a token of each of several, where there should have been."""
        _log.warning("There was no room for a token, where that of %d should have been free.", self._n_free())
        self._missing += max(0, self._n_free())  # or the one that steps out would be back at once
        [each for each in self._live if not each.entering][-1].step_out()

    def _go_on(self, live: LiveReply[Asker], most: int) -> None:
        """Let one work by itself; it reads `most` entries at the most."""
        self._aim(live.asker)
        answer: int | ContextFullError = most
        try:
            match live.turn:
                case TokenTurn(memory, token):
                    answer = memory.evaluate_one(token)
                case TextTurn() as turn:
                    answer = turn.read(most)
                case WaitTurn(wait):
                    wait(MOMENT)
        except Exception as error:  # noqa: BLE001 - whoever else is there goes on
            if not (isinstance(error, ContextFullError) and isinstance(live.turn, TokenTurn)):
                live.end(error)
                return
            if any(each is not live and each.n_held for each in self._live if not each.entering):
                self._send_out_last()
                return
            answer = error
        live.resume(answer)

    def _sweep(self) -> None:
        if not (ended := [each for each in self._live if each.ended]):
            return
        for live in ended:
            self._live.remove(live)
            live.close()
            self._aim(None)
            self._put_away(live)
            assert live.ended is not None
            self._hear(live.asker, live.ended)
        self._share_checkpoints()

    def _share_checkpoints(self) -> None:
        for live in self._live:
            live.slot.checkpoints.share(len(self._live))

    def _put_away(self, live: LiveReply[Asker]) -> None:
        slot = live.slot
        slot.end_beside()
        slot.checkpoints.share(1)
        if live.out:
            slot.forget()
        if not self._live:
            self._session.take_slot(slot)
            self._missing = 0
            return
        self._session.left_others(slot, max(0, len(slot) - live.reserved))
        try:
            slot.leave()
        except Exception:  # noqa: BLE001 - whoever else is there goes on
            _log.exception("What a reply left is not kept")
            slot.forget()
