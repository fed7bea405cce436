"""What a Markdown text is cut into, for the window to show."""

from dataclasses import dataclass, field
from enum import Enum, auto


class Mark(Enum):
    """Which line of `<details>` a block is. But for the summary such a block shows nothing."""

    NONE = auto()
    BEGIN = auto()
    BEGIN_OPEN = auto()
    SUMMARY = auto()
    """Behind a beginning, or one by itself."""
    WHOLE = auto()
    """Beginning and summary in one line."""
    WHOLE_OPEN = auto()
    END = auto()


@dataclass(frozen=True, slots=True)
class Prose:
    """Text, lists, tables, formulas: one piece of HTML for a QTextDocument."""

    html: str
    source: str = field(default="", compare=False)
    """The Markdown it was made of."""
    head: str = ""
    """HTML of the table that this piece goes on with; its columns are as wide as that one's."""
    is_rest: bool = False
    """It goes on with what the block before it began, without a gap."""
    mark: Mark = Mark.NONE


@dataclass(frozen=True, slots=True)
class Code:
    language: str
    """The fence's first word, as written; empty for none."""
    text: str
    """Without the last line's end."""
    source: str = field(default="", compare=False)


Block = Prose | Code


@dataclass(frozen=True, slots=True)
class Change:
    """The first `keep` blocks stay as they were; whatever followed them is replaced by `blocks`."""

    keep: int
    blocks: tuple[Block, ...]
