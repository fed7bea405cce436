"""A Hearth that shows a code is found, and is gone with the code."""

import queue
from contextlib import closing
from typing import cast

import pytest
from zeroconf import ServiceInfo, ServiceStateChange, Zeroconf

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


def test_a_flood_of_announcements_shows_a_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discovery, "_opened", lambda _: None)
    heard: list[tuple[FoundHost, ...]] = []
    asked: list[str] = []

    class Network:
        """Stands in for zeroconf, which asks the network for each."""

        def get_service_info(self, kind: str, name: str, timeout: float) -> ServiceInfo:
            asked.append(name)
            return ServiceInfo(kind, name, 40123, addresses=[bytes((127, 0, 0, 1))])

    looking = Discovery(heard.append)
    for number in reversed(range(300)):
        name = f"ATTIC {number:03} 40123._hearth-pair._tcp.local."
        looking._changed(cast(Zeroconf, Network()), "_hearth-pair._tcp.local.", name, ServiceStateChange.Added)
    assert [each.name for each in heard[-1]] == [f"ATTIC {number:03}" for number in range(236, 244)]
    assert len(asked) == 64, "of more the network is not asked"
