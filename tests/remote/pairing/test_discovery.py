"""A Hearth that shows a code is found, and is gone with the code."""

import queue
from contextlib import closing

import pytest

from app.remote.pairing import discovery
from app.remote.pairing.discovery import Announcement, Discovery, FoundHost
from tests.waits import WAIT

HERE = ("127.0.0.1",)


def test_who_shows_a_code_is_found_until_it_is_taken_back() -> None:
    heard: queue.Queue[tuple[FoundHost, ...]] = queue.Queue()
    with closing(Discovery(heard.put, HERE)) as looking:
        if looking._zeroconf is None:
            pytest.skip("The loopback of this machine takes no multicast.")
        with closing(Announcement("ATTIC\x07", "127.0.0.1", 40123, HERE)):
            found: tuple[FoundHost, ...] = ()
            while FoundHost("ATTIC", "127.0.0.1:40123") not in found:
                found = heard.get(timeout=WAIT / 1000)
        while FoundHost("ATTIC", "127.0.0.1:40123") in found:
            found = heard.get(timeout=WAIT / 1000)


def test_a_network_without_multicast_finds_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discovery, "_opened", lambda _: None)
    Announcement("ATTIC", "127.0.0.1", 1).close()
    Discovery(lambda _: None).close()


@pytest.mark.parametrize("name", ["x" * 60, "ü" * 40, "a.b", "", "\ud800"])
def test_every_name_can_be_announced(name: str) -> None:
    Announcement(name, "127.0.0.1", 40124, HERE).close()
