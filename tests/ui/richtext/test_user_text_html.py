"""What a person typed keeps every letter; code, bold words and lists are shown as such."""

import pytest

from app.ui.richtext.block_text import raw_text
from app.ui.richtext.markdown import parse
from app.ui.richtext.markdown_blocks import Code, Prose

pytestmark = pytest.mark.usefixtures("appearance")


def html(typed: str) -> str:
    return "".join(each.html for each in parse(typed, typed=True) if isinstance(each, Prose)).replace("\n", "")


@pytest.mark.parametrize(
    "typed",
    [
        "# a comment",
        "> quoted",
        "2**3 and 4**5, a*b*c, *one*, ***x***",
        "__init__ and snake_case_name",
        "cp $SRC/$DST costs $5",
        r"\*not\* \n",
        "<b>x</b> &amp; &nbsp;",
        "[a](https://a.org) ![b](c.png)",
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "~~no~~ `open",
        "Title\n=====\n---",
        "one\n  two\n\tthree  four",
        "    four blanks",
        "1986 was good",
        "**kwargs and **more",
    ],
)
def test_what_is_no_mark_stays_as_it_was_typed(typed: str) -> None:
    blocks = parse(typed, typed=True)
    shown = "\n\n".join(raw_text(each) for each in blocks)
    assert shown == typed.replace("\t", "    ")
    assert "<strong>" not in html(typed) and "<li>" not in html(typed)


def test_code_is_shown_as_code() -> None:
    before, code, after = parse("look:\n```python\nx  = 1\n\ny\n```\nwhy?", typed=True)
    assert code == Code("python", "x  = 1\n\ny")
    assert isinstance(before, Prose) and isinstance(after, Prose)
    assert html("a `b  c`.") == "<p>a <code>b\u00a0\u00a0c</code>.</p>"


def test_bold_words_and_lists() -> None:
    assert html("**very** (**much**)") == "<p><strong>very</strong> (<strong>much</strong>)</p>"
    assert html("- a\n  - b\nc") == "<ul><li>a<ul><li>b</li></ul></li></ul><p>c</p>"
    assert html("3. a\n4. b") == '<ol start="3"><li>a</li><li>b</li></ol>'


def test_addresses_can_be_followed_and_files_can_not() -> None:
    assert '<a href="https://a.org/b">https://a.org/b</a>' in html("see https://a.org/b")
    assert "<a" not in html("main.py, a@b.org, www.a.org")
    assert "<a" not in html("file:///etc/passwd javascript:x")


def test_a_long_text_is_cut_between_its_lines() -> None:
    typed = "\n".join(f"    step({number}).then(a. b)" for number in range(1000))
    blocks = parse(typed, typed=True)
    assert len(blocks) > 3
    assert "\n".join(raw_text(each) for each in blocks) == typed
