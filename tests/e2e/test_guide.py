"""The program as it is on a new machine, with the model that comes with it: what is asked is understood."""

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image, ImageDraw
from PySide6.QtCore import QCoreApplication, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.bootstrap import Program
from app.core.paths import Paths
from app.core.resources import GUIDE_NAME
from app.services.engine.states import Idle, ModelReady
from app.storage.settings_file import load_settings, save_settings
from tests.hearth_process import HearthProcess
from tests.services.shutdown import shut_down
from tests.waits import WAIT


def draw(path: Path, shape: str, colour: str) -> Path:
    image = Image.new("RGB", (300, 240), "white")
    pen = ImageDraw.Draw(image)
    if shape == "circle":
        pen.ellipse((90, 60, 210, 180), fill=colour)
    else:
        pen.rectangle((90, 60, 210, 180), fill=colour)
    image.save(path)
    return path


@pytest.fixture
def paths(home: Path) -> Paths:
    made = Paths(home, home, home / "logs")
    settings = load_settings(made.settings).settings
    settings = dataclasses.replace(
        settings,
        loading=dataclasses.replace(settings.loading, threads=1, gpu_layers=0),
        sampling=dataclasses.replace(settings.sampling, max_tokens=80, temperature=0.0),
    )
    save_settings(made.settings, settings)
    return made


@pytest.fixture
def program(paths: Paths, qapp: QApplication, qtbot: QtBot) -> Iterator[Program]:
    made = Program(qapp, paths)
    qtbot.addWidget(made.window)
    made.window.show()
    made.begin()
    qtbot.waitUntil(lambda: isinstance(made.engine.state, ModelReady), timeout=WAIT)
    yield made
    shut_down(made.engine, qtbot)
    made.close()


def ask(program: Program, text: str, qtbot: QtBot) -> str:
    """The answer, in small letters."""
    edit = program.window.composer.edit
    QTest.keyClicks(edit, text)
    QTest.keyClick(edit, Qt.Key.Key_Return)
    return answer(program, qtbot)


def answer(program: Program, qtbot: QtBot) -> str:
    controller = program.controller
    qtbot.waitUntil(
        lambda: (
            isinstance(controller.replies.activity, Idle)
            and bool(controller.active.path)
            and bool(controller.active.path[-1].figures)
        ),
        timeout=WAIT,
    )
    return controller.active.path[-1].message.text.lower()


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
    assert "hearth" in ask(program, "What is Hearth?", qtbot)
    assert "ctrl+n" in ask(program, "How do I start a new chat?", qtbot)


def test_what_newcomers_ask_is_understood(program: Program, qtbot: QtBot) -> None:
    for question, told in (
        ("Does this support MCP?", "no mcp"),
        ("how many messages did I send", "1 (one)"),
        ("Summarise: The meeting was on Monday. We agreed to move the office to Leipzig in May.", "larger"),
        ("my dog died", "sorry"),
        ("Wie ändere ich die Schriftgröße?", "english"),
        ("I have no model, what do I do?", "get a model"),
        ("who won the world cup in 1998", "get a model"),
    ):
        program.controller.new_conversation()
        qtbot.waitUntil(lambda: not program.controller.active.path, timeout=WAIT)
        assert program.controller.send(question)
        said = answer(program, qtbot)
        assert told in said, question
        assert "ctrl+o" not in said, "whoever has no model has no file to open"


def test_a_name_that_was_given_is_remembered(program: Program, qtbot: QtBot) -> None:
    assert "mara" in ask(program, "Hello, my name is Mara.", qtbot)
    ask(program, "How do I open a model?", qtbot)
    assert "mara" in ask(program, "What is my name?", qtbot)


@pytest.mark.parametrize(("shape", "colour"), [("circle", "red"), ("square", "blue")])
def test_a_dropped_picture_is_seen(shape: str, colour: str, program: Program, tmp_path: Path, qtbot: QtBot) -> None:
    drop(program, draw(tmp_path / "picture.png", shape, colour))
    qtbot.waitUntil(lambda: bool(program.writing.attachments.parts), timeout=WAIT)
    told = ask(program, "What do you see?", qtbot)
    assert colour in told
    assert shape in told
    again = ask(program, "What colour is it?", qtbot)
    assert colour in again
    figures = program.controller.active.path[-1].figures
    assert figures is not None
    assert int(str(figures["prompt_n"])) < 40, "the picture is not read again"


def test_the_command_line_has_it_too(tmp_path: Path) -> None:
    hearth = HearthProcess(tmp_path / "home")
    told = hearth.run("ask", "-t", "1", "--temp", "0", "What can you do?")
    assert (told.returncode, told.stderr) == (0, b"")
    assert b"Hearth" in told.stdout
    picture = draw(tmp_path / "red_circle.png", "circle", "red")
    seen = hearth.run("ask", "-t", "1", "--temp", "0", "-i", picture, "What do you see?")
    assert (seen.returncode, seen.stderr) == (0, b"")
    assert b"red" in seen.stdout
    assert b"circle" in seen.stdout
