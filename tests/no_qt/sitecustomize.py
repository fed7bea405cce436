"""Makes Qt not importable. Python runs a module of this name at its start when its folder is on PYTHONPATH."""

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

BLOCKED = ("PySide6", "shiboken6", "qasync")


class NoQt(MetaPathFinder):
    """Answers for Qt's packages as if they were not installed, and says why."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname.partition(".")[0] in BLOCKED:
            raise ModuleNotFoundError(
                f"{fullname} is not importable: this part of the tests runs without Qt.", name=fullname
            )
        return None


def install() -> None:
    """Idempotent, also across the two names that this file may be imported by."""
    if not any(type(finder).__name__ == NoQt.__name__ for finder in sys.meta_path):
        sys.meta_path.insert(0, NoQt())


install()
