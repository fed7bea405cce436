"""The small hub as the one that everything asks."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.library.hub_server import FakeHub, running

SMALL_BLOCK = 16 << 10


@contextmanager
def our_hub(monkeypatch: pytest.MonkeyPatch, hub: FakeHub | None = None) -> Iterator[FakeHub]:
    """The hub is the one that HF_ENDPOINT names, `hub` where it is given, and a small file is long enough for all that
    happens after so many bytes."""
    from huggingface_hub import close_session

    monkeypatch.setattr("app.library.retry_policy._PROGRESS", SMALL_BLOCK)
    monkeypatch.setattr("app.library.part_file.SYNC", SMALL_BLOCK)
    monkeypatch.delenv("HF_TOKEN", raising=False)
    for proxy in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(proxy, raising=False)
    with running(hub or FakeHub()) as served:
        monkeypatch.setenv("HF_ENDPOINT", served.url)
        close_session()
        yield served
        close_session()
