"""A grammar as a machine that reads bytes: its states are made when they are first come to."""

from collections import defaultdict
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from app.core.cancel import CancelFlag
from app.engine.grammar.program import UNBOUNDED, Edge, Kind, Program
from app.engine.grammar.symbols import GrammarCancelledError, GrammarError, OneToken

DEAD = 0
"""The state from which nothing leads to a text of the grammar."""
_MOST_WAYS = 50_000
"""Ways on that may be open at once."""
_MOST_WORK = 400_000
"""Ways that may be looked at for one token of the answer: about a second."""
_STATE_WORK = 20
"""What a state costs by itself, in ways."""
_MOST_STATES = 4_000
_MOST_KEPT = 1_000_000
"""Ways and their places in states. What is beyond that is forgotten and made again."""

Way = tuple[int, int, int, int]
"""A place, how often it has to and may still be repeated, and the way on behind it. 0 is the end of the grammar."""


class Automaton:
    """A state is a set of ways on. What it can't do in bounds it refuses: GrammarError, where a way is taken.

    Ways are numbered, and equal ones have one number, so that sets of them are small whatever they come from.
    """

    def __init__(self, program: Program, cancel: CancelFlag) -> None:
        self._program = program
        self._cancel = cancel
        self._work = 0
        self._empty()
        self.start = self._state(self._way(place, 0) for place in program.root)

    def _empty(self) -> None:
        self._ways: list[Way] = [(0, 0, 0, 0)]
        self._numbers: dict[Way, int] = {}
        self._states: dict[tuple[frozenset[int], bool], int] = {(frozenset(), False): DEAD}
        self._open: list[tuple[int, ...]] = [()]
        """Of each state: its ways on that begin with a byte or a token."""
        self._accepts = [False]
        self._table = np.zeros((64, 256), dtype=np.int32)
        self._has_row = np.zeros(64, dtype=bool)
        self._has_row[DEAD] = True
        self._steps: dict[tuple[int, int], int] = {}
        self._kept = 0

    def begin(self, state: int) -> int:
        """Before what is done for one token of the answer: `state` under the number that it has from now on."""
        self._work = 0
        if len(self._open) <= _MOST_STATES and self._kept <= _MOST_KEPT:
            return state
        ways, accepts, held = self._ways, self._accepts[state], self._open[state]
        needed = set(held)
        for number in range(len(ways) - 1, 0, -1):
            if number in needed:
                needed.add(ways[number][3])
        self._empty()
        renamed = {0: 0}
        for number in sorted(needed - {0}):
            place, low, high, behind = ways[number]
            renamed[number] = self._number((place, low, high, renamed[behind]))
        return self._named(tuple(renamed[each] for each in held), accepts)

    def accepts(self, state: int) -> bool:
        """Whether what was read up to there is a text of the grammar."""
        return self._accepts[state]

    def tokens(self, state: int) -> Iterable[tuple[OneToken, int]]:
        """The tokens that the grammar names there by number, and the way on behind each."""
        kinds, found = self._program.kinds, self._program.tokens
        for number in self._open[state]:
            place, _, _, behind = self._ways[number]
            if kinds[place] is Kind.TOKEN:
                yield found[place], self._behind(place, behind)

    def read(self, state: int, data: bytes) -> int:
        """The state after `data`."""
        for byte in data:
            following = self._steps.get((state, byte))
            if following is None:
                following = self._steps[state, byte] = self._step(state, byte)
            if following == DEAD:
                return DEAD
            state = following
        return state

    def _step(self, state: int, byte: int) -> int:
        """Where one byte leads, without the whole row: most states of an answer are never asked for more."""
        if self._has_row[state]:
            return int(self._table[state, byte])
        following, edges_of = [], self._program.edges
        for number in self._open[state]:
            place, _, _, behind = self._ways[number]
            for low, high, follower in edges_of.get(place, ()):
                if low <= byte <= high:
                    following.append(self._followed(place, behind, follower))
        return self._state(following) if following else DEAD

    def read_each(self, states: NDArray[np.int32], data: NDArray[np.uint8]) -> NDArray[np.int32]:
        """The state after each one's byte."""
        missing = states[~self._has_row[states]]
        for state in np.unique(missing) if len(missing) else ():
            self._make_row(int(state))
        following: NDArray[np.int32] = self._table[states, data]
        return following

    def joined(self, state: int, ways: Iterable[int]) -> int:
        """The state in which the ways of `state` are open, and these."""
        return self._state((*self._open[state], *ways), accepts=self._accepts[state])

    def _make_row(self, state: int) -> None:
        """Where each byte leads. Bytes that are the same to all ways share one look at them."""
        by_edges: dict[tuple[Edge, ...], list[tuple[int, int]]] = defaultdict(list)
        for number in self._open[state]:
            place, _, _, behind = self._ways[number]
            edges = self._program.edges.get(place)
            if edges:
                by_edges[edges].append((place, behind))
        starts: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
        ends: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
        for index, edges in enumerate(by_edges):
            for low, high, follower in edges:
                starts[low].append((index, high, follower))
                ends[high + 1].append((index, high, follower))
        groups = list(by_edges.values())
        known: dict[frozenset[tuple[int, int, int]], int] = {frozenset(): DEAD}
        active: set[tuple[int, int, int]] = set()
        row, target = np.zeros(256, dtype=np.int32), DEAD
        for byte in range(256):
            if byte in starts or byte in ends:
                active.difference_update(ends.get(byte, ()))
                active.update(starts.get(byte, ()))
                key = frozenset(active)
                if key not in known:
                    known[key] = self._state(self._after(groups, active))
                target = known[key]
            row[byte] = target
        self._table[state] = row
        self._has_row[state] = True

    def _after(self, groups: list[list[tuple[int, int]]], active: Iterable[tuple[int, int, int]]) -> Iterable[int]:
        for index, _, follower in active:
            for place, behind in groups[index]:
                yield self._followed(place, behind, follower)

    def _followed(self, place: int, behind: int, follower: int) -> int:
        on = self._behind(place, behind)
        return on if follower < 0 else self._number((follower, 0, 0, on))

    def _state(self, ways: Iterable[int], *, accepts: bool = False) -> int:
        """The state of all that these ways lead to without another byte."""
        if self._cancel.is_set():
            raise GrammarCancelledError
        kinds, program, todo = self._program.kinds, self._program, list(ways)
        seen, found = set(todo), []
        most: dict[tuple[int, int], int] = {}
        while todo:
            number = todo.pop()
            if not number:
                accepts = True
                continue
            place, low, high, behind = self._ways[number]
            kind = kinds[place]
            if kind is Kind.BYTE or kind is Kind.TOKEN:
                found.append(number)
                continue
            if kind is Kind.RULE:
                back = self._behind(place, behind)
                following = [self._way(each, back) for each in program.ways[place]]
            else:
                # Whatever fewer repetitions could become, more could, so only the most of them are followed.
                if not low and most.get((place, behind), -1) >= high:
                    continue
                if not low:
                    most[place, behind] = high
                following = self._repeated(number)
            for each in following:
                if each not in seen:
                    seen.add(each)
                    todo.append(each)
            self._spend(len(seen))
        self._work += len(seen) + _STATE_WORK
        return self._named(tuple(found), accepts)

    def _spend(self, ways: int) -> None:
        if ways > _MOST_WAYS or self._work + ways > _MOST_WORK:
            raise GrammarError("too much is possible at once, as with repetitions within repetitions")

    def _repeated(self, number: int) -> list[int]:
        place, low, high, behind = self._ways[number]
        body = self._program.repeats[place][0]
        following = [] if low else [self._behind(place, behind)]
        if high:
            most = high - (high < UNBOUNDED)
            following.append(self._way(body, self._number((place, max(0, low - 1), most, behind))))
        return following

    def _behind(self, place: int, behind: int) -> int:
        return self._way(place + 1, behind)

    def _way(self, place: int, behind: int) -> int:
        """From `place` on, and then `behind`."""
        kind = self._program.kinds[place]
        if kind is Kind.END:
            return behind
        _, low, high = self._program.repeats[place] if kind is Kind.REPEAT else (0, 0, 0)
        return self._number((place, low, high, behind))

    def _number(self, way: Way) -> int:
        number = self._numbers.get(way)
        if number is None:
            number = self._numbers[way] = len(self._ways)
            self._ways.append(way)
            self._kept += 1
        return number

    def _named(self, found: tuple[int, ...], accepts: bool) -> int:
        key = (frozenset(found), accepts)
        state = self._states.get(key)
        if state is None:
            state = self._states[key] = len(self._open)
            self._open.append(found)
            self._accepts.append(accepts)
            self._kept += len(found)
            if state == len(self._table):
                self._table = np.concatenate([self._table, np.zeros_like(self._table)])
                self._has_row = np.concatenate([self._has_row, np.zeros_like(self._has_row)])
        return state
