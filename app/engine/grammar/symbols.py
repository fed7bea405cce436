"""What the rules of a grammar consist of, and what can go wrong with one."""

from dataclasses import dataclass


class GrammarError(Exception):
    """A text that is no grammar, or one that asks for too much. Its message holds nothing of it."""


class GrammarCancelledError(Exception):
    """The cancel flag was set while a grammar was at work."""


@dataclass(frozen=True, slots=True)
class Characters:
    """One character of a set."""

    ranges: tuple[tuple[int, int], ...]
    """Code points from and to, ascending, without overlaps. None where nothing fits."""


@dataclass(frozen=True, slots=True)
class OneToken:
    """A token by its number, whatever it says; or any other one."""

    id: int
    negated: bool


@dataclass(frozen=True, slots=True)
class Reference:
    """Whatever one of a rule's sequences stands for."""

    rule: int


@dataclass(frozen=True, slots=True)
class Repeat:
    symbol: Characters | OneToken | Reference
    low: int
    high: int | None
    """None for any number."""


Symbol = Characters | OneToken | Reference | Repeat
Sequence = tuple[Symbol, ...]


@dataclass(frozen=True, slots=True)
class Rules:
    """Rule 0 is the root."""

    ways: tuple[tuple[Sequence, ...], ...]
    """Of each rule, the sequences that it can be."""


def repeated(symbol: Symbol, low: int, high: int | None) -> Symbol | None:
    """As one symbol; None where the symbol is a repetition that another rule has to hold.

    A repetition of repetitions that leaves no length out is one by itself, however large their product is.
    """
    if not isinstance(symbol, Repeat):
        return Repeat(symbol, low, high)
    if symbol.low > 1:
        return None
    most = None if symbol.high is None or high is None else symbol.high * high
    return Repeat(symbol.symbol, symbol.low * low, most)
