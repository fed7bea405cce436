"""What streams in pieces ends as what is read at once; what is hostile stays text."""

import re
from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.ui.richtext.markdown import Block, Code, MarkdownStream, Prose, parse
from app.ui.richtext.markdown_blocks import Mark
from app.ui.richtext.markdown_tags import without_half

CORPUS = (
    "# Title\n\nA paragraph with **bold**, *slanted*, `code` and ~~gone~~.\nIts second line.\n",
    "1. one\n2. two\n   - nested\n   - more\n\n3. three\n\nAfter it.\n",
    "- a\n\n  ```py\n  x = 1\n  ```\n- b\n",
    "text\na|b\n---|---\n1|2\n\nmore\n",
    "text\na|b\n---|---x\n",
    "Title\n===\n\nOther\n---\nend",
    "> quoted\nlazily\n\n> again\n",
    "```python\nprint('```')\n\n    deep\n```\nafter\n~~~\nnever closed\n",
    "    indented code\n\n    goes on\n\ntext",
    "- [ ] open\n- [x] done\n",
    "see [the site][1] and [more][2].\n\n- item\n\n[1]: https://example.org\n[2]: https://example.com 'title'\n",
    "line\r\nline\r\n\r\n* * *\r\rend\r",
    "a\n\n***\n\n---\n\nb 😀 中文 \u202eabc\n",
    "<b>raw</b>\n\n<script>alert(1)</script>\n\n<!-- never\n\nclosed",
    "text $x$ and $$y$$ \\(z\\) \\[w\\] costs $5 or $6.\n$$\na\n\n- b\n$$\nend\n",
    "- $$\n  a\n  $$\n\n$$\nnever\n\nclosed\n\n\\begin{align}\na\n\n\\end{align}\n",
    "```\n$$\n```\ntext\n\nmore[^1] ^[inline]\n\n[^1]: A note.\n\n    Its second part.\n\nend\n",
    "3. a\n4. b\n\n5. c\n6. d\n7. e\n\n- x\n- [ ] y\n- z\n- w\n- v\n\nend\n",
    "|a|b|\n|-|-|\n|1|2|\n|3|4|\n|5|6|\n|7|8|\n|9|0|\n\nend\n",
    "A sentence is here. Another one follows. A third, and more text. Words words.\n---\n",
    "A sentence is here. Another one | follows. Third | more text. Words\n---|---|---\n1|2\n",
    "H<sub>2</sub>O<br>and <kbd>Ctrl</kbd> <sup>half\n\n|a<br>b|c|\n|-|-|\n|x<sub>1</sub>|2|\n",
    "text\n<details>\n<summary>More *of it*</summary>\n\nhidden\n\n```py\nx\n```\n</details>\nafter\n",
    "- a\n  <details><summary>B</summary>\n  c\n  </details>\n- d\n<details>\n",
    "A sentence. Is here\nAnd another. One follows.\n2. No list. Goes on\n- a list. Which goes. On\n",
)
PIECES = ("a", "b|c", "\n", "\n\n", "---|---", "- ", "1. ", "> ", "```", "~~~", "    ", "# ", "===", "[x](y)", "*", " ")
FORMULAS = ("$$", "$", "\\[", "\\]", "\\(x\\)", "Words. Words.", "。字", "[^1]", "1|2\n", "- a\n", "2. b\n")
MORE = ("\t", "\r\n", "\r", "word word", "***", "  - ", "2) ", "`", "|", "[a]: /b", "[a]", "\0", "😀")
TAGS = (
    "<sub>",
    "</sub>",
    "<br>",
    "<details>\n",
    "<summary>s</summary>\n",
    "</details>\n",
    "<details><summary>s</summary>",
)
documents = st.lists(st.sampled_from(PIECES + MORE + FORMULAS + TAGS), max_size=30).map("".join)


