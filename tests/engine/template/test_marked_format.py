from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.template.limits import TemplateLimitError
from app.engine.template.marked_format import brace, percent
from app.engine.template.marked_text import MESSAGE, TRUSTED, UNTRUSTED, MarkedText, concat
from app.engine.template.sandbox import TemplateSandbox

answers = st.text("a%{}s\n", max_size=4).map(lambda text: MarkedText(text, MESSAGE))
values = answers | st.text("b%{}", max_size=3) | st.integers() | st.none() | st.lists(st.integers(), max_size=2)


def pieces(text: MarkedText) -> list[tuple[str, int]]:
    return [(text[start:stop], origin) for start, stop, origin in text.runs()]


def form(text: str) -> MarkedText:
    return MarkedText(text, TRUSTED)


@given(st.lists(st.sampled_from(["%s", "%5s", "%-4s|", "%r", "%%", "<|x|>", "%.2s"]), max_size=5), st.data())
def test_percent_is_python_s(parts: list[str], data: st.DataObject) -> None:
    count = sum("%" in part and part != "%%" for part in parts)
    given_values = tuple(data.draw(values) for _ in range(count))
    result = percent(form("".join(parts)), given_values)
    assert result == "".join(parts) % given_values
    for char, origin in zip(result, result.origins, strict=True):
        assert char != "a" or origin in (MESSAGE, UNTRUSTED)


def test_percent_keeps_origins() -> None:
    answer = MarkedText("yes", MESSAGE)
    assert pieces(percent(form("<|%s|>"), answer)) == [("<|", TRUSTED), ("yes", MESSAGE), ("|>", TRUSTED)]
    assert pieces(percent(form("%s%%%s"), (answer, "no"))) == [("yes", MESSAGE), ("%", TRUSTED), ("no", UNTRUSTED)]
    assert pieces(percent(form("%(a)s!"), {"a": answer})) == [("yes", MESSAGE), ("!", TRUSTED)]
    assert pieces(percent(form("%4s"), answer)) == [(" yes", UNTRUSTED)]
    assert pieces(percent(form("%s"), form("<|x|>"))) == [("<|x|>", TRUSTED)]
    assert pieces(percent(concat([form("<"), answer, "%s>"]), 1)) == [
        ("<", TRUSTED),
        ("yes", MESSAGE),
        ("1>", UNTRUSTED),
    ]


@given(st.lists(st.sampled_from(["{}", "{:>5}", "{!r}", "{{", "}}", "<|x|>"]), max_size=5), st.data())
def test_brace_is_python_s(parts: list[str], data: st.DataObject) -> None:
    count = sum(part in ("{}", "{:>5}", "{!r}") for part in parts)
    texts = st.text("ab{}", max_size=3) | answers
    given_values = tuple(data.draw(texts) for _ in range(count))
    assert brace(TemplateSandbox(), form("".join(parts)), given_values, {}) == "".join(parts).format(*given_values)


def test_brace_keeps_origins() -> None:
    def check(text: MarkedText, *args: Any, **named: Any) -> list[tuple[str, int]]:
        return pieces(brace(TemplateSandbox(), text, args, named))

    answer = MarkedText("yes", MESSAGE)
    assert check(form("<|{}|>"), answer) == [("<|", TRUSTED), ("yes", MESSAGE), ("|>", TRUSTED)]
    assert check(form("{1}{{{0}"), answer, "no") == [("no", UNTRUSTED), ("{", TRUSTED), ("yes", MESSAGE)]
    assert check(form("{a[0]}!"), a=[answer]) == [("yes", MESSAGE), ("!", TRUSTED)]
    assert check(form("{:>4}"), answer) == [(" yes", UNTRUSTED)]
    # A form of mixed origins could move a character from one to the other.
    assert check(concat([form("<|"), "{}"]), 1) == [("<|1", UNTRUSTED)]
    assert check(concat([form("<|"), MarkedText("{}", MESSAGE)]), 1) == [("<|1", UNTRUSTED)]


def test_what_only_python_understands_is_untrusted() -> None:
    answer = MarkedText("yes", MESSAGE)
    assert pieces(percent(form("<%(a(b))s>"), {"a(b)": answer})) == [("<yes>", UNTRUSTED)]
    assert pieces(brace(TemplateSandbox(), form("<{:>{}}>"), (answer, 4), {})) == [("< yes>", UNTRUSTED)]
    # Both readings succeed and differ: Python's is the one that counts.
    assert pieces(brace(TemplateSandbox(), form("{:{}}{}"), ("a", "<2", "b"), {})) == [("a b", UNTRUSTED)]


@pytest.mark.parametrize("text", ["%9999999d", "%.9999999f", "%*d", "%.*f", "%(a)9999999s", "%0*d"])
def test_huge_widths_are_refused(text: str) -> None:
    with pytest.raises(TemplateLimitError):
        percent(form(text), {"a": "x"} if "(" in text else (5, 5))


def test_wrong_values_are_python_s_errors() -> None:
    with pytest.raises(TypeError):
        percent(form("%s%s"), ("a",))
    with pytest.raises(TypeError):
        percent(form("%d"), "a")
    with pytest.raises(KeyError):
        percent(form("%(b)s"), {"a": 1})
