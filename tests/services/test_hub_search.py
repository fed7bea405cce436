"""Searching the hub from the window: real threads, a small hub on loopback."""

from collections.abc import Iterator

import keyring
import pytest
from pytestqt.qtbot import QtBot

from app.library.hub import Wanted
from app.services.hub_search import HubSearch
from tests.library.hub_fixtures import our_hub
from tests.library.hub_server import FakeHub
from tests.library.test_hub import MemoryKeyring, NoKeyring

WAIT = 30_000


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
