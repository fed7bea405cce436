"""From bytes to pages, of every kind of file."""

import pytest

from app.engine.documents.documents import DocumentError
from app.services.documents import reading
from app.services.documents.reading import document_from, read_document
from tests.document_files import pdf
from tests.office_files import docx, paragraph, pptx


@pytest.mark.parametrize(
    ("data", "name", "pages", "has_pages"),
    [
        (b"# One\n\ntwo", "a.md", ("# One\n\ntwo",), False),
        (b"<script>no</script><h2>One</h2><p>two", "a.html", ("## One\n\ntwo",), False),
        (docx(paragraph("hello")), "a.docx", ("hello\n",), False),
        (pdf("One", "Two\nlines"), "a.pdf", ("One", "Two\r\nlines"), True),
        (pptx(("Title", "first"), ("Other", "second")), "a.pptx", ("# Title\n\nfirst", "# Other\n\nsecond"), True),
    ],
)
def test_pages(data: bytes, name: str, pages: tuple[str, ...], has_pages: bool) -> None:
    document, n_failed = read_document(data, name)
    assert (document.pages, document.has_pages, document.name, n_failed) == (pages, has_pages, name, 0)


def test_what_has_no_text_is_told() -> None:
    with pytest.raises(DocumentError, match="has no text, only pictures of it; attach it to a chat"):
        read_document(pdf(""), "a.pdf")
    with pytest.raises(DocumentError, match="is no text"):
        read_document(b"\0\1\2", "a.txt")


def test_heads_of_pages_that_a_text_quotes_are_no_pages() -> None:
    assert document_from("a", "a.txt", "see\n[Page 1]\n").has_pages is False


def test_a_long_page_of_html_is_read_in_a_child(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> str:
        raise AssertionError("this process read it")

    monkeypatch.setattr(reading, "text_of_html", refuse)
    document, _ = read_document(b"<p>one<p>two" + b" " * (1 << 19), "a.html")
    assert document.pages == ("one\n\ntwo\n",)
