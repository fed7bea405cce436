"""Models as the local API's clients name them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.core.loading import Pooling
from app.core.model_ref import ModelRef

if TYPE_CHECKING:  # the library takes 40 ms to import, which `ask` and `serve` mostly do without
    from app.library.catalogue import LibraryModel


@dataclass(frozen=True, slots=True)
class ChatModel:
    """One that can be talked to."""

    ref: ModelRef
    title: str
    """What it is called once it is loaded."""
    names: tuple[str, ...] = ()
    """What else it may be called."""
    refs: frozenset[ModelRef] = frozenset()
    """All that stand for it."""

    @classmethod
    def of(cls, model: "LibraryModel") -> "ChatModel":
        return cls(model.ref, model.name, (model.ref.title, model.path.stem), frozenset(model.refs))


@dataclass(frozen=True, slots=True)
class VectorFile:
    name: str
    ref: ModelRef
    ranks: bool = False
    """It ranks documents, and makes no vectors."""
    pooling: Pooling | None = None
    """None is as the file says."""

    @property
    def names(self) -> tuple[str, ...]:
        """All that it may be called."""
        return self.name, self.ref.file.stem
