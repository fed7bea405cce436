"""A page is complete in itself: nothing in it leads anywhere by itself, and nothing that people wrote is HTML."""

import base64
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.messages import AudioPart, DocumentPart, ImagePart, Message, Part, PassagePart, Role, TextPart, ToolCall
from app.storage.conversations import MessageState
from app.storage.exchange.records import ConversationRecord, MessageRecord
from app.ui.exporting.html_export import HtmlExport
from app.ui.exporting.web_html import coloured_lines
from tests.audio_files import sound_file, tone
from tests.picture_files import png

HOSTILE = '<script>alert(1)</script><img src="https://evil.example/x" onerror="x()">'


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def read(page: bytes) -> Tags:
    tags = Tags()
    tags.feed(page.decode())
    return tags


def record(*messages: Message, title: str = "Talk") -> ConversationRecord:
    made = tuple(
        MessageRecord(place - 1 if place else None, each, MessageState.COMPLETE, 1.7e9)
        for place, each in enumerate(messages)
    )
    return ConversationRecord(title, 1.7e9, 1.7e9, made, len(made) - 1)


def page(*parts: Part, role: Role = Role.ASSISTANT, reasoning: str = "", calls: tuple[ToolCall, ...] = ()) -> Tags:
    message = Message(role, parts, reasoning=reasoning, tool_calls=calls)
    return read(HtmlExport().page(record(message), lambda content_hash: png()))


def test_markdown_code_and_tables() -> None:
    text = "# Head\n\n```python\ndef f(): return 1\n```\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n- [x] done\n"
    found = page(TextPart(text))
    names = [tag for tag, _ in found.found]
    assert {"table", "pre", "code", "ul", "h3"} <= set(names)
    assert ("span", {"class": "keyword"}) in found.found
    assert "def f(): return 1" in found.text and "☑ done" in found.text


def test_questions_look_as_in_the_window() -> None:
    typed = "See:\n\n```python\ndef f(): return 1\n```\n\n- one **bold**\n- two\n\n# a comment\n  kept   blanks, $x$"
    found = page(TextPart(typed), role=Role.USER)
    names = [tag for tag, _ in found.found]
    assert {"pre", "ul", "strong"} <= set(names)
    assert ("span", {"class": "keyword"}) in found.found
    assert "```" not in found.text and "**" not in found.text
    # What is no code, list or bold word stays as it was typed.
    assert "# a comment" in found.text and "\u00a0\u00a0kept\u00a0\u00a0\u00a0blanks, $x$" in found.text


def test_a_recording_is_played_on_the_page() -> None:
    data = sound_file(tone(0.2), 44_100, "FLAC")
    message = Message(Role.USER, (AudioPart("0" * 64, "<bell>.flac"),))
    found = read(HtmlExport().page(record(message), lambda content_hash: data))
    [player] = [attributes for tag, attributes in found.found if tag == "audio"]
    assert player["src"] == f"data:audio/flac;base64,{base64.b64encode(data).decode()}"
    assert "<bell>.flac" in found.text
    lost = read(HtmlExport().page(record(message), lambda content_hash: None))
    assert "[<bell>.flac]" in lost.text and "audio" not in [tag for tag, _ in lost.found]


def test_formulas_are_drawings() -> None:
    found = page(TextPart("An $x^2$ and\n\n$$\\frac{1}{2}$$\n\nand $\\nosuchthing{$"))
    drawn = [attributes for tag, attributes in found.found if attributes.get("class") == "formula"]
    assert drawn[0]["aria-label"] == "x^2"
    assert len(drawn) >= 2
    assert "svg" in [tag for tag, _ in found.found]


def test_pictures_documents_reasoning_and_calls() -> None:
    picture = ImagePart("ab" * 32, "cat.png")
    found = page(
        picture,
        DocumentPart("", "notes.md", "Some <notes>"),
        TextPart("See."),
        reasoning="*Because*",
        calls=(ToolCall("1", "search", '{"q": 1}'),),
    )
    (source,) = [attributes["src"] or "" for tag, attributes in found.found if tag == "img"]
    assert base64.b64decode(source.removeprefix("data:image/png;base64,")) == png()
    assert [tag for tag, _ in found.found].count("details") == 3
    assert "Some <notes>" in found.text and "Calls search" in found.text and "Because" in found.text


