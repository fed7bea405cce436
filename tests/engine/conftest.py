"""Sessions on tiny models, set up for exactness: F32 KV, flash attention off, one thread."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.core.cancel import CancelFlag
from app.core.checkpointing import Checkpointing
from app.core.loading import CacheType, FlashAttention, Loading
from app.engine.loader import open_session
from app.engine.session import Session

EXACT = Loading(
    ctx_size=1024,
    gpu_layers=0,
    threads=1,
    batch_size=128,
    ubatch_size=32,
    flash_attn=FlashAttention.OFF,
    cache_type_k=CacheType.F32,
    cache_type_v=CacheType.F32,
)

OpenTiny = Callable[..., Session]


@pytest.fixture
def open_tiny(tiny_models: dict[str, Path]) -> Iterator[OpenTiny]:
    """Opens a session on a family's tiny model; every one is closed at the end."""
    sessions: list[Session] = []

    def open_one(
        family: str,
        loading: Loading = EXACT,
        cancel: CancelFlag | None = None,
        checkpointing: Checkpointing | None = None,
    ) -> Session:
        path = tiny_models.get(family, Path(family))
        opened = open_session(path, loading, cancel=cancel or CancelFlag(), checkpointing=checkpointing)
        assert opened is not None
        sessions.append(opened[0])
        return opened[0]

    yield open_one
    for session in sessions:
        session.close()
