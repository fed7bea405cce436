"""Model cards, written for web pages, as Markdown that can be read."""

import pytest

from app.ui.richtext.model_card import readable_card
from tests.work import assert_quick


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ('<div align="center">\n<img src="https://x/y.png" width=60%>\n</div>\n\n# Rain', "# Rain"),
        ('<a href="https://x.org/a" target="_blank">The <b>blog</b></a>', "[The blog](https://x.org/a)"),
        ('<a href="javascript:alert(1)">click</a>', "click"),
        ('<a href="https://x.org"><img src="https://x/y.svg"></a> text', "text"),
        ("one<br>two<br/>three", "one\ntwo\nthree"),
        ("a < b and c > d, 2<3", "a < b and c > d, 2<3"),
        ("Use `<think>` and `</think>`.", "Use `<think>` and `</think>`."),
        ("```html\n<div>stays</div>\n\n\n\nend\n```", "```html\n<div>stays</div>\n\n\n\nend\n```"),
        ("~~~\n<b>\n```\n<i>\n~~~\n<u>x</u>", "~~~\n<b>\n```\n<i>\n~~~\nx"),
        ("<!-- not\nseen -->text<!-- and no end", "text"),
        ("<style>p { color: red }</style>text", "text"),
        ("<script>alert(1)", "alert(1)"),
        ("a\n\n\n\n\nb", "a\n\nb"),
        ("<p>\n    Words in a tag</p>", "Words in a tag"),
    ],
)
def test_tags_go_and_text_stays(written: str, read: str) -> None:
    assert readable_card(written) == read


@pytest.mark.parametrize(
    "piece", ["<", "`", "<a ", "<!--", "```\n", "<style>", '<a href="https://x">', '<a href="https://x">x', "<x`", "\n"]
)
def test_nothing_takes_long(piece: str) -> None:
    assert_quick(5.0, lambda: readable_card(piece * 200_000))
