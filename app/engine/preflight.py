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
from dataclasses import asdict, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from app.core.adapters import Adapter
from app.core.cancel import CancelFlag
from app.core.errors import ModelError
from app.core.events import LoadProgress, LoadStage
from app.core.files import fingerprint, write_atomic
from app.core.loading import Loading
from app.core.messages import ImagePart
from app.core.resources import GUIDE
from app.core.setting import section_from
from app.core.speculation import Speculation
from app.engine.binding import library
from app.engine.model_file import check_file, crashed

if TYPE_CHECKING:
    from app.engine.drafting.opening import DraftPlan
    from app.engine.projector_loader import Projector

_log = logging.getLogger(__name__)

COMMAND = "_try-model"
"""The hidden subcommand of `hearth` that runs `child_main`."""
_ADAPTER = "adapter:"
"""Begins the argument that names an adapter, where a projector would stand."""
_HEAD = "head:"
"""The same of the file with the head that guesses tokens."""
_CONTEXT = 256
_VISION_CONTEXT = 4096
"""Room for one picture of any model."""
_PROBE_TOKENS, _PROBE_WIDTH, _PROBE_HEIGHT = 256, 64, 48
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
        known = self._known()
        if key in known:
            return True
        report(LoadProgress(LoadStage.CHECKING, 0.0))
        if adapter is not None:
            # On the processor: the model itself may be on the graphics card already, which it fills.
            more = [_ADAPTER + str(adapter)]
            loading = replace(loading, gpu_layers=0)
        else:
            more = [str(mmproj)] if mmproj else [_HEAD + str(head)] if head else []
        if not self._try(path, loading, more, tried or path, cancel, report):
            return False
        self._remember([*known, key])
        return True

    def beside(self, name: str) -> Path:
        """A file of that name beside the record, for what else was found out by trying."""
        return self._record.with_name(name)

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

    def _try(
        self, path: Path, loading: Loading, more: list[str], tried: Path, cancel: CancelFlag, report: Report
    ) -> bool:
        child = subprocess.Popen(
            [*self._command, COMMAND, str(path), json.dumps(asdict(loading)), *more],
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
        raise crashed(tried, f"exit code {child.returncode}\n{verdict.get('words', '')}".strip())


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
    """The child: load, make a context, decode one token; tell progress and the verdict as JSON lines.

    With a third argument, a projector, it also encodes one picture; with an adapter, that one works on the token;
    with the file of a head, that one drafts.
    """
    from app.engine.loader import open_session

    path, values = Path(arguments[0]), json.loads(arguments[1])
    third = arguments[2] if len(arguments) > 2 else ""
    adapter = Path(third.removeprefix(_ADAPTER)) if third.startswith(_ADAPTER) else None
    head = Path(third.removeprefix(_HEAD)) if third.startswith(_HEAD) else None
    mmproj = Path(third) if third and adapter is None and head is None else None
    threading.Thread(target=_die_with_parent, daemon=True).start()
    library.print_last_words()
    ctx_size = _VISION_CONTEXT if mmproj else _CONTEXT
    loading, _ = section_from(Loading, {**values, "ctx_size": ctx_size}, "loading")
    try:
        opened = open_session(
            path,
            loading,
            cancel=CancelFlag(),
            report=lambda progress: _tell({"fraction": progress.fraction}),
            projector=_probe_projector(mmproj) if mmproj else None,
            drafts=_probe_drafts(path, head) if head else None,
        )
        assert opened is not None
        session, _ = opened
        if session.info.vision_problem:
            raise ModelError(session.info.vision_problem)
        if mmproj:
            session.encode(_probe_picture())
        if adapter is not None and (problems := session.change_adapters((Adapter(adapter),))):
            raise ModelError(problems[0])
        if session.info.drafting.problems:
            raise ModelError(session.info.drafting.problems[0][1])
        session.try_one_token()
        if head is not None:
            session.try_draft()
        session.close()
    except ModelError as error:
        _tell({"sentence": error.sentence, "detail": error.detail})
        return 0
    _tell({"ok": True})
    return 0


def _probe_projector(mmproj: Path) -> "Projector":
    from app.engine.embeddings import EmbeddingCache
    from app.engine.pictures import NoPictures, PictureStores
    from app.engine.projector_loader import Projector

    return Projector(mmproj, PictureStores(NoPictures(), EmbeddingCache(0, None, 0)), _PROBE_TOKENS)


def _probe_drafts(path: Path, head: Path) -> "DraftPlan":
    from app.engine.drafting.opening import DraftPlan

    return DraftPlan(Speculation(ngram=False, mtp=True, draft_model=str(head) if head != path else ""))


def _probe_picture() -> ImagePart:
    from app.engine.images import Picture, as_png

    pixels = bytes(index * 7 % 256 for index in range(_PROBE_WIDTH * _PROBE_HEIGHT * 3))
    return ImagePart("", "probe", data=as_png(Picture(_PROBE_WIDTH, _PROBE_HEIGHT, pixels, "", "")))


def _tell(what: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def _die_with_parent() -> None:
    """The parent holds the other end of standard input; when it goes, so does the child."""
    # Not through sys.stdin: a thread that waits in its buffer makes the interpreter abort at exit.
    while os.read(0, 64):
        pass
    os._exit(1)
