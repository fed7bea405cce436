"""What must be equal for a saved state to mean the same."""

import hashlib
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from app.core.files import fingerprint
from app.engine.binding import library
from app.engine.binding.context_params import ContextParams
from app.engine.binding.model import Model
from app.engine.prompt.prompt_tokens import PromptTokens


@dataclass(frozen=True, slots=True)
class SnapshotIdentity:
    """Digests over all that a state depends on beside its entries."""

    text: bytes
    """Where there are no media."""
    media: bytes
    """The same with the projector."""

    def of(self, entries: PromptTokens) -> bytes:
        return self.media if entries.groups else self.text


def identity_of(
    model: Model, files: Iterable[Path], params: ContextParams, n_ctx: int, projector: str = "", adapters: str = ""
) -> SnapshotIdentity:
    """Of a loaded model: its files, the build, the context as it was made, and what adapters work. Raises OSError.

    llama.cpp itself refuses other KV types, but neither another model of the same shape nor other rope factors, which
    some models choose by the size of the context.
    """
    architecture = model.metadata("general.architecture") or ""
    original = model.metadata(f"{architecture}.rope.scaling.original_context_length") or ""
    trained = int(original) if original.isdigit() else model.n_ctx_train
    facts = (
        library.version(),
        sys.byteorder,
        *(fingerprint(path) for path in files),
        params.type_k,
        params.type_v,
        # Of full windows all cells are saved, which they were not always.
        "swa_full=in pieces" if params.swa_full else "swa_full=False",
        f"beyond={n_ctx > trained}",
        # V lies otherwise with flash attention, which `Context.restore` sees to; the bits are others.
        *([f"exact {params.flash_attn}"] if params.exact else []),
        *([adapters] if adapters else []),
    )
    text = "\n".join(facts).encode()
    return SnapshotIdentity(hashlib.sha256(text).digest(), hashlib.sha256(text + b"\n" + projector.encode()).digest())
