"""The child of a preflight: loads what it is told to, and says as JSON lines how it went."""

import io
import json
import os
import sys
import threading
import wave
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from app.core.adapters import Adapter
from app.core.cancel import CancelFlag
from app.core.errors import ModelError, UserError
from app.core.loading import FlashAttention, Loading
from app.core.messages import AudioPart, ImagePart
from app.core.sentence import as_json
from app.core.setting import section_from
from app.core.speculation import Speculation
from app.engine.binding import library
from app.engine.drafting.opening import DraftPlan
from app.engine.loading.loader import open_session
from app.engine.media.embeddings import EmbeddingCache
from app.engine.media.images import Picture, as_png
from app.engine.media.media import MediaStores, NoMedia
from app.engine.media.projector_loader import Projector
from app.engine.memory.state_files import read_notes
from app.engine.preflight.preflight import ADAPTER, HEAD, STATE
from app.engine.reply.session import Session

_CONTEXT = 256
_VISION_CONTEXT = 4096
"""Room for one picture of any model."""
_PROBE_TOKENS, _PROBE_WIDTH, _PROBE_HEIGHT = 256, 64, 48


def main(arguments: Sequence[str]) -> int:
    """The child: load, make a context, decode one token; tell progress and the verdict as JSON lines.

    With a third argument, a projector, it also encodes what that takes; with an adapter, that one works on the token;
    with the file of a head, that one drafts; with a state, that is held.
    """
    path, values = Path(arguments[0]), json.loads(arguments[1])
    third = arguments[2] if len(arguments) > 2 else ""
    adapter = Path(third.removeprefix(ADAPTER)) if third.startswith(ADAPTER) else None
    head = Path(third.removeprefix(HEAD)) if third.startswith(HEAD) else None
    state = Path(third.removeprefix(STATE)) if third.startswith(STATE) else None
    mmproj = Path(third) if third and adapter is None and head is None and state is None else None
    threading.Thread(target=_die_with_parent, daemon=True).start()
    library.print_last_words()
    ctx_size = _VISION_CONTEXT if mmproj else _CONTEXT
    loading, _ = section_from(Loading, {**values, "ctx_size": ctx_size}, "loading")
    try:
        if state is not None:
            _try_state(path, loading, state)
            _tell({"ok": True})
            return 0
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
        if session.info.projector_problem:
            raise ModelError(session.info.projector_problem)
        if mmproj:
            _try_media(session)
        if adapter is not None and (problems := session.change_adapters((Adapter(adapter),))):
            raise ModelError(problems[0])
        if session.info.drafting.problems:
            raise ModelError(session.info.drafting.problems[0][1])
        session.try_one_token()
        if head is not None:
            session.try_draft()
        session.close()
    except UserError as error:
        _tell({"sentence": as_json(error.sentence), "detail": error.detail})
        return 0
    _tell({"ok": True})
    return 0


def _try_state(path: Path, loading: Loading, state: Path) -> None:
    """Where it is not set whether there is flash attention, both are tried: the context may have either. Raises
    UserError where none takes it.
    """
    loading = replace(loading, ctx_size=read_notes(state).n_entries + _CONTEXT)
    left = loading.flash_attn is FlashAttention.AUTO
    problem: UserError | None = None
    taken = False
    for flash in (FlashAttention.ON, FlashAttention.OFF) if left else (loading.flash_attn,):
        try:
            opened = open_session(path, replace(loading, flash_attn=flash), cancel=CancelFlag())
            assert opened is not None
            with closing(opened[0]) as session:
                session.try_state(state)
            taken = True
        except UserError as error:
            problem = error
    if problem is not None and not taken:
        raise problem


def _probe_projector(mmproj: Path) -> Projector:
    return Projector(mmproj, MediaStores(NoMedia(), EmbeddingCache(0, None, 0)), _PROBE_TOKENS)


def _probe_drafts(path: Path, head: Path) -> DraftPlan:
    return DraftPlan(Speculation(ngram=False, mtp=True, draft_model=str(head) if head != path else ""))


def _try_media(session: Session) -> None:
    """One picture, and a second of sound: encoders of some damaged files end the process at the first."""
    if session.info.sees:
        session.encode(_probe_picture())
    if session.info.capabilities.hears:
        session.encode(AudioPart("", "probe", data=_probe_sound()))


def _probe_sound() -> bytes:
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setparams((1, 2, 16_000, 0, "NONE", ""))
        sound.writeframes(bytes(index * 7 % 256 for index in range(32_000)))
    return file.getvalue()


def _probe_picture() -> ImagePart:
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
