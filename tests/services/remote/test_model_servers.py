"""Servers as models: kept without their keys, asked what they have, and nobody is asked before that is wished."""

import json
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import keyring
import pytest
from pytestqt.qtbot import QtBot

from app.core.errors import UserError
from app.core.model_ref import ModelRef
from app.remote.address import ServerAddress
from app.remote.server import ServerKind
from app.remote.worker import Spread, workers_typed
from app.services.remote.model_servers import ModelServers
from app.services.remote.states import Listing, ServerState
from app.services.runtime import detached_thread
from app.storage.attachments import AttachmentStore
from tests.library.test_hub import MemoryKeyring, NoKeyring
from tests.remote.scripted_server import Caller, ScriptedServer, scripted_server, whole
from tests.services.remote.conftest import MODELS, SlowKeyring
from tests.waits import WAIT

KEY = "sk-secret"


def connect(servers: ModelServers, server: ScriptedServer, qtbot: QtBot, key: str = KEY, name: str = "Attic") -> str:
    """Ask it, and keep it as it is."""
    said: list[Listing | Exception] = []
    servers.ask(server.address, key, said.append)
    qtbot.waitUntil(lambda: bool(said), timeout=WAIT)
    assert isinstance(said[0], Listing), said
    return servers.add(name, server.address, key, said[0])


def state_of(servers: ModelServers, server_id: str) -> ServerState:
    server = servers.get(server_id)
    assert server is not None
    return server.state


def until(qtbot: QtBot, holds: Callable[[], bool]) -> None:
    qtbot.waitUntil(holds, timeout=WAIT)


def test_what_a_server_is_and_has_is_there_at_the_next_start_and_nobody_was_asked_for_it(
    servers: ModelServers, server: ScriptedServer, tmp_path: Path, kept: MemoryKeyring, qtbot: QtBot
) -> None:
    server_id = connect(servers, server, qtbot)
    until(qtbot, lambda: bool(kept.kept))
    assert list(kept.kept.items()) == [(("Hearth servers", server_id), KEY)]
    assert KEY not in (tmp_path / "servers.json").read_text("utf-8")
    asked = len(server.asked)
    assert all(each.headers["authorization"] == f"Bearer {KEY}" for each in server.asked)
    again = ModelServers(tmp_path / "servers.json", AttachmentStore(tmp_path / "kept"))
    [listed], [known] = again.models(), again.all
    assert listed.ref == ModelRef.of_server(server_id, "Rain-8B") and again.called(listed.ref) == "Rain-8B · Attic"
    assert (known.saved.kind, known.saved.version, known.state) == (ServerKind.VLLM, "0.33", ServerState.UNASKED)
    info = again.info_of(listed.ref)
    assert (info.n_ctx, info.host, info.name) == (4096, "127.0.0.1", "Rain-8B · Attic")
    assert len(server.asked) == asked
    again.close()


