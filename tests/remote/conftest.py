from collections.abc import Iterator

import pytest

from tests.remote.scripted_server import ScriptedServer, scripted_server


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with scripted_server() as made:
        yield made
