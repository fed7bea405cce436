"""What is kept of conversations on disk, as one typed value."""

from dataclasses import dataclass

from app.core.setting import setting

_MIB = 1 << 20
PROGRAMS = "program-"
"""Begins what conversations of other programs are called."""


@dataclass(frozen=True, slots=True)
class SnapshotRoom:
    """Bytes on disk."""

    total: int = 0
    """0 keeps nothing."""
    programs: int = 0
    """Of these, the most that conversations of other programs may take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotSettings:
    """What a model had read of a conversation, kept for the next start. The files hold what was said."""

    on_disk: bool = setting(
        True,
        "Keep conversations warm on disk",
        "What the model has read is kept for the next start, for you alone. Switching this off removes what is kept.",
        words="cache privacy restart",
    )
    disk: int = setting(
        4096,
        "Room on disk",
        "The most that all of it may take. What was used longest ago goes first.",
        within=(0, 16_777_216),
        unit="MiB",
    )
    idle: int = setting(
        3,
        "Kept after",
        "How long nothing must have been asked before a conversation is written to disk.",
        within=(1, 3600),
        unit="s",
        advanced=True,
    )

    @property
    def quota(self) -> int:
        """Bytes; 0 keeps nothing."""
        return self.disk * _MIB if self.on_disk else 0
