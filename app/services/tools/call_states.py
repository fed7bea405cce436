"""What becomes of a call that is not answered yet."""

from dataclasses import dataclass

from app.tools.forms import Form
from app.tools.permissions import Why
from app.tools.tool import Capability, Tool


@dataclass(frozen=True, slots=True)
class Looking:
    """It is found out what it would change, before a person is asked."""


@dataclass(frozen=True, slots=True)
class Asked:
    """It waits for a person."""

    tool: Tool
    why: Why
    able: frozenset[Capability]
    """What the tool has to be thought able to do."""
    preview: str = ""
    """A unified diff of what it would change; empty for others."""


@dataclass(frozen=True, slots=True)
class Allowed:
    """It will run when all calls of its answer are decided."""


@dataclass(frozen=True, slots=True)
class Running:
    since: float
    """As `time.monotonic` tells it."""
    progress: str = ""
    """What the tool said last."""


@dataclass(frozen=True, slots=True)
class Filling:
    """It runs, and its server waits for what a person fills in."""

    form: Form
    since: float
    """As of `Running`."""


CallState = Looking | Asked | Allowed | Running | Filling
