"""Passages come to questions, are numbered through a conversation, and stay where they were asked for."""

import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from app.core.errors import UserError
from app.core.loading import Loading
from app.core.messages import DocumentPart, Message, PassagePart, Role, TextPart
from app.core.overflow import reckoned
from app.core.program import own_command
from app.services.chat.chat_controller import ChatController
from app.services.chat.chat_passages import NO_WORDS, ChatPassages
from app.services.documents.brought import fitting, most_passages, passage_room
from app.services.documents.passage_finder import PassageFinder
from app.services.documents.passage_lookup import Asked, FoundForChat, PassageLookup
from app.services.engine.service import EngineService
from app.services.engine.states import ModelResting
from app.services.runtime.settings_service import SettingsService
from app.storage.attachments import AttachmentStore
from app.storage.conversations import ConversationStore
from app.storage.database import Database
from app.storage.options import OptionsStore
from app.storage.passages.collection_rows import FoundFile
from app.storage.passages.passage import Document, Passage
from app.storage.passages.passage_store import PassageStore
from tests.services.chatting import Chat
from tests.waits import WAIT

PARAGRAPHS = {
    "Rain": "The gauge at the bridge measured 37 cm of rain. " * 30,
    "Wind": "In autumn the wind comes from the sea. " * 30,
    "Frost": "Frost ends in March, and gardeners cover young plants. " * 30,
}
TEXT = "\n\n".join(["# Seasons", *(f"## {name}\n\n{text}" for name, text in PARAGRAPHS.items())])
FILE = DocumentPart("", "seasons.txt", TEXT, by_passages=True)


class Slow:
    def __init__(self) -> None:
        self.goes_on = threading.Event()

    def find(self, asked: Asked) -> FoundForChat:
        self.goes_on.wait(WAIT / 1000)
        return FoundForChat(())

    def keep(self, part: DocumentPart) -> int:
        return 0

    def close(self) -> None:
        pass


class Failing:
    def find(self, asked: Asked) -> FoundForChat:
        raise UserError("The disk is full.")

    def keep(self, part: DocumentPart) -> int:
        return 0

    def close(self) -> None:
        pass


@pytest.fixture
def lookup(tmp_path: Path) -> PassageLookup:
    path = tmp_path / "documents.sqlite3"
    return PassageLookup(
        path, AttachmentStore(tmp_path / "attachments"), PassageFinder(path, own_command()), own_command()
    )


@pytest.fixture
def controller(
    database: Database,
    store: ConversationStore,
    engine: EngineService,
    settings: SettingsService,
    lookup: PassageLookup,
) -> Iterator[ChatController]:
    made = ChatController(store, engine, settings, OptionsStore(database), lookup=lookup)
    yield made
    assert made.passages is not None
    made.passages.close()


@pytest.fixture(autouse=True)
def context(settings: SettingsService) -> None:
    settings.update(Loading, threads=1, gpu_layers=0, ctx_size=4096)


def brought(chat: Chat, at: int) -> list[tuple[int, bool]]:
    """Numbers of the passages at a message, and whether their texts stand there."""
    return [(each.number, bool(each.text)) for each in chat.kept()[at].message.passages]


def test_passages_are_appended_where_they_were_asked_for_and_keep_their_numbers(chat: Chat) -> None:
    chat.load("llama")
    chat.say("How much rain at the gauge?", (FILE,))
    first = chat.kept()[0].message
    assert [type(each) for each in first.parts] == [DocumentPart, PassagePart, TextPart]
    assert brought(chat, 0) == [(1, True)] and "37 cm" in first.passages[0].text
    chat.say("Where does the wind come from in autumn, and how much rain?")
    assert brought(chat, 2) == [(1, False), (2, True)] and "wind" in chat.kept()[2].message.passages[1].text
    assert chat.kept()[0].message == first, "nothing before it has changed"
    assert chat.messages == [*chat.kept()], "what is on screen is what is kept"


def test_collections_of_the_chat_are_looked_through(chat: Chat, tmp_path: Path) -> None:
    with closing(PassageStore.open(tmp_path / "documents.sqlite3")) as passages:
        chosen, other = (filled(passages, name, text) for name, text in PARAGRAPHS.items() if name != "Frost")
    chat.load("llama")
    chat.options.set_collections(None, [chosen])
    shown: list[tuple[int, ...]] = []
    chat.active.switched.connect(lambda number: shown.append(chat.options.collections(number)))
    chat.say("How much rain at the gauge, and where does the wind come from?")
    (first,) = chat.kept()[0].message.passages
    assert (first.number, first.name) == (1, "Rain.txt") and "37 cm" in first.text
    assert shown == [(chosen,)] == [chat.options.collections(chat.kept()[0].conversation_id)]
    chat.options.set_collections(chat.kept()[0].conversation_id, [chosen, other])
    chat.say("Where does the wind come from?")
    assert {each.name for each in chat.kept()[2].message.passages if each.text} == {"Wind.txt"}
    assert chat.kept()[0].message.passages == (first,)


def filled(passages: PassageStore, name: str, text: str) -> int:
    """A collection with one file."""
    number = passages.collections.add(name)
    passages.collections.add_source(number, f"/{name}", is_folder=False)
    passages.collections.take(number, [FoundFile(f"/{name}.txt", number, number, number)])
    waiting = passages.collections.waiting()
    assert waiting is not None
    document = Document(sha256(text.encode()).hexdigest(), f"{name}.txt", (text[:1000],), has_pages=False)
    passages.put(document, file=waiting[0])
    return number


