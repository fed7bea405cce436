"""Reading llama.cpp's notation for grammars, GBNF (grammars/README.md there)."""

import re
from collections.abc import Callable

from app.engine.grammar.symbols import Characters, GrammarError, OneToken, Reference, Rules, Sequence, Symbol, repeated

_LONGEST = 1 << 18
"""Characters."""
_DEEPEST = 100
"""Brackets within brackets."""
_MOST_TIMES = 1 << 50
"""What may be repeated more often may be repeated without end."""
_LAST = 0x10FFFF

_SPACE = re.compile(r"(?:[ \t]|#[^\r\n]*)*")
_BREAKS = re.compile(r"(?:[ \t\r\n]|#[^\r\n]*)*")
_NAME = re.compile(r"[a-zA-Z0-9-]+")
_LITERAL = re.compile(r'"((?:\\.|[^"\\])*)"', re.DOTALL)
_CLASS = re.compile(r"\[(\^?)((?:\\.|[^\]\\])*)\]", re.DOTALL)
_TOKEN = re.compile(r"(!?)<(?:\[([0-9]{1,9})\]|([^>]*))>")
_TIMES = re.compile(r"\{\s*([0-9]{1,4000})\s*(?:(,)\s*([0-9]{0,4000})\s*)?\}")
_CHARACTER = re.compile(
    r"\\x([0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})|\\U([0-9a-fA-F]{8})|\\([trn\\\"\[\]-])|([^\\])", re.DOTALL
)
_ESCAPES = {"t": "\t", "r": "\r", "n": "\n"}
_ONCE = {"*": (0, None), "+": (1, None), "?": (0, 1)}

FindToken = Callable[[str], int | None]
"""The one token that a text is, such as <think>; None where it is none or several."""


def read_grammar(text: str, find_token: FindToken) -> Rules:
    """The rules of `text`, the one called `root` first. Raises GrammarError."""
    if not text.strip() or len(text) > _LONGEST or "\0" in text:
        raise GrammarError("it is empty, too long, or holds a NUL")
    if not text.isascii() and any("\ud800" <= each <= "\udfff" for each in text):
        raise GrammarError("it holds half a character")
    return _Reader(text, find_token).rules()


