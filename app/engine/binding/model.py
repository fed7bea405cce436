"""A model's weights, owned: loaded with progress and cancellation, freed once."""

import ctypes
import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from llama_cpp import llama_cpp as api

from app.core.cancel import CancelFlag
from app.core.loading import LoadMode
from app.engine.binding import library
from app.engine.binding.vocab import Vocab

Report = Callable[[float], None]
"""Told the share that is loaded, 0 to 1. Runs in the loading thread; must not raise."""


_MODES = {
    LoadMode.AUTO: api.LLAMA_LOAD_MODE_AUTO,
    LoadMode.NONE: api.LLAMA_LOAD_MODE_NONE,
    LoadMode.MMAP: api.LLAMA_LOAD_MODE_MMAP,
    LoadMode.MLOCK: api.LLAMA_LOAD_MODE_MLOCK,
    LoadMode.MMAP_MLOCK: api.LLAMA_LOAD_MODE_MMAP_MLOCK,
    LoadMode.DIRECT_IO: api.LLAMA_LOAD_MODE_DIRECT_IO,
}


class LoadFailedError(library.RefusedError):
    """Of the file."""


class LoadCancelledError(Exception):
    """The cancel flag was set while the file was being loaded."""


@dataclass(frozen=True, slots=True)
class ReadWith:
    """What weights were read from, and how: equal where reading them again would give the same."""

    path: Path
    version: tuple[int, ...]
    """Of the file: when it was written, its size and its number; empty where it is gone."""
    gpu_layers: int
    load_mode: LoadMode
    load_mtp: bool

    @classmethod
    def now(cls, path: Path, gpu_layers: int, load_mode: LoadMode, load_mtp: bool) -> "ReadWith":
        """Of the file as it is."""
        version: tuple[int, ...] = ()
        with suppress(OSError):
            told = path.stat()
            version = (told.st_mtime_ns, told.st_size, told.st_ino)
        return cls(path, version, gpu_layers, load_mode, load_mtp)


