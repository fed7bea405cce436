"""What the engine is asked to do."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from app.core.messages import Message
from app.core.overflow import Overflow
from app.core.sampling import Sampling


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One reply to a conversation."""

    messages: tuple[Message, ...]
    """Root to last; the model answers after the last one."""
    sampling: Sampling = field(default_factory=Sampling)
    stop: tuple[str, ...] = ()
    """The answer ends before any of these strings; they are not shown."""
    overflow: Overflow = Overflow.STOP
    template_args: Mapping[str, object] = field(default_factory=dict)
    """Further variables of the chat template, such as `enable_thinking`."""
