"""What a new chat will begin with is read while its question is being written."""

from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from app.core.loading import Loading
from app.core.messages import DocumentPart
from app.core.settings import ToolSettings
from app.services.drafts.early_reading import EarlyReading
from app.services.drafts.pending import PendingDocument
from app.services.runtime.settings_service import SettingsService
from tests.services.chatting import Chat
from tests.waits import WAIT

LONG = DocumentPart("ab" * 32, "long.txt", "\n".join(f"On day {n} it rained in the valley." for n in range(120)))
OTHER = DocumentPart("cd" * 32, "other.txt", "\n".join(f"Ship {n} waits." for n in range(120)))


def pending(*parts: DocumentPart | None) -> tuple[PendingDocument, ...]:
    return tuple(PendingDocument(n, part.name if part else "", part) for n, part in enumerate(parts, 1))


@pytest.fixture
def early(chat: Chat, settings: SettingsService) -> Iterator[EarlyReading]:
    settings.update(Loading, threads=1, gpu_layers=0, ctx_size=8192)
    made = EarlyReading(chat.controller, chat.engine, settings)
    yield made
    made.close()


def read(early: EarlyReading, qtbot: QtBot) -> None:
    """As soon as the engine rests, and until it is read."""

    def begins() -> bool:
        early.read()
        return early.is_running

    qtbot.waitUntil(begins, timeout=WAIT)
    qtbot.waitUntil(lambda: not early.is_running, timeout=WAIT)


@pytest.mark.parametrize("model", ["llama", "gemma3", "qwen35", "mamba"])
def test_the_question_reads_itself_alone(chat: Chat, early: EarlyReading, qtbot: QtBot, model: str) -> None:
    chat.load(model)
    early.show(pending(LONG))
    read(early, qtbot)
    chat.say("When did it rain?", (LONG,))
    assert chat.figures["prompt_n"] < 60 < 500 < chat.figures["cache_n"]


def test_it_is_read_once(chat: Chat, early: EarlyReading, qtbot: QtBot) -> None:
    chat.load("llama")
    early.show(pending(LONG))
    read(early, qtbot)
    early.read()
    assert not early.is_running


def test_what_is_taken_away_is_not_read_on(chat: Chat, early: EarlyReading, qtbot: QtBot) -> None:
    chat.load("llama")
    early.show(pending(LONG))
    early.read()
    early.show(())
    qtbot.waitUntil(lambda: not early.is_running, timeout=WAIT)
    early.read()
    assert not early.is_running
    early.show(pending(OTHER))
    read(early, qtbot)
    chat.say("Where?", (OTHER,))
    assert chat.figures["prompt_n"] < 60


def test_it_waits_until_all_is_there_and_reads_no_passages(
    chat: Chat, early: EarlyReading, settings: SettingsService
) -> None:
    chat.load("llama")
    for parts in ((LONG, None), (DocumentPart("", "a.txt", "x", by_passages=True),), ()):
        early.show(pending(*parts))
        early.read()
        assert not early.is_running
    settings.update(ToolSettings, read_ahead=False)
    early.show(pending(LONG))
    early.read()
    assert not early.is_running


def test_a_question_comes_first(chat: Chat, early: EarlyReading, qtbot: QtBot) -> None:
    chat.load("llama")
    early.show(pending(LONG))
    early.read()
    chat.say("Hello?")
    qtbot.waitUntil(lambda: not early.is_running, timeout=WAIT)
    assert chat.figures["predicted_n"]
