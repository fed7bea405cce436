from collections.abc import Iterator

import pytest

from app.core.cancel import CancelFlag
from app.core.resources import GUIDE
from app.engine.binding.model import Model
from app.engine.binding.vocab import Vocab


@pytest.fixture(scope="session")
def vocab() -> Iterator[Vocab]:
    """A vocabulary that can write anything."""
    model = Model.load(GUIDE, gpu_layers=0, cancel=CancelFlag())
    yield model.vocab
    model.close()
