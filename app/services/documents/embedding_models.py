"""What is known of models that make vectors: what they want to stand before a text, and which one is recommended."""

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

from app.core.model_ref import ModelRef
from app.core.resources import RESOURCES


@dataclass(frozen=True, slots=True)
class Prefixes:
    """What stands before a text, as a family of models was trained."""

    question: str = ""
    passage: str = ""


@dataclass(frozen=True, slots=True)
class RecommendedEmbedder:
    name: str
    repo: str
    file: str
    size: float
    """10⁹ bytes"""
    licence: str


def recommended() -> RecommendedEmbedder:
    """For people who have none. Not tried: it could not be had where Hearth is written."""
    return RecommendedEmbedder(**_data()["recommended"])


def prefixes_of(model: ModelRef) -> Prefixes:
    """By its name, as no header tells it."""
    name = model.name.lower()
    return next((told for part, told in _known().items() if part in name), Prefixes())


@cache
def _known() -> dict[str, Prefixes]:
    return {part: Prefixes(*each) for part, each in _data()["prefixes"].items()}


@cache
def _data() -> dict[str, Any]:
    told: dict[str, Any] = json.loads((RESOURCES / "embedding-models.json").read_bytes())
    return told
