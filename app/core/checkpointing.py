"""When checkpoints are taken and how much they may take, as one typed value."""

from dataclasses import dataclass

from app.core.setting import setting


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpointing:
    """For models that cannot simply go back (sliding window, recurrent, hybrid); others need none."""

    ctx_checkpoints: int = setting(
        32,
        "Checkpoints",
        "How many places in a conversation such a model can return to without reading it all again. 0 is none.",
        minimum=0,
        maximum=1024,
        flags=("-ctxcp", "--ctx-checkpoints"),
    )
    budget: int = setting(
        1024,
        "Checkpoint memory",
        "The most that all checkpoints together may take. It wins over the number.",
        minimum=0,
        maximum=1_048_576,
        unit="MiB",
        flags=("--checkpoint-budget",),
    )
    every: int = setting(
        1024,
        "Checkpoint every",
        "One is taken each time this much has been read or written. 0 takes them at messages alone.",
        minimum=0,
        maximum=1_000_000,
        unit="tokens",
        flags=("--checkpoint-every",),
        advanced=True,
    )
    min_step: int = setting(
        64,
        "Smallest gap",
        "Checkpoints that are not at a message keep at least this far apart.",
        minimum=0,
        maximum=1_000_000,
        unit="tokens",
        flags=("-cms", "--checkpoint-min-step"),
        advanced=True,
    )
    min_prompt: int = setting(
        16,
        "Smallest prompt",
        "Nothing is kept before this much has been read.",
        minimum=0,
        maximum=1_000_000,
        unit="tokens",
        flags=("--checkpoint-min-prompt",),
        advanced=True,
    )
