"""LoRA adapters: small files that change how a model answers, each with the share that it takes."""

from dataclasses import dataclass
from pathlib import Path

LARGEST_SCALE = 10.0


@dataclass(frozen=True, slots=True)
class Adapter:
    path: Path
    scale: float = 1.0
    """1 is as it was trained, 0 nothing of it; below 0 it works the other way round."""


def in_force(adapters: tuple[Adapter, ...]) -> tuple[Adapter, ...]:
    """Those that change anything, each file once (the last one counts), in an order that says nothing."""
    scales = {each.path: each.scale for each in adapters}
    return tuple(Adapter(path, scales[path]) for path in sorted(scales) if scales[path])
