"""`hearth serve` with the built-in guide for clients, and the program itself for whoever looks at its window."""

import dataclasses
import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from openai import OpenAI
from PIL import Image, ImageDraw
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.paths import Paths
from app.program import Program
from app.services.engine.states import Idle, ready_model
from app.storage.conversations import StoredMessage
from app.storage.settings_file import load_settings, save_settings
from tests.hearth_process import HearthProcess
from tests.serve_process import serving
from tests.services.shutdown import shut_down
from tests.thinking_guide import make_thinking_guide
from tests.waits import WAIT

LIMIT = 60.0
KEY = "a key"


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Of the guide, for the tests of all clients; it says nowhere what they said."""
    hearth = HearthProcess(tmp_path_factory.mktemp("home"), qt=True)
    with serving(hearth, "-t", "1", "--temp", "0", "-n", "200", "--api-key", KEY) as server:
        yield server.address
        assert server.stop() == (0, b"")
    assert "by a bug" not in hearth.log
    assert "picture?" not in hearth.log


@pytest.fixture
def thinking(tmp_path: Path) -> Iterator[str]:
    """The address of a guide that keeps what answers thought."""
    model = make_thinking_guide(tmp_path / "thinking.gguf")
    with serving(HearthProcess(tmp_path / "home", qt=True), "-m", model, "-t", "1", "--temp", "0") as server:
        yield server.address


def openai_client(address: str) -> OpenAI:
    return OpenAI(base_url=address, api_key=KEY, timeout=LIMIT, max_retries=0)


@pytest.fixture
def client(address: str) -> Iterator[OpenAI]:
    with openai_client(address) as made:
        yield made


def drawn(shape: str, colour: str) -> bytes:
    """A PNG."""
    image = Image.new("RGB", (300, 240), "white")
    pen = ImageDraw.Draw(image)
    draw = pen.ellipse if shape == "circle" else pen.rectangle
    draw((90, 60, 210, 180), fill=colour)
    written = io.BytesIO()
    image.save(written, "PNG")
    return written.getvalue()


@pytest.fixture
def paths(home: Path) -> Paths:
    made = Paths(home, home, home / "logs")
    write_settings(made)
    return made


def write_settings(paths: Paths, *, last_model: str = "", max_tokens: int = 30, **sections: object) -> None:
    settings = load_settings(paths.settings).settings
    settings = dataclasses.replace(
        settings,
        loading=dataclasses.replace(settings.loading, threads=1, gpu_layers=0),
        sampling=dataclasses.replace(settings.sampling, max_tokens=max_tokens, temperature=0.0),
        interface=dataclasses.replace(settings.interface, last_model=last_model),
        **sections,  # type: ignore[arg-type]  # each test names its own
    )
    save_settings(paths.settings, settings)


@contextmanager
def opened(paths: Paths, qapp: QApplication, qtbot: QtBot) -> Iterator[Program]:
    """The program with its model, which is the guide where the settings name none."""
    program = Program(qapp, paths)
    qtbot.addWidget(program.window)
    program.window.show()
    program.begin()
    qtbot.waitUntil(lambda: ready_model(program.engine.state) is not None, timeout=WAIT)
    try:
        yield program
    finally:
        shut_down(program.engine, qtbot)
        program.close()


@pytest.fixture
def program(paths: Paths, qapp: QApplication, qtbot: QtBot) -> Iterator[Program]:
    with opened(paths, qapp, qtbot) as made:
        yield made


def enter(program: Program, text: str) -> None:
    QTest.keyClicks(program.window.composer.edit, text)
    QTest.keyClick(program.window.composer.edit, Qt.Key.Key_Return)


def ask(program: Program, text: str, qtbot: QtBot) -> StoredMessage:
    enter(program, text)
    assert not program.window.composer.edit.toPlainText()
    return answer(program, qtbot)


def answer(program: Program, qtbot: QtBot) -> StoredMessage:
    """The last one, once it has come to its end."""

    def has_ended() -> bool:
        path = program.controller.active.path
        return isinstance(program.controller.replies.activity, Idle) and bool(path and path[-1].figures)

    qtbot.waitUntil(has_ended, timeout=WAIT)
    return program.controller.active.path[-1]