class _Reader:
    def __init__(self, text: str, find_token: FindToken) -> None:
        self._text = text
        self._find_token = find_token
        self._at = self._depth = 0
        self._ways: list[tuple[Sequence, ...] | None] = [None]
        self._names = {"root": 0}
        self._characters: dict[int, Characters] = {}
        self._classes: dict[str, Characters] = {}

    def rules(self) -> Rules:
        self._skip(_BREAKS)
        while self._at < len(self._text):
            rule = self._rule(self._expect(_NAME, "a rule has no name")[0])
            self._skip(_SPACE)
            if not self._text.startswith("::=", self._at):
                raise GrammarError("a rule's name has no ::= behind it")
            self._at += 3
            self._skip(_BREAKS)
            self._ways[rule] = self._choice(_SPACE)
            if self._at < len(self._text) and self._text[self._at] not in "\r\n":
                raise GrammarError("a rule has something behind it that can't be read")
            self._skip(_BREAKS)
        if None in self._ways:
            raise GrammarError("a rule is missing that it names, or the one called root")
        return Rules(tuple(each for each in self._ways if each is not None))

    def _rule(self, name: str) -> int:
        if name not in self._names:
            self._names[name] = len(self._ways)
            self._ways.append(None)
        return self._names[name]

    def _choice(self, space: re.Pattern[str]) -> tuple[Sequence, ...]:
        ways = [self._sequence(space)]
        while self._text.startswith("|", self._at):
            self._at += 1
            self._skip(_BREAKS)
            ways.append(self._sequence(space))
        return tuple(dict.fromkeys(ways))

    def _sequence(self, space: re.Pattern[str]) -> Sequence:
        made: list[Symbol] = []
        start = 0
        """Of what stands before a repetition."""
        while self._at < len(self._text):
            here = self._text[self._at]
            if here in "*+?{":
                self._repeat(made, start, *self._times(here))
            elif (item := self._item(here)) is not None:
                start = len(made)
                made += item
            else:
                break
            self._skip(space)
        return tuple(made)

    def _item(self, here: str) -> Sequence | None:
        match here:
            case '"':
                found = self._expect(_LITERAL, "a text has no end")
                return tuple(map(self._character, _code_points(found[1])))
            case "[":
                found = self._expect(_CLASS, "a set of characters has no end")
                if found[0] not in self._classes:
                    self._classes[found[0]] = _class(found[2], negated=bool(found[1]))
                return (self._classes[found[0]],)
            case ".":
                self._at += 1
                return (Characters(((1, _LAST),)),)
            case "<" | "!":
                return (self._token(self._expect(_TOKEN, "a token can't be read")),)
            case "(":
                return (self._group(),)
            case _ if _NAME.match(here):
                return (Reference(self._rule(self._expect(_NAME, "")[0])),)
            case _:
                return None

    def _group(self) -> Symbol:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise GrammarError("its brackets are too deep")
        self._at += 1
        self._skip(_BREAKS)
        ways = self._choice(_BREAKS)
        if not self._text.startswith(")", self._at):
            raise GrammarError("a bracket is not closed")
        self._at += 1
        self._depth -= 1
        return ways[0][0] if len(ways) == 1 and len(ways[0]) == 1 else self._unnamed(ways)

    def _unnamed(self, ways: tuple[Sequence, ...]) -> Reference:
        self._ways.append(ways)
        return Reference(len(self._ways) - 1)

    def _repeat(self, made: list[Symbol], start: int, low: int, high: int | None) -> None:
        body = made[start:]
        if not body:
            raise GrammarError("a repetition has nothing before it")
        del made[start:]
        if high == 0:
            return
        symbol = body[0] if len(body) == 1 else self._unnamed((tuple(body),))
        made.append(repeated(symbol, low, high) or repeated(self._unnamed(((symbol,),)), low, high) or symbol)

    def _times(self, here: str) -> tuple[int, int | None]:
        if here in _ONCE:
            self._at += 1
            return _ONCE[here]
        found = self._expect(_TIMES, "a repetition can't be read")
        low = int(found[1])
        high = (int(found[3]) if found[3] else None) if found[2] else low
        if low > _MOST_TIMES or (high is not None and high < low):
            raise GrammarError("a repetition has too many times, or fewer at most than at least")
        return low, None if high is None or high > _MOST_TIMES else high

    def _token(self, found: re.Match[str]) -> OneToken:
        token = int(found[2]) if found[2] else self._find_token(f"<{found[3]}>")
        if token is None:
            raise GrammarError("it names a token that the model doesn't have")
        return OneToken(token, bool(found[1]))

    def _character(self, code: int) -> Characters:
        if code not in self._characters:
            self._characters[code] = Characters(((code, code),))
        return self._characters[code]

    def _skip(self, what: re.Pattern[str]) -> None:
        found = what.match(self._text, self._at)
        assert found is not None
        self._at = found.end()

    def _expect(self, what: re.Pattern[str], otherwise: str) -> re.Match[str]:
        found = what.match(self._text, self._at)
        if found is None:
            raise GrammarError(otherwise)
        self._at = found.end()
        return found


def _parts(text: str) -> list[tuple[int, bool]]:
    """Code points, each with whether it was written as it is."""
    found: list[tuple[int, bool]] = []
    at = 0
    while at < len(text):
        part = _CHARACTER.match(text, at)
        if part is None:
            raise GrammarError("an escape can't be read")
        two, four, eight, escape, plain = part.groups()
        if plain or escape:
            found.append((ord(plain or _ESCAPES.get(escape, escape)), bool(plain)))
        else:
            found.append((int(two or four or eight, 16), False))
        at = part.end()
    return found


def _code_points(text: str) -> list[int]:
    return [code for code, _ in _parts(text)] if "\\" in text else [ord(each) for each in text]


def _class(text: str, *, negated: bool) -> Characters:
    parts, ranges, at = _parts(text), [], 0
    if not parts:
        raise GrammarError("a set of characters is empty")
    while at < len(parts):
        low = high = parts[at][0]
        if at + 2 < len(parts) and parts[at + 1] == (ord("-"), True):
            high = parts[at + 2][0]
            at += 2
        ranges.append((low, min(high, _LAST)))
        at += 1
    joined = _joined(ranges)
    return Characters(_others(joined) if negated else joined)


def _joined(ranges: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    made: list[tuple[int, int]] = []
    for low, high in sorted(each for each in ranges if each[0] <= each[1]):
        if made and low <= made[-1][1] + 1:
            made[-1] = (made[-1][0], max(high, made[-1][1]))
        else:
            made.append((low, high))
    return tuple(made)


def _others(ranges: tuple[tuple[int, int], ...]) -> tuple[tuple[int, int], ...]:
    made, after = [], 1
    for low, high in ranges:
        if after < low:
            made.append((after, low - 1))
        after = max(after, high + 1)
    return (*made, (after, _LAST)) if after <= _LAST else tuple(made)
