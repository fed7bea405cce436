"""What one request may cost."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    body: int = 64 << 20
    """Bytes."""
    body_seconds: float = 120.0
    """For a body to arrive."""
    prompt: int = 4 << 20
    """Characters of all texts together; longer ones would not fit into any context."""
    pictures: int = 64
    seconds: float = 3600.0
    """For an answer, from when its turn comes."""
    loading: float = 600.0
    """Seconds that a request waits for a model that is being loaded."""
    stalled: float = 60.0
    """Seconds that a client may take to read what it is sent."""
    waiting: int = 128
    """Requests that wait for their turn, and those that wait for a model."""
