"""What happens to a conversation that no longer fits into the context."""

from enum import StrEnum


class Overflow(StrEnum):
    STOP = "stop"
    """Nothing is dropped; the answer says that the context is full."""
    DROP_OLDEST = "drop_oldest"
    """The oldest turns are left out; the system prompt stays."""
    DROP_MIDDLE = "drop_middle"
    """The system prompt, the first turns and the last ones stay."""
