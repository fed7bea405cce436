"""What the steps of a bundle's examination share."""

from dataclasses import dataclass, field
from pathlib import Path

from devtools.bundle_screen import CheckFailedError, Screen
from devtools.bundle_subject import Subject

ROOT = Path(__file__).resolve().parents[2]
"""The checkout that the bundle was made of."""


@dataclass(slots=True)
class Examination:
    subject: Subject
    screen: Screen
    work: Path
    model: Path | None = None
    """For the speed."""
    pictures: Path | None = None
    failures: list[str] = field(default_factory=list)

    @property
    def libraries(self) -> Path:
        """Those of llama.cpp."""
        return self.subject.folder / "_internal" / "llama_cpp" / "lib"

    def photograph(self, name: str) -> None:
        if self.pictures:
            self.screen.photograph(self.pictures / f"{name}.png")


def demand(holds: bool, otherwise: str) -> None:
    """Raises CheckFailedError."""
    if not holds:
        raise CheckFailedError(otherwise)
