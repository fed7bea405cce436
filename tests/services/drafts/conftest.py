from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.services.attaching import Stand


@pytest.fixture
def stand(qapp: object, tmp_path: Path) -> Iterator[Stand]:
    made = Stand(tmp_path)
    yield made
    made.drafts.close()
