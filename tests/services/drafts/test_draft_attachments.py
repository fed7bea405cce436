"""What holds for attachments of every kind."""

import threading
from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot

from app.services.drafts.draft_attachments import MOST_DOCUMENTS, MOST_PICTURES
from app.services.drafts.offers import PictureBytes
from tests.document_files import pdf
from tests.picture_files import png
from tests.services.attaching import Stand
from tests.waits import WAIT

Add = Callable[[str], int]


@pytest.fixture(params=["pictures", "documents"])
def add(request: pytest.FixtureRequest, stand: Stand) -> Add:
    """One of a kind; what has no name can't be read."""
    if request.param == "pictures":
        return lambda name: stand.drafts.add(PictureBytes(png()[: None if name != "bad" else 50], name))
    return lambda name: stand.add_document(pdf("text") if name != "bad" else b"\0\1", name)


def test_a_message_takes_so_many_of_a_kind(qtbot: QtBot, stand: Stand) -> None:
    for number in range(MOST_PICTURES + 2):
        stand.drafts.add(PictureBytes(png(), f"{number}"))
    for number in range(MOST_DOCUMENTS + 1):
        stand.add_document(b"text", f"{number}")
    assert len(stand.names) == MOST_PICTURES + MOST_DOCUMENTS
    assert stand.sentences == [
        *["A message takes at most 16 pictures; send these first."] * 2,
        "A message takes at most 32 files; send these first.",
    ]


def test_what_is_removed_while_it_is_read_stays_away(qtbot: QtBot, stand: Stand, add: Add) -> None:
    stand.drafts.remove(add("bad"))
    add("last")
    stand.settle(qtbot)
    assert stand.names == ["last"]
    assert stand.sentences == []


def test_what_cannot_be_read_goes_wherever_it_is(qtbot: QtBot, stand: Stand, add: Add) -> None:
    add("bad")
    stand.drafts.show_conversation(7)
    qtbot.waitUntil(lambda: len(stand.sentences) == 1, timeout=WAIT)
    stand.drafts.show_conversation(None)
    assert stand.names == []


def test_a_bug_is_told_in_a_sentence(qtbot: QtBot, stand: Stand, add: Add, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(data: bytes) -> str:
        raise ZeroDivisionError

    monkeypatch.setattr(stand.store, "put", fail)
    add("a")
    qtbot.waitUntil(lambda: stand.names == [], timeout=WAIT)
    assert stand.sentences == ["a could not be read because of a fault in Hearth. The log tells more."]
    monkeypatch.undo()
    add("b")
    stand.settle(qtbot)
    assert stand.names == ["b"], "the thread lives on"


def test_each_conversation_has_its_own(qtbot: QtBot, stand: Stand, add: Add) -> None:
    add("new")
    stand.drafts.show_conversation(7)
    assert stand.names == []
    add("seven")
    stand.settle(qtbot)
    stand.drafts.show_conversation(None)
    assert stand.names == ["new"]
    stand.settle(qtbot)
    stand.drafts.show_conversation(7)
    assert stand.names == ["seven"]


def test_what_is_attached_goes_with_its_conversation(qtbot: QtBot, stand: Stand, add: Add) -> None:
    for number in (7, 8):
        stand.drafts.show_conversation(number)
        add(str(number))
    stand.settle(qtbot)
    stand.drafts.forget(frozenset((7, 8, 9)))
    assert stand.names == ["8"], "what is on screen stays"
    stand.drafts.show_conversation(7)
    assert stand.names == []


def test_what_is_still_being_read_stays_in_the_draft(qtbot: QtBot, stand: Stand, add: Add) -> None:
    add("read")
    stand.settle(qtbot)
    add("unread")
    assert [each.name for each in stand.drafts.parts] == ["read"]
    assert [each.name for each in stand.drafts.take()] == ["read"]
    assert stand.names == ["unread"]
    stand.settle(qtbot)
    assert [each.name for each in stand.drafts.take()] == ["unread"]
    assert stand.names == []


def test_what_nobody_took_is_there_again_and_first(qtbot: QtBot, stand: Stand, add: Add) -> None:
    add("a")
    stand.settle(qtbot)
    before = stand.drafts.pending
    taken = stand.drafts.take()
    add("b")
    stand.drafts.give_back(taken)
    assert stand.drafts.pending[:1] == before
    assert stand.names == ["a", "b"]


def test_what_was_kept_comes_before_what_is_there(qtbot: QtBot, stand: Stand, add: Add) -> None:
    add("a")
    stand.settle(qtbot)
    kept = stand.drafts.parts
    stand.drafts.take()
    add("b")
    stand.drafts.restore(kept)
    assert stand.names == ["a", "b"]
    assert stand.drafts.parts[0] == kept[0]


def test_closing_drops_what_waits(stand: Stand, add: Add) -> None:
    assert "attachments" not in {each.name for each in threading.enumerate()}, "the start costs nothing"
    for _ in range(10):
        add("bad")
    stand.drafts.close()
    add("late")
    assert "attachments" not in {each.name for each in threading.enumerate()}
    assert stand.sentences == []


def test_documents_go_behind_media(qtbot: QtBot, stand: Stand) -> None:
    stand.add_document(b"text", "a.txt")
    stand.drafts.add(PictureBytes(png(), "b.png"))
    stand.settle(qtbot)
    assert stand.names == ["a.txt", "b.png"]
    assert [each.name for each in stand.drafts.parts] == ["b.png", "a.txt"]
