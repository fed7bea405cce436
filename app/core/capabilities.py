"""What a loaded model can do here: one list, which the engine declares and everybody else reads."""

from dataclasses import asdict, dataclass
from enum import StrEnum

from app.core.speculation import DrafterKind


class MemoryKind(StrEnum):
    """What a model remembers of a text; llama.cpp's words."""

    ATTENTION = "attention"
    """Every layer keeps every entry: it can go back to any place."""
    SLIDING_WINDOW = "sliding-window"
    """Some layers keep the last entries alone."""
    RECURRENT = "recurrent"
    """A state that each entry overwrites."""
    HYBRID = "hybrid"
    """Layers of both kinds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    sees: bool = False
    """It takes pictures: a projector that encodes them is loaded."""
    hears: bool = False
    """It takes recordings, by its projector too."""
    hears_seconds: float = 0.0
    """How long one recording may be."""
    reasons: bool = False
    """Its chat template knows a reasoning apart from the answer."""
    tools: bool = False
    """Its chat template tells it which tools there are; other models are told in a system message."""
    tool_format: str = ""
    """How it writes calls: the name of the format that `engine.output.detect` found."""
    grammar: bool = True
    """Its answers can be held to a grammar or a schema."""
    own_head: bool = False
    """A head that guesses further tokens (MTP) is there, in its file or beside it, and llama.cpp can run it."""
    drafters: tuple[DrafterKind, ...] = ()
    """What guesses for it as it is loaded."""
    fills: bool = False
    """It fills a gap in a text (FIM)."""
    embeddings: bool = False
    """It makes vectors of texts."""
    states: bool = True
    """What it has read can be saved by name, and brought back."""
    memory: MemoryKind = MemoryKind.ATTENTION


def capabilities_json(can: Capabilities) -> dict[str, object]:
    """For programs."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(can).items()}
