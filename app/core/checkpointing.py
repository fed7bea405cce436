"""What is kept of earlier states of the context, and how much memory that may take, as one typed value."""

from dataclasses import dataclass

from app.core.setting import setting

_SMALL = 4
"""Small checkpoints are those of which more than the number together take this part of the budget."""
_MANY = 8
"""Times the number that they may be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpointing:
    """Checkpoints are for models that cannot simply go back (sliding window, recurrent, hybrid); others need none."""

    ctx_checkpoints: int = setting(
        32,
        "Checkpoints",
        "How many places in a conversation such a model can return to without reading it all again; "
        "more where they are small. 0 is none.",
        within=(0, 1024),
        flags=("-ctxcp", "--ctx-checkpoints"),
    )
    budget: int = setting(
        1024,
        "Checkpoint memory",
        "The most that all checkpoints together may take. It wins over the number.",
        within=(0, 1_048_576),
        unit="MiB",
        flags=("--checkpoint-budget",),
    )
    every: int = setting(
        128,
        "Checkpoint every",
        "One is taken each time this much was read or written, while it costs little; small ones more often. "
        "0 takes them at messages alone.",
        within=(0, 1_000_000),
        unit="tokens",
        flags=("--checkpoint-every",),
        advanced=True,
    )
    min_step: int = setting(
        64,
        "Smallest gap",
        "Checkpoints that are not at a message keep at least this far apart.",
        within=(0, 1_000_000),
        unit="tokens",
        flags=("-cms", "--checkpoint-min-step"),
        advanced=True,
    )
    cache_ram: int = setting(
        1024,
        "Memory for other conversations",
        "What a conversation had read is kept when another one is opened, and brought back in an instant. 0 is off.",
        within=(0, 1_048_576),
        unit="MiB",
        flags=("--cache-ram",),
    )
    min_prompt: int = setting(
        1,
        "Smallest prompt",
        "Nothing is kept before this much has been read.",
        within=(0, 1_000_000),
        unit="tokens",
        flags=("--checkpoint-min-prompt",),
        advanced=True,
    )

    def most(self, size: int, sharing: int = 1) -> int:
        """How many checkpoints of `size` bytes are kept: the number of them, within the budget, and of small ones more.

        What binds is memory, and a state may take 100 KB or 100 MB. So many sequences are `sharing` the budget.
        """
        budget = (self.budget << 20) // sharing
        few = min(self.ctx_checkpoints, budget // size)
        return max(few, min(self.ctx_checkpoints * _MANY, budget // _SMALL // size))
