"""The record of a memory stays true where llama.cpp stops inside a picture."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from app.core.cancel import CancelFlag
from app.core.checkpointing import Checkpointing
from app.core.loading import CacheType, FlashAttention
from app.engine.binding.context import Context
from app.engine.binding.context_params import ContextParams
from app.engine.binding.model import Model
from app.engine.binding.mtmd_chunks import MediaChunk, Picture
from app.engine.binding.mtmd_context import MtmdContext, MtmdParams
from app.engine.memory.checkpoints import Checkpoints
from app.engine.memory.memory import Memory
from app.engine.memory.traits import find_traits
from tests import tiny_models, tiny_vision

N_SWA = 250
"""Six fewer than its layers have cells: micro-batches of 4 overwrite what stands before a picture of 16 entries."""
TEXT = [20 + 7 * index % 200 for index in range(300)]
END = [33, 34, 35, 36]


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[tuple[Callable[[], Memory], MtmdContext, MediaChunk]]:
    """Makes memories with a sliding window, beside an encoder whose cells do not see each other, and a picture."""
    with ExitStack() as closing:
        path = tiny_models.gemma3(tmp_path / "model.gguf", n_swa=N_SWA)
        model = Model.load(path, gpu_layers=0, cancel=CancelFlag())
        closing.callback(model.close)
        encoder = MtmdParams(1, flash_attn=FlashAttention.OFF)
        mtmd = MtmdContext(tiny_vision.mlp(tmp_path / "mmproj.gguf"), model, encoder, CancelFlag())
        closing.callback(mtmd.close)

        def made() -> Memory:
            params = ContextParams(1024, 16, 4, 1, FlashAttention.OFF, CacheType.F32, CacheType.F32)
            context = Context(model, params, CancelFlag())
            closing.callback(context.close)
            traits = find_traits(context, model, swa_full=False)
            assert traits is not None
            return Memory(context, traits, Checkpoints(Checkpointing(min_prompt=0, min_step=0)))

        chunks = (chunk for chunk in mtmd.chunks(Picture(32, 32, "x")) if isinstance(chunk, MediaChunk))
        yield made, mtmd, next(chunks)


def read(memory: Memory, tokens: list[int]) -> NDArray[np.float32]:
    for start in range(0, len(tokens), 4):
        assert memory.evaluate(tokens[start : start + 4])
    return memory.logits()


def after(count: int) -> Callable[[], bool]:
    """True from the call after `count` on."""
    looks = iter(range(count))
    return lambda: next(looks, None) is None


@pytest.mark.parametrize("has_checkpoint", [True, False])
def test_what_a_stopped_picture_pushed_out_of_the_window_is_not_taken_for_there(
    has_checkpoint: bool, rig: tuple[Callable[[], Memory], MtmdContext, MediaChunk]
) -> None:
    make, mtmd, chunk = rig
    embedding = np.random.default_rng(1).standard_normal((chunk.n_tokens, mtmd.n_embd)).astype(np.float32)
    wanted = read(make(), TEXT + END)
    kept = []
    for count in range(10, 210, 40):
        memory = make()
        read(memory, TEXT)
        if has_checkpoint:
            memory.mark(matters=True)
        memory.context.set_abort(after(count))
        assert not memory.evaluate_media(mtmd, chunk, embedding, last=False)
        memory.context.set_abort(None)
        kept.append(len(memory))
        logits = read(memory, (TEXT + END)[len(memory) :])
        assert float(np.abs(logits - wanted).max()) < 1e-4
        memory.close()
    assert kept[0] == len(TEXT), "nothing was lost yet"
    assert kept[-1] == (len(TEXT) if has_checkpoint else 0)
