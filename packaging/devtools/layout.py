"""Where the set-up keeps its things inside a checkout."""

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Layout:
    root: Path
    """The checkout."""

    @property
    def venv(self) -> Path:
        return self.root / ".venv"

    @property
    def python(self) -> Path:
        return interpreter(self.venv)

    @property
    def stamps(self) -> Path:
        """Inside `.venv`, so that who deletes `.venv` starts afresh."""
        return self.venv / "hearth-setup"

    @property
    def tool_servers(self) -> Path:
        """Node's; they go with `.venv`, too."""
        return self.venv / "tool-servers"

    @property
    def build(self) -> Path:
        return self.root / "build"

    @property
    def logs(self) -> Path:
        return self.build / "logs"

    @property
    def wheels(self) -> Path:
        """Engines built here, one folder per key; outside `.venv`, so that they outlive it."""
        return self.build / "wheels"

    @property
    def workshop(self) -> Path:
        """Sources and object files of the engine, kept only until its wheel is there."""
        return self.build / "engine"

    @property
    def choice(self) -> Path:
        """Which of upstream's wheels was asked for last, if any."""
        return self.build / "engine-choice"

    @property
    def requirements(self) -> Path:
        return self.root / "packaging" / "requirements"

    def script(self, name: str) -> Path:
        """A command that a package installed into `.venv`."""
        return self.python.with_name(f"{name}.exe" if os.name == "nt" else name)


def interpreter(venv: Path) -> Path:
    return venv / "Scripts" / "python.exe" if os.name == "nt" else venv / "bin" / "python"
