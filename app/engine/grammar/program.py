"""The rules of a grammar laid out in places, for an automaton to walk through."""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from enum import IntEnum

from app.engine.grammar.symbols import Characters, GrammarError, OneToken, Reference, Repeat, Rules, Sequence, Symbol

UNBOUNDED = 1 << 60
"""Times, where there is no most."""

Edge = tuple[int, int, int]
"""Bytes from and to, and the place that has to follow; -1 where the character is whole."""
ByteRange = tuple[int, int]
"""Of a byte: from and to."""


class Kind(IntEnum):
    END = 0
    """Of a sequence."""
    BYTE = 1
    TOKEN = 2
    RULE = 3
    REPEAT = 4


class Program:
    """Each place has a kind, and the places of a sequence follow one another up to an END.

    Raises GrammarError where a rule begins with itself: it would never come to a character.
    """

    def __init__(self, rules: Rules) -> None:
        self.kinds: list[Kind] = []
        self.edges: dict[int, tuple[Edge, ...]] = {}
        """Of a BYTE."""
        self.tokens: dict[int, OneToken] = {}
        self.ways: dict[int, tuple[int, ...]] = {}
        """Of a RULE: where its sequences begin."""
        self.repeats: dict[int, tuple[int, int, int]] = {}
        """Of a REPEAT: where what it repeats begins, how often at least and at most."""
        self._empty = _can_be_empty(rules)
        _refuse_left_recursion(rules, self._empty)
        self._edges_of: dict[int, tuple[Edge, ...]] = {}
        self._followers: dict[tuple[Edge, ...], int] = {}
        self._bodies: dict[Symbol, int] = {}
        self._references: dict[int, int] = {}
        placed = [tuple(map(self._lay_out, ways)) for ways in rules.ways]
        self.root = placed[0]
        self.ways = {place: placed[rule] for place, rule in self._references.items()}

    def _lay_out(self, sequence: Sequence) -> int:
        # What is repeated is laid out first, so that the places of a sequence follow one another.
        edges = [self._edges(each) if isinstance(each, Characters) else () for each in sequence]
        bodies = [self._body(each.symbol) if isinstance(each, Repeat) else -1 for each in sequence]
        start = len(self.kinds)
        for place, (symbol, body) in enumerate(zip(sequence, bodies, strict=True), start):
            match symbol:
                case Characters():
                    self.edges[place] = edges[place - start]
                    self.kinds.append(Kind.BYTE)
                case OneToken():
                    self.tokens[place] = symbol
                    self.kinds.append(Kind.TOKEN)
                case Reference(rule):
                    self._references[place] = rule
                    self.kinds.append(Kind.RULE)
                case Repeat(repeated, low, high):
                    least = 0 if _is_empty(repeated, self._empty) else low
                    self.repeats[place] = (body, least, UNBOUNDED if high is None else min(high, UNBOUNDED))
                    self.kinds.append(Kind.REPEAT)
        self.kinds.append(Kind.END)
        return start

    def _body(self, symbol: Symbol) -> int:
        if symbol not in self._bodies:
            self._bodies[symbol] = self._lay_out((symbol,))
        return self._bodies[symbol]

    def _edges(self, characters: Characters) -> tuple[Edge, ...]:
        # By their identity: the reader makes one of what is written in the same way, and hashing takes longer.
        found = self._edges_of.get(id(characters))
        if found is None:
            found = self._edges_of[id(characters)] = self._grouped(byte_ranges(characters.ranges))
        return found

    def _grouped(self, spelled: Iterable[tuple[ByteRange, ...]]) -> tuple[Edge, ...]:
        groups: dict[ByteRange, list[tuple[ByteRange, ...]]] = defaultdict(list)
        for first, *rest in spelled:
            groups[first].append(tuple(rest))
        return tuple((*first, self._follower(rest)) for first, rest in groups.items())

    def _follower(self, rest: list[tuple[ByteRange, ...]]) -> int:
        if not rest[0]:
            return -1
        edges = self._grouped(rest)
        if edges not in self._followers:
            self._followers[edges] = len(self.kinds)
            self.edges[len(self.kinds)] = edges
            self.kinds += [Kind.BYTE, Kind.END]
        return self._followers[edges]


