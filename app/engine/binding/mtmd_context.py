"""The encoder (mmproj) of a model, owned: media in, embeddings and entries of the memory out."""

import ctypes
import hashlib
import os
import secrets
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from queue import SimpleQueue
from threading import Thread

import numpy as np
from llama_cpp import llama_cpp as api
from llama_cpp import mtmd_cpp as mtmd
from numpy.typing import NDArray

from app.core.cancel import CancelFlag
from app.core.loading import FlashAttention
from app.engine.binding import library
from app.engine.binding.context import Context, DecodeOutcome, outcome_of
from app.engine.binding.context_params import FLASH
from app.engine.binding.model import LoadCancelledError, Model
from app.engine.binding.mtmd_chunks import (
    MAX_ASPECT,
    MAX_SIDE,
    Audio,
    Bitmap,
    MediaChunk,
    MtmdRefusedError,
    Picture,
    TextChunk,
    empty,
    mrope_positions,
    read,
    tokenized,
)
from app.engine.binding.vision_rows import read_row_end, repair_row_ends

__all__ = ["EncodeFailedError", "Encoding", "MediaChunk", "MtmdContext", "MtmdParams", "MtmdRefusedError", "TextChunk"]

_LAYOUTS = 64
_TOO_FEW = "is less than image_min_pixels"
"""mtmd's words where the most tokens that we allow are fewer than the least that the family wants."""
_NODES_PER_LOOK = 8
"""Graph nodes between two looks at the cancel flag: every node doubles the time, every 64th answers in 0.8 s."""


@dataclass(frozen=True, slots=True)
class MtmdParams:
    """How the encoder is made."""

    n_threads: int
    use_gpu: bool = True
    image_max_tokens: int = 0
    """A bound for families with a free picture size; 0 takes the model's own."""
    flash_attn: FlashAttention = FlashAttention.AUTO


class EncodeFailedError(Exception):
    """The encoder failed: a bug, or the device's."""


@cache
def _catch_log() -> object:
    callback = api.llama_log_callback(lambda level, text, _data: library.log.take(level, text))
    mtmd.mtmd_helper_log_set(callback, ctypes.c_void_p(0))
    return callback


_Found = tuple[MediaChunk, NDArray[np.float32]]


