"""A document goes whole where there is room, and else by its best passages, unless people choose."""

import hashlib
import threading
from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot

from app.core.messages import DocumentPart
from app.services.chat.chat_passages import ChatPassages
from app.services.drafts.document_choice import DocumentChoice
from app.services.drafts.pending import PendingDocument
from app.services.engine.token_counts import TokenCount
from tests.services.chat.test_chat_passages import FILE, context, controller, lookup  # noqa: F401 - fixtures
from tests.services.chatting import Chat
from tests.waits import WAIT


@pytest.fixture
def choice(chat: Chat) -> DocumentChoice:
    assert isinstance(chat.controller.passages, ChatPassages)
    return DocumentChoice(chat.engine, chat.active, chat.controller.passages)


def pending(number: int, tokens: int) -> PendingDocument:
    part = DocumentPart("", f"{number}.txt", FILE.text)
    return PendingDocument(number, part.name, part, tokens=TokenCount(tokens, exact=True))


Told = Callable[..., list[tuple[bool, int]]]


@pytest.fixture
def told(choice: DocumentChoice) -> Told:
    """Of each document, whether it goes by passages, and how many of them are brought."""

    def applied(*documents: PendingDocument) -> list[tuple[bool, int]]:
        shown = [each for each in choice.applied(documents) if isinstance(each, PendingDocument)]
        return [(each.part is not None and each.part.by_passages, each.most_passages) for each in shown]

    return applied


def test_before_a_model_is_there_all_go_whole(told: Told) -> None:
    assert told(pending(1, 10_000_000)) == [(False, 0)]


def test_the_first_ones_have_the_room_of_the_context(chat: Chat, told: Told) -> None:
    chat.load("llama")
    assert told(pending(1, 3000), pending(2, 900), pending(3, 400)) == [(False, 0), (True, 3), (False, 0)]
    chat.say("hello " * 700)
    assert told(pending(1, 3000)) == [(True, 3)], "and of what the conversation leaves"


def test_people_choose_otherwise(chat: Chat, choice: DocumentChoice, told: Told, qtbot: QtBot) -> None:
    chat.load("llama")
    with qtbot.waitSignal(choice.changed, timeout=WAIT):
        choice.choose(1, by_passages=True)
    assert told(pending(1, 300), pending(2, 300)) == [(True, 3), (False, 0)]
    choice.choose(1, by_passages=False)
    assert told(pending(1, 30_000)) == [(False, 0)]


def test_passages_are_counted_and_reading_is_reckoned(chat: Chat, choice: DocumentChoice, qtbot: QtBot) -> None:
    chat.load("llama")
    chat.say("hello " * 300)
    with qtbot.waitSignal(choice.changed, timeout=WAIT):
        choice.applied([pending(1, 30_000)])
    (shown,) = choice.applied([pending(1, 30_000)])
    assert isinstance(shown, PendingDocument) and shown.n_passages > 2 and shown.seconds > 0


def test_long_texts_are_not_hashed_in_the_window_s_thread(
    chat: Chat, choice: DocumentChoice, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads, sha256 = list[threading.Thread](), hashlib.sha256

    def noted(data: bytes = b"") -> "hashlib._Hash":
        if len(data) >= len(FILE.text):
            threads.append(threading.current_thread())
        return sha256(data)

    chat.load("llama")
    monkeypatch.setattr(hashlib, "sha256", noted)
    with qtbot.waitSignal(choice.changed, timeout=WAIT):
        choice.applied([pending(1, 30_000)])
    chat.say("What did the gauge at the bridge measure?", (FILE,))
    assert chat.messages[0].message.passages
    assert threads and threading.main_thread() not in threads
