"""Pages hold all of a conversation, within their margins."""

from collections.abc import Iterator
from pathlib import Path

import pypdfium2
import pytest
from PySide6.QtWidgets import QApplication

from app.core.errors import UserError
from app.core.messages import DocumentPart, ImagePart, Message, Role, TextPart, ToolCall
from app.storage.exchange.outfile import Stopped
from app.storage.exchange.records import ConversationRecord
from app.ui.exporting.pdf_export import decoded, write_pdf
from tests.picture_files import png
from tests.ui.exporting.test_html_export import record


def write(path: Path, *records: ConversationRecord, letter: bool = False, reasoning: bool = True) -> None:
    write_pdf(
        path,
        iter(records),
        lambda _: png(900, 2000),
        reasoning=reasoning,
        letter=letter,
        done=lambda: None,
    )


@pytest.fixture
def pages(tmp_path: Path, qapp: QApplication) -> Iterator[Path]:
    yield tmp_path / "a.pdf"


def texts(path: Path) -> list[str]:
    document = pypdfium2.PdfDocument(path)
    try:
        return [document[number].get_textpage().get_text_bounded() for number in range(len(document))]
    finally:
        document.close()


def plain(path: Path) -> str:
    """Without blanks, which a reader of PDF files guesses."""
    return "".join("".join(texts(path)).split())


def test_everything_is_on_them(pages: Path) -> None:
    answer = "# Head\n\n```python\nprint(1)\n```\n\n| a | b |\n|---|---|\n| cell | x |\n\n> quoted\n\n1. item\n\n$x^2$"
    message = Message(
        Role.ASSISTANT,
        (DocumentPart("", "notes.md", "a document"), TextPart(answer)),
        reasoning="A thought.",
        tool_calls=(ToolCall("1", "search", '{"q": "cats"}'),),
    )
    write(pages, record(Message.of(Role.USER, "Hello <b>\nthere"), message, title="Title & more"))
    told = plain(pages)
    for each in ("Title & more", "Hello <b>", "there", "Head", "print(1)", "cell", "quoted", "item", "A thought.",
                 "a document", "notes.md", "search", "cats"):  # fmt: skip
        assert each.replace(" ", "") in told
    assert "2023-11-14" in told
    write(pages, record(message), reasoning=False)
    assert "Athought" not in plain(pages)


def test_questions_look_as_in_the_window(pages: Path) -> None:
    typed = "See:\n\n```python\nprint(1)\n```\n\n- one **bold**\n\n# a comment, $x$"
    write(pages, record(Message.of(Role.USER, typed)))
    told = plain(pages)
    assert "print(1)" in told and "```" not in told and "**" not in told
    assert "#acomment,$x$" in told


@pytest.mark.parametrize(("letter", "size"), [(False, (595, 842)), (True, (612, 792))])
def test_sizes_of_paper(pages: Path, letter: bool, size: tuple[int, int]) -> None:
    write(pages, record(Message.of(Role.USER, "x")), letter=letter)
    document = pypdfium2.PdfDocument(pages)
    width, height = document[0].get_size()
    document.close()
    assert (round(width), round(height)) == size


def test_long_code_and_long_lines_are_not_cut_off(pages: Path) -> None:
    code = "\n".join(f"line{number}" for number in range(200)) + "\n" + "x" * 400 + "END"
    write(pages, record(Message.of(Role.ASSISTANT, f"```\n{code}\n```")))
    told = plain(pages)
    assert all(f"line{number}line{number + 1}" in told for number in range(199))
    assert "END" in told
    _inside_margins(pages)


def test_items_of_lists_have_their_marks(pages: Path) -> None:
    items = "plainly\n\n- one\n  - two\n- [ ] task\n" + "- and more\n" * 120 + "- last\n\n> - quoted"
    write(pages, record(Message.of(Role.ASSISTANT, items)))
    document = pypdfium2.PdfDocument(pages)
    try:
        assert len(document) > 1
        for number, word in ((0, "one"), (0, "two"), (len(document) - 1, "last"), (len(document) - 1, "quoted")):
            assert ink_before(document[number], word), word
        assert not ink_before(document[0], "plainly")
    finally:
        document.close()


