"""Servers in the window: added, asked, chosen from, changed and removed; their models beside the local ones."""

import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import cast

import keyring
import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QLineEdit, QPushButton
from pytestqt.qtbot import QtBot

from app.core.fit import Free
from app.core.model_options import key_of
from app.core.model_ref import ModelRef
from app.core.paths import Paths
from app.core.sampling import Sampling
from app.library.model_sources import HostFolders
from app.remote.address import ServerAddress
from app.remote.pairing.certificate import OwnCertificate
from app.remote.pairing.discovery import FoundHost
from app.remote.pairing.host import PairingHost, serve_one
from app.services.engine.service import EngineService
from app.services.engine.states import ModelOnServer
from app.services.models.models import Models, library_of
from app.services.models.options import OptionsOfModels
from app.services.remote import found_hosts
from app.services.remote.model_servers import ModelServers
from app.services.remote.states import ServerState
from app.services.runtime.settings_service import SettingsService
from app.storage.attachments import AttachmentStore
from app.storage.database import Database
from app.storage.options import OptionsStore
from app.ui.models.dialog import ModelsDialog, Page
from app.ui.models.page_form import PageForm
from app.ui.models.picker import ModelPicker
from app.ui.models.rows import ServerRow
from app.ui.models.server_card import ServerCard
from app.ui.models.server_settings_dialog import ServerSettingsDialog
from app.ui.models.servers_page import ServersPage
from app.ui.theme.appearance import Appearance
from app.ui.widgets.layouts import vbox
from tests.library.test_hub import MemoryKeyring
from tests.remote.scripted_server import Caller, ScriptedServer, scripted_server, whole
from tests.ui.fakes import THERE, FakeEngine
from tests.ui.test_accessibility import describe, focusable, name_of
from tests.waits import WAIT

MODELS = [{"id": f"Rain-{size}B", "owned_by": "vllm", "max_model_len": 4096} for size in (8, 32)]


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with scripted_server() as made:
        made.routes = {"/v1/models": whole({"data": MODELS}), "/version": whole({"version": "0.33"})}
        yield made


def one_is_there(heard: Callable[[tuple[FoundHost, ...]], None], stopped: threading.Event) -> None:
    """In place of the network."""
    heard((FoundHost("CELLAR", "192.0.2.7:40123"),))
    stopped.wait()


class Home:
    """Everything about models, with a home of its own."""

    def __init__(self, folder: Path) -> None:
        paths = Paths(folder, folder, folder / "logs")
        self.engine, settings = FakeEngine(), SettingsService(paths.settings)
        engine = cast(EngineService, self.engine)
        self._database = Database.open(paths.database)
        self.options = OptionsOfModels(OptionsStore(self._database), engine, settings)
        self.servers = ModelServers(paths.model_servers, AttachmentStore(paths.attachments))
        machine = HostFolders("linux", folder, {})
        library = library_of(paths, settings.settings, machine)
        self.models = Models(
            paths, settings, engine, library, lambda: Free(1 << 34), machine, self.options, self.servers
        )

    def close(self) -> None:
        self.models.close()
        self.options.close()
        for each in (self.models, self.options, self.servers):
            each.deleteLater()
            QCoreApplication.sendPostedEvents(each, QEvent.Type.DeferredDelete.value)
        self._database.close()