def test_passages_are_listed_as_sources() -> None:
    passage = PassagePart(3, "ab", "rain <1>.pdf", "It rained.", 12)
    said = str(HtmlExport().page(record(Message(Role.USER, (passage, TextPart("When?")))), lambda _: None), "utf-8")
    assert "Sources: [3] rain &lt;1&gt;.pdf, page 12" in said and "It rained" not in said


def test_reasoning_may_be_left_out() -> None:
    told = record(Message(Role.ASSISTANT, (TextPart("Yes."),), reasoning="Secret."))
    assert b"Secret" in HtmlExport().page(told, lambda _: None)
    assert b"Secret" not in HtmlExport().page(told, lambda _: None, reasoning=False)


def test_what_browsers_cannot_show_is_named() -> None:
    told = record(Message(Role.USER, (ImagePart("ab" * 32, "x <b>.tif"),)))
    for files in ({}, {"ab" * 32: b"TIFF?"}):
        shown = read(HtmlExport().page(told, files.get))
        assert "[x <b>.tif]" in shown.text
        assert not [tag for tag, _ in shown.found if tag in ("img", "b")]


@pytest.mark.parametrize("role", list(Role))
def test_nothing_people_wrote_is_html(role: Role) -> None:
    parts = (TextPart(HOSTILE), DocumentPart("", HOSTILE, HOSTILE), ImagePart("ab" * 32, HOSTILE))
    calls = (ToolCall(HOSTILE, HOSTILE, HOSTILE),)
    message = Message(role, parts, reasoning=HOSTILE, tool_calls=calls, name=HOSTILE)
    made = read(HtmlExport().page(record(message, title=HOSTILE), lambda _: None))
    assert not [tag for tag, _ in made.found if tag in ("script", "img")]
    assert "script" not in [tag for tag, _ in made.found]


@given(
    st.text(max_size=60), st.sampled_from(["", "![x](https://e.example/y)", "[a](javascript:b)", "<a href=x>", "$x$"])
)
@settings(max_examples=40, deadline=None)
def test_nothing_is_fetched(text: str, more: str) -> None:
    made = read(HtmlExport().page(record(Message.of(Role.ASSISTANT, text + more), title=text), lambda _: None))
    for tag, attributes in made.found:
        assert tag not in ("script", "iframe", "object", "embed", "img", "base", "form", "image", "use")
        assert not [name for name in attributes if name.startswith("on")]
        for name in ("href", "src", "xlink:href"):
            address = attributes.get(name) or "#"
            assert address.startswith(("#", "https://", "http://", "mailto:"))
    policy = [attributes["content"] for tag, attributes in made.found if attributes.get("http-equiv")]
    assert policy == ["default-src 'none'; img-src data:; media-src data:; style-src 'unsafe-inline'"]


def test_both_themes_are_in_it() -> None:
    text = HtmlExport().page(record(Message.of(Role.USER, "x")), lambda _: None).decode()
    assert "@media (prefers-color-scheme: dark)" in text
    assert text.count("--window:") == 2
    used = set(re.findall(r"var\(--([a-z-]+)\)", text))
    assert used <= set(re.findall(r"--([a-z-]+):", text))


def test_notes_of_two_answers_are_told_apart() -> None:
    answer = Message.of(Role.ASSISTANT, "One[^1]\n\n[^1]: Note")
    made = read(HtmlExport().page(record(answer, answer), lambda _: None))
    names = [attributes["id"] for tag, attributes in made.found if tag == "li" and "id" in attributes]
    links = [
        (attributes["href"] or "")[1:]
        for tag, attributes in made.found
        if (attributes.get("href") or "").startswith("#")
    ]
    assert len(set(names)) == 2 and links == names


def test_an_index_leads_to_its_pages() -> None:
    made = read(HtmlExport().index([("A & B.html", record(title="A & B"))]))
    assert [attributes["href"] for tag, attributes in made.found if tag == "a"] == ["A & B.html"]


@given(
    st.text(alphabet=st.sampled_from("def x='é😀\n\"#"), max_size=60), st.sampled_from(["python", "", "nothing", "js"])
)
@settings(deadline=None)
def test_colours_lose_no_character(code: str, language: str) -> None:
    lines = ["".join(text for text, _ in pieces) for pieces in coloured_lines(code, language)]
    assert "\n".join(lines) == code