def ink_before(page: pypdfium2.PdfPage, word: str) -> bool:
    """Whether anything is drawn left of this word, as near as a mark stands."""
    text = page.get_textpage()
    told = text.get_text_range()
    # A reader of PDF files guesses blanks.
    letters = [place for place, letter in enumerate(told) if not letter.isspace()]
    place = letters["".join(told.split()).index(word)]
    left, bottom, _, top = text.get_charbox(place)
    pixels = page.render(scale=2).to_numpy()
    height = page.get_height()
    beside = pixels[int((height - top) * 2) : int((height - bottom) * 2), int((left - 13) * 2) : int((left - 3) * 2)]
    return bool((beside < 200).any())


def test_pictures_fit(pages: Path) -> None:
    write(pages, record(Message(Role.USER, (ImagePart("ab" * 32, "p.png"), TextPart("See")))))
    _inside_margins(pages)


def _inside_margins(path: Path) -> None:
    """All ink is away from the paper's edges."""
    document = pypdfium2.PdfDocument(path)
    for number in range(len(document)):
        image = document[number].render(scale=0.5).to_pil().convert("L")
        box = image.point(lambda value: 255 if value < 250 else 0).getbbox()
        assert box is not None
        left, top, right, bottom = box
        assert left > 20 and top > 20 and right < image.width - 20 and bottom < image.height - 20
    document.close()


def test_every_conversation_begins_a_page_and_pages_have_numbers(pages: Path) -> None:
    one, two = record(Message.of(Role.USER, "a"), title="First"), record(Message.of(Role.USER, "b"), title="Second")
    write(pages, one, two)
    first, second = texts(pages)
    assert "First" in first and "Second" not in first and "Second" in second
    assert first.split()[-1] == "1" and second.split()[-1] == "2"


def test_who_speaks_never_stands_alone_at_the_end(pages: Path) -> None:
    for n_lines in range(20, 60):
        text = "\n\n".join("line" for _ in range(n_lines))
        write(pages, record(Message.of(Role.ASSISTANT, text), Message.of(Role.USER, "And?")))
        for page in texts(pages):
            lines = [line for line in page.split("\r\n") if line.strip()]
            # The last lines are the title and the number of the page.
            assert "You" not in lines[-3:-1] or "And?" in page


def test_long_conversations_are_laid_out_in_parts(pages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.ui.exporting.pdf_export._LONGEST", 50)
    write(pages, record(*(Message.of(Role.USER, f"message {number} " + "x" * 30) for number in range(5))))
    assert len(texts(pages)) > 1
    assert all(f"message{number}" in plain(pages) for number in range(5))


def test_an_empty_conversation_has_a_page(pages: Path) -> None:
    write(pages, ConversationRecord("Empty", 1.0, 1.0))
    assert "Empty" in plain(pages)


def test_stopping_comes_through(pages: Path) -> None:
    def stop() -> None:
        raise Stopped

    with pytest.raises(Stopped):
        write_pdf(
            pages,
            iter([record(Message.of(Role.USER, "x"))]),
            lambda part: None,
            reasoning=True,
            letter=False,
            done=stop,
        )


def test_a_folder_that_is_not_there_is_told(tmp_path: Path, qapp: QApplication) -> None:
    with pytest.raises(UserError):
        write(tmp_path / "none" / "a.pdf", record(Message.of(Role.USER, "x")))


def test_pictures_come_through_the_one_door(qapp: QApplication) -> None:
    part = ImagePart("ab" * 32, "p.png")
    image = decoded(lambda _: png(30, 20))(part)
    assert image is not None and (image.width(), image.height()) == (30, 20)
    assert decoded(lambda _: None)(part) is None
    assert decoded(lambda _: b"no picture")(part) is None
