"""A conversation goes into a file with what the model holds of it, and comes back as a new one that is warm."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.core.errors import UserError
from app.core.messages import DocumentPart, Role
from app.services.chat.chat_controller import ChatController
from app.services.conversations.state_files import StateFiles
from app.services.engine.service import EngineService
from app.services.runtime.settings_service import SettingsService
from app.storage.attachments import AttachmentStore
from app.storage.conversations import ConversationStore
from app.storage.database import Database
from tests.services.chat.test_chat_controller import Screen, say
from tests.services.conftest import Load
from tests.waits import WAIT

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
) -> StateFiles:
    return StateFiles(engine, settings, database, attachments)


@pytest.fixture
def told(states: StateFiles) -> Told:
    return Told(states)


@pytest.fixture
def screen(controller: ChatController) -> Iterator[Screen]:
    yield Screen(controller)


@pytest.fixture
def saved(
    controller: ChatController, screen: Screen, states: StateFiles, told: Told, load: Load,
    attachments: AttachmentStore, tmp_path: Path, qtbot: QtBot,
) -> Path:  # fmt: skip
    """A talk with a document and two answers, of which the last one has another version."""
    load("llama")
    file = attachments.put(b"why?")
    assert controller.send(QUESTION, (DocumentPart(file, "notes.txt", "why?"),))
    qtbot.waitUntil(lambda: screen.predicted == 40, timeout=WAIT)
    say(controller, "and what then?", qtbot)
    controller.regenerate()
    qtbot.waitUntil(lambda: screen.predicted == 40 and screen.last.n_versions == 2, timeout=WAIT)
    path = tmp_path / "talk.hearthstate"
    assert controller.active.conversation_id is not None
    states.save(controller.active.conversation_id, path)
    qtbot.waitUntil(lambda: bool(told.saved or told.failed), timeout=WAIT)
    assert told.saved == [path], told.failed
    return path


def test_it_comes_back_whole_and_warm(
    saved: Path, controller: ChatController, screen: Screen, states: StateFiles, told: Told,
    attachments: AttachmentStore, store: ConversationStore, qtbot: QtBot, engine: EngineService,
) -> None:  # fmt: skip
    first, talk, held = controller.active.conversation_id, screen.talk, engine.slot
    assert first is not None
    controller.delete(first)
    controller.new_conversation()
    say(controller, "something else, about a ship and a whale on the sea. " * 3, qtbot)
    states.open(saved)
    qtbot.waitUntil(lambda: bool(told.opened or told.failed), timeout=WAIT)
    [made] = told.opened
    assert made != first
    assert held is not None
    assert "tokens of it in memory" in told.sentences[0]
    controller.open_conversation(made)
    assert screen.talk == talk
    assert screen.last.n_versions == 2
    say(controller, "and at last?", qtbot)
    figures = screen.last.figures
    assert figures is not None
    assert figures["cache_n"] == held.n_past, figures["reuse"]


def test_of_another_model_it_opens_and_is_read_anew(
    saved: Path, controller: ChatController, screen: Screen, states: StateFiles, told: Told, load: Load, qtbot: QtBot
) -> None:
    talk = screen.talk
    load("moe")
    states.open(saved)
    qtbot.waitUntil(lambda: bool(told.opened or told.failed), timeout=WAIT)
    assert told.sentences[0].endswith("so the conversation is read anew.")
    controller.open_conversation(told.opened[0])
    assert screen.talk == talk
    assert [each.message.role for each in screen.messages.values()].count(Role.ASSISTANT) == 2


def test_what_can_not_be_is_said(
    saved: Path, controller: ChatController, states: StateFiles, told: Told, store: ConversationStore,
    engine: EngineService, tmp_path: Path, qtbot: QtBot,
) -> None:  # fmt: skip
    before = len(store.all())
    saved.write_bytes(saved.read_bytes()[:-1000])
    states.open(saved)
    qtbot.waitUntil(lambda: bool(told.opened), timeout=WAIT)
    assert told.sentences[0] == "talk.hearthstate is damaged, so the conversation is read anew."
    assert len(store.all()) == before + 1
    saved.write_bytes(b"none")
    states.open(saved)
    qtbot.waitUntil(lambda: bool(told.failed), timeout=WAIT)
    assert isinstance(told.failed[0], UserError)
    assert "or no state" in told.failed[0].sentence
    states.save(store.create("empty").id, tmp_path / "b.hearthstate")
    qtbot.waitUntil(lambda: len(told.failed) == 2, timeout=WAIT)
    assert "holds nothing" in str(told.failed[1])
    engine.ask(lambda session, _: session.save_state(tmp_path / "c.hearthstate", {}), lambda _: None)
    states.open(tmp_path / "c.hearthstate")
    qtbot.waitUntil(lambda: len(told.failed) == 3, timeout=WAIT)
    assert "holds no conversation" in str(told.failed[2])
    assert len(store.all()) == before + 2
