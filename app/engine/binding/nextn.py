"""Multi-token-prediction heads (llama.cpp's nextn): the hidden rows of a context, and contexts that run a head on them.

llama_cpp_ext, through which this is reached, is explicitly unstable. Where it lacks something, `is_available` says so
and nothing else here may be called.
"""

import ctypes
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from llama_cpp import llama_cpp as api
from numpy.typing import NDArray

from app.core.cancel import CancelFlag
from app.engine.binding.context import Context, DecodeOutcome
from app.engine.binding.context_params import ContextParams
from app.engine.binding.model import Model

_ext: Any = None
# In another build the module may be gone, or a symbol that it binds.
with suppress(ImportError, AttributeError, OSError):
    from llama_cpp import llama_cpp_ext

    _ext = llama_cpp_ext

_NEEDED = (
    "llama_set_embeddings_nextn",
    "llama_get_embeddings_nextn",
    "llama_set_nextn_layer_offset",
    "llama_get_ctx_other",
)

Row = NDArray[np.float32]
"""The hidden state of one entry, float32 of shape (n_embd_out,)."""


def is_available() -> bool:
    """Whether this build of llama.cpp and its binding can run such heads."""
    return all(hasattr(_ext, name) for name in _NEEDED)


def give_rows(context: Context, *, wanted: bool) -> None:
    """Let `context` keep the hidden row of every entry that it evaluates from now on, or no longer."""
    _ext.llama_set_embeddings_nextn(context.handle, wanted, False)


def first_row(context: Context) -> Any:
    """`rows`' address: a pointer to the first float. What NumPy needs to wrap it takes longer than to copy a row.

    Raises ValueError where `context` keeps none.
    """
    found = _ext.llama_get_embeddings_nextn(context.handle)
    if not found:
        raise ValueError("the context keeps no hidden rows")
    return found


def rows(context: Context, count: int, width: int) -> NDArray[np.float32]:
    """The hidden rows of the `count` entries that were evaluated last, float32 of shape (count, width).

    A view, valid until the next evaluation. `width` is the model's `n_embd_out`.
    """
    return np.ctypeslib.as_array(first_row(context), (count, width))


class NextnContext(Context):
    """A context that runs the multi-token-prediction head of a model.

    An entry in it is a pair: the token at position p with the hidden row of p-1, from which the head tells the token at
    p+1. `model` is the target's own, loaded with its head, or a file that holds the head alone. Close it before the
    target's context.
    """

    def __init__(self, model: Model, params: ContextParams, cancel: CancelFlag, target: Context) -> None:
        """Raises ContextRefusedError. llama.cpp ends the process where the head is not as its graph expects."""
        super().__init__(model, params, cancel, target=target)
        self.width = model.n_embd_out
        self.shares_memory = _address(_ext.llama_get_ctx_other(self.handle)) == _address(target.handle)
        """It reads the target's memory and has none of its own: nothing may ever be removed from it."""
        self._rows = np.zeros((self.n_batch, self.width), np.float32)
        self._shared.batch.batch.embd = self._rows.ctypes.data_as(ctypes.POINTER(ctypes.c_float))
        self.takes_several = False
        """`predict` gives the last pair's hidden row on any architecture; see `find_rows`."""
        self._row_place = 0
        """Of the hidden row after `predict`, among those that llama.cpp gives."""
        self._gives_all = False
        """It gives hidden rows of all pairs, not just of those whose logits are wanted."""
        _ext.llama_set_embeddings_nextn(self.handle, True, True)

    def choose_head(self, head: int) -> None:
        """Run this head, counted from 0, from now on."""
        _ext.llama_set_nextn_layer_offset(self.handle, head)

    def feed(self, tokens: Sequence[int], hidden: NDArray[np.float32], position: int) -> DecodeOutcome:
        """Evaluate pairs from `position` on, without asking what comes next.

        `hidden` is float32 of shape (len(tokens), width); at most n_batch of them. Raises DecodeFailedError.
        """
        return self._run(tokens, hidden, position, 0)

    def predict(self, tokens: Sequence[int], hidden: NDArray[np.float32], position: int) -> DecodeOutcome:
        """`feed`, with logits and a hidden row after the last pair.

        Unless it `takes_several`, some architectures give the first pair's row instead.
        """
        self._row_place = len(tokens) - 1 if self._gives_all else 0
        return self._run(tokens, hidden, position, 1)

    def find_rows(self) -> None:
        """Find out whose hidden rows the graph gives: those of all pairs, or of those whose logits are wanted.

        Asked for the wrong ones, llama.cpp gives another pair's row, or ends the process. Only for a context with a
        memory of its own, which is left empty. Raises DecodeFailedError.
        """
        tokens, zeros = [0, 1], np.zeros((2, self.width), np.float32)
        apart = []
        for position, token in enumerate(tokens):
            self.predict([token], zeros[:1], position)
            apart.append(self.predicted_row())
        self.clear()
        self.predict(tokens, zeros, 0)
        off = [float(np.abs(self.predicted_row() - row).max()) for row in apart]
        self.clear()
        self.takes_several, self._gives_all = True, off[0] < off[1]
        _ext.llama_set_embeddings_nextn(self.handle, True, not self._gives_all)

    def _run(self, tokens: Sequence[int], hidden: NDArray[np.float32], position: int, asked: int) -> DecodeOutcome:
        self._rows[: len(tokens)] = hidden
        return self._decode(tokens, position, asked)

    def predicted_row(self) -> Row:
        """A copy of the head's own hidden row, after `predict`."""
        row: Row = rows(self, self._row_place + 1, self.width)[self._row_place]
        return row.copy()

    def predicted_logits(self) -> NDArray[np.float32]:
        """Logits after `predict`, float32 of shape (n_vocab,); a view, valid until the next evaluation."""
        return np.ctypeslib.as_array(api.llama_get_logits_ith(self.handle, -1), (self.n_vocab,))


def _address(handle: object) -> int | None:
    return ctypes.cast(handle, ctypes.c_void_p).value  # type: ignore[arg-type]
