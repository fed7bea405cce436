"""Searching the hub from the window: real threads, a small hub on loopback."""

import threading
import time
from collections.abc import Iterator

import keyring
import pytest
from pytestqt.qtbot import QtBot

from app.library.hub import Wanted
from app.services.models.hub_search import HubSearch
from tests.library.hub_fixtures import our_hub
from tests.library.hub_server import FakeHub
from tests.library.test_hub import MemoryKeyring, NoKeyring
from tests.waits import WAIT


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    monkeypatch.setattr(keyring.core, "_keyring_backend", MemoryKeyring())
    with our_hub(monkeypatch) as served:
        served.add("org/Alpha", "a-Q4_0.gguf", b"data")
        served.add("org/Alpha", "README.md", b"# Alpha")
        served.add("org/Beta", "b-Q4_0.gguf", b"data")
        yield served


@pytest.fixture
def service(qapp: object) -> Iterator[HubSearch]:
    made = HubSearch()
    yield made
    made.close()


def test_only_the_newest_wish_is_answered(hub: FakeHub, service: HubSearch, qtbot: QtBot) -> None:
    heard: list[str] = []
    service.found.connect(lambda results: heard.append(results.wanted.text))
    with qtbot.waitSignal(service.found, timeout=WAIT) as found:
        service.search(Wanted("al"), at_once=True)
        for text in ("alp", "alph", "alpha"):
            service.search(Wanted(text))
        service.search(Wanted("beta"), at_once=True)
    assert [model.repo for model in found.args[0].models] == ["org/Beta"]
    assert heard == ["beta"]


def test_a_repository_is_opened_and_its_card_follows(hub: FakeHub, service: HubSearch, qtbot: QtBot) -> None:
    with qtbot.waitSignals([service.opened, service.card_read], timeout=WAIT, order="strict"):
        service.open("org/Alpha")


def test_offline_is_told_as_such(
    hub: FakeHub, service: HubSearch, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with qtbot.waitSignal(service.failed, timeout=WAIT) as failed:
        service.open("org/Alpha")
    assert failed.args[0].offline
    assert "can't be reached" in failed.args[0].sentence


def test_a_token_is_kept_or_the_reason_is_said(
    hub: FakeHub, service: HubSearch, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    with qtbot.waitSignal(service.token_kept, timeout=WAIT) as kept:
        service.keep_token("hf_right")
    assert kept.args == [""]
    monkeypatch.setattr(keyring.core, "_keyring_backend", NoKeyring())
    with qtbot.waitSignal(service.token_kept, timeout=WAIT) as refused:
        service.keep_token("hf_right")
    assert "no keyring" in refused.args[0]


def test_a_hub_that_says_nothing_holds_nobody_up(hub: FakeHub, service: HubSearch, qtbot: QtBot) -> None:
    """Neither the next search, nor the end of the program."""
    hub.api_stalls = True
    service.search(Wanted("alpha"), at_once=True)
    qtbot.waitUntil(lambda: len(hub.asked) == 1, timeout=WAIT)
    service.search(Wanted("beta"), at_once=True)
    qtbot.waitUntil(lambda: len(hub.asked) == 2, timeout=WAIT)
    left = [each for each in threading.enumerate() if each.name == "hub"]
    began = time.monotonic()
    service.close()
    assert time.monotonic() - began < 30
    assert all(each.daemon for each in left)
    hub.api_stalls = False
    for each in left:
        each.join()


def test_a_token_that_stays_in_the_keyring_is_told(
    hub: FakeHub, service: HubSearch, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Keeping(MemoryKeyring):
        def delete_password(self, service: str, username: str) -> None:
            raise OSError("locked")

    monkeypatch.setattr(keyring.core, "_keyring_backend", Keeping())
    with qtbot.waitSignal(service.token_kept, timeout=WAIT):
        service.keep_token("hf_right")
    with qtbot.waitSignal(service.token_kept, timeout=WAIT) as told:
        service.forget_token()
    assert "did not let the token go" in told.args[0]