def test_a_key_without_a_keyring_holds_for_this_run_and_that_is_said(
    servers: ModelServers, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    monkeypatch.setattr(keyring.core, "_keyring_backend", NoKeyring())
    said: list[str] = []
    servers.noticed.connect(said.append)
    server_id = connect(servers, server, qtbot)
    until(qtbot, lambda: bool(said))
    assert said == ["This computer has no keyring, so the key of Attic is kept until Hearth is closed."]
    server.asked.clear()
    servers.refresh(server_id)
    until(qtbot, lambda: state_of(servers, server_id) is ServerState.THERE)
    assert server.asked[0].headers["authorization"] == f"Bearer {KEY}"


def test_what_a_server_has_by_now_is_told_and_one_that_is_away_keeps_its_models(
    servers: ModelServers, server: ScriptedServer, qtbot: QtBot
) -> None:
    server_id = connect(servers, server, qtbot)
    server.routes["/v1/models"] = MODELS.replace(b"Rain-8B", b"Snow-8B")
    servers.refresh_all()
    assert state_of(servers, server_id) is ServerState.ASKING
    servers.refresh_all()
    until(qtbot, lambda: state_of(servers, server_id) is ServerState.THERE)
    assert [each.name for each in servers.models()] == ["Snow-8B"]
    assert servers.info_of(ModelRef.of_server(server_id, "Rain-8B")).n_ctx == 0, "it is gone, and may come back"
    server.routes["/v1/models"] = whole({"error": {"message": "no"}}, 401)
    servers.refresh(server_id)
    until(qtbot, lambda: state_of(servers, server_id) is ServerState.AWAY)
    [known] = servers.all
    assert known.problem is not None and "refuses the key" in known.problem.sentence
    assert [each.name for each in servers.models()] == ["Snow-8B"]


def test_asking_is_stopped_at_once_and_nothing_is_heard_of_it(
    servers: ModelServers, server: ScriptedServer, qtbot: QtBot
) -> None:
    came = threading.Event()

    def silent(caller: Caller) -> None:
        came.set()
        caller.wait_for_hang_up()

    server.routes.clear()
    server.scripts.append(silent)
    said: list[object] = []
    asking = servers.ask(server.address, "", said.append)
    assert came.wait(WAIT / 1000)
    asking.stop()
    until(qtbot, server.callers[0].hung_up.is_set)
    kept_id = servers.add("Attic", server.address, "", None)
    servers.refresh(kept_id)
    until(qtbot, lambda: len(server.callers) == 2)
    servers.stop(kept_id)
    assert state_of(servers, kept_id) is ServerState.UNASKED
    until(qtbot, server.callers[1].hung_up.is_set)
    assert not said


def test_a_server_whose_address_is_mended_while_it_is_asked_is_asked_at_the_new_one(
    servers: ModelServers, server: ScriptedServer, qtbot: QtBot
) -> None:
    came, go = threading.Event(), threading.Event()

    def late(caller: Caller) -> None:
        came.set()
        go.wait(WAIT / 1000)
        caller.send(MODELS.replace(b"Rain-8B", b"Snow-8B"))

    with scripted_server() as wrong:
        wrong.scripts.append(late)
        server_id = servers.add("Attic", wrong.address, "", None)
        servers.refresh(server_id)
        assert came.wait(WAIT / 1000)
        servers.change(server_id, "Attic", server.address, None)
        assert state_of(servers, server_id) is ServerState.ASKING
        until(qtbot, lambda: state_of(servers, server_id) is ServerState.THERE)
        assert [each.name for each in servers.models()] == ["Rain-8B"]
        go.set()


def test_a_new_name_leaves_what_a_server_is_being_asked(
    servers: ModelServers, server: ScriptedServer, qtbot: QtBot
) -> None:
    server_id = connect(servers, server, qtbot)
    servers.refresh(server_id)
    servers.change(server_id, "Cellar", server.address, None)
    assert state_of(servers, server_id) is ServerState.ASKING
    until(qtbot, lambda: state_of(servers, server_id) is ServerState.THERE)
    assert [each.name for each in servers.all] == ["Cellar"]


def test_a_keyring_that_asks_for_its_password_holds_nobody_up_who_stops(
    servers: ModelServers, slow: SlowKeyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(detached_thread, "END_WITHIN", 2 * WAIT / 1000)
    server_id = servers.add("Attic", ServerAddress.typed("127.0.0.1:9"), "", None)
    servers.refresh(server_id)
    assert slow.asked.wait(WAIT / 1000)
    servers.stop(server_id)
    assert not slow.has_told, "it waits for its password still"
    assert state_of(servers, server_id) is ServerState.UNASKED
    slow.password.set()


def test_a_server_that_does_not_answer_yet_is_kept_and_one_that_is_removed_is_forgotten_with_its_key(
    servers: ModelServers, server: ScriptedServer, tmp_path: Path, kept: MemoryKeyring, qtbot: QtBot
) -> None:
    server_id = servers.add("", ServerAddress.typed("127.0.0.1:9"), KEY, None)
    [known] = servers.all
    assert (known.name, known.state, list(servers.models())) == ("127.0.0.1:9", ServerState.AWAY, [])
    servers.change(server_id, "Attic", server.address, None)
    until(qtbot, lambda: state_of(servers, server_id) is ServerState.THERE)
    [listed] = servers.models()
    assert server.asked[0].headers["authorization"] == f"Bearer {KEY}", "the key stayed"
    server.asked.clear()
    servers.change(server_id, "Attic", server.address, "")
    until(qtbot, lambda: state_of(servers, server_id) is ServerState.THERE)
    assert server.asked and "authorization" not in server.asked[0].headers, "the key alone can be taken away"
    until(qtbot, lambda: not kept.kept)
    servers.remove(server_id)
    assert not servers.all and json.loads((tmp_path / "servers.json").read_bytes())["servers"] == []
    with pytest.raises(UserError, match="was removed"):
        servers.info_of(listed.ref)


def test_a_model_that_is_spread_says_who_is_missing(
    servers: ModelServers, server: ScriptedServer, tmp_path: Path, qtbot: QtBot
) -> None:
    there, away = workers_typed(server.address.shown), workers_typed("127.0.0.1:9")
    model = tmp_path / "large.gguf"
    model.touch()
    server_id = servers.spread("", Spread(str(model), there + away, sys.executable))
    until(qtbot, lambda: state_of(servers, server_id) is ServerState.THERE)
    [known] = servers.all
    assert known.name == server.address.shown and "127.0.0.1:9 does not answer" in str(known.problem)
    [listed] = servers.models()
    assert servers.info_of(listed.ref).n_ctx == 8192 and not server.asked
    again = ModelServers(tmp_path / "servers.json", AttachmentStore(tmp_path / "kept"))
    assert [each.saved for each in again.all] == [known.saved]
    again.close()
    for spread, told in (
        (Spread(str(model), away, sys.executable), "None of the machines"),
        (Spread(str(model), there, str(tmp_path / "llama-server")), "no program"),
        (Spread(str(tmp_path / "gone.gguf"), there, sys.executable), "not there any more"),
    ):
        assert servers.spread("", spread, server_id) == server_id
        until(qtbot, lambda: state_of(servers, server_id) is ServerState.AWAY)
        assert told in str(servers.all[0].problem)


@pytest.mark.parametrize("text", ["", " , ", "host:port:1", " ".join(f"10.0.0.{n}" for n in range(17))])
def test_what_names_no_workers_is_told_in_a_sentence(text: str) -> None:
    with pytest.raises(UserError):
        workers_typed(text)


def test_workers_are_typed_with_or_without_ports_and_each_counts_once() -> None:
    assert list(map(str, workers_typed("10.0.0.5, 10.0.0.6:9 [::1]:7 10.0.0.5"))) == [
        "10.0.0.5:50052",
        "10.0.0.6:9",
        "[::1]:7",
    ]


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"secret": "zz", "servers": []}', '{"secret": "00", "servers": [3, {"id": "a/b"}]}']
)
def test_a_damaged_list_begins_anew(tmp_path: Path, text: str, qtbot: QtBot) -> None:
    (tmp_path / "servers.json").write_text(text, "utf-8")
    made = ModelServers(tmp_path / "servers.json", AttachmentStore(tmp_path / "kept"))
    assert made.all == ()
    made.close()
