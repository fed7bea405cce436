"""Getting the model of a command ready."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

from app.cli import terminal
from app.cli.arguments import section_from_arguments
from app.cli.drafting import speculation_from
from app.cli.model_choice import beyond_training, choose_model
from app.core.cancel import CancelFlag
from app.core.errors import UserError
from app.core.events import LoadProgress, LoadStage
from app.core.messages import ImagePart, MediaPart
from app.core.paths import Paths
from app.core.settings import Settings
from app.engine.drafting.opening import plan_drafts
from app.engine.loading.loader import open_session
from app.engine.media.embeddings import EmbeddingCache
from app.engine.media.media import MediaStores, NoMedia
from app.engine.media.projector_loader import try_projector
from app.engine.preflight.preflight import Preflight
from app.engine.reply.adapters import try_adapters
from app.engine.reply.session import Session
from app.library.pairing import ProjectorPairs
from app.storage.model_options import stored_options

_MIB = 1 << 20
_STAGES = {LoadStage.CHECKING: "Trying the file", LoadStage.LOADING: "Loading", LoadStage.CONTEXT: "Making the context"}


@contextmanager
def open_model(
    namespace: argparse.Namespace,
    settings: Settings,
    paths: Paths,
    command: list[str],
    cancel: CancelFlag,
    *,
    media: Sequence[MediaPart] = (),
) -> Iterator[Session | None]:
    """The model of a command, loaded, and freed at the end of the block; None when cancelled. What is not as it was
    asked for is told. Raises UserError, also where it can't take `media`: that is then all that is told.
    """
    pictures = section_from_arguments(namespace, settings.pictures)
    with ExitStack() as stack:
        cache = EmbeddingCache(pictures.cache_ram * _MIB, paths.embeddings, pictures.cache_disk * _MIB)
        stack.callback(cache.close)
        # Media of a command line carry their own bytes.
        stores = MediaStores(NoMedia(), cache)
        opened = _load(namespace, settings, paths, Preflight(paths.trusted_models, command), stores, cancel)
        if opened is None:
            yield None
            return
        session, notes = opened
        stack.callback(session.close)
        if why := session.info.refusal(media):
            without = ", or go on without: --strip-images" if any(isinstance(each, ImagePart) for each in media) else ""
            raise UserError(f"{why} Name another model with -m, and its projector with --mmproj{without}.")
        for note in (*notes, *beyond_training(namespace, session.info)):
            terminal.warn(note)
        yield session


def _load(
    namespace: argparse.Namespace,
    settings: Settings,
    paths: Paths,
    preflight: Preflight,
    stores: MediaStores,
    cancel: CancelFlag,
) -> tuple[Session, tuple[str, ...]] | None:
    model = choose_model(namespace.model, settings)
    own, path = stored_options(paths.database, model), model.file
    settings = own.applied(settings)
    loading = section_from_arguments(namespace, settings.loading)
    detail = section_from_arguments(namespace, settings.pictures).image_max_tokens
    mmproj = namespace.mmproj or ProjectorPairs(paths.projectors, paths.models).find(path)
    progress = ProgressLine()
    try:
        if not preflight.ensure(path, loading, cancel=cancel, report=progress.load):
            return None
        projector = None
        if mmproj is not None:
            projector = try_projector(
                preflight, path, mmproj, loading, stores, detail, cancel=cancel, report=progress.load
            )
        adapters, problems = try_adapters(preflight, path, own.adapters, loading, cancel=cancel, report=progress.load)
        opened = open_session(
            path,
            loading,
            cancel=cancel,
            report=progress.load,
            checkpointing=section_from_arguments(namespace, settings.checkpoints),
            projector=projector,
            drafts=plan_drafts(
                preflight,
                path,
                speculation_from(namespace, settings.speculation),
                loading,
                cancel=cancel,
                report=progress.load,
            ),
            trials=preflight.of_memories,
        )
        if opened is None:
            return None
        session, notes = opened
        return session, (*notes, *problems, *session.change_adapters(adapters))
    finally:
        progress.clear()


class ProgressLine:
    """One line on standard error that is written over, where that is a terminal."""

    def __init__(self) -> None:
        self._on = sys.stderr is not None and sys.stderr.isatty()
        self._width = 0

    def load(self, progress: LoadProgress) -> None:
        self.say(f"{_STAGES[progress.stage]} … {progress.fraction:.0%}")

    def say(self, text: str) -> None:
        if self._on:
            print("\r" + text.ljust(self._width), end="", file=sys.stderr, flush=True)
            self._width = len(text)

    def clear(self) -> None:
        if self._on and self._width:
            print("\r" + " " * self._width + "\r", end="", file=sys.stderr, flush=True)
            self._width = 0
