"""Trying a model file in a child process before the program's own process loads it.

llama.cpp ends the whole process on some bad files. A file that this machine has never loaded is therefore
loaded once by a child (model, context, one decoded token); the child's last words become the error message.
"""

import json
import logging
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

from app.core.cancel import CancelFlag
from app.core.errors import ModelError
from app.core.events import LoadProgress, LoadStage
from app.core.files import fingerprint, write_atomic
from app.core.loading import Loading
from app.core.setting import section_from
from app.engine.binding import library
from app.engine.model_file import check_file, crashed

_log = logging.getLogger(__name__)

COMMAND = "_try-model"
"""The hidden subcommand of `hearth` that runs `child_main`."""
_CONTEXT = 256
_POLL = 0.05
_KEPT_WORDS = 2000
_MAX_RECORDS = 1000

Report = Callable[[LoadProgress], None]

# A Ctrl+C in the terminal is for the parent, which then ends the child in its own way.
_APART: dict[str, Any] = {}
if sys.platform == "win32":
    _APART["creationflags"] = subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP
else:
    _APART["process_group"] = 0


class Preflight:
    """Remembers which files this machine has loaded with this build of llama.cpp."""

    def __init__(self, record: Path, command: Sequence[str]) -> None:
        """`record` is a JSON file of ours; `command` starts this program, such as (python, "-m", "app")."""
        self._record = record
        self._command = tuple(command)

    def ensure(self, path: Path, loading: Loading, *, cancel: CancelFlag, report: Report = lambda _: None) -> bool:
        """True when `path` may be loaded, False when cancelled. Raises ModelError with a sentence."""
        check_file(path)
        key = f"{library.version()} {fingerprint(path)}"
        known = self._known()
        if key in known:
            return True
        report(LoadProgress(LoadStage.CHECKING, 0.0))
        if not self._try(path, loading, cancel, report):
            return False
        self._remember([*known, key])
        return True

    def _known(self) -> list[str]:
        try:
            found = json.loads(self._record.read_text("utf-8"))
        except (OSError, ValueError):
            return []
        return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []

    def _remember(self, keys: list[str]) -> None:
        try:
            write_atomic(self._record, json.dumps(keys[-_MAX_RECORDS:], indent=0).encode())
        except OSError as error:
            _log.warning("%s can't be written, so the model will be tried again next time: %s", self._record, error)

    def _try(self, path: Path, loading: Loading, cancel: CancelFlag, report: Report) -> bool:
        child = subprocess.Popen(
            [*self._command, COMMAND, str(path), json.dumps(asdict(loading))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "GGML_NO_BACKTRACE": "1", "PYTHONFAULTHANDLER": ""},
            **_APART,
        )
        with child:
            verdict = _listen(child, cancel, report)
            if verdict is None:
                return False
        if verdict.get("ok"):
            return True
        if "sentence" in verdict:
            raise ModelError(str(verdict["sentence"]), detail=str(verdict.get("detail", "")))
        raise crashed(path, f"exit code {child.returncode}\n{verdict.get('words', '')}".strip())


def _listen(child: "subprocess.Popen[bytes]", cancel: CancelFlag, report: Report) -> dict[str, Any] | None:
    """Follow the child to its end; its verdict, or None when cancelled (the child is then gone)."""
    lines: queue.Queue[bytes | None] = queue.Queue()
    words = bytearray()
    assert child.stdout is not None
    assert child.stderr is not None
    readers = [
        threading.Thread(target=_pump, args=(child.stdout, lines), daemon=True),
        threading.Thread(target=_keep, args=(child.stderr, words), daemon=True),
    ]
    for reader in readers:
        reader.start()
    verdict: dict[str, Any] = {}
    while True:
        if cancel.is_set():
            child.kill()
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
    child.wait()
    for reader in readers:
        reader.join()
    if child.returncode != 0:
        verdict.pop("ok", None)
    return {**verdict, "words": words.decode("utf-8", "replace").strip()[-_KEPT_WORDS:]}


def _pump(stream: IO[bytes], lines: "queue.Queue[bytes | None]") -> None:
    for line in stream:
        lines.put(line)
    lines.put(None)


def _keep(stream: IO[bytes], words: bytearray) -> None:
    while chunk := stream.read1(4096):  # type: ignore[attr-defined]  # a BufferedReader has it
        words += chunk
        del words[: -2 * _KEPT_WORDS]


def _parse(line: bytes) -> dict[str, Any]:
    try:
        told = json.loads(line)
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}


def child_main(arguments: Sequence[str]) -> int:
    """The child: load, make a context, decode one token; tell progress and the verdict as JSON lines."""
    from app.engine.loader import open_session

    path, values = Path(arguments[0]), json.loads(arguments[1])
    threading.Thread(target=_die_with_parent, daemon=True).start()
    library.print_last_words()
    loading, _ = section_from(Loading, {**values, "ctx_size": _CONTEXT}, "loading")
    try:
        opened = open_session(
            path, loading, cancel=CancelFlag(), report=lambda progress: _tell({"fraction": progress.fraction})
        )
        assert opened is not None
        opened[0].try_one_token()
        opened[0].close()
    except ModelError as error:
        _tell({"sentence": error.sentence, "detail": error.detail})
        return 0
    _tell({"ok": True})
    return 0


def _tell(what: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def _die_with_parent() -> None:
    """The parent holds the other end of standard input; when it goes, so does the child."""
    # Not through sys.stdin: a thread that waits in its buffer makes the interpreter abort at exit.
    while os.read(0, 64):
        pass
    os._exit(1)
