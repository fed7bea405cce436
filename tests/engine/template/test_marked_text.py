from collections.abc import Callable, Sequence
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.engine.template.marked_text import (
    LONGEST,
    MESSAGE,
    TRUSTED,
    UNTRUSTED,
    MarkedText,
    TextTooLongError,
    concat,
    marked,
    plain,
    respelled,
)

# Few letters, so that separators occur and repeat; blanks and line ends of many kinds; letters that change
# their length with their case.
LETTERS = "aab<|> \t\n\r\x0b\u2028\u3000ßİŉΣé\U0001f600"
origins = st.sampled_from([UNTRUSTED, TRUSTED, MESSAGE, MESSAGE + 7, MESSAGE + 300])
texts = st.text(LETTERS, max_size=12)
short = st.text("ab< \n", max_size=2)
separators = st.text("ab< \n", min_size=1, max_size=2)
counts = st.integers(-2, 4)
widths = st.integers(-1, 16)
bounds = st.none() | st.integers(-14, 14)


@st.composite
def marked_texts(draw: st.DrawFn) -> MarkedText:
    return concat([MarkedText(text, origin) for text, origin in draw(st.lists(st.tuples(texts, origins), max_size=4))])


mixed = marked_texts() | texts


def pairs(text: str) -> list[tuple[str, int]]:
    """The reference model: a list of characters with their origins."""
    return [(str.__getitem__(char, 0), int(char.origins[0])) for char in marked(text)]


def spell(model: Sequence[tuple[str, int]]) -> str:
    return "".join(char for char, _ in model)


def numbered(text: str) -> MarkedText:
    """`text` with an origin of its own for each character, so that a result tells where each came from."""
    return concat(MarkedText(char, MESSAGE + index) for index, char in enumerate(text))


def assert_is(result: str, text: str, model: Sequence[tuple[str, int]]) -> None:
    assert isinstance(result, MarkedText)
    assert plain(result) == text
    assert pairs(result) == list(model)


def test_is_a_str_to_everybody_else() -> None:
    text = MarkedText("user", TRUSTED)
    assert text == "user"
    assert hash(text) == hash("user")
    assert {"user": 1}[text] == 1
    assert text in ["user"]
    assert "se" in text
    assert str(text) is text
    assert type(plain(text)) is str


@given(texts, origins)
def test_is_of_one_origin_when_made(text: str, origin: int) -> None:
    assert_is(MarkedText(MarkedText(text, TRUSTED), origin), text, [(char, origin) for char in text])


@given(marked_texts())
def test_runs_are_the_longest_stretches_of_one_origin(text: MarkedText) -> None:
    runs = text.runs()
    assert [origin for start, stop, origin in runs for _ in range(start, stop)] == list(text.origins)
    assert "".join(plain(text)[start:stop] for start, stop, _ in runs) == text
    assert all(before[2] != after[2] for before, after in pairwise(runs))


@given(mixed, mixed)
def test_addition(left: str, right: str) -> None:
    whole = marked(left) + right
    assert_is(whole, plain(left) + plain(right), pairs(left) + pairs(right))
    assert_is(plain(left) + marked(right), whole, [(char, UNTRUSTED) for char in plain(left)] + pairs(right))


def test_what_is_no_text_cannot_be_added() -> None:
    with pytest.raises(TypeError):
        MarkedText("a") + 1  # type: ignore[operator]
    with pytest.raises(TypeError):
        None + MarkedText("a")  # type: ignore[operator]


@given(marked_texts(), counts)
def test_repetition(text: MarkedText, count: int) -> None:
    assert_is(text * count, plain(text) * count, pairs(text) * count)
    assert_is(count * text, plain(text) * count, pairs(text) * count)


@given(marked_texts(), st.lists(mixed, max_size=4))
def test_join(gap: MarkedText, items: list[str]) -> None:
    model = [pair for index, item in enumerate(items) for pair in (pairs(gap) if index else []) + pairs(item)]
    assert_is(gap.join(items), plain(gap).join(map(plain, items)), model)


@given(marked_texts(), bounds, bounds, st.sampled_from([None, 1, 2, -1, -3]))
def test_slices(text: MarkedText, start: int | None, stop: int | None, step: int | None) -> None:
    cut = slice(start, stop, step)
    assert_is(text[cut], plain(text)[cut], pairs(text)[cut])


@given(marked_texts())
def test_single_characters(text: MarkedText) -> None:
    assert [(char, int(marked(char).origins[0])) for char in text] == pairs(text)
    for index in range(-len(text), len(text)):
        assert_is(text[index], plain(text)[index], [pairs(text)[index]])
    with pytest.raises(IndexError):
        text[len(text)]
    assert_is(concat(reversed(text)), plain(text)[::-1], pairs(text)[::-1])


@given(marked_texts(), st.none() | short)
def test_strip(text: MarkedText, chars: str | None) -> None:
    model = pairs(text)
    left = len(text) - len(plain(text).lstrip(chars))
    right = len(plain(text).rstrip(chars))
    assert_is(text.lstrip(chars), plain(text).lstrip(chars), model[left:])
    assert_is(text.rstrip(chars), plain(text).rstrip(chars), model[:right])
    assert_is(text.strip(chars), plain(text).strip(chars), model[left : max(left, right)])


@given(marked_texts(), short)
def test_remove_prefix_and_suffix(text: MarkedText, part: str) -> None:
    model = pairs(text)
    start = len(part) if plain(text).startswith(part) else 0
    stop = len(text) - (len(part) if plain(text).endswith(part) else 0)
    assert_is(text.removeprefix(part), plain(text).removeprefix(part), model[start:])
    assert_is(text.removesuffix(part), plain(text).removesuffix(part), model[:stop])


