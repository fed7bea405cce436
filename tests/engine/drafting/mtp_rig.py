"""A drafter on a slot of its own, and the plainest way to ask a head what comes next, to compare it with."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from app.core.cancel import CancelFlag
from app.core.checkpointing import Checkpointing
from app.core.loading import CacheType, FlashAttention
from app.engine.binding import nextn
from app.engine.binding.context import Context, DecodeOutcome
from app.engine.binding.context_params import ContextParams
from app.engine.binding.model import Model
from app.engine.binding.nextn import NextnContext
from app.engine.drafting.mtp import MtpDrafter
from app.engine.drafting.mtp_head import find_head
from app.engine.memory.checkpoints import Checkpoints
from app.engine.memory.slot import Slot
from app.engine.memory.traits import find_traits
from tests import tiny_models
from tests.mtp_writer import circle

PARAMS = ContextParams(
    n_ctx=1024,
    n_batch=64,
    n_ubatch=64,
    n_threads=1,
    flash_attn=FlashAttention.OFF,
    type_k=CacheType.F32,
    type_v=CacheType.F32,
    n_rs_seq=4,
)
IDS = circle(tiny_models.bpe_tokenizer())


def text(n: int, seed: int = 0) -> list[int]:
    """Tokens that follow the circle with jumps."""
    rng = np.random.default_rng(seed)
    steps = np.where(rng.random(n) < 0.8, 1, rng.integers(0, len(IDS), n))
    return [IDS[place % len(IDS)] for place in np.cumsum(steps).tolist()]


class Rig:
    """Everything is closed by `close`."""

    def __init__(
        self, path: Path, head: Path | None = None, *, n_max: int = 4, p_min: float = 0.0, n_batch: int = 64
    ) -> None:
        params = replace(PARAMS, n_batch=n_batch, n_ubatch=n_batch, n_rows=8)
        self.cancel = CancelFlag()
        self.model = Model.load(path, gpu_layers=0, cancel=self.cancel, load_mtp=True)
        self.head = self.model
        if head is not None:
            self.head = Model.load(head, gpu_layers=0, cancel=self.cancel, load_mtp=True)
        self.target = Context(self.model, params, self.cancel)
        traits = find_traits(self.target, self.model, swa_full=False)
        assert traits is not None
        self.slot = Slot(self.target, traits, Checkpoints(Checkpointing(min_prompt=1)))
        self.heads = find_head(head or path).heads
        self.context = NextnContext(self.head, params, self.cancel, self.target)
        if self.heads == 1 and not self.context.shares_memory:
            self.context.find_rows()
        self.drafter = MtpDrafter(
            self.context,
            self.target,
            n_max=n_max,
            heads=self.heads,
            allows_gaps=self.model.allows_gaps,
            has_window=bool(self.head.n_swa),
            identity=b"rig",
            p_min=p_min,
        )
        self.slot.companion = self.drafter

    def close(self) -> None:
        self.drafter.close()
        self.target.close()
        if self.head is not self.model:
            self.head.close()
        self.model.close()

    def tell(self, tokens: Sequence[int], step: int = 64) -> None:
        for start in range(0, len(tokens), step):
            assert self.slot.evaluate(list(tokens[start : start + step]))

    def ask(self, last: int, n: int) -> tuple[list[int], NDArray[np.float32]]:
        """A draft after all that the slot holds and `last`, and the logits of its last token."""
        draft = self.drafter.draft(self.slot.ids(), last, n)
        return draft, self.context.predicted_logits().copy()

    def plain(self, last: int, n: int, first: int = 0) -> tuple[list[int], NDArray[np.float32]]:
        """The same as `ask` should give: every entry read by itself, in order, in contexts that know nothing else.

        The head begins at position `first`, and does not know the row before.
        """
        target = Context(self.model, PARAMS, self.cancel)
        context = NextnContext(self.head, PARAMS, self.cancel, target)
        nextn.give_rows(target, wanted=True)
        row = np.zeros(context.width, np.float32)
        for position, token in enumerate(self.slot.ids()):
            row = np.zeros_like(row) if position == first else row
            for head in range(self.heads):
                if context.shares_memory or position < first:
                    break
                context.choose_head(head)
                context.remove_from(position)
                assert context.feed([token], row[None], position) is DecodeOutcome.DONE
            assert target.decode_one(token, position) is DecodeOutcome.DONE
            row = nextn.rows(target, 1, context.width)[0].copy()
        position, chain, rows, found = len(self.slot), [last], row[None], list[int]()
        logits = np.zeros(0, np.float32)
        for step in range(n):
            if self.heads > 1:
                context.choose_head(step)
                context.remove_from(position)
                assert context.predict(chain, rows, position) is DecodeOutcome.DONE
            else:
                place = position + (0 if context.shares_memory else step)
                assert context.predict(chain[-1:], rows[-1:], place) is DecodeOutcome.DONE
            logits = context.predicted_logits().copy()
            found.append(int(logits.argmax()))
            chain, rows = [*chain, found[-1]], np.vstack([rows, context.predicted_row()])
        context.close()
        target.close()
        return found, logits
