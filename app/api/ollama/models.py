"""What Ollama tells of models."""

from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from app.api.errors import Json
from app.core.events import ModelInfo
from app.library.quantisation import quantisation_in


def entry(name: str, path: Path, info: ModelInfo | None) -> dict[str, object]:
    """Of `/api/tags`."""
    size, changed = 0, 0.0
    with suppress(OSError):  # it may have gone since it was listed
        told = path.stat()
        size, changed = told.st_size, told.st_mtime
    return {
        "name": name,
        "model": name,
        "modified_at": datetime.fromtimestamp(changed, UTC).isoformat().replace("+00:00", "Z"),
        "size": size,
        # Of what names this file: its own hash would take reading all of it.
        "digest": sha256(f"{path} {size} {changed}".encode()).hexdigest(),
        "details": details(path, info),
    }


def details(path: Path, info: ModelInfo | None) -> Json:
    family = info.architecture if info is not None else ""
    return {
        "parent_model": "",
        "format": "gguf",
        "family": family,
        "families": [family] if family else [],
        "parameter_size": _count(info.n_params) if info is not None else "",
        "quantization_level": quantisation_in(path.stem),
    }


def running(info: ModelInfo) -> Json:
    """Of `/api/ps`."""
    share = info.n_offloaded / info.n_offloadable if info.n_offloadable else 0.0
    return {
        **entry(info.name, info.ref.file, info),
        "expires_at": "9999-12-31T23:59:59Z",
        "size_vram": int(info.size * share),
        "context_length": info.n_ctx,
    }


def shown(info: ModelInfo) -> Json:
    """Of `/api/show`."""
    kind = info.architecture or "unknown"
    return {
        "modelfile": "",
        "parameters": "",
        "template": info.template.source,
        "details": details(info.ref.file, info),
        "model_info": {
            "general.architecture": kind,
            "general.parameter_count": info.n_params,
            f"{kind}.context_length": info.n_ctx_train,
            f"{kind}.embedding_length": info.n_embd,
            f"{kind}.block_count": info.n_layer,
        },
        "capabilities": list(_abilities(info)),
    }


def shown_by_file(path: Path, ability: str) -> Json:
    """Of a model that is not loaded."""
    empty = {"modelfile": "", "parameters": "", "template": "", "model_info": {}}
    return {**empty, "details": details(path, None), "capabilities": [ability]}


def _abilities(info: ModelInfo) -> Iterator[str]:
    yield "completion"
    if info.capabilities.tools:
        yield "tools"
    if info.sees:
        yield "vision"
    if info.capabilities.fills:
        yield "insert"
    if info.capabilities.reasons:
        yield "thinking"


def _count(n_params: int) -> str:
    return f"{n_params / 1e9:.1f}B" if n_params >= 1e9 else f"{n_params / 1e6:.0f}M"