def _is_empty(symbol: Symbol, empty: list[bool]) -> bool:
    match symbol:
        case Reference(rule):
            return empty[rule]
        case Repeat(repeated, low, _):
            return low == 0 or _is_empty(repeated, empty)
        case _:
            return False


def _needed(symbol: Symbol) -> int | None:
    """The rule that must be able to be empty so that `symbol` is; -1 where it is anyway, None where it never is."""
    match symbol:
        case Reference(rule):
            return rule
        case Repeat(repeated, low, _):
            return -1 if low == 0 else _needed(repeated)
        case _:
            return None


def _can_be_empty(rules: Rules) -> list[bool]:
    """Of each rule. In a time that grows with the size of the grammar alone."""
    empty = [False] * len(rules.ways)
    waiting: dict[int, list[int]] = defaultdict(list)
    lacking: list[int] = []
    owners: list[int] = []
    found: deque[int] = deque()
    for rule, ways in enumerate(rules.ways):
        for sequence in ways:
            needed = [_needed(symbol) for symbol in sequence]
            if None in needed:
                continue
            others = [each for each in needed if each is not None and each >= 0]
            for other in others:
                waiting[other].append(len(owners))
            owners.append(rule)
            lacking.append(len(others))
            if not others:
                found.append(rule)
    while found:
        rule = found.popleft()
        if empty[rule]:
            continue
        empty[rule] = True
        for sequence_at in waiting[rule]:
            lacking[sequence_at] -= 1
            if not lacking[sequence_at]:
                found.append(owners[sequence_at])
    return empty


def _refuse_left_recursion(rules: Rules, empty: list[bool]) -> None:
    done = [False] * len(rules.ways)
    open_ = [False] * len(rules.ways)
    for rule in range(len(rules.ways)):
        path = [] if done[rule] else [(rule, _first_rules(rules.ways[rule], empty))]
        while path:
            at, firsts = path[-1]
            open_[at] = True
            following = next(firsts, None)
            if following is None:
                done[at], open_[at] = True, False
                path.pop()
            elif open_[following]:
                raise GrammarError("a rule begins with itself")
            elif not done[following]:
                path.append((following, _first_rules(rules.ways[following], empty)))


def _first_rules(ways: tuple[Sequence, ...], empty: list[bool]) -> Iterator[int]:
    """The rules with which a rule can begin."""
    for sequence in ways:
        for symbol in sequence:
            inner = symbol.symbol if isinstance(symbol, Repeat) else symbol
            if isinstance(inner, Reference):
                yield inner.rule
            if not _is_empty(symbol, empty):
                break


_SIZES = ((0, 0x7F), (0x80, 0x7FF), (0x800, 0xFFFF), (0x10000, 0x10FFFF))
"""The code points of one byte, of two, three and four."""


def byte_ranges(ranges: Iterable[tuple[int, int]]) -> Iterator[tuple[ByteRange, ...]]:
    """Ranges of one to four bytes that spell the code points in `ranges`, which don't overlap.

    Of two that are told the first bytes are the same range, or have none in common.
    """
    for low, high in ranges:
        for size, (first, last) in enumerate(_SIZES):
            yield from _same_size(max(low, first), min(high, last), size)


def _same_size(low: int, high: int, size: int) -> Iterator[tuple[ByteRange, ...]]:
    """`size`: continuation bytes."""
    if low > high:
        return
    for count in range(1, size + 1):
        rest = (1 << 6 * count) - 1
        if low & ~rest == high & ~rest:
            continue
        # Cut so that what follows a first byte is the same for all of a range.
        cut = (low | rest) + 1 if low & rest else high & ~rest if high & rest != rest else None
        if cut is not None:
            yield from _same_size(low, cut - 1, size)
            yield from _same_size(cut, high, size)
            return
    yield tuple(zip(_utf8(low), _utf8(high), strict=True))


def _utf8(code: int) -> bytes:
    return chr(code).encode("utf-8", "surrogatepass")
