"""What the page beside the chat walks through: passages, and what the answer says of each."""

from dataclasses import dataclass

from app.core.messages import PassagePart
from app.engine.output.support import CheckedCitation


@dataclass(frozen=True, slots=True)
class ShownCitation:
    part: PassagePart
    check: CheckedCitation | None = None
    """None for a passage that was looked at, and that the answer does not cite."""


@dataclass(frozen=True, slots=True)
class CitationList:
    """Of one answer."""

    citations: tuple[ShownCitation, ...]
    at: int = 0
    """The one that was asked for."""