@pytest.fixture
def home(tmp_path: Path, qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    monkeypatch.setattr(keyring.core, "_keyring_backend", MemoryKeyring())
    monkeypatch.setattr(found_hosts, "_look", one_is_there)
    made = Home(tmp_path)
    yield made
    made.close()


@pytest.fixture
def page(home: Home, appearance: Appearance, qtbot: QtBot) -> ServersPage:
    made = ServersPage(appearance, home.models, home.servers)
    qtbot.addWidget(made)
    made.resize(800, 700)
    made.show()
    return made


def add(page: ServersPage, server: ScriptedServer, qtbot: QtBot, name: str = "Attic") -> ServerCard:
    page.add_button.click()
    for field, text in ((page.form.address, server.address.base), (page.form.name, name)):
        field.setFocus()
        QTest.keyClicks(field, text)
    QTest.keyClick(page.form.name, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: len(page.cards) == 1, timeout=WAIT)
    return next(iter(page.cards.values()))


def names(card: ServerCard) -> list[str]:
    return [row.name for row in card.list.rows]


def test_a_server_is_added_by_its_address_and_a_model_of_it_chosen(
    page: ServersPage, server: ScriptedServer, qtbot: QtBot
) -> None:
    assert "leaves this computer" in page.intro.text() and not page.cards
    card = add(page, server, qtbot)
    assert names(card) == ["Rain-8B", "Rain-32B"] and card.told == "answers"
    assert card.where.replace("\u200b", "").startswith("vLLM · 0.33 · http://127.0.0.1:")
    assert page.form.isHidden() and page.add_button.isVisible() and page.add_button.hasFocus()
    card.view.setFocus()
    QTest.keyClick(card.view, Qt.Key.Key_Down)
    with qtbot.waitSignal(page.chosen) as caught:
        QTest.keyClick(card.view, Qt.Key.Key_Return)
    assert caught.args == [ModelRef.of_server(next(iter(page.cards)), "Rain-32B")]
    assert [describe(each) for each in focusable(page) if not name_of(each)] == []


def test_what_is_no_address_and_who_does_not_answer_are_said_and_asking_can_be_stopped(
    page: ServersPage, server: ScriptedServer, qtbot: QtBot
) -> None:
    form = page.form
    page.add_button.click()
    form.address.setText("not an address")
    form.connect_button.click()
    assert "no address of a server" in form.problem.text() and form.problem.isVisible()
    came = threading.Event()

    def silent(caller: Caller) -> None:
        came.set()
        caller.wait_for_hang_up()

    server.routes.clear()
    server.scripts.append(silent)
    form.address.setText(server.address.base)
    form.connect_button.click()
    assert form.bar.isVisible() and form.cancel_button.text() == "Stop" and not form.connect_button.isEnabled()
    assert came.wait(WAIT / 1000)
    form.cancel_button.click()
    assert not form.bar.isVisible() and form.cancel_button.text() == "Cancel" and form.isVisible()
    qtbot.waitUntil(server.callers[0].hung_up.is_set, timeout=WAIT)
    server.scripts.clear()
    form.connect_button.click()
    qtbot.waitUntil(form.keep_button.isVisible, timeout=WAIT)
    assert "no engine that Hearth knows" in form.problem.text()
    form.keep_button.click()
    [card] = page.cards.values()
    assert card.told == "does not answer" and not names(card) and page.form.isHidden()
    assert card.refresh_button.isVisible() and not card.chat_button.isVisible(), "no button without a meaning"


@pytest.mark.parametrize(
    ("address", "warns"),
    [
        ("http://example.org", True),
        ("https://example.org", False),
        ("http://192.168.1.5:8080", False),
        ("localhost:8080", False),
    ],
)
def test_a_key_that_others_could_read_is_warned_of(page: ServersPage, address: str, warns: bool) -> None:
    page.add_button.click()
    page.form.address.setText(address)
    assert not page.form.warning.isVisible()
    page.form.key.setText("sk-secret")
    assert page.form.warning.isVisible() is warns


def test_a_kept_key_that_would_go_where_others_can_read_it_is_warned_of(
    page: ServersPage, server: ScriptedServer, qtbot: QtBot
) -> None:
    add(page, server, qtbot).change_button.click()
    assert not page.form.warning.isVisible()
    page.form.address.setText("http://example.org")
    assert page.form.warning.isVisible() and not page.form.key.text()


def test_a_server_is_changed_asked_again_and_removed(
    page: ServersPage, home: Home, server: ScriptedServer, qtbot: QtBot
) -> None:
    card = add(page, server, qtbot)
    server.routes["/v1/models"] = whole({"error": {"message": "key"}}, 401)
    card.refresh_button.click()
    assert card.told == "being asked…" and card.stop_button.isVisible() and not card.refresh_button.isVisible()
    qtbot.waitUntil(lambda: card.told == "does not answer", timeout=WAIT)
    assert "wants a key" in card.problem and names(card) == ["Rain-8B", "Rain-32B"]
    server.routes["/v1/models"] = whole({"data": MODELS})
    card.change_button.click()
    assert page.form.address.text() == server.address.base and page.form.name.text() == "Attic"
    page.form.name.setText("Cellar")
    page.form.key.setText("sk-secret")
    page.form.connect_button.click()
    qtbot.waitUntil(lambda: card.told == "answers", timeout=WAIT)
    assert card.accessibleName() == "Cellar" and server.asked[-1].headers["authorization"] == "Bearer sk-secret"
    dialog = page.ask_removal(next(iter(page.cards)))
    assert dialog is not None and home.servers.all
    dialog.remove_button.click()
    assert not page.cards and not home.servers.all


def test_models_of_servers_stand_in_the_list_to_choose_from_and_are_marked(
    home: Home, page: ServersPage, server: ScriptedServer, appearance: Appearance, qtbot: QtBot
) -> None:
    card = add(page, server, qtbot)
    card.star.click()
    starred = card.current
    assert starred is not None and home.options.favourites() == {key_of(starred)}
    picker = ModelPicker(appearance, lambda: (), home.models.usable)
    qtbot.addWidget(picker)
    picker.show_library(home.models)
    picker.show()
    server.asked.clear()
    picker.open_menu()
    popover = picker.popover
    rows = [row for row in popover.list.rows if isinstance(row, ServerRow)]
    assert [(row.name, row.badges[:1]) for row in rows] == [("Rain-8B", ("★",)), ("Rain-32B", ())]
    assert rows[0].line == "Attic · on this computer · context 4k" and not rows[0].leaves
    qtbot.waitUntil(lambda: bool(server.asked), timeout=WAIT)
    QTest.keyClicks(popover.search, "attic 32b")  # a port may have a 32, too
    assert [row.name for row in popover.list.rows] == ["Rain-32B"]
    assert "Attic" in popover.search.accessibleDescription()
    with qtbot.waitSignal(picker.model_chosen) as caught:
        QTest.keyClick(popover.search, Qt.Key.Key_Return)
    assert caught.args == [rows[1].ref]
    qtbot.waitUntil(lambda: [each.state for each in home.servers.all] == [ServerState.THERE], timeout=WAIT)


def test_the_chosen_one_says_that_questions_leave_this_computer(
    home: Home, appearance: Appearance, qtbot: QtBot
) -> None:
    picker = ModelPicker(appearance, lambda: (), home.models.usable)
    qtbot.addWidget(picker)
    picker.show()
    picker.show_state(ModelOnServer(THERE))
    picker.open_menu()
    assert not any(each.isVisible() for each in picker.popover.findChildren(QPushButton) if "Unload" in each.text())
    picker.popover.close()
    assert picker.button.text() == "Qwen3-32B · Attic" and "attic.lan" in picker.button.toolTip()
    assert picker.states.isVisible() and picker.states.text() == "on a server" and not picker.states.icon().isNull()
    menu = picker.states.open_menu()
    [action] = [each for each in menu.actions() if each.isEnabled() and each.text()]
    with qtbot.waitSignal(picker.states.servers_clicked):
        action.trigger()
    menu.close()


def test_settings_of_a_servers_model_are_those_that_its_server_takes(
    home: Home, page: ServersPage, server: ScriptedServer, appearance: Appearance, qtbot: QtBot
) -> None:
    model = add(page, server, qtbot).current
    assert model is not None
    dialog = ServerSettingsDialog(appearance, home.options, home.servers, model, page)
    qtbot.addWidget(dialog)
    dialog.open()
    fields = dialog.form.fields
    assert fields["temperature"].editor.isEnabled() and fields["top_k"].editor.isEnabled()
    assert not fields["mirostat"].editor.isEnabled() and "vLLM does not take this" in fields["mirostat"].note
    dialog.form.edit({"temperature": 0.3})
    dialog.close_button.click()
    assert home.options.of(model).of(Sampling) == {"temperature": 0.3}
    again = ServerSettingsDialog(appearance, home.options, home.servers, model, page)
    qtbot.addWidget(again)
    again.open()
    again.reset_button.click()
    assert not home.options.of(model).n_set


def test_nobody_is_asked_before_the_servers_are_looked_at(
    home: Home, server: ScriptedServer, appearance: Appearance, qtbot: QtBot
) -> None:
    home.servers.add("Attic", server.address, "", None)
    dialog = ModelsDialog(appearance, home.models, None)  # type: ignore[arg-type] # a window of its own
    qtbot.addWidget(dialog)
    dialog.show()
    assert not server.asked
    dialog.show_page(Page.SERVERS)
    qtbot.waitUntil(lambda: len(server.asked) >= 2, timeout=WAIT)
    qtbot.waitUntil(lambda: [each.state for each in home.servers.all] == [ServerState.THERE], timeout=WAIT)


def test_another_hearth_is_paired_with(page: ServersPage, home: Home, tmp_path: Path, qtbot: QtBot) -> None:
    own = OwnCertificate.at(tmp_path / "attic.pem")
    host = PairingHost(own, "ATTIC", 9, "127.0.0.1")
    heard: list[object] = []
    serve_one(host, heard.append)
    QTest.mouseClick(page.pair_button, Qt.MouseButton.LeftButton)
    form = page.pair_form
    assert form.address.hasFocus() and not form.pair_button.isEnabled()
    qtbot.waitUntil(lambda: bool(form.hosts), timeout=WAIT)
    assert form.hosts[0].text() == "CELLAR shows a code now, at 192.0.2.7:40123"
    form.hosts[0].click()
    assert form.address.text() == "192.0.2.7:40123" and form.code.hasFocus()
    form.address.setText(f"127.0.0.1:{host.port}")
    form.code.setText("1")
    QTest.keyClick(form.code, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "The code has 6 digits" in form.problem.text(), timeout=WAIT)
    form.code.setText(f"{host.code[:3]} {host.code[3:]}")
    QTest.keyClick(form.code, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bool(home.servers.all), timeout=WAIT)
    (server,) = home.servers.all
    assert server.name == "ATTIC" and server.saved.address.pin is not None
    assert form.isHidden() and page.pair_button.hasFocus() and not form.hosts
    qtbot.waitUntil(lambda: bool(heard), timeout=WAIT)
    # It stays the same Hearth when its address changes, and after a restart.
    home.servers.change(server.id, "Attic", ServerAddress.typed("192.168.7.7:8470"), None)
    again = ModelServers(tmp_path / "servers.json", AttachmentStore(tmp_path / "attachments"))
    (kept,) = again.all
    assert (kept.saved.address.base, kept.saved.address.pin) == ("https://192.168.7.7:8470", server.saved.address.pin)
    again.close()


def test_a_key_is_taken_away_alone(home: Home, page: ServersPage, server: ScriptedServer, qtbot: QtBot) -> None:
    card = add(page, server, qtbot)
    home.servers.change(next(iter(page.cards)), "Attic", server.address, "secret")
    qtbot.waitUntil(lambda: card.told == "answers", timeout=WAIT)
    assert server.asked[-1].headers["authorization"] == "Bearer secret"
    card.change_button.click()
    assert page.form.no_key_button.isVisible()
    page.form.no_key_button.click()
    assert page.form.isHidden() and card.told == "being asked…"
    qtbot.waitUntil(lambda: card.told == "answers", timeout=WAIT)
    assert "authorization" not in server.asked[-1].headers
    page.add_button.click()
    assert page.form.no_key_button.isHidden(), "there is none yet"


@pytest.mark.parametrize("form", ["form", "pair_form", "spread_form"])
def test_esc_gives_a_form_up_and_not_the_window_with_it(page: ServersPage, qtbot: QtBot, form: str) -> None:
    dialog = QDialog()
    qtbot.addWidget(dialog)
    vbox(page, on=dialog)
    dialog.show()
    dialog.activateWindow()
    qtbot.waitUntil(dialog.isActiveWindow, timeout=WAIT)
    button = {"form": page.add_button, "pair_form": page.pair_button, "spread_form": page.spread_button}[form]
    button.click()
    shown: PageForm = getattr(page, form)
    field = shown.findChildren(QLineEdit)[0]
    field.setFocus()
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert dialog.isVisible() and shown.isHidden()
    assert button.hasFocus()
    QTest.keyClick(button, Qt.Key.Key_Escape)
    assert dialog.isHidden()
    page.setParent(None)


def test_a_model_is_spread_over_other_computers_and_changed(
    home: Home, page: ServersPage, server: ScriptedServer, tmp_path: Path, qtbot: QtBot
) -> None:
    model = tmp_path / "large.gguf"
    model.touch()
    page.spread_button.click()
    form = page.spread_form
    assert not page.add_button.isVisible() and form.model.hasFocus() and not form.save_button.isEnabled()
    told = " ".join(each.text() for each in form.findChildren(QLabel))
    assert "no password" in told and "network that you trust" in told
    QTest.keyClicks(form.model, str(model))
    QTest.keyClicks(form.program, sys.executable)
    QTest.keyClicks(form.workers, "a:b:c")
    form.context.clear()
    assert not form.save_button.isEnabled(), "a context of nothing"
    QTest.keyClicks(form.context, "4096")
    form.save_button.click()
    assert form.problem.isVisible() and form.workers.hasFocus() and not page.cards
    form.workers.clear()
    QTest.keyClicks(form.workers, server.address.shown)
    QTest.keyClick(form.workers, Qt.Key.Key_Return)
    [card] = page.cards.values()
    assert form.isHidden() and page.spread_button.isVisible() and names(card) == ["large"]
    qtbot.waitUntil(lambda: card.told == "answers", timeout=WAIT)
    assert [each.model.context for each in home.servers.models()] == [4096]
    assert f"computed on {server.address.shown}" in card.where.replace("\u200b", "")
    card.change_button.click()
    assert form.model.text() == str(model) and form.workers.text() == server.address.shown
    form.name.clear()
    QTest.keyClicks(form.name, "Cellar")
    model.unlink()
    form.save_button.click()
    qtbot.waitUntil(lambda: card.told == "does not answer", timeout=WAIT)
    assert "not there any more" in card.problem and [each.name for each in home.servers.all] == ["Cellar"]
    assert not server.asked, "nothing is said to a worker"
