"""A model in memory without a context: from `deactivate` until the next context is made for it."""

import logging

from app.core.cancel import CancelFlag
from app.core.events import ModelInfo
from app.core.loading import FlashAttention, Loading, differs
from app.core.speculation import Speculation
from app.engine.binding.model import LoadCancelledError, LoadFailedError, Model, ReadWith
from app.engine.memory.aside import Aside
from app.engine.memory.reuse import MemoryTraits
from app.engine.memory.snapshot_identity import SnapshotIdentity
from app.engine.reply.session import Session

_log = logging.getLogger(__name__)


class Weights:
    """Owns a model until it is taken. Belongs to the engine thread."""

    def __init__(
        self, model: Model, info: ModelInfo, traits: MemoryTraits, aside: Aside, identity: SnapshotIdentity | None
    ) -> None:
        """`info` and `traits` are as they were with the context, and `identity` that of what is kept."""
        self.info = info
        self._traits = traits
        self.aside = aside
        self._model: Model | None = model
        self._version = model.read_with.version if model.read_with is not None else ()
        self._identity = identity

    def close(self) -> None:
        """Free them. Nothing after they were taken."""
        model, self._model = self._model, None
        if model is not None:
            model.close()

    def take(self, wanted: ReadWith) -> Model | None:
        """The model, which is the caller's then; None, and closed, where it has to be read again to be as `wanted`."""
        model, self._model = self._model, None
        if model is not None and model.read_with == wanted:
            return model
        if model is not None:
            model.close()
        if wanted.version != self._version:
            self._identity = None  # another file: what is kept belongs to the old one
        return None

    def known(self, loading: Loading, asked: Speculation | None) -> tuple[FlashAttention, MemoryTraits] | None:
        """What flash attention was, and what was found out about the memory; None where something is set otherwise.

        By the memory that is free now flash attention may be something else, and what is kept would be of no use.
        """
        same = not differs(loading, self.info.loading) and (asked or Speculation()) == self.info.drafting.asked
        return (self.info.flash_attn, self._traits) if same else None

    def leave_cards(self, cancel: CancelFlag) -> bool:
        """Let weights on graphics cards lie in ordinary memory. False where they can't, and are freed."""
        before = self._model
        if before is None or before.read_with is None or not self.info.n_offloaded:
            return before is not None
        self.close()
        try:
            again = Model.load(before.path, gpu_layers=0, cancel=cancel, load_mode=before.read_with.load_mode)
        except (LoadCancelledError, LoadFailedError) as error:
            _log.info("%s does not stay in memory: %r", self.info.name, error)
            return False
        self._model = again
        return True

    def warm(self, session: Session) -> None:
        """Let a session of this model hold what was kept, where its settings and adapters give the same states."""
        try:
            same = self._identity is not None and self._identity == session.identity
        except OSError:
            same = False
        if same:
            session.slot.take_up(self.aside)


def deactivate(session: Session, cancel: CancelFlag) -> Weights | None:
    """Free a session's context and what belongs to it; what it held stays warm, and the weights stay in memory.

    None where they could not. The session is closed in any case.
    """
    try:
        identity = session.identity
    except OSError:
        identity = None
    try:
        aside = session.slot.set_aside()
    except BaseException:
        session.close()
        raise
    weights = Weights(session.leave_model(), session.info, session.slot.traits, aside, identity)
    return weights if weights.leave_cards(cancel) else None
