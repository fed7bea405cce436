"""Fixtures for what asks the hub."""

from collections.abc import Iterator

import pytest

from tests.library.hub_fixtures import our_hub
from tests.library.hub_server import FakeHub


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    with our_hub(monkeypatch) as served:
        yield served
