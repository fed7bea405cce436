"""The next day: the program is closed and opened again, and the conversation goes on where it was."""

from pathlib import Path

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.paths import Paths
from app.services.engine.states import Warmth
from tests.e2e.conftest import ask, opened, write_settings
from tests.waits import WAIT

LONG = "Tell me about the rain in the mountains, and about the river in the valley."


def kept(paths: Paths) -> list[Path]:
    """The files, without one in the making."""
    return [each for each in paths.snapshots.glob("*") if not each.name.startswith(".")]


def test_after_a_restart_the_next_question_reads_its_own_words_alone(
    paths: Paths, tiny_models: dict[str, Path], qapp: QApplication, qtbot: QtBot
) -> None:
    write_settings(paths, last_model=str(tiny_models["qwen35"]))
    with opened(paths, qapp, qtbot) as program:
        held = ask(program, LONG, qtbot).figures or {}
        # While nothing is asked; a close may take no more than a second for it.
        qtbot.waitUntil(lambda: bool(kept(paths)), timeout=WAIT)
    with opened(paths, qapp, qtbot) as program:
        conversation = program.controller.active.conversation
        assert conversation is not None
        # Before anything is asked.
        kept_now = program.engine.snapshots
        qtbot.waitUntil(lambda: kept_now.status.conversations.get(str(conversation.id)) is Warmth.MEMORY, timeout=WAIT)
        found = ask(program, "And the sea?", qtbot).figures or {}
        # A title may have been made meanwhile, which goes on from the conversation as the question does.
        assert int(str(found["cache_n"])) >= int(str(held["n_past"]))


def test_what_was_kept_of_a_conversation_goes_with_it(
    paths: Paths, tiny_models: dict[str, Path], qapp: QApplication, qtbot: QtBot
) -> None:
    write_settings(paths, last_model=str(tiny_models["llama"]))
    with opened(paths, qapp, qtbot) as program:
        ask(program, LONG, qtbot)
        qtbot.waitUntil(lambda: bool(kept(paths)), timeout=WAIT)
    with opened(paths, qapp, qtbot) as program:
        conversation = program.controller.active.conversation
        assert conversation is not None
        program.controller.delete(conversation.id)
        qtbot.waitUntil(lambda: not kept(paths), timeout=WAIT)
    assert not kept(paths)
