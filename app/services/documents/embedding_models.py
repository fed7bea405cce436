"""What is known of models that make vectors: what they want to stand before a text, and which one is recommended."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from app.core.resources import RESOURCES


@dataclass(frozen=True, slots=True)
class Prefixes:
    """What stands before a text, as a family of models was trained."""

    question: str = ""
    passage: str = ""


def prefixes_of(path: str) -> Prefixes:
    """By the file's name, as no header tells it."""
    name = Path(path).name.lower()
    return next((told for part, told in _known().items() if part in name), Prefixes())


@cache
def _known() -> dict[str, Prefixes]:
    told = json.loads((RESOURCES / "embedding-models.json").read_bytes())
    return {part: Prefixes(*each) for part, each in told["prefixes"].items()}
