"""Searching in documents as one types."""

import threading

import pytest
from pytestqt.qtbot import QtBot

from app.services.documents.index_states import FoundPassages
from app.services.documents.passage_finder import Found, PassageFinder
from app.services.documents.search import DocumentSearch
from tests.waits import WAIT


def test_a_newer_search_cuts_the_running_one_short(
    search: DocumentSearch, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    begun, cut = threading.Event(), threading.Event()

    def find(_: PassageFinder, question: str, **__: object) -> Found:
        if question == "first":
            begun.set()
            cut.wait(WAIT / 1000)
        return Found(())

    monkeypatch.setattr(PassageFinder, "find", find)
    monkeypatch.setattr(PassageFinder, "interrupt", lambda _: cut.set())
    told: list[FoundPassages] = []
    search.found.connect(told.append)
    search.search("first", 1)
    assert begun.wait(WAIT / 1000)
    search.search("second", 1)
    assert cut.is_set(), "the newest does not wait for it"
    qtbot.waitUntil(lambda: bool(told), timeout=WAIT)
    assert [each.question for each in told] == ["second"]
