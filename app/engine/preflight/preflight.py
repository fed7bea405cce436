"""Trying a model file in a child process before the program's own process loads it.

llama.cpp ends the whole process on some bad files. A file that this machine has never loaded is therefore
loaded once by a child (model, context, one decoded token); the child's last words become the error message.
"""

import json
import os
import queue
import subprocess
import threading
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import IO, Any

from app.core.cancel import CancelFlag
from app.core.errors import ModelError
from app.core.events import LoadProgress, LoadStage
from app.core.files import fingerprint, load_texts, save_json
from app.core.loading import Loading
from app.core.program import APART
from app.core.resources import GUIDE
from app.core.sentence import from_json
from app.engine.binding import library
from app.engine.preflight.model_file import check_file, crashed
from app.engine.preflight.trials import Trials

COMMAND = "_try-model"
"""The hidden subcommand of `hearth` that runs `preflight_child`."""
ADAPTER = "adapter:"
"""Begins the argument that names an adapter, where a projector would stand."""
HEAD = "head:"
"""The same of the file with the head that guesses tokens."""
STATE = "state:"
"""The same of a file with what a model holds of a conversation."""
_POLL = 0.05
_KEPT_WORDS = 2000
_MAX_RECORDS = 1000

Report = Callable[[LoadProgress], None]


class Preflight:
    """Remembers which files this machine has loaded with this build of llama.cpp."""

    def __init__(self, record: Path, command: Sequence[str]) -> None:
        """`record` is a JSON file of ours; `command` starts this program, such as (python, "-m", "app")."""
        self._record = record
        self._command = tuple(command)

    def ensure(
        self,
        path: Path,
        loading: Loading,
        *,
        mmproj: Path | None = None,
        adapter: Path | None = None,
        head: Path | None = None,
        cancel: CancelFlag,
        report: Report = lambda _: None,
    ) -> bool:
        """True when `path` may be loaded, False when cancelled. Raises ModelError with a sentence.

        With `mmproj` it is that file which is tried, on this model: it is loaded, and encodes one picture. With
        `adapter` it is that one: it works while the token is decoded. With `head` it is the multi-token-prediction head
        in that file, which may be the model's own: something is drafted with it.
        """
        tried = adapter or mmproj or head
        check_file(tried or path)
        if (tried or path).parent == GUIDE.parent:
            return True  # tried by those who made the program
        key = f"{library.version()} {fingerprint(path)}" + (f" {fingerprint(tried)}" if tried else "")
        key += " head" if head is not None else ""
        known = load_texts(self._record)
        if key in known:
            return True
        report(LoadProgress(LoadStage.CHECKING, 0.0))
        if adapter is not None:
            # On the processor: the model itself may be on the graphics card already, which it fills.
            more = [ADAPTER + str(adapter)]
            loading = replace(loading, gpu_layers=0)
        else:
            more = [str(mmproj)] if mmproj else [HEAD + str(head)] if head else []
        if not self._try(path, loading, more, tried or path, cancel, report):
            return False
        save_json(self._record, [*known, key][-_MAX_RECORDS:], "Which files were tried")
        return True

    def try_state(self, model: Path, loading: Loading, state: Path, cancel: CancelFlag) -> bool:
        """Whether the model, loaded so, may be given a conversation's state from outside. That is tried anew each time,
        on the processor, for the model itself may fill the graphics card. False when cancelled. Raises ModelError.
        """
        loading = replace(loading, gpu_layers=0)
        return self._try(model, loading, [STATE + str(state)], state, cancel, lambda _: None)

    @property
    def of_memories(self) -> Trials:
        """What the memories of models can do."""
        return Trials(self.beside("memories.json"))

    def beside(self, name: str) -> Path:
        """A file of that name beside the record, for what else was found out by trying."""
        return self._record.with_name(name)

    def _try(
        self, path: Path, loading: Loading, more: list[str], tried: Path, cancel: CancelFlag, report: Report
    ) -> bool:
        child = subprocess.Popen(
            [*self._command, COMMAND, str(path), json.dumps(asdict(loading)), *more],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "GGML_NO_BACKTRACE": "1", "PYTHONFAULTHANDLER": ""},
            **APART,
        )
        with child:
            verdict = _listen(child, cancel, report)
            if verdict is None:
                return False
        if verdict.get("ok"):
            return True
        if "sentence" in verdict:
            raise ModelError(from_json(verdict["sentence"]), detail=str(verdict.get("detail", "")))
        raise crashed(tried, f"exit code {child.returncode}\n{verdict.get('words', '')}".strip())


def _listen(child: "subprocess.Popen[bytes]", cancel: CancelFlag, report: Report) -> dict[str, Any] | None:
    """Follow the child to its end; its verdict, or None when cancelled (the child is then gone)."""
    lines: queue.Queue[bytes | None] = queue.Queue()
    words = bytearray()
    assert child.stdout is not None
    assert child.stderr is not None
    readers = [
        threading.Thread(target=_pump, args=(child.stdout, lines), daemon=True),
        threading.Thread(target=keep_words, args=(child.stderr, words), daemon=True),
    ]
    for reader in readers:
        reader.start()
    verdict: dict[str, Any] = {}
    while True:
        if cancel.is_set():
            child.kill()
            _end(child, readers)
            return None
        try:
            line = lines.get(timeout=_POLL)
        except queue.Empty:
            continue
        if line is None:
            break
        told = _parse(line)
        if "fraction" in told:
            report(LoadProgress(LoadStage.CHECKING, float(told["fraction"])))
        elif told:
            verdict = told
    _end(child, readers)
    if child.returncode != 0:
        verdict.pop("ok", None)
    return {**verdict, "words": words.decode("utf-8", "replace").strip()[-_KEPT_WORDS:]}


def _end(child: "subprocess.Popen[bytes]", readers: Sequence[threading.Thread]) -> None:
    """Python fails where a pipe is closed under who reads it."""
    child.wait()
    for reader in readers:
        reader.join()


def _pump(stream: IO[bytes], lines: "queue.Queue[bytes | None]") -> None:
    for line in stream:
        lines.put(line)
    lines.put(None)


def keep_words(stream: IO[bytes], words: bytearray) -> None:
    """The last that a child says; until its end."""
    while chunk := os.read(stream.fileno(), 4096):
        words += chunk
        del words[: -2 * _KEPT_WORDS]


def _parse(line: bytes) -> dict[str, Any]:
    try:
        told = json.loads(line)
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}
