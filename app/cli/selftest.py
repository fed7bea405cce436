"""`hearth selftest`: proves by doing that this copy works, installed or frozen."""

import argparse
import importlib.util
import platform
import shutil
import subprocess
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING

import app
from app.cli import parts, terminal
from app.cli.arguments import section_from_arguments
from app.core.cancel import CancelFlag
from app.core.errors import UserError
from app.core.events import Finished
from app.core.loading import Loading
from app.core.messages import ImagePart, Message, Role, TextPart
from app.core.paths import Paths
from app.core.requests import ChatRequest
from app.core.resources import GUIDE
from app.core.sampling import Sampling
from app.core.settings import Settings
from app.library.pairing import find_beside

if TYPE_CHECKING:
    from app.engine.media.projector_loader import Projector
    from app.engine.reply.session import Session

CHECK_WINDOW = "_check-window"
"""The hidden subcommand that opens the window without showing it on a screen."""
Step = tuple[str, Callable[[], str]]


class _FailedError(Exception):
    """A step ran to its end, and what came out is wrong."""


def run(namespace: argparse.Namespace, settings: Settings, paths: Paths, command: list[str]) -> int:
    """Exit code 0 when every step holds, 1 when one does not. Prints a line for each."""
    model = namespace.model or GUIDE
    mmproj = namespace.mmproj or find_beside(model)
    # One thread: on busy cores two can make a tiny model hundreds of times slower.
    given = section_from_arguments(namespace, Loading() if namespace.model else Loading(threads=1))
    with tempfile.TemporaryDirectory(prefix="hearth-selftest-") as folder:
        steps = _steps(model, mmproj, given, Path(folder), command)
        failed = [name for name, step in steps if not _holds(name, step)]
    _say("All of it works." if not failed else f"Not working: {', '.join(failed)}.")
    return 1 if failed else 0


def _holds(name: str, step: Callable[[], str]) -> bool:
    try:
        told = step()
    except UserError as error:
        _say(f"FAILED  {name}: {error.sentence}")
        if error.detail:
            _say(indent(error.detail, " " * 8))
        return False
    except _FailedError as error:
        _say(f"FAILED  {name}: {error}")
        return False
    except Exception as error:  # noqa: BLE001 - a broken copy may fail in any way; each is a line
        _say(f"FAILED  {name}: {error!r}")
        traceback.print_exc()
        return False
    _say(f"ok      {name}: {told}")
    return True


def _say(line: str) -> None:
    terminal.write(f"{line}\n")


def _demand(holds: bool, otherwise: str) -> None:
    """`assert` would be left out of a bundle that is built with optimisation."""
    if not holds:
        raise _FailedError(otherwise)


def _steps(model: Path, mmproj: Path | None, loading: Loading, folder: Path, command: list[str]) -> Iterator[Step]:
    yield "program", lambda: f"Hearth {app.__version__}, Python {platform.python_version()} on {platform.platform()}"
    if parts.is_bundle():
        yield "files", parts.check_files
        yield "libraries", parts.check_modules
    yield "llama.cpp", _llama
    yield "store", lambda: _store(folder)
    yield "preflight", lambda: _preflight(model, loading, folder, command)
    yield "model", lambda: _model(model, loading)
    yield "picture", lambda: _picture(model, mmproj, loading) if mmproj else "not tried, because it has no projector"
    yield "window", lambda: _window(command) if _has_qt() else "not tried, because Qt is not installed"


def _llama() -> str:
    from app.engine.binding import library

    library.start()
    return library.version()


def _store(folder: Path) -> str:
    from app.storage.conversations import ConversationStore
    from app.storage.database import Database

    with Database.open(folder / "hearth.sqlite3") as database:
        store = ConversationStore(database)
        conversation = store.create("Selftest")
        store.append(conversation.id, None, Message.of(Role.USER, "Is this kept?"))
        texts = [each.message.text for each in store.path(conversation.id)]
        _demand(texts == ["Is this kept?"], f"{texts} was read back")
    return "a conversation was written and read back"


def _preflight(model: Path, loading: Loading, folder: Path, command: list[str]) -> str:
    from app.engine.preflight.preflight import Preflight

    if model == GUIDE:  # which is not tried where it lies, because it came with the program
        model = Path(shutil.copy(model, folder))
    Preflight(folder / "tried.json", command).ensure(model, loading, cancel=CancelFlag())
    return f"a child process loaded {model.name}"


def _model(model: Path, loading: Loading) -> str:
    with closing(_opened(model, loading)) as session:
        question = (Message.of(Role.USER, "Are you there? " * 8),)
        sampling = Sampling(temperature=0.0, max_tokens=16)
        first, again = (_reply(session.reply(ChatRequest(question, sampling))) for _ in range(2))
        _demand(first.text == again.text, "the same question got two answers")
        _demand(again.timings.prompt_n == 1, f"{again.timings.prompt_n} entries were read again")
    return f"{first.timings.predicted_n} tokens, the second time with {again.timings.cache_n} entries reused"


def _picture(model: Path, mmproj: Path, loading: Loading) -> str:
    from app.engine.media.embeddings import EmbeddingCache
    from app.engine.media.images import Picture, as_png
    from app.engine.media.media import MediaStores, NoMedia
    from app.engine.media.projector_loader import Projector

    white, red = bytes((255, 255, 255)), bytes((230, 20, 20))
    rows = [white * 128] * 32 + [white * 32 + red * 64 + white * 32] * 64 + [white * 128] * 32
    red_square = as_png(Picture(128, 128, b"".join(rows), ""))
    projector = Projector(mmproj, MediaStores(NoMedia(), EmbeddingCache(0, None, 0)))
    with closing(_opened(model, loading, projector)) as session:
        _demand(session.info.sees, session.info.projector_problem)
        question = (Message(Role.USER, (ImagePart("", "red.png", data=red_square), TextPart("What do you see?"))),)
        told = _reply(session.reply(ChatRequest(question, Sampling(temperature=0.0, max_tokens=24))))
    _demand(model != GUIDE or "red" in told.text.lower(), f"a red square was called “{told.text}”")
    return f"{told.timings.prompt_n} entries were read with {mmproj.name}"


def _opened(model: Path, loading: Loading, projector: "Projector | None" = None) -> "Session":
    from app.engine.loading.loader import open_session

    opened = open_session(model, loading, cancel=CancelFlag(), projector=projector)
    assert opened is not None
    return opened[0]


def _reply(events: Iterator[object]) -> Finished:
    *_, last = events
    assert isinstance(last, Finished)
    return last


def _has_qt() -> bool:
    try:
        return importlib.util.find_spec("PySide6") is not None
    except ImportError:
        return False


def _window(command: list[str]) -> str:
    """In a child, because this command itself runs without Qt."""
    done = subprocess.run([*command, CHECK_WINDOW], capture_output=True, text=True, timeout=60, check=False)
    if done.returncode:
        raise UserError("The window could not be opened.", detail=done.stderr.strip())
    return done.stdout.strip()