def test_a_question_reads_itself_and_its_new_passages(chat: Chat) -> None:
    chat.load("llama")
    chat.say("How much rain at the gauge?", (FILE,))
    chat.say("How much rain at the gauge, again?")
    assert brought(chat, 2) == [(1, False)]
    assert chat.figures["prompt_n"] < 90


def test_a_question_without_any_of_their_words_brings_a_beginning_and_says_so(chat: Chat) -> None:
    chat.load("llama")
    chat.say("Zusammenfassung?", (FILE,))
    assert brought(chat, 0)[0] == (1, True) and "Seasons" in chat.kept()[0].message.passages[0].text
    told = "Nothing in the documents has words of this question, so the beginning of the last one is read."
    assert chat.notices == [told] and chat.kept()[0].figures == {NO_WORDS: True}
    chat.say("How much rain at the gauge?")
    assert chat.notices == [told] and chat.kept()[2].figures is None


def test_an_edited_question_brings_its_own_and_another_answer_the_same(chat: Chat) -> None:
    chat.load("llama")
    chat.say("How much rain at the gauge?", (FILE,))
    before = chat.kept()[0].message
    chat.regenerate()
    assert chat.kept()[0].message == before
    assert chat.versions.edit(chat.kept()[0].id, "When does the frost end for gardeners?")
    chat.rest()
    edited = chat.kept()[0].message
    assert edited.passages[0].number == 1 and "Frost" in edited.passages[0].text


def test_a_document_that_goes_whole_brings_none(chat: Chat) -> None:
    chat.load("llama")
    chat.say("How much rain?", (DocumentPart("", "a.txt", "It rained."),))
    assert brought(chat, 0) == []


@pytest.mark.parametrize("lookup", [Failing()])
def test_what_can_not_be_searched_is_told_and_the_question_goes(chat: Chat, lookup: Failing) -> None:
    chat.load("llama")
    chat.say("How much rain?", (FILE,))
    assert [each.sentence for each in chat.errors] == ["The disk is full."]
    assert brought(chat, 0) == [] and chat.last.message.text


@pytest.mark.parametrize("lookup", [Slow()])
def test_a_model_that_is_put_to_rest_meanwhile_is_woken(chat: Chat, lookup: Slow, engine: EngineService) -> None:
    chat.load("llama")
    assert chat.controller.send("How much rain?", (FILE,))
    with chat.becomes(ModelResting):
        engine.deactivate()
    assert chat.replies.is_busy, "nothing was asked of the model yet"
    lookup.goes_on.set()
    chat.rest()
    assert chat.state == "complete" and chat.last.message.text


def test_passages_take_no_more_than_a_share_of_the_context() -> None:
    assert [most_passages(passage_room(n)) for n in (512, 2048, 4096, 8192, 32768)] == [1, 1, 3, 7, 8]
    assert most_passages(passage_room(32768, 1000)) == 2, "and of what is left"
    assert most_passages(passage_room(32768, -5)) == 1, "one comes where nothing is left"
    assert most_passages(passage_room(0)) == 8, "and all where nobody knows the context"


def test_passages_in_another_script_take_no_more_of_it() -> None:
    """A character of Chinese is about a token, and a passage of it three times what one in Latin letters is."""
    found = [PassagePart(0, "ab" * 32, "a.txt", "山" * 1500, None, at, at + 1500, "") for at in range(8)]
    room = passage_room(4096)
    kept = fitting(found, room, reckoned)
    assert list(kept) == found[:1]
    assert fitting(found, 0, reckoned) == tuple(found)
    latin = [replace(each, text="hill " * 300) for each in found]
    assert list(fitting(latin, room, reckoned)) == latin[:3]


def test_a_question_gets_no_more_passages_than_have_room(chat: Chat) -> None:
    chat.load("llama")
    text = "\n\n".join(f"## {name}\n\nrain " + "山" * 700 for name in PARAGRAPHS)
    chat.say("How much rain?", (replace(FILE, text=text),))
    assert brought(chat, 0) == [(1, True)], "of two with words of the question"


class Counting:
    def __init__(self) -> None:
        self.n = 0

    def find(self, asked: Asked) -> FoundForChat:
        self.n += 1
        return FoundForChat([Passage("ab" * 32, "a.txt", None, 0, 5, "", "", "Rain.")])

    def keep(self, part: DocumentPart) -> int:
        return 1

    def close(self) -> None:
        pass


def test_answers_side_by_side_are_searched_for_once(
    database: Database, store: ConversationStore, engine: EngineService, settings: SettingsService, chat: Chat
) -> None:
    chat.load("llama")
    chat.say("Hello.")
    question = replace(chat.kept()[0], message=Message(Role.USER, (FILE, TextPart("How much rain?"))))
    lookup = Counting()
    passages = ChatPassages(store, chat.active, chat.options, chat.controller.notices, lookup)
    heard: list[tuple[int, ...]] = []
    for _ in range(3):
        passages.bring((question,), 4096, lambda path: heard.append(tuple(p.number for p in path[-1].message.passages)))
    chat.until(lambda: len(heard) == 3)
    passages.close()
    assert (lookup.n, heard) == (1, [(1,)] * 3)