class Encoding:
    """A run of the encoder in a thread of its own, after the one before it.

    Neither the spectrogram of a recording nor one large product of matrices can be stopped, so a run that was stopped
    is left to come to its end.
    """

    def __init__(
        self, before: "Encoding | None", work: "Callable[[Encoding], Iterator[_Found]]", stopped: CancelFlag
    ) -> None:
        self._stopped = stopped
        self._found: SimpleQueue[_Found | Exception] = SimpleQueue()
        self._thread = Thread(target=self._run, args=(before, work), name="Encoder", daemon=True)
        self._thread.start()

    def wait(self, seconds: float) -> bool:
        """For so long at the most; whether it is over."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def stop(self) -> None:
        """Whatever it is at. Also safe when it is over."""
        self._stopped.set()

    def is_stopped(self) -> bool:
        return self._stopped.is_set()

    def found(self) -> Iterator[_Found]:
        """What it has made since this was asked last. Raises what ended it."""
        while not self._found.empty():
            made = self._found.get()
            if isinstance(made, Exception):
                raise made
            yield made

    def close(self) -> None:
        """Wait for its end."""
        self._thread.join()

    def _run(self, before: "Encoding | None", work: "Callable[[Encoding], Iterator[_Found]]") -> None:
        if before is not None:
            before.close()
        try:
            for made in work(self):
                self._found.put(made)
        except Exception as error:  # noqa: BLE001 - raised by who waits
            self._found.put(error)


class _Brake:
    """Stops the encoder's graph when its run is stopped; mtmd knows no other way. A stopped one reports success and
    leaves garbage.
    """

    def __init__(self) -> None:
        self._nodes = 0
        self._run: Encoding | None = None
        self.callback = api.ggml_backend_sched_eval_callback(self._look)

    def _look(self, _node: int, ask: bool, _data: object) -> bool:
        if ask:
            self._nodes += 1
            return self._nodes % _NODES_PER_LOOK == 0
        return self._run is None or not self._run.is_stopped()

    def aim(self, run: Encoding) -> None:
        """At the run that begins."""
        self._nodes, self._run = 0, run


class MtmdContext:
    """Owns an mtmd_context. One thread at a time, except for `chunks`; close it before its model."""

    def __init__(self, path: Path, model: Model, params: MtmdParams, cancel: CancelFlag) -> None:
        """Blocks while the file loads. Raises MtmdRefusedError, and LoadCancelledError when `cancel` gets set.

        A damaged file can end the process, here or at the first encoding: try it in a child first.
        """
        library.start()
        _catch_log()
        self._brake = _Brake()
        progress = mtmd.mtmd_progress_callback(lambda _share, _data: not cancel.is_set())
        c_params = self._c_params(params, progress)
        with library.log.collect() as lines:
            handle = mtmd.mtmd_init_from_file(os.fsencode(path), model.handle, c_params)
            if not handle and any(_TOO_FEW in line for line in lines):
                c_params.image_min_tokens = params.image_max_tokens
                handle = mtmd.mtmd_init_from_file(os.fsencode(path), model.handle, c_params)
            if not handle:
                if cancel.is_set():
                    raise LoadCancelledError
                raise MtmdRefusedError(list(lines))
        self._context: int | None = handle
        self.n_embd: int = api.llama_model_n_embd_inp(model.handle)
        self.encodes = 0
        """Runs of the encoder so far."""
        self._layouts = lru_cache(_LAYOUTS)(self._layout)
        self._lengths = lru_cache(_LAYOUTS)(self._layout_of_length)
        self._row_end = read_row_end(path)
        self._run: Encoding | None = None
        """The last one."""
        self._mrope = bool(mtmd.mtmd_decode_use_mrope(handle))
        try:
            self.sees = bool(mtmd.mtmd_support_vision(handle))
            self.hears = bool(mtmd.mtmd_support_audio(handle))
            self.rate = int(mtmd.mtmd_get_audio_sample_rate(handle)) if self.hears else 0
            """Hertz of the samples that it takes."""
            if not self.sees and not self.hears:
                raise MtmdRefusedError(["the file has no encoder for pictures or sounds"])
            if self.sees:
                self._check_independence()
            self.non_causal_tokens = self._longest_non_causal() if self.sees else 0
        except MtmdRefusedError:
            self.close()
            raise

    def _c_params(
        self, params: MtmdParams, progress: Callable[[float, ctypes.c_void_p], bool]
    ) -> "mtmd.mtmd_context_params":
        c_params: mtmd.mtmd_context_params = mtmd.mtmd_context_params_default()
        c_params.use_gpu = params.use_gpu
        c_params.print_timings = False
        c_params.n_threads = params.n_threads
        # Texts and pictures go in as separate parts; no text a person writes may be taken for a picture.
        c_params.media_marker = f"<{secrets.token_hex(16)}>".encode()
        c_params.flash_attn_type = FLASH[params.flash_attn]
        c_params.warmup = False
        c_params.image_max_tokens = params.image_max_tokens or -1
        c_params.cb_eval = self._brake.callback
        c_params.progress_callback = progress
        return c_params

    @property
    def handle(self) -> int:
        if self._context is None:
            raise ValueError("the encoder is closed")
        return self._context

    def close(self) -> None:
        if self._context is not None:
            if self._run is not None:
                self._run.close()
            mtmd.mtmd_free(self._context)
            self._context = None
            self._layouts.cache_clear()
            self._lengths.cache_clear()

    def chunks(self, bitmap: Bitmap) -> tuple[TextChunk | MediaChunk, ...]:
        """What it becomes, with the family's begin and end text, without a BOS token.

        Needs no data. Safe from any thread. Raises MtmdRefusedError.
        """
        if isinstance(bitmap, Picture):
            return self._layouts(empty(bitmap))
        return tuple(_with_id(chunk, bitmap.id) for chunk in self._lengths(bitmap.n_samples))

    def _layout(self, bitmap: Bitmap) -> tuple[TextChunk | MediaChunk, ...]:
        with tokenized(self.handle, [bitmap]) as pointers:
            return tuple(read(self.handle, pointers))

    def _layout_of_length(self, n_samples: int) -> tuple[TextChunk | MediaChunk, ...]:
        # mtmd reckons the whole spectrogram also where there are no samples: a second for five minutes.
        return self._layout(Audio(n_samples, "any"))

    def _check_independence(self) -> None:
        """Refuse families whose chunks depend on what stands before them: deepseek4v pads, hunyuanvl counts."""
        probe = Picture(64, 48, "probe")
        alone = [each for each in self.chunks(probe) if isinstance(each, MediaChunk)]
        with tokenized(self.handle, ["a", probe, "a", probe]) as pointers:
            among = [each.saved for each in read(self.handle, pointers) if isinstance(each, MediaChunk)]
        if among != [each.saved for each in alone] * 2:
            raise MtmdRefusedError(["pictures of this family depend on what stands before them"])

    def _longest_non_causal(self) -> int:
        if not mtmd.mtmd_decode_use_non_causal(self.handle, None):
            return 0
        sides = [(MAX_SIDE, side) for side in range(-(-MAX_SIDE // MAX_ASPECT), MAX_SIDE + 1, 64)]
        found = {
            chunk.n_tokens
            for width, height in [(64, 48), *sides, *((height, width) for width, height in sides)]
            for chunk in self._layout(Picture(width, height, "probe"))
            if isinstance(chunk, MediaChunk) and chunk.non_causal
        }
        longest = max(found)
        # With a free picture size some size in between may have a few more.
        return longest if len(found) == 1 else longest + longest // 8

    def begin(
        self,
        bitmap: Bitmap,
        load: Callable[[], Bitmap],
        *,
        wanted: Callable[[MediaChunk], bool] = lambda _: True,
        stopped: CancelFlag | None = None,
    ) -> Encoding:
        """Encode its slices in order, those that are `wanted`: copies of shape (n_tokens, n_embd).

        `load` gives the same with its data, in the run's thread. The run ends with what that raises, with
        MtmdRefusedError, EncodeFailedError, and with ValueError where there is no data: of a recording mtmd would
        encode silence. It has a flag of its own, `stopped`. A context may compute beside it: the encoder has a backend
        and buffers of its own (clip.cpp, `clip_ctx`).
        """
        chunks = self.chunks(bitmap)
        asked = {each.ordinal for each in chunks if isinstance(each, MediaChunk) and wanted(each)}
        self._run = Encoding(self._run, lambda run: self._encode(run, load, chunks, asked), stopped or CancelFlag())
        return self._run

    def _encode(
        self, run: Encoding, load: Callable[[], Bitmap], chunks: tuple[TextChunk | MediaChunk, ...], asked: Set[int]
    ) -> Iterator[_Found]:
        if run.is_stopped():
            return
        self._brake.aim(run)
        loaded = load()
        if (loaded.rgb if isinstance(loaded, Picture) else loaded.samples) is None:
            raise ValueError("there is nothing to encode")
        with tokenized(self.handle, [loaded]) as pointers:
            for chunk, pointer in zip(chunks, pointers, strict=True):
                if isinstance(chunk, MediaChunk) and chunk.ordinal in asked:
                    embedding = None if run.is_stopped() else self._encoded(run, chunk, pointer)
                    if embedding is None:
                        return
                    yield chunk, embedding

    def _encoded(self, run: Encoding, chunk: MediaChunk, pointer: int) -> NDArray[np.float32] | None:
        self.encodes += 1
        with library.log.collect() as lines:
            code = mtmd.mtmd_encode_chunk(self.handle, pointer)
            if run.is_stopped():
                return None
            if code != 0:
                raise EncodeFailedError("\n".join([*lines, f"mtmd_encode_chunk returned {code}"]))
        found = mtmd.mtmd_get_output_embd(self.handle)
        embedding = np.ctypeslib.as_array(found, (chunk.n_tokens, self.n_embd)).copy()
        if not repair_row_ends(embedding, self._row_end):
            # In the memory a NaN would spoil even what is evaluated after this picture is forgotten.
            raise EncodeFailedError("the encoder gave values that are no numbers")
        return embedding

    def decode(
        self,
        context: Context,
        chunk: MediaChunk,
        embedding: NDArray[np.float32],
        position: int,
        *,
        last: bool = False,
    ) -> DecodeOutcome:
        """Evaluate a slice's entries from `position` on, which takes `chunk.n_pos` positions.

        With `last` the context has logits after the last entry. Unless DONE, the memory may hold a part of
        the slice. A non-causal slice must fit one micro-batch of the context. Raises DecodeFailedError.
        """
        if embedding.shape != (chunk.n_tokens, self.n_embd):
            raise ValueError(f"{embedding.shape} is no embedding of {chunk.n_tokens} x {self.n_embd}")
        if not chunk.non_causal:
            return self._decode(context, chunk, embedding, position, last)
        if chunk.n_tokens > min(context.n_batch, context.n_ubatch):
            raise ValueError(f"{chunk.n_tokens} entries do not fit a micro-batch of {context.n_ubatch}")
        api.llama_set_causal_attn(context.handle, False)
        try:
            return self._decode(context, chunk, embedding, position, last)
        finally:
            api.llama_set_causal_attn(context.handle, True)

    def _decode(
        self, context: Context, chunk: MediaChunk, embedding: NDArray[np.float32], position: int, last: bool
    ) -> DecodeOutcome:
        rows = np.ascontiguousarray(embedding, np.float32)
        if self._mrope:
            positions = mrope_positions(chunk, position)
        else:
            positions = np.arange(position, position + chunk.n_tokens, dtype=np.int32)[np.newaxis]
        for start in range(0, chunk.n_tokens, context.most_at_once):
            stop = min(start + context.most_at_once, chunk.n_tokens)
            wants_logits = last and stop == chunk.n_tokens
            outcome = outcome_of(_decode_rows(context, rows[start:stop], positions[:, start:stop], wants_logits))
            if outcome is not DecodeOutcome.DONE:
                return outcome
        return DecodeOutcome.DONE


def _with_id(chunk: TextChunk | MediaChunk, media_id: str) -> TextChunk | MediaChunk:
    """A recording's layout is that of its length; whose it is makes the difference."""
    if isinstance(chunk, TextChunk):
        return chunk
    return replace(chunk, media_id=media_id, key=hashlib.sha256(chunk.key + media_id.encode()).digest())


def _decode_rows(context: Context, rows: NDArray[np.float32], positions: NDArray[np.int32], wants_logits: bool) -> int:
    """llama_decode for embeddings of shape (n, n_embd) at positions of shape (sections, n)."""
    count = len(rows)
    sections = np.ascontiguousarray(positions)
    logits = np.zeros(count, np.int8)
    logits[-1] = wants_logits
    counts, sequences = np.ones(count, np.int32), np.full(1, context.seq, np.int32)
    pointers = np.full(count, sequences.ctypes.data, np.uintp)
    batch = api.llama_batch(
        n_tokens=count,
        embd=rows.ctypes.data_as(ctypes.POINTER(ctypes.c_float)),
        pos=sections.ctypes.data_as(ctypes.POINTER(api.llama_pos)),
        n_seq_id=counts.ctypes.data_as(ctypes.POINTER(ctypes.c_int32)),
        seq_id=pointers.ctypes.data_as(ctypes.POINTER(ctypes.POINTER(api.llama_seq_id))),
        logits=logits.ctypes.data_as(ctypes.POINTER(ctypes.c_int8)),
    )
    return int(api.llama_decode(context.handle, batch))
