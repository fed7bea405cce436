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
    continues: bool = field(default=False, kw_only=True)
    """The last message is an answer that goes on from its end."""
    sampling: Sampling = field(default_factory=Sampling)
    stop: tuple[str, ...] = ()
    """The answer ends before any of these strings; they are not shown."""
    overflow: Overflow = Overflow.STOP
    template_args: Mapping[str, object] = field(default_factory=dict)
    """Further variables of the chat template, such as `enable_thinking`."""
    conversation: str = ""
    """Whose turns these are, opaque; empty where nobody will come back, and then nothing is written to disk."""
    keep_on_disk: bool = True
    """False keeps what was read of this conversation in memory alone, and removes what is on disk of it."""
