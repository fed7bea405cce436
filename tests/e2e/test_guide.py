"""The program as it is on a new machine, with the model that comes with it: what is asked is understood."""

from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from pytestqt.qtbot import QtBot

from app.core.paths import Paths
from app.core.resources import GUIDE_NAME
from app.program import Program
from app.services.engine.states import ModelReady
from tests.e2e.conftest import answer, ask, drawn, write_settings
from tests.hearth_process import HearthProcess
from tests.waits import WAIT


@pytest.fixture
def paths(home: Path) -> Paths:
    made = Paths(home, home, home / "logs")
    write_settings(made, max_tokens=80)
    return made


def told(program: Program, text: str, qtbot: QtBot) -> str:
    """The answer, in small letters."""
    return ask(program, text, qtbot).message.text.lower()


def drop(program: Program, file: Path) -> None:
    """As a file manager does it."""
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(file))])
    copy, left, no_key = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    for event in (
        QDragEnterEvent(QPoint(5, 5), copy, mime, left, no_key),
        QDropEvent(QPointF(5, 5), copy, mime, left, no_key),
    ):
        QCoreApplication.sendEvent(program.window.area, event)
        assert event.isAccepted()


def test_a_new_machine_has_the_guide_and_it_knows_the_program(program: Program, qtbot: QtBot) -> None:
    state = program.engine.state
    assert isinstance(state, ModelReady)
    assert state.info.name == GUIDE_NAME
    assert state.info.sees, state.info.projector_problem
    assert program.settings.settings.interface.last_model == "", "it is the default, not a choice"
    assert program.history.recent() == ()
    assert "hearth" in told(program, "What is Hearth?", qtbot)
    assert "ctrl+n" in told(program, "How do I start a new chat?", qtbot)


def test_what_newcomers_ask_is_understood(program: Program, qtbot: QtBot) -> None:
    for question, expected in (
        ("Does this support MCP?", "page tools"),
        ("how many messages did I send", "1 (one)"),
        ("Summarise: The meeting was on Monday. We agreed to move the office to Leipzig in May.", "larger"),
        ("summarise: The meeting was moved to Friday because the room was taken.", "too much for me"),
        ("Summarise: The cat sat on the mat.", "too much for me"),
        ("sum up: I went to the shop, bought bread and came home.", "too much for me"),
        ("can I ask about my documents", "ctrl+j"),
        ("side by side answers", "ctrl+alt+u"),
        ("my dog died", "sorry"),
        ("Wie ändere ich die Schriftgröße?", "english"),
        ("I have no model, what do I do?", "get a model"),
        ("who won the world cup in 1998", "get a model"),
    ):
        program.controller.new_conversation()
        qtbot.waitUntil(lambda: not program.controller.active.path, timeout=WAIT)
        assert program.controller.send(question)
        said = answer(program, qtbot).message.text.lower()
        assert expected in said, question
        assert "ctrl+o" not in said, "whoever has no model has no file to open"


def test_a_name_that_was_given_is_remembered(program: Program, qtbot: QtBot) -> None:
    assert "mara" in told(program, "Hello, my name is Mara.", qtbot)
    told(program, "How do I open a model?", qtbot)
    assert "mara" in told(program, "What is my name?", qtbot)


@pytest.mark.parametrize(("shape", "colour"), [("circle", "red"), ("square", "blue")])
def test_a_dropped_picture_is_seen(shape: str, colour: str, program: Program, tmp_path: Path, qtbot: QtBot) -> None:
    (tmp_path / "picture.png").write_bytes(drawn(shape, colour))
    drop(program, tmp_path / "picture.png")
    qtbot.waitUntil(lambda: bool(program.writing.attachments.parts), timeout=WAIT)
    seen = told(program, "What do you see?", qtbot)
    assert colour in seen
    assert shape in seen
    again = ask(program, "What colour is it?", qtbot)
    assert colour in again.message.text.lower()
    assert int(str((again.figures or {})["prompt_n"])) < 40, "the picture is not read again"


def test_the_command_line_has_it_too(tmp_path: Path) -> None:
    hearth = HearthProcess(tmp_path / "home")
    can = hearth.run("ask", "-t", "1", "--temp", "0", "What can you do?")
    assert (can.returncode, can.stderr) == (0, b"")
    assert b"Hearth" in can.stdout
    picture = tmp_path / "red_circle.png"
    picture.write_bytes(drawn("circle", "red"))
    seen = hearth.run("ask", "-t", "1", "--temp", "0", "-i", picture, "What do you see?")
    assert (seen.returncode, seen.stderr) == (0, b"")
    assert b"red" in seen.stdout
    assert b"circle" in seen.stdout
