"""Models of real servers in the whole window: `hearth serve`, and the llama-server that HEARTH_LLAMA_SERVER names."""

import os
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import keyring
import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.paths import Paths
from app.program import Program
from app.services.engine.states import ModelOnServer
from app.storage.conversations import MessageState, StoredMessage
from app.ui.models.dialog import Page
from app.ui.models.server_card import ServerCard
from tests.e2e.conftest import ask, enter, opened, write_settings
from tests.endless_model import make_endless
from tests.hearth_process import HearthProcess
from tests.library.test_hub import MemoryKeyring
from tests.serve_process import serving
from tests.waits import WAIT

KEY = "a key"
Serve = Callable[[Path], AbstractContextManager[tuple[str, "subprocess.Popen[bytes]"]]]
LLAMA_SERVER = os.environ.get("HEARTH_LLAMA_SERVER", "")


@pytest.fixture(autouse=True)
def kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keyring.core, "_keyring_backend", MemoryKeyring())


@contextmanager
def hearth_serve(folder: Path) -> "Iterator[tuple[str, subprocess.Popen[bytes]]]":
    model = make_endless(folder / "Rain-1M.gguf")
    hearth = HearthProcess(folder / "far", qt=True)
    with serving(hearth, "-m", model, "-t", "1", "--api-key", KEY) as server:
        yield f"http://127.0.0.1:{server.port}", server.process


@contextmanager
def llama_server(folder: Path) -> "Iterator[tuple[str, subprocess.Popen[bytes]]]":
    model = make_endless(folder / "Rain-1M.gguf")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ("-m", str(model), "--port", str(port), "-c", "2048", "-np", "1", "-t", "1", "--jinja")
    environment = {**os.environ, "LLAMA_API_KEY": KEY}
    quiet = subprocess.DEVNULL
    process = subprocess.Popen([LLAMA_SERVER, *options], env=environment, stdout=quiet, stderr=quiet)
    try:
        yield f"http://127.0.0.1:{port}", process
    finally:
        process.kill()
        process.wait()


def add(program: Program, address: str, key: str, qtbot: QtBot) -> ServerCard:
    """As people do, by the page of servers; it may take a moment until the server listens."""
    assert program.window.models is not None
    page = program.window.models.open(Page.SERVERS).servers
    assert page is not None
    page.add_button.click()
    for field, text in ((page.form.address, address), (page.form.key, key), (page.form.name, "Attic")):
        QTest.keyClicks(field, text)

    def connected() -> bool:
        if not page.cards and page.form.connect_button.isEnabled():
            page.form.connect_button.click()
        return bool(page.cards)

    qtbot.waitUntil(connected, timeout=WAIT)
    return next(iter(page.cards.values()))


def told(answer: StoredMessage) -> dict[str, Any]:
    """Its figures."""
    return dict(answer.figures or {})


def choose(program: Program, card: ServerCard) -> None:
    card.chat_button.click()
    assert isinstance(program.engine.state, ModelOnServer)


def begin(program: Program, text: str, qtbot: QtBot) -> None:
    """And wait for the answer's first words."""
    enter(program, text)
    replies, number = program.controller.replies, program.controller.active.conversation_id
    qtbot.waitUntil(lambda: any(each.stored.message.text for each in replies.answers_in(number)), timeout=WAIT)


@pytest.mark.parametrize(
    "serve",
    [
        hearth_serve,
        pytest.param(llama_server, marks=pytest.mark.skipif(not LLAMA_SERVER, reason="names no llama-server")),
    ],
)
def test_a_server_is_added_asked_stopped_and_there_again_and_its_end_costs_nothing(
    serve: Serve, paths: Paths, tmp_path: Path, qapp: QApplication, qtbot: QtBot
) -> None:
    with serve(tmp_path) as (address, process):
        with opened(paths, qapp, qtbot) as program:
            choose(program, add(program, address, KEY, qtbot))
            answer = ask(program, "Tell me about the rain", qtbot)
            figures = told(answer)
            assert answer.state is MessageState.COMPLETE and figures["reason"] == "length"
            assert figures["model"].endswith(" · Attic") and figures["predicted_n"] == 30 and figures["prompt_n"] > 5
            again = told(ask(program, "And the river?", qtbot))
            assert again["cache_n"] > 0, "the prompt's beginning stays the same, and the server tells it"
            chosen = program.engine.state.model.stored if isinstance(program.engine.state, ModelOnServer) else ""
        write_settings(paths, last_model=chosen, max_tokens=1500)
        with opened(paths, qapp, qtbot) as program:
            assert isinstance(program.engine.state, ModelOnServer), "as it was chosen last"
            begin(program, "And the sea?", qtbot)
            program.controller.replies.stop()
            qtbot.waitUntil(lambda: not program.controller.replies.is_busy, timeout=WAIT)
            stopped = program.controller.active.head
            assert stopped is not None and stopped.state is MessageState.CANCELLED and stopped.message.text
            begin(program, "And the sky?", qtbot)
            process.kill()
            qtbot.waitUntil(lambda: not program.controller.replies.is_busy, timeout=WAIT)
            broken = program.controller.active.head
            assert broken is not None and broken.state is MessageState.FAILED and broken.message.text
            enter(program, "Are you there?")
            qtbot.waitUntil(lambda: not program.controller.replies.is_busy, timeout=WAIT)
            gone = program.controller.active.head
            assert gone is not None and "can't be reached" in told(gone)["error"]


def test_a_wrong_key_is_said_where_it_is_entered(
    paths: Paths, tmp_path: Path, qapp: QApplication, qtbot: QtBot
) -> None:
    with hearth_serve(tmp_path) as (address, _), opened(paths, qapp, qtbot) as program:
        assert program.window.models is not None
        page = program.window.models.open(Page.SERVERS).servers
        assert page is not None
        page.add_button.click()
        QTest.keyClicks(page.form.address, address)
        QTest.keyClicks(page.form.key, "another")
        page.form.connect_button.click()
        qtbot.waitUntil(page.form.keep_button.isVisible, timeout=WAIT)
        assert "refuses the key" in page.form.problem.text() and not page.cards
