"""Hearth's engine as a child process that can be ended and started again, with its snapshots in a folder.

    python -m tests.bench.context.engine_process MODEL.gguf FOLDER N_CTX

It answers one JSON object a line: ask, count, keep, forget_memory, bring_back, quit.
"""

import json
import logging
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.bench.context.stopwatch import Stopwatch, Took
from tests.bench.serving.programs import Chat, Reply
from tests.counted import counted

if TYPE_CHECKING:
    from app.core.requests import ChatRequest
    from app.engine.reply.session import Session

ROOT = Path(__file__).resolve().parents[3]


class EngineProcess:
    """The parent's side."""

    def __init__(self, model: Path, folder: Path, n_ctx: int) -> None:
        """Returns when the model is loaded."""
        self.began = time.perf_counter()
        command = [sys.executable, "-m", __name__, str(model), str(folder), str(n_ctx)]
        self._process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._hear()
        self.loading = Took(time.perf_counter() - self.began, Stopwatch.cpu_of(self.pid))
        """Until the model was loaded."""

    @property
    def pid(self) -> int:
        return self._process.pid

    def ask(self, chat: Chat, conversation: str) -> tuple[Took, Reply]:
        """What an answer of one token took, and the answer, which is appended to `chat`."""
        with Stopwatch(self.pid) as watch:
            heard = self._do(do="ask", chat=chat, conversation=conversation)
        chat.append({"role": "assistant", "content": heard["text"], "tokens": heard["tokens"], "vocab": heard["vocab"]})
        return watch.took, Reply(heard["text"], heard["total"], heard["reused"])

    def count(self, chat: Chat) -> int:
        """Entries of its prompt."""
        total: int = self._do(do="count", chat=chat)["total"]
        return total

    def keep(self) -> tuple[float, int]:
        """Write what is held to disk, as an idle program does; seconds until it is there, and bytes of all files."""
        began = time.perf_counter()
        heard = self._do(do="keep")
        return time.perf_counter() - began, heard["n_bytes"]

    def forget_memory(self) -> None:
        """Snapshots in memory are gone; those on disk stay."""
        self._do(do="forget_memory")

    def bring_back(self, conversation: str) -> Took:
        """What the window does when a model was loaded, before anybody asks."""
        with Stopwatch(self.pid) as watch:
            self._do(do="bring_back", conversation=conversation)
        return watch.took

    def end(self) -> None:
        if self._process.poll() is None:
            self._process.communicate(json.dumps({"do": "quit"}) + "\n")

    def _do(self, **said: object) -> Any:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(said) + "\n")
        self._process.stdin.flush()
        return self._hear()

    def _hear(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            sys.exit(f"the engine ended with {self._process.wait()}")
        return json.loads(line)


def forget_pages(*paths: Path) -> None:
    """Let the system read these files from the disk next time, as after a restart of the machine. POSIX only."""
    for path in paths:
        with path.open("rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def main() -> None:
    """The child's side."""
    from app.core.cancel import CancelFlag
    from app.core.loading import Loading
    from app.engine.loading.loader import open_session
    from app.engine.memory.snapshot_disk import SnapshotDisk

    logging.disable(logging.INFO)
    model, folder, n_ctx = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    disk = SnapshotDisk(folder, 16 << 30)
    loading = Loading(ctx_size=n_ctx, gpu_layers=0, threads=1)
    opened = open_session(model, loading, cancel=CancelFlag(), snapshots=disk)
    assert opened is not None
    session = opened[0]
    _say(loaded=True)
    for line in sys.stdin:
        said = json.loads(line)
        match said["do"]:
            case "ask":
                _say(**_answer(session, said["chat"], said["conversation"]))
            case "count":
                _say(total=session.peek(_request(said["chat"], "")).total)
            case "keep":
                session.slot.keep()
                while disk.pending():
                    time.sleep(0.01)
                _say(n_bytes=disk.n_bytes)
            case "forget_memory":
                session.slot.snapshots.clear()
                _say()
            case "bring_back":
                _say(done=session.slot.bring_back(said["conversation"]))
            case _:
                break
    session.close()
    disk.close()


def _request(chat: Chat, conversation: str) -> "ChatRequest":
    from app.core.messages import Generation, Message, Role, TextPart
    from app.core.requests import ChatRequest
    from app.core.sampling import Sampling

    messages = []
    for each in chat:
        generation = Generation(each["vocab"], tuple(each["tokens"])) if "tokens" in each else None
        messages.append(Message(Role(each["role"]), (TextPart(each["content"]),), generation))
    return ChatRequest(tuple(messages), Sampling(temperature=0.0, max_tokens=1), conversation=conversation)


def _answer(session: "Session", chat: Chat, conversation: str) -> dict[str, object]:
    from app.core.events import Finished

    *_, finished = session.reply(_request(chat, conversation))
    assert isinstance(finished, Finished)
    timings, generation = finished.timings, finished.generation
    return {
        "text": finished.text,
        "tokens": generation.tokens,
        "vocab": generation.vocab,
        "total": counted(timings.cache_n) + counted(timings.prompt_n),
        "reused": timings.cache_n,
    }


def _say(**said: object) -> None:
    print(json.dumps(said), flush=True)


if __name__ == "__main__":
    main()
