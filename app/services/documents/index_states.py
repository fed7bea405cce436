"""What the indexing and the search tell, as values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from app.storage.passages.passage import Hit


@dataclass(frozen=True, slots=True)
class IndexProgress:
    at: str = ""
    """The path of the file that is read, or the name of the model that makes vectors; empty where nothing is done."""
    n_left: int = 0
    """Files that wait, or passages that wait for their vectors."""
    paused: bool = False
    vectors: bool = False
    """Are made; all files are read."""


@dataclass(frozen=True, slots=True)
class FoundPassages:
    question: str
    hits: Sequence[Hit] = ()
    paths: Mapping[str, str] = field(default_factory=dict)
    """Of the files that they stand in, by content hash; empty where none is there now."""
    by_vectors: bool = False
    """Not by words alone."""
    problem: str = ""
    """A sentence; what was found by words is there all the same."""
