"""One request and its answer: by which way, and what is said where there is none."""

import socket
import threading

import pytest

from app.core.errors import UserError
from app.remote.address import ServerAddress
from app.remote.asking import Asker
from app.remote.exchange import Exchange, Outgoing, Patience
from app.remote.stop_signal import StopSignal
from tests.remote.scripted_server import ScriptedServer, sending, whole

PROXIES = ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy")


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*PROXIES, "NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)


def test_one_s_own_networks_are_reached_without_a_proxy(
    server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in PROXIES:
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    server.scripts.append(sending(whole({"a": 1})))
    assert Asker(server.address, "", StopSignal()).ask("/x").body == {"a": 1}


def test_others_are_reached_by_the_proxy_that_is_set(server: ScriptedServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", server.address.base)
    server.scripts.append(sending(whole({"a": 1})))
    Asker(ServerAddress.typed("http://engines.example"), "", StopSignal()).ask("/x")
    assert server.asked[0].path == "http://engines.example/x"


def test_a_redirect_is_not_followed_with_a_key(server: ScriptedServer) -> None:
    server.scripts.append(sending(whole({}, 307, Location=f"{server.address.base}/elsewhere")))
    asker = Asker(server.address, "geheim", StopSignal())
    told = asker.ask("/x", {"a": 1})
    assert (told.head.status, len(server.asked)) == (307, 1)
    assert "leads on to" in asker.refusal(told).sentence


def test_a_server_without_tls_that_is_asked_by_https() -> None:
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        door.listen()
        thread = threading.Thread(target=_answer_in_plain, args=(door,))
        thread.start()
        address = ServerAddress.typed(f"https://127.0.0.1:{door.getsockname()[1]}")
        with pytest.raises(UserError, match="does not speak https"):
            Asker(address, "", StopSignal()).ask("/x")
        thread.join()


def _answer_in_plain(door: socket.socket) -> None:
    connection, _ = door.accept()
    with connection:
        connection.recv(4096)
        connection.sendall(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")


def test_a_body_is_read_no_further_than_it_is_wanted(server: ScriptedServer) -> None:
    server.scripts.append(sending(whole({"a": "x" * 5_000_000})))
    asked = Outgoing("GET", server.address.url("/x"))
    with Exchange(server.address, "", asked, Patience(), StopSignal()) as exchange:
        assert exchange.head().status == 200
        assert 1000 < len(exchange.body(1000)) < 4_000_000


@pytest.mark.parametrize("key", ["sk-geheim\nb: c", "sk-geheim\N{EURO SIGN}", "sk-geheim\0", "sk-geheim\ttab"])
def test_a_key_that_is_no_text_for_headers_is_told_without_it(
    server: ScriptedServer, key: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    asked = Outgoing("GET", server.address.url("/x"))
    with (
        Exchange(server.address, key, asked, Patience(), StopSignal()) as exchange,
        pytest.raises(UserError, match="Copy it anew") as caught,
    ):
        exchange.head()
    assert server.asked == [] and "geheim" not in caplog.text + caught.value.logged
