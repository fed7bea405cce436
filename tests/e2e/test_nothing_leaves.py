"""What a day's use reaches: nothing outside this computer, unless a server was added, and then that server alone."""

import ipaddress
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QDialog
from pytestqt.qtbot import QtBot

from app.core.model_ref import ModelRef
from app.core.paths import Paths
from app.program import Program
from app.services.engine.states import ModelOnServer, ModelReady
from app.services.remote.states import ServerState
from app.ui.composer.mime_content import read_files
from app.ui.models.dialog import Page
from tests.e2e.conftest import ask, opened
from tests.remote.scripted_server import ScriptedServer, ends, events, says, scripted_server, sending, whole
from tests.waits import WAIT

ANSWER = events(says("It rains."), ends(), "[DONE]")


class Reached:
    """Where sockets of this process were connected to, or datagrams sent, and which names were looked up."""

    def __init__(self) -> None:
        self.places: list[tuple[str, int]] = []
        self.names: list[str] = []
        self._watches = True
        # No hook can be taken out again.
        sys.addaudithook(self._hear)

    def stop(self) -> None:
        self._watches = False

    def _hear(self, event: str, arguments: tuple[object, ...]) -> None:
        if not self._watches or not event.startswith("socket."):
            return
        match event, arguments:
            case ("socket.connect" | "socket.sendto", (_, (str(host), int(port), *_))):
                self.places.append((host, port))
            case ("socket.getaddrinfo" | "socket.gethostbyname", (host, *_)):
                self.names.append(str(host))

    @property
    def outside(self) -> list[object]:
        """What is not this computer."""
        places = [place for place in self.places if not ipaddress.ip_address(place[0]).is_loopback]
        return [*places, *(name for name in self.names if name not in ("127.0.0.1", "localhost"))]


@pytest.fixture
def reached() -> Iterator[Reached]:
    made = Reached()
    yield made
    made.stop()


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with scripted_server() as made:
        made.routes = {
            "/v1/models": whole({"data": [{"id": "Rain-8B", "owned_by": "vllm"}]}),
            "/version": whole({"version": "0.33"}),
        }
        made.scripts.append(sending(ANSWER))
        yield made


def use(program: Program, model: Path, folder: Path, qtbot: QtBot) -> None:
    """As people do within a day."""
    window, controller = program.window, program.controller
    ask(program, "What can you do?", qtbot)
    program.engine.load(ModelRef.of_file(model))
    qtbot.waitUntil(lambda: isinstance(program.engine.state, ModelReady), timeout=WAIT)
    document = folder / "notes.txt"
    document.write_text("The rain is heard on another hill.", encoding="utf-8")
    window.area.offered.emit(read_files([document]))
    qtbot.waitUntil(lambda: bool(program.writing.attachments.parts), timeout=WAIT)
    ask(program, "What do my notes say?", qtbot)
    controller.new_conversation()
    window.picker.open_menu()
    window.picker.popover.close()
    window.command_palette.toggle()
    window.command_palette.toggle()
    assert window.models is not None
    dialog = window.models.open(Page.SERVERS)
    dialog.show_page(Page.DOWNLOADS)
    dialog.show_page(Page.HERE)
    dialog.reject()
    window.dialogs.open_settings()
    for each in window.findChildren(QDialog):
        each.reject()


def test_nothing_leaves_where_no_server_was_added(
    reached: Reached, paths: Paths, tiny_models: dict[str, Path], tmp_path: Path, qapp: QApplication, qtbot: QtBot
) -> None:
    with opened(paths, qapp, qtbot) as program:
        use(program, tiny_models["llama"], tmp_path, qtbot)
    assert reached.outside == [] and reached.places == [], "nor does anything else"


def test_of_servers_the_one_that_was_chosen_is_reached_and_nobody_else(
    reached: Reached, server: ScriptedServer, paths: Paths, qapp: QApplication, qtbot: QtBot
) -> None:
    with opened(paths, qapp, qtbot) as program:
        added = program.model_servers.add("Attic", server.address, "", None)
        assert not reached.places, "it is asked when somebody looks"
        program.model_servers.refresh(added)
        qtbot.waitUntil(lambda: [each.state for each in program.model_servers.all] == [ServerState.THERE], timeout=WAIT)
        [listed] = program.model_servers.models()
        ask(program, "Is this read here?", qtbot)
        n_asked = len(server.asked)
        assert not any(each.path.endswith("completions") for each in server.asked), "the guide answered"
        program.engine.load(listed.ref)
        assert isinstance(program.engine.state, ModelOnServer) and len(server.asked) == n_asked
        assert ask(program, "How is the weather?", qtbot).message.text == "It rains."
    assert set(reached.places) == {("127.0.0.1", server.port)} and reached.outside == []
    reached.places.clear()
    with opened(paths, qapp, qtbot) as again:
        assert isinstance(again.engine.state, ModelOnServer), "as it was chosen last"
        assert not reached.places, "a start asks nobody"
