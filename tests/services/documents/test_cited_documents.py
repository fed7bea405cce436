"""Documents that go whole can be cited by their pages or pieces, numbered through a conversation."""

import pytest

from app.core.document_form import cited_parts, document_form
from app.core.messages import DocumentPart, Message, PassagePart, Role, TextPart
from app.services.documents.cited_documents import with_cited_documents

PAGES = DocumentPart("ab" * 32, "rain.pdf", "[Page 1]\nIt rained.\n\n[Page 2]\nIt blew.\n")
PROSE = "\n\n".join(f"## Part {n}\n\n{'Ships wait in the harbour. ' * 40}" for n in (1, 2, 3))
NOTES = DocumentPart("cd" * 32, "notes.md", PROSE)


def asks(*parts: DocumentPart | PassagePart) -> Message:
    return Message(Role.USER, (*parts, TextPart("What of it?")))


def cited(message: Message) -> list[tuple[int, int | None]]:
    return [(each.number, each.page) for each in cited_parts(message)]


def test_pages_have_numbers_and_the_model_is_told_once_how_to_cite_them() -> None:
    first = with_cited_documents(asks(PAGES, NOTES), ())
    assert cited(first) == [(1, 1), (2, 2), (3, None), (4, None), (5, None)]
    assert [each.text for each in cited_parts(first)][:2] == ["It rained.", "It blew."]
    rain, notes, _ = first.parts
    assert isinstance(rain, DocumentPart) and isinstance(notes, DocumentPart)
    form = document_form(rain)
    assert form.startswith("Passages of documents") and form.count("Cite what you take") == 1
    assert "\n[1]\n[Page 1]\nIt rained.\n\n[2]\n[Page 2]\nIt blew.\n" in form
    assert document_form(notes).startswith("File: notes.md\n```\n[3]\n## Part 1\n")


def test_chats_that_begin_with_the_same_documents_begin_with_the_same_text() -> None:
    alone, both = (with_cited_documents(asks(*parts), ()).parts for parts in ((PAGES,), (PAGES, NOTES)))
    assert alone[0] == both[0]


def test_numbers_go_on_where_others_stand_above() -> None:
    above = [asks(PassagePart(1, "ef" * 32, "a.txt", "x", None, 0, 1), PassagePart(2, "ef" * 32, "a.txt", "y"))]
    assert cited(with_cited_documents(asks(PAGES), above)) == [(3, 1), (4, 2)]
    assert cited(with_cited_documents(asks(PAGES), [with_cited_documents(asks(PAGES), ())])) == [(3, 1), (4, 2)]


def test_chosen_pages_keep_their_page_numbers() -> None:
    chosen = DocumentPart("ab" * 32, "rain.pdf, pages 3, 7", "[Page 3]\nIt rained.\n\n[Page 7]\nIt blew.\n")
    assert cited(with_cited_documents(asks(chosen), ())) == [(1, 3), (2, 7)]


@pytest.mark.parametrize(
    "part",
    [
        DocumentPart("ab" * 32, "rain.py", PROSE),
        DocumentPart("ab" * 32, "rain.csv", PROSE),
        DocumentPart("", "Pasted text", PROSE),
        DocumentPart("ab" * 32, "rain.pdf", PAGES.text, by_passages=True),
    ],
)
def test_source_data_and_what_was_pasted_stay_as_they_are(part: DocumentPart) -> None:
    asked = asks(part)
    assert with_cited_documents(asked, ()) == asked
    assert cited(asked) == []


def test_a_very_long_line_is_cut_between_words() -> None:
    line = DocumentPart("ab" * 32, "line.txt", "harbour " * 900)
    (found, _) = with_cited_documents(asks(line), ()).parts
    assert isinstance(found, DocumentPart) and len(found.starts) > 3
    assert all(line.text[start:].startswith("harbour") for start in found.starts)