class Model:
    """Owns a llama_model. Close every context made from it first."""

    def __init__(
        self, path: Path, handle: object, read_with: ReadWith | None, read_seconds: float, *, is_unlocked: bool
    ) -> None:
        self.path = path
        self.read_with = read_with
        self.read_seconds = read_seconds
        self.is_unlocked = is_unlocked
        """It was to be locked in memory, and the system refused that for some of it."""
        self._model: api.llama_model_p | None = handle  # type: ignore[assignment]
        self.vocab = Vocab(api.llama_model_get_vocab(self.handle))
        self.n_swa: int = api.llama_model_n_swa(self.handle)
        self.n_ctx_train: int = api.llama_model_n_ctx_train(self.handle)
        self.n_params: int = api.llama_model_n_params(self.handle)
        self.size: int = api.llama_model_size(self.handle)
        """Bytes of all tensors."""
        self.n_layer: int = api.llama_model_n_layer(self.handle)
        self.n_embd: int = api.llama_model_n_embd(self.handle)
        self.n_embd_inp: int = api.llama_model_n_embd_inp(self.handle)
        """Floats of one picture cell; more than `n_embd` where deeper layers take their share (deepstack)."""
        self.n_embd_out: int = api.llama_model_n_embd_out(self.handle)
        """Floats of one hidden row, as a multi-token-prediction head reads them."""
        self.is_diffusion: bool = api.llama_model_is_diffusion(self.handle)
        self.has_encoder: bool = api.llama_model_has_encoder(self.handle)
        self.has_decoder: bool = api.llama_model_has_decoder(self.handle)

    @classmethod
    def load(
        cls,
        path: Path,
        *,
        gpu_layers: int,
        cancel: CancelFlag,
        report: Report = lambda _: None,
        load_mtp: bool = False,
        load_mode: LoadMode = LoadMode.AUTO,
    ) -> "Model":
        """Load a GGUF file (the first part of a split one). Blocks; calls `report` on the way.

        `load_mtp` loads its multi-token-prediction layers too; they can't be added later.
        Raises LoadFailedError and LoadCancelledError.
        """
        library.start()

        def progress(fraction: float, _data: object) -> bool:
            report(fraction)
            return not cancel.is_set()

        params = api.llama_model_default_params()
        params.n_gpu_layers = gpu_layers
        params.load_mtp = load_mtp
        params.load_mode = _MODES[load_mode]
        callback = api.llama_progress_callback(progress)
        params.progress_callback = callback
        began, read_with = time.perf_counter(), ReadWith.now(path, gpu_layers, load_mode, load_mtp)
        with library.log.collect() as lines:
            handle = api.llama_model_load_from_file(os.fsencode(path), params)
            if not handle:
                if cancel.is_set():
                    raise LoadCancelledError
                raise LoadFailedError(list(lines))
            unlocked = any("failed to mlock" in line for line in lines)
        return cls(path, handle, read_with, time.perf_counter() - began, is_unlocked=unlocked)

    @property
    def handle(self) -> "api.llama_model_p":
        if self._model is None:
            raise ValueError("the model is closed")
        return self._model

    def close(self) -> None:
        if self._model is not None:
            api.llama_model_free(self._model)
            self._model = None

    def metadata(self, key: str) -> str | None:
        """A GGUF metadata value as text, or None where there is none."""
        size = 4096
        while True:
            buffer = ctypes.create_string_buffer(size)
            length = api.llama_model_meta_val_str(self.handle, key.encode(), buffer, size)
            if length < 0:
                return None
            if length < size:
                return buffer.raw[:length].decode("utf-8", "replace")
            size = length + 1

    def metadata_keys(self) -> list[str]:
        buffer = ctypes.create_string_buffer(512)
        keys = []
        for index in range(api.llama_model_meta_count(self.handle)):
            api.llama_model_meta_key_by_index(self.handle, index, buffer, len(buffer))
            keys.append(buffer.value.decode("utf-8", "replace"))
        return keys

    @property
    def allows_gaps(self) -> bool:
        """Whether positions may be left out (M-RoPE); other models refuse a batch that does not follow the last one."""
        return api.llama_model_rope_type(self.handle) in (api.LLAMA_ROPE_TYPE_MROPE, api.LLAMA_ROPE_TYPE_IMROPE)

    def offloaded(self, gpu_layers: int) -> tuple[int, int]:
        """How many layers lie on graphics cards, loaded with `gpu_layers`, and how many could: the output is one more.
        Both are 0 where there is no card. As llama.cpp's `load_tensors` has it."""
        architecture = self.metadata("general.architecture") or ""
        # With the layers for multi-token prediction, which `n_layer` leaves out.
        told = self.metadata(f"{architecture}.block_count") or ""
        n_layer = int(told) if told.isdigit() else self.n_layer
        if not library.graphics_devices():
            return 0, 0
        return (n_layer + 1 if gpu_layers < 0 else min(gpu_layers, n_layer + 1)), n_layer + 1

    @property
    def is_stateful(self) -> bool:
        """Some layer keeps a state for each text instead of its entries."""
        return bool(api.llama_model_is_recurrent(self.handle) or api.llama_model_is_hybrid(self.handle))

    @property
    def is_recurrent(self) -> bool:
        """No layer keeps the entries; of a hybrid model some do."""
        return bool(api.llama_model_is_recurrent(self.handle)) and not api.llama_model_is_hybrid(self.handle)

    def kv_is_plain(self) -> bool:
        """Every layer keeps K and V of every token: no sliding window, recurrent part or compressed attention."""
        architecture = self.metadata("general.architecture") or ""
        special = api.llama_model_is_recurrent(self.handle) or api.llama_model_is_hybrid(self.handle)
        compressed = self.metadata(f"{architecture}.attention.kv_lora_rank") is not None
        return not (self.n_swa or special or compressed)

    def kv_elements_per_token(self) -> int:
        """Elements of K and V together that one token takes in a plain KV cache; see `kv_is_plain`."""
        architecture = self.metadata("general.architecture") or ""
        heads = api.llama_model_n_head(self.handle)
        if heads <= 0:
            return 0
        head_size = int(
            self.metadata(f"{architecture}.attention.key_length") or api.llama_model_n_embd(self.handle) // heads
        )
        rows: int = api.llama_model_n_layer(self.handle) * api.llama_model_n_head_kv(self.handle)
        return 2 * rows * head_size