@given(texts, separators, counts)
def test_split_at_a_separator(text: str, sep: str, count: int) -> None:
    for method in (str.split, str.rsplit):
        pieces = getattr(numbered(text), method.__name__)(sep, count)
        assert pieces == method(text, sep, count)
        start = 0
        for piece in pieces:
            assert list(piece.origins) == [MESSAGE + start + index for index in range(len(piece))]
            start += len(piece) + len(sep)
        assert start - len(sep) == len(text)


@given(texts, counts)
def test_split_at_white_space(text: str, count: int) -> None:
    for method in (str.split, str.rsplit):
        pieces = getattr(numbered(text), method.__name__)(None, count)
        assert pieces == method(text, None, count)
        end = 0
        for piece in pieces:
            start = int(piece.origins[0]) - MESSAGE
            assert not text[end:start].strip()
            assert list(piece.origins) == [MESSAGE + start + index for index in range(len(piece))]
            end = start + len(piece)
        assert not text[end:].strip()


@given(texts)
def test_split_into_lines(text: str) -> None:
    whole = numbered(text).splitlines(True)
    assert whole == text.splitlines(True)
    assert concat(whole).origins == numbered(text).origins
    lines = numbered(text).splitlines()
    assert lines == text.splitlines()
    for line, ended in zip(lines, whole, strict=True):
        assert pairs(line) == pairs(ended)[: len(line)]


@given(texts, separators)
def test_partition(text: str, sep: str) -> None:
    for method in (str.partition, str.rpartition):
        pieces = getattr(numbered(text), method.__name__)(sep)
        assert pieces == method(text, sep)
        assert concat(pieces).origins == numbered(text).origins


@given(marked_texts(), short, mixed, counts)
@example(MarkedText("a<a", MESSAGE), "a", MarkedText("<|", TRUSTED), -1)
def test_replace(text: MarkedText, old: str, new: str, count: int) -> None:
    model: list[tuple[str, int]] = []
    left = count if count >= 0 else len(text) + 1
    rest = pairs(text)
    while rest or (not old and left):
        if left and spell(rest).startswith(old):
            model += pairs(new)
            rest, left = rest[len(old) :], left - 1
            if old:
                continue
        model += rest[:1]
        if not rest:
            break
        rest = rest[1:]
    assert_is(text.replace(old, new, count), plain(text).replace(old, plain(new), count), model)


SPELLINGS: list[Callable[[str], str]] = [str.lower, str.upper, str.title, str.capitalize, str.swapcase, str.casefold]


@pytest.mark.parametrize("method", SPELLINGS)
@given(text=marked_texts())
def test_another_spelling_keeps_origins_only_where_no_character_moved(
    method: Callable[[str], str], text: MarkedText
) -> None:
    spelling = method(plain(text))
    kept = text.origins if len(spelling) == len(text) else [UNTRUSTED] * len(spelling)
    assert_is(getattr(text, method.__name__)(), spelling, list(zip(spelling, kept, strict=True)))


def test_no_spelling_loses_a_character() -> None:
    """`respelled` relies on it: where the lengths are equal, every character is in its place."""
    for code in range(0x20000):  # no plane above has letters with a case
        for method in SPELLINGS:
            assert len(method(chr(code))) >= 1
    assert not pairs(respelled(MarkedText("ab", TRUSTED), "c"))[0][1]


@given(marked_texts(), widths, st.sampled_from(["*", MarkedText("*", TRUSTED)]))
def test_padding(text: MarkedText, width: int, fill: str) -> None:
    padding = [("*", pairs(fill)[0][1])] * (width - len(text))
    assert_is(text.ljust(width, fill), plain(text).ljust(width, "*"), pairs(text) + padding)
    assert_is(text.rjust(width, fill), plain(text).rjust(width, "*"), padding + pairs(text))
    centred = plain(text).center(width, "\0")
    left = len(centred) - len(centred.lstrip("\0"))
    assert_is(text.center(width, fill), centred.replace("\0", "*"), padding[:left] + pairs(text) + padding[left:])
    assert plain(text.zfill(width)) == plain(text).zfill(width)
    with pytest.raises(TypeError):
        text.ljust(width, "**")


@given(marked_texts(), marked_texts())
def test_what_is_not_overridden_loses_its_trust(text: MarkedText, other: MarkedText) -> None:
    for result in (
        text.translate({ord("a"): "b"}),
        text.expandtabs(),
        f"{text}{other}",
        str.format("<{}>", text),
        str.__mod__("<%s>", text),
        ",".join([text, other]),
        plain(text).replace("a", other),
    ):
        assert all(origin == UNTRUSTED for _, _, origin in marked(result).runs())


@pytest.mark.parametrize(
    "grow",
    [
        lambda text: text * (LONGEST // 2),
        lambda text: text + "x" * LONGEST,
        lambda text: "x" * LONGEST + text,
        lambda text: text.replace("", "x" * (LONGEST // 2)),
        lambda text: text.replace("a", "x" * LONGEST, 2),
        lambda text: text.join(["x" * 1000] * 10_000),
        lambda text: text.ljust(10**12),
        lambda text: text.rjust(10**12),
        lambda text: text.center(10**12),
        lambda text: text.zfill(10**12),
    ],
)
def test_no_text_grows_beyond_the_bound(grow: Callable[[MarkedText], str]) -> None:
    with pytest.raises(TextTooLongError):
        grow(MarkedText("aaa", TRUSTED))