@pytest.fixture(params=["whole", "small pieces"], scope="module")
def pieces(request: pytest.FixtureRequest) -> Iterator[None]:
    """Once as it is, and once with blocks cut so early that every text is cut."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param != "whole":
            sizes = {"LIST_ITEMS": 2, "LIST_CHARS": 30, "TABLE_ROWS": 2, "PARAGRAPH_CHARS": 14, "LINE_CHARS": 8}
            for name, size in sizes.items():
                patch.setattr(f"app.ui.richtext.markdown_pieces.{name}", size)
            patch.setattr("app.ui.richtext.markdown_html.LONGEST_HEAD", 8)
        yield


def stream(text: str, cuts: list[int]) -> tuple[list[Block], list[list[Block]]]:
    """The blocks at the end, and after each piece."""
    growing = MarkdownStream()
    shown: list[Block] = []
    steps = []
    places = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    for start, end in pairwise(places):
        growing.feed(text[start:end])
        change = growing.render()
        shown[change.keep :] = change.blocks
        steps.append(list(shown))
    change = growing.finish()
    shown[change.keep :] = change.blocks
    assert growing.source == text
    return shown, steps


def html_of(source: str) -> str:
    (block,) = parse(source)
    assert isinstance(block, Prose)
    return block.html


@pytest.mark.parametrize("text", CORPUS)
def test_token_by_token_ends_as_at_once(pieces: None, text: str) -> None:
    assert tuple(stream(text, list(range(len(text))))[0]) == parse(text)


@settings(max_examples=300, deadline=None)
@given(documents, st.lists(st.integers(0, 10_000), max_size=12))
@example("text\na|b\n---|---x", [8, 16])
@example("1. a\n1", [5, 6])
def test_random_pieces_end_as_at_once(pieces: None, text: str, cuts: list[int]) -> None:
    assert tuple(stream(text, cuts)[0]) == parse(text)


@settings(max_examples=200, deadline=None)
@given(documents.filter(lambda text: "]:" not in text and "\r" not in text), st.lists(st.integers(0, 10_000)))
@example("```\0c\nint a;\nint b;", [9])
@example("```b|c<details>\n---|---", [16])
@example("ab|c1|2\n$$1|2\n$$。字", [16])
def test_each_step_shows_what_was_told_so_far(pieces: None, text: str, cuts: list[int]) -> None:
    places = sorted({len(text), *(cut % (len(text) + 1) for cut in cuts)} - {0})
    for end, blocks in zip(places, stream(text, cuts)[1], strict=False):
        if without_half(text[:end]) == text[:end]:
            assert [_trimmed(each) for each in blocks] == [_trimmed(each) for each in parse(text[:end])]


def test_long_paragraphs_have_escapes_and_bare_links() -> None:
    sentence = "This is a sentence of some length, with no end in sight. "
    blocks = parse(sentence * 60 + "And \\[ some \\_more\\_ at https://example.org. " + sentence * 60)
    html = "".join(each.html for each in blocks if isinstance(each, Prose))
    assert len(blocks) > 1
    assert "And [ some _more_ at " in html
    assert ">https://example.org</a>" in html


def test_a_long_paragraph_may_begin_with_what_is_no_text() -> None:
    blocks = parse("\0" + "This is a sentence of some length, with no end in sight. " * 60)
    assert "".join(each.html for each in blocks if isinstance(each, Prose)).startswith("<p>\ufffdThis is a sentence")


def test_closed_blocks_are_kept() -> None:
    growing = MarkdownStream()
    growing.feed("first\n\nsecond\n\nthi")
    assert (growing.render().keep, len(growing.render().blocks)) == (0, 2)
    growing.feed("rd\n")
    assert growing.render().keep == 1
    growing.feed("goes on")
    change = growing.render()
    assert change.keep == 2
    assert change.blocks == (Prose("<p>third\ngoes on</p>"),)


def test_half_a_line_closes_nothing() -> None:
    growing = MarkdownStream()
    growing.feed("1. one\n1")
    growing.render()
    growing.feed(". two\n")
    change = growing.render()
    assert change.keep == 0
    assert len(change.blocks) == 1


def test_an_open_fence_grows_without_being_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    growing = MarkdownStream()
    growing.feed("text\n\n```py\na = 1\n")
    growing.render()
    growing.render()
    monkeypatch.setattr("app.ui.richtext.markdown._parse", lambda _: pytest.fail("parsed again"))
    growing.feed("b = 2\n")
    assert growing.render().blocks == (Code("py", "a = 1\nb = 2"),)


@pytest.mark.parametrize(
    "hostile",
    [
        "<img src=file:///etc/passwd>",
        "<style>@import url(file:///etc/passwd)</style>",
        "a <b onclick=x>b</b>",
        "![x](file:///etc/passwd)",
        "![x](/etc/passwd)",
        "![x](//host/share/a.png)",
        "![x](https://example.org/track.png)",
        "![x](data:image/png;base64,AAAA)",
    ],
)
def test_nothing_that_could_load_reaches_the_document(hostile: str) -> None:
    for block in parse(f"{hostile}\n\n- {hostile}\n"):
        assert isinstance(block, Prose)
        assert set(re.findall(r"<(\w+)", block.html)) <= {"p", "ul", "li", "a"}
        assert "style=" not in re.sub("&lt;.*?&gt;", "", block.html)


def test_raw_html_stays_text() -> None:
    assert parse("a <b>b</b>\n\n<div>\nc") == (
        Prose("<p>a &lt;b&gt;b&lt;/b&gt;</p>"),
        Prose("<p>&lt;div&gt;\nc</p>"),
    )


def test_a_few_tags_say_how_text_looks() -> None:
    assert html_of("H<sub>2</sub>O, mc<SUP>2</SUP>") == "<p>H<sub>2</sub>O, mc<sup>2</sup></p>"
    assert html_of("a<br>b<br/>c") == "<p>a<br />\nb<br />\nc</p>"
    assert html_of("<kbd>Ctrl</kbd>+<kbd>K</kbd>") == "<p><code>Ctrl</code>+<code>K</code></p>"
    table = html_of("|a|b|\n|-|-|\n|one<br>two|x<sub>1</sub>|\n")
    assert "one<br />\ntwo" in table and "x<sub>1</sub>" in table


@pytest.mark.parametrize(
    "source", ["a <sub>b", "a</sub> b", "a <sub onclick=x>b</sub>", "`<br>`", "a <sub>b <sup>c</sub> d</sup>"]
)
def test_a_tag_without_its_other_half_stays_text(source: str) -> None:
    assert "<su" not in html_of(source).replace("<sup>c&lt;/sub&gt; d</sup>", "") and "&lt;" in html_of(source)


def test_the_lines_of_details_are_blocks_of_their_own() -> None:
    source = "Before.\n<details>\n<summary>More *of it*</summary>\n\nHidden.\n</details>\nAfter."
    assert [(each.html, each.mark) for each in parse(source) if isinstance(each, Prose)] == [
        ("<p>Before.</p>", Mark.NONE),
        ("", Mark.BEGIN),
        ('<p class="summary">More <em>of it</em></p>', Mark.SUMMARY),
        ("<p>Hidden.</p>", Mark.NONE),
        ("", Mark.END),
        ("<p>After.</p>", Mark.NONE),
    ]
    assert [each.mark for each in parse("<details open><summary>x</summary>") if isinstance(each, Prose)] == [
        Mark.WHOLE_OPEN
    ]


def test_details_in_a_list_are_a_bold_line_and_open() -> None:
    html = html_of("- a\n  <details><summary>B</summary>\n  c\n  </details>")
    assert '<p class="summary">B</p>' in html and ">c</p>" in html


@pytest.mark.parametrize("end", ["</details>", "", "<", "</det"])
def test_what_stands_in_the_line_of_details_is_shown_below_the_summary(end: str) -> None:
    assert html_of(f"<details><summary>More</summary>H<sub>2</sub>O{end}") == (
        "<p><strong>More</strong><br />\nH<sub>2</sub>O</p>"
    )
    assert "<strong>More</strong>" in html_of(f"- a\n  <details open> <summary>More</summary> b {end}")


def test_half_a_line_of_details_is_not_shown_while_the_text_grows() -> None:
    source = "Before.\n\n<details open>\n<summary>More < of it</summary>\nHidden.\n</details>\n"
    _, steps = stream(source, list(range(len(source))))
    shown = {each.html for blocks in steps for each in blocks if isinstance(each, Prose)}
    assert not any("&lt;" in html for html in shown if "More &lt; of it</p>" not in html)
    assert "<p>&lt;div</p>" in {
        each.html for blocks in stream("<div", [3])[1] for each in blocks if isinstance(each, Prose)
    }


@pytest.mark.parametrize(
    ("address", "safe"),
    [
        ("https://example.org", True),
        ("HTTP://example.org", True),
        ("mailto:a@example.org", True),
        ("file:///etc/passwd", False),
        ("javascript:alert(1)", False),
        ("//host/share", False),
        ("../secret", False),
        ("#part", False),
    ],
)
def test_only_web_and_mail_are_links(address: str, safe: bool) -> None:
    assert ("<a href=" in html_of(f"[here]({address})")) is safe


def test_names_of_files_are_no_links() -> None:
    assert parse("see main.py") == (Prose("<p>see main.py</p>"),)


def test_code_and_language() -> None:
    assert parse("```C++ title=x\nint a;\n```\n\n    plain\n") == (Code("C++", "int a;"), Code("", "plain"))


def test_boxes_of_a_task_list() -> None:
    html = html_of("- [ ] a\n- [x] b\n")
    assert "☐ a" in html and "☑ b" in html


def _trimmed(block: Block) -> Block:
    return Code(block.language, block.text.rstrip()) if isinstance(block, Code) else block


def test_heads_of_tables_stand_over_their_columns() -> None:
    html = html_of("|a|b|\n|-|-:|\n|1|2|\n")
    assert '<td class="head short">a' in html and '<td class="head short" align="right">b' in html
    assert '<td class="short">1' in html and '<td class="short" align="right">2' in html


def test_quotations_are_drawn_to_a_depth_that_qt_can_bear() -> None:
    """A table in a table is laid out twice for each one around it: thirty signs would stop the window for hours."""
    deep = html_of("> " * 15 + "deep")
    assert deep.count("<table") == deep.count("</table>") == 5
    assert "deep" in deep
    for block in parse("> a\n> > b\n\n" * 3):
        assert isinstance(block, Prose)
        assert block.html.count("<table") == block.html.count("</table>") == 2
