"""A document's pages are found again in its text, and some of them make a smaller document."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.messages import DocumentPart
from app.engine.documents.document_pages import chosen_of, pages_of, parse_pages, told_pages, with_pages
from app.engine.documents.document_process import document_text
from tests.document_files import pdf


def document(*pages: str) -> DocumentPart:
    return DocumentPart("hash", "a.pdf", document_text(pdf(*pages), "a.pdf"))


def test_the_pages_of_a_pdf_file_are_found() -> None:
    part = document("one", "", "three")
    pages = pages_of(part)
    assert pages == ("[Page 1]\none\n\n", "[Page 2]\n\n\n", "[Page 3]\nthree\n")
    assert "".join(pages) == part.text


def test_a_head_that_a_page_quotes_is_text() -> None:
    assert [each.split("\n")[1] for each in pages_of(document("[Page 7]", "two\n[Page 1]", "three"))] == [
        "[Page 7]",
        "two",
        "three",
    ]


@pytest.mark.parametrize("text", ["", "plain", "before\n[Page 1]\nx", "[Page 2]\nx", "x [Page 1]\n"])
def test_other_texts_have_no_pages(text: str) -> None:
    assert pages_of(DocumentPart("hash", "a.txt", text)) == ()


def test_a_pasted_text_has_no_pages() -> None:
    assert pages_of(DocumentPart("", "Pasted text", "[Page 1]\nx\n")) == ()


def test_some_pages_make_a_smaller_document_that_says_so() -> None:
    part = document("one", "two", "three", "four")
    assert with_pages(part, (1, 2, 4)) == DocumentPart(
        "hash", "a.pdf, pages 1-2, 4", "[Page 1]\none\n\n[Page 2]\ntwo\n\n[Page 4]\nfour\n"
    )
    assert with_pages(part, (1, 2, 3, 4)) is part


@pytest.mark.parametrize(
    ("told", "numbers"),
    [("3", (3,)), ("1-3", (1, 2, 3)), (" 8 – 9 , 2,9", (2, 8, 9)), ("1-10", tuple(range(1, 11)))],
)
def test_pages_are_told_in_words(told: str, numbers: tuple[int, ...]) -> None:
    assert parse_pages(told, 10) == numbers


@pytest.mark.parametrize("told", ["", "0", "11", "3-2", "1-11", "one", "1-", "-3", "1,,2", "1 2", "²"])
def test_what_names_no_pages_is_refused(told: str) -> None:
    with pytest.raises(ValueError):
        parse_pages(told, 10)


@given(st.sets(st.integers(1, 40), min_size=1))
def test_told_pages_are_read_as_they_were(numbers: set[int]) -> None:
    assert parse_pages(told_pages(sorted(numbers)), 40) == tuple(sorted(numbers))


@pytest.mark.parametrize("numbers", [(1,), (2,), (1, 2), (2, 3), (1, 3)])
def test_what_was_chosen_is_told_by_its_name(numbers: tuple[int, ...]) -> None:
    assert chosen_of(with_pages(document("one", "[Page 9]", "three"), numbers)) == ("a.pdf", numbers)


@pytest.mark.parametrize(
    ("name", "text", "content_hash"),
    [
        ("a.pdf", "[Page 1]\none\n", "hash"),
        ("a.pdf, page 2", "[Page 1]\none\n", "hash"),
        ("a.pdf, pages 2-1", "[Page 1]\none\n\n[Page 2]\ntwo\n", "hash"),
        ("a.pdf, pages 1-2", "[Page 2]\ntwo\n\n[Page 1]\none\n", "hash"),
        ("a.pdf, pages 1, ,", "[Page 1]\none\n", "hash"),
        ("a.pdf, page 1", "[Page 1]\none\n", ""),
        (", page 1", "[Page 1]\none\n", "hash"),
    ],
)
def test_what_only_looks_so_was_not_chosen(name: str, text: str, content_hash: str) -> None:
    assert chosen_of(DocumentPart(content_hash, name, text)) is None
