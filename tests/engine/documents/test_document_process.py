"""Documents are read by a child, which may hang or die over a page."""

import sys
import time
from contextlib import closing
from unittest.mock import patch

import pytest

from app.engine.documents import document_process, documents
from app.engine.documents.document_process import DocumentProcess, document_text
from app.engine.documents.documents import DocumentError
from tests.document_files import pdf
from tests.office_files import docx, paragraph

_CHILD = """
import json, sys, time
first, bad, how = int(sys.argv[-1]), {bad!r}, {how!r}
sys.stdin.buffer.read()
tell = lambda **told: print(json.dumps(told), flush=True)
if how == "at once":
    sys.exit(1)
if how == "never":
    time.sleep(60)
while how == "works":
    pass
until = time.monotonic() + 3
while how == "waits its turn" and time.monotonic() < until:
    used = time.process_time()
    while time.process_time() < used + 0.02:
        pass
    time.sleep(0.1)
if how == "waits its turn":
    tell(sentence="It is damaged.")
    sys.exit()
tell(pages=9)
for n in range(first, 9):
    tell(page=n)
    if n in bad:
        time.sleep(60) if how == "hangs" else sys.exit(1)
    tell(text=f"page {{n + 1}}")
"""


def child(how: str, *bad: int) -> DocumentProcess:
    return DocumentProcess(b"x" * 300_000, "a.pdf", command=(sys.executable, "-c", _CHILD.format(how=how, bad=bad)))


def read(process: DocumentProcess) -> str:
    with closing(process):
        while not process.read(0.05):
            pass
        return process.text()


def test_all_pages_with_their_numbers() -> None:
    assert (
        document_text(pdf("One (1)\nand more", "", "Three"), "a.pdf")
        == "[Page 1]\nOne (1)\nand more\n\n[Page 2]\n\n\n[Page 3]\nThree\n"
    )


def test_every_kind_of_file_has_a_text() -> None:
    assert document_text(docx(paragraph("hello")), "a.docx") == "hello\n"
    assert document_text(b"plain", "a.txt") == "plain"
    for data, name, told in (
        (b"PK\x03\x04", "a.docx", "a.docx is damaged, or not what its name says; use another copy."),
        (pdf(""), "a.pdf", "a.pdf has no text, only pictures of it; use those, with a model that sees."),
    ):
        with pytest.raises(DocumentError) as caught:
            document_text(data, name)
        assert caught.value.sentence == told


@pytest.mark.parametrize("how", ["hangs", "dies"])
def test_a_page_that_ends_its_reader_costs_itself_alone(how: str) -> None:
    with patch.object(document_process, "_WORK", 0.75):
        process = child(how, 3, 8)
        text = read(process)
    assert (process.failed, process.n_read) == ([4, 9], 9)
    assert "[Page 3]\npage 3\n\n[Page 4]\n\n\n[Page 5]\npage 5" in text


def test_a_file_that_ends_its_reader_again_and_again_is_given_up() -> None:
    with pytest.raises(DocumentError, match=r"a\.pdf can't be read: its reader ended over it"):
        read(child("dies", *range(9)))
    with pytest.raises(DocumentError, match="its reader ended over it"):
        read(child("at once"))
    with patch.object(document_process, "_WORK", 0.075), pytest.raises(DocumentError, match="takes too long to read"):
        read(child("never"))


def test_a_file_that_keeps_the_processor_busy_is_given_up_before_the_clock_says_so() -> None:
    with (
        patch.object(document_process, "_WORK", 0.5),
        patch.object(document_process, "_BUSY", 1000),
        pytest.raises(DocumentError, match="takes too long to read"),
    ):
        read(child("works"))


def test_a_file_on_a_busy_machine_is_waited_for_and_told_what_is_wrong_with_it() -> None:
    """What the child uses of the processor tells that it hangs nowhere, however long it takes by the clock."""
    with patch.object(document_process, "_BUSY", 0.4), pytest.raises(DocumentError, match=r"^It is damaged\.$"):
        read(child("waits its turn"))
    with (
        patch.object(document_process, "_CROWDED", 0.2),
        pytest.raises(DocumentError, match=r"^This computer is too busy to read a\.pdf; try again"),
    ):
        read(child("waits its turn"))


def test_it_is_closed_in_the_middle_at_once() -> None:
    process = child("hangs", 1)
    while not process.n_read:
        process.read(0.05)
    began = time.monotonic()
    process.close()
    assert time.monotonic() - began < 20, "the child would be there for a minute"
    assert process._child.poll() is not None


def test_too_much_text_ends_the_reading() -> None:
    with patch.object(documents, "MAX_CHARS", 20), pytest.raises(DocumentError, match="use a file of the part"):
        read(child("reads"))
