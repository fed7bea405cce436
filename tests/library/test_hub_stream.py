"""What lies between this computer and a file of the hub: other servers, proxies, versions."""

import ssl
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from app.core.errors import UserError
from app.library.hub import Wanted, search
from app.library.hub_errors import GatedError, OfflineError
from app.library.hub_header import read_shape
from app.library.hub_layout import HubFile
from app.library.hub_stream import HubStream
from app.library.retry_policy import RetryPolicy
from app.library.transfer import RemoteFile, Transfer
from tests.library.hub_fixtures import SMALL_BLOCK
from tests.library.hub_server import FakeHub, Fault
from tests.library.test_transfer import DATA, SLOW, halted, is_whole, transfer

LONG = RetryPolicy(first_wait=0.001, tries=2, patience=5.0, spare=0)
"""It would wait half a day for a network that comes back."""


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "a.gguf"


@pytest.fixture
def elsewhere(hub: FakeHub) -> FakeHub:
    """A hub that leads to another server."""
    hub.redirects, hub.elsewhere = True, hub.url.replace("127.0.0.1", "localhost")
    return hub


@pytest.mark.parametrize("status", [401, 403, 404])
def test_an_address_that_has_expired_is_asked_for_anew(elsewhere: FakeHub, target: Path, status: int) -> None:
    elsewhere.faults.extend([Fault(break_after=2 * SMALL_BLOCK), Fault(status=status)])
    transfer(elsewhere, target).run()
    assert is_whole(target)
    assert [wanted.partition("-")[0] for _, wanted in elsewhere.requests] == [
        "bytes=0", *[f"bytes={2 * SMALL_BLOCK}"] * 2,
    ]  # fmt: skip


def test_another_server_that_refuses_is_no_question_of_terms(elsewhere: FakeHub, target: Path) -> None:
    elsewhere.fault = lambda: Fault(status=403)
    with pytest.raises(UserError, match=r"does not give a\.gguf") as raised:
        transfer(elsewhere, target, policy=LONG).run()
    assert not isinstance(raised.value, GatedError)
    assert len(elsewhere.requests) == LONG.tries


def test_a_version_that_has_changed_is_told_before_it_comes(elsewhere: FakeHub, target: Path) -> None:
    elsewhere.linked = f'"{"1" * 64}"'
    with pytest.raises(UserError, match="another content"):
        transfer(elsewhere, target).run()
    assert len(elsewhere.requests) == 1


@pytest.mark.parametrize("linked", ["", '"d41d8cd98f"', f'W/"{"1" * 64}"'])
def test_marks_that_are_no_hashes_say_nothing_of_one(elsewhere: FakeHub, target: Path, linked: str) -> None:
    elsewhere.linked = linked
    transfer(elsewhere, target).run()
    assert is_whole(target)


def test_two_versions_of_a_file_without_a_hash_are_not_mixed(hub: FakeHub, target: Path) -> None:
    """Neither within a run nor over several."""
    old = bytes(reversed(DATA))
    one = transfer(hub, target, old, sha256="")
    hub.etags.extend(['"old"', '"old"', '"new"', '"new"'])
    hub.faults.extend([Fault(break_after=3 * SMALL_BLOCK + 9), Fault(break_after=SMALL_BLOCK), Fault(status=403)])
    with pytest.raises(GatedError):
        one.run()
    transfer(hub, target, sha256="").run()
    assert is_whole(target)


def test_a_halt_between_an_answer_and_its_bytes_is_heard(
    hub: FakeHub, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.faults.append(Fault(stall_after=0))
    one, came, goes_on = transfer(hub, target, policy=SLOW), threading.Event(), threading.Event()
    skipped = HubStream._skipped

    def wait(stream: HubStream, answer: object, start: int) -> int:
        came.set()
        assert goes_on.wait(30)
        return skipped(stream, answer, start)

    def halt() -> None:
        Transfer.halt(one)
        goes_on.set()

    monkeypatch.setattr(HubStream, "_skipped", wait)
    monkeypatch.setattr(one, "halt", halt)
    assert halted(one, came)


def test_a_certificate_that_nobody_trusts_is_told_by_a_search_too(
    hub: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    import httpx2

    def refuse(*_: object, **__: object) -> None:
        raise httpx2.ConnectError("no") from ssl.SSLCertVerificationError("self-signed certificate")

    monkeypatch.setattr(httpx2.Client, "send", refuse)
    with pytest.raises(UserError, match="does not trust the certificate"):
        search(Wanted())


@contextmanager
def refusing(status: int) -> Iterator[str]:
    """A proxy that lets nobody through; gives its address."""

    class Refusing(BaseHTTPRequestHandler):
        def do_CONNECT(self) -> None:
            self.send_error(status)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Refusing) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize(("status", "sentence"), [(407, "wants a password"), (403, "does not let Hearth through")])
def test_a_proxy_that_refuses_is_told(
    hub: FakeHub, target: Path, monkeypatch: pytest.MonkeyPatch, status: int, sentence: str
) -> None:
    from huggingface_hub import close_session

    with refusing(status) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy)
        monkeypatch.setenv("HF_ENDPOINT", "https://hub.invalid")
        close_session()
        remote = RemoteFile("https://hub.invalid/org/repo/a.gguf", len(DATA), "0" * 64)
        with pytest.raises(UserError, match=sentence):
            Transfer(remote, target, name="org/repo", policy=LONG).run()
        with pytest.raises(UserError, match=sentence):
            search(Wanted())
        with pytest.raises(UserError, match=sentence):
            read_shape(HubFile("org/repo", "main", "a.gguf", len(DATA)))
        close_session()


def test_a_proxy_that_does_not_reach_the_hub_either_may_soon(
    hub: FakeHub, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from huggingface_hub import close_session

    policy = RetryPolicy(first_wait=0.001, tries=2, endurance=0.0, patience=5.0, spare=0)
    with refusing(502) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy)
        close_session()
        with pytest.raises(OfflineError):
            Transfer(RemoteFile("https://hub.invalid/a", 9), target, name="x", policy=policy).run()
        close_session()


@pytest.mark.parametrize("proxy", ["socks9://127.0.0.1:9", "http://[::1", "ftp://127.0.0.1:9"])
def test_a_proxy_that_is_none_is_told(hub: FakeHub, target: Path, monkeypatch: pytest.MonkeyPatch, proxy: str) -> None:
    from huggingface_hub import close_session

    monkeypatch.setenv("ALL_PROXY", proxy)
    close_session()
    with pytest.raises(UserError, match="The proxy that is set"):
        transfer(hub, target, policy=LONG).run()
    with pytest.raises(UserError, match="The proxy that is set"):
        search(Wanted())


def test_a_package_for_proxies_that_is_missing_is_told(
    hub: FakeHub, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As for SOCKS, which many people's systems name for every program."""
    from huggingface_hub import close_session

    monkeypatch.setitem(sys.modules, "socksio", None)
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:9")
    close_session()
    with pytest.raises(UserError, match="The proxy that is set"):
        transfer(hub, target, policy=LONG).run()
