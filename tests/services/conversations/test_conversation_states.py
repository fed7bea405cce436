"""A conversation goes into a file with what the model holds of it, and comes back as a new one that is warm."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.core.errors import UserError
from app.core.messages import DocumentPart, Role
from app.engine.memory.state_files import read_notes
from app.services.conversations.state_files import StateFiles
from app.services.engine.service import EngineService
from app.services.runtime.settings_service import SettingsService
from app.storage.attachments import AttachmentStore
from app.storage.database import Database
from tests.hostile_states import two_cells_for_one
from tests.services.chatting import Chat

QUESTION = "the river runs through the valley, and nobody asks it why. " * 3


class Told:
    def __init__(self, states: StateFiles) -> None:
        self.saved: list[Path] = []
        self.opened: list[int] = []
        self.sentences: list[str] = []
        self.failed: list[Exception] = []
        states.saved.connect(self.saved.append)
        states.opened.connect(self.opened.append)
        states.told.connect(self.sentences.append)
        states.failed.connect(self.failed.append)


@pytest.fixture
def attachments(tmp_path: Path) -> AttachmentStore:
    return AttachmentStore(tmp_path / "attachments")


@pytest.fixture
def states(
    engine: EngineService, settings: SettingsService, database: Database, attachments: AttachmentStore
) -> Iterator[StateFiles]:
    made = StateFiles(engine, settings, database, attachments)
    yield made
    made.close()


@pytest.fixture
def told(states: StateFiles) -> Told:
    return Told(states)


@pytest.fixture
def saved(chat: Chat, states: StateFiles, told: Told, attachments: AttachmentStore, tmp_path: Path) -> Path:
    """A talk with a document and two answers, of which the last one has another version."""
    chat.load("llama")
    chat.say(QUESTION, (DocumentPart(attachments.put(b"why?"), "notes.txt", "why?"),))
    chat.say("and what then?")
    chat.regenerate()
    path = tmp_path / "talk.hearthstate"
    assert chat.active.conversation_id is not None
    states.save(chat.active.conversation_id, path)
    chat.until(lambda: bool(told.saved or told.failed))
    assert told.saved == [path], told.failed
    return path


def test_it_comes_back_whole_and_warm(
    chat: Chat, saved: Path, states: StateFiles, told: Told, attachments: AttachmentStore
) -> None:
    first, talk, held = chat.active.conversation_id, chat.talk, chat.engine.slot
    assert first is not None
    chat.controller.delete(first)
    chat.controller.new_conversation()
    chat.say("something else, about a ship and a whale on the sea. " * 3)
    states.open(saved)
    chat.until(lambda: bool(told.opened or told.failed))
    [made] = told.opened
    assert made != first
    assert held is not None
    assert "tokens of it in memory" in told.sentences[0]
    chat.controller.open_conversation(made)
    assert chat.talk == talk
    assert chat.last.n_versions == 2
    chat.say("and at last?")
    assert chat.figures["cache_n"] == held.n_past, chat.figures["reuse"]


def test_of_another_model_it_opens_and_is_read_anew(chat: Chat, saved: Path, states: StateFiles, told: Told) -> None:
    talk = chat.talk
    chat.load("moe")
    states.open(saved)
    chat.until(lambda: bool(told.opened or told.failed))
    assert told.sentences[0].endswith("so the conversation is read anew.")
    chat.controller.open_conversation(told.opened[0])
    assert chat.talk == talk
    assert [each.message.role for each in chat.messages].count(Role.ASSISTANT) == 2


def test_what_can_not_be_is_said(chat: Chat, saved: Path, states: StateFiles, told: Told, tmp_path: Path) -> None:
    before = len(chat.store.all())
    saved.write_bytes(saved.read_bytes()[:-1000])
    states.open(saved)
    chat.until(lambda: bool(told.opened))
    assert told.sentences[0] == "talk.hearthstate is damaged, so the conversation is read anew."
    assert len(chat.store.all()) == before + 1
    saved.write_bytes(b"none")
    states.open(saved)
    chat.until(lambda: bool(told.failed))
    assert isinstance(told.failed[0], UserError)
    assert "or no state" in told.failed[0].sentence
    states.save(chat.store.create("empty").id, tmp_path / "b.hearthstate")
    chat.until(lambda: len(told.failed) == 2)
    assert "holds nothing" in str(told.failed[1])
    chat.engine.ask(lambda session, _: session.save_state(tmp_path / "c.hearthstate", {}), lambda _: None)
    states.open(tmp_path / "c.hearthstate")
    chat.until(lambda: len(told.failed) == 3)
    assert "holds no conversation" in str(told.failed[2])
    assert len(chat.store.all()) == before + 2


def test_one_that_ends_llama_cpp_opens_and_is_read_anew(
    chat: Chat, states: StateFiles, told: Told, tmp_path: Path
) -> None:
    chat.load("mamba")
    chat.say(QUESTION)
    path = tmp_path / "talk.hearthstate"
    number = chat.active.conversation_id
    assert number is not None
    states.save(number, path)
    chat.until(lambda: bool(told.saved or told.failed))
    done: list[object] = []
    chat.engine.ask(
        lambda session, _: two_cells_for_one(session, str(number), path, read_notes(path).more), done.append
    )
    chat.until(lambda: bool(done))
    states.open(path)
    chat.until(lambda: bool(told.opened or told.failed))
    assert told.sentences[0].startswith("talk.hearthstate makes llama.cpp crash")
    talk = chat.talk
    chat.controller.open_conversation(told.opened[0])
    assert chat.talk == talk
