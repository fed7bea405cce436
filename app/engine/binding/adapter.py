"""A LoRA adapter of llama.cpp's, owned."""

import ctypes
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from llama_cpp import llama_cpp as api

from app.engine.binding import library
from app.engine.binding.context import Context
from app.engine.binding.model import Model


class AdapterRefusedError(library.RefusedError):
    """Of the file."""


class LoraAdapter:
    """Owns a llama_adapter_lora. Close it when no context uses it any more, and before its model."""

    def __init__(self, model: Model, path: Path) -> None:
        """Read the file into memory. Raises AdapterRefusedError; some damaged files end the process."""
        with library.log.collect() as lines:
            handle = api.llama_adapter_lora_init(model.handle, os.fsencode(path))
            if not handle:
                raise AdapterRefusedError(list(lines))
        self._adapter: Any = handle
        """A pointer, by ctypes; None once it is closed."""

    @property
    def handle(self) -> Any:
        if self._adapter is None:
            raise ValueError("the adapter is closed")
        return self._adapter

    def close(self) -> None:
        if self._adapter is not None:
            api.llama_adapter_lora_free(self._adapter)
            self._adapter = None


def attach(context: Context, adapters: Sequence[tuple[LoraAdapter, float]]) -> None:
    """Let exactly these work on what a context evaluates from now on, each with its scale.

    What its memory holds was evaluated with others, and is wrong from now on. llama.cpp makes its graphs anew.
    """
    handles = (api.llama_adapter_lora_p_ctypes * len(adapters))(*(adapter.handle for adapter, _ in adapters))
    scales = (ctypes.c_float * len(adapters))(*(scale for _, scale in adapters))
    code = api.llama_set_adapters_lora(context.handle, handles, len(adapters), scales)
    if code:
        raise RuntimeError(f"llama_set_adapters_lora returned {code}")
