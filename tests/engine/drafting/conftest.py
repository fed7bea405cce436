"""Models that draft for themselves, with their drafters."""

from pathlib import Path

import pytest

from tests import tiny_mtp


@pytest.fixture(scope="session")
def mtp_models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, Path | None]]:
    """Model and, where it is another one, the file with its head, by `tiny_mtp.KINDS`."""
    folder = tmp_path_factory.mktemp("mtp")
    return {kind: make(folder) for kind, make in tiny_mtp.PAIRS.items()}
