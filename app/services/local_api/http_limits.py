"""What strangers may take of an HTTP server."""

import sys
from dataclasses import dataclass, field


def _most_connections() -> int:
    """Half of the files that this process may have open, where that is few."""
    wanted = 256
    if sys.platform == "win32":
        return wanted
    import resource

    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return wanted if files == resource.RLIM_INFINITY else min(wanted, files // 2)


@dataclass(frozen=True, slots=True)
class HttpLimits:
    connections: int = field(default_factory=_most_connections)
    headers: float = 15.0
    """Seconds from the beginning of a connection to the end of its first request's headers."""
    bodies: float = 10.0
    """Seconds after which a connection whose request is not whole yet makes room for another, where there is none."""
    unread: float = 30.0
    """Seconds that a client may take nothing of what is written to it."""
    look_every: float = 1.0
    """Seconds."""
