"""What one request may cost."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    body: int = 64 << 20
    """Bytes, as they are sent and as they are unpacked."""
    bodies: int = 256 << 20
    """Bytes of the bodies of all requests that are open."""
    values: int = 400_000
    """Numbers, texts, lists and objects in a body, with the names in them."""
    messages: int = 16_384
    """Messages of a conversation, and all their parts and tool calls."""
    body_seconds: float = 120.0
    """For a body to arrive."""
    prompt: int = 4 << 20
    """Characters of all texts together; longer ones would not fit into any context."""
    media: int = 64
    likely: int = 1_000_000
    """Likely tokens in an answer, where more are asked for at each place than usual."""
    seconds: float = 3600.0
    """For an answer, from when its turn comes."""
    loading: float = 600.0
    """Seconds that a request waits for a model that is being loaded."""
    unread: int = 1 << 20
    """Bytes of a stream that wait for a client to read them."""
    stalled: float = 3.0
    """Seconds that others wait for a client to read some of them, once there are as many."""
    waiting: int = 128
    """Requests that wait for their turn, and those that wait for a model."""
