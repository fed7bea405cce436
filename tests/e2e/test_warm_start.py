"""The next day: the program is closed and opened again, and the conversation goes on where it was."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.bootstrap import Program
from app.core.paths import Paths
from app.services.engine.states import ModelReady, Warmth
from tests.e2e.test_window import ask, paths, write_settings
from tests.services.shutdown import shut_down
from tests.waits import WAIT

__all__ = ["paths"]


@contextmanager
def opened(paths: Paths, qapp: QApplication, qtbot: QtBot) -> Iterator[Program]:
    program = Program(qapp, paths)
    qtbot.addWidget(program.window)
    program.window.show()
    program.begin()
    qtbot.waitUntil(lambda: isinstance(program.engine.state, ModelReady), timeout=WAIT)
    try:
        yield program
    finally:
        shut_down(program.engine, qtbot)
        program.close()


def kept(paths: Paths) -> list[Path]:
    """The files, without one in the making."""
    return [each for each in paths.snapshots.glob("*") if not each.name.startswith(".")]


def figure(program: Program, name: str) -> int:
    figures = program.controller.active.path[-1].figures
    assert figures is not None
    return int(str(figures[name]))


def test_after_a_restart_the_next_question_reads_its_own_words_alone(
    paths: Paths, tiny_models: dict[str, Path], qapp: QApplication, qtbot: QtBot
) -> None:
    write_settings(paths, last_model=str(tiny_models["qwen35"]))
    with opened(paths, qapp, qtbot) as program:
        ask(program, "Tell me about the rain in the mountains, and about the river in the valley.", qtbot)
        held = figure(program, "n_past")
        # While nothing is asked; a close may take no more than a second for it.
        qtbot.waitUntil(lambda: bool(kept(paths)), timeout=WAIT)
    with opened(paths, qapp, qtbot) as program:
        conversation = program.controller.active.conversation
        assert conversation is not None
        # Before anything is asked.
        warm = program.engine.snapshot_status
        qtbot.waitUntil(lambda: warm().conversations.get(str(conversation.id)) is Warmth.MEMORY, timeout=WAIT)
        ask(program, "And the sea?", qtbot)
        # A title may have been made meanwhile, which goes on from the conversation as the question does.
        assert figure(program, "cache_n") >= held


def test_what_was_kept_of_a_conversation_goes_with_it(
    paths: Paths, tiny_models: dict[str, Path], qapp: QApplication, qtbot: QtBot
) -> None:
    write_settings(paths, last_model=str(tiny_models["llama"]))
    with opened(paths, qapp, qtbot) as program:
        ask(program, "Tell me about the rain in the mountains, and about the river in the valley.", qtbot)
        qtbot.waitUntil(lambda: bool(kept(paths)), timeout=WAIT)
    with opened(paths, qapp, qtbot) as program:
        conversation = program.controller.active.conversation
        assert conversation is not None
        program.controller.delete(conversation.id)
        qtbot.waitUntil(lambda: not kept(paths), timeout=WAIT)
    assert not kept(paths)
