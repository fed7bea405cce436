"""What the steps of a model cost beside each other, in one run: deactivate and activate, unload and load.

    python -m tests.bench.context.states MODEL.gguf [ROUNDS]

Each round warms a conversation, and asks it again after either way; it tells seconds, and how many entries were read.
The file is read from the disk once and from the system's file cache once, as after a restart and as a moment later.
"""

import statistics
import sys
import time
from pathlib import Path

from app.core.cancel import CancelFlag
from app.core.events import Finished
from app.core.loading import Loading
from app.core.messages import Message, Role
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.engine.loading.loader import open_session
from app.engine.loading.weights import Weights, deactivate
from app.engine.reply.session import Session
from tests.bench.context.engine_process import forget_pages
from tests.counted import counted

LOADING = Loading(ctx_size=4096, gpu_layers=0, threads=1)
QUESTION = Message.of(Role.USER, "The rain in the mountains is heard on another hill and in the valley too. " * 8)


def opened(path: Path, weights: Weights | None = None) -> tuple[Session, float]:
    began = time.perf_counter()
    made = open_session(path, LOADING, cancel=CancelFlag(), weights=weights)
    assert made is not None
    if weights is not None:
        weights.warm(made[0])
    return made[0], time.perf_counter() - began


def ask(session: Session) -> tuple[int, float]:
    """Entries that were read, and seconds to the first token."""
    began = time.perf_counter()
    *_, last = session.reply(ChatRequest((QUESTION,), Sampling(temperature=0.0, max_tokens=1)))
    assert isinstance(last, Finished)
    return counted(last.timings.prompt_n), time.perf_counter() - began


def measure(path: Path) -> dict[str, float]:
    forget_pages(path)
    session, from_disk = opened(path)
    cold, _ = ask(session)
    session.close()
    session, from_cache = opened(path)
    ask(session)
    began = time.perf_counter()
    weights = deactivate(session, CancelFlag())
    assert weights is not None
    freed = time.perf_counter() - began
    session, back = opened(path, weights)
    warm, first = ask(session)
    session.close()
    return {
        "load from disk, s": from_disk, "load from file cache, s": from_cache, "deactivate, s": freed,
        "activate, s": back, "entries read cold": cold, "entries read after activation": warm,
        "first token after activation, s": first,
    }  # fmt: skip


def main() -> None:
    path, rounds = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 5
    found = [measure(path) for _ in range(rounds)]
    for name in found[0]:
        values = [each[name] for each in found]
        print(f"{name:34} {statistics.median(values):9.3f}   ({min(values):.3f} to {max(values):.3f})")


if __name__ == "__main__":
    main()
