"""Sessions on tiny models, set up for exactness: F32 KV, flash attention off, one thread."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any, Protocol

import pytest

from app.core.cancel import CancelFlag
from app.core.checkpointing import Checkpointing
from app.core.events import Finished
from app.core.loading import CacheType, FlashAttention, Loading
from app.core.requests import ChatRequest
from app.core.resources import GUIDE
from app.engine.binding.model import Model
from app.engine.binding.vocab import Vocab
from app.engine.loading.loader import open_session
from app.engine.reply.session import Session

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


@pytest.fixture(scope="session")
def vocab() -> Iterator[Vocab]:
    """A vocabulary that can write anything."""
    model = Model.load(GUIDE, gpu_layers=0, cancel=CancelFlag())
    yield model.vocab
    model.close()


def finish(session: Session, request: ChatRequest) -> Finished:
    """The end of the whole reply."""
    *_, last = session.reply(request)
    assert isinstance(last, Finished)
    return last


OpenTiny = Callable[..., Session]


class OpenPath(Protocol):
    def __call__(
        self, path: Path, loading: Loading = EXACT, *, cancel: CancelFlag | None = None, **more: Any
    ) -> Session: ...


@contextmanager
def session_on(
    path: Path, loading: Loading = EXACT, *, cancel: CancelFlag | None = None, **more: Any
) -> Iterator[tuple[Session, tuple[str, ...]]]:
    """`open_session`, which is closed at the end."""
    opened = open_session(path, loading, cancel=cancel or CancelFlag(), **more)
    assert opened is not None
    with closing(opened[0]):
        yield opened


@pytest.fixture
def open_path() -> Iterator[OpenPath]:
    """Every session is closed at the end."""
    with ExitStack() as stack:

        def open_one(path: Path, loading: Loading = EXACT, **more: Any) -> Session:
            return stack.enter_context(session_on(path, loading, **more))[0]

        yield open_one


@pytest.fixture
def open_tiny(tiny_models: dict[str, Path], open_path: OpenPath) -> OpenTiny:
    """Opens a session on a family's tiny model."""

    def open_one(
        family: str,
        loading: Loading = EXACT,
        cancel: CancelFlag | None = None,
        checkpointing: Checkpointing | None = None,
    ) -> Session:
        path = tiny_models.get(family, Path(family))
        return open_path(path, loading, cancel=cancel, checkpointing=checkpointing)

    return open_one
