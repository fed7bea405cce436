"""This program as a process: its exit codes, and how to start it again."""

import subprocess
import sys
from pathlib import Path
from typing import Any

EXIT_ENVIRONMENT = 1
EXIT_BUG = 70
EXIT_INTERRUPTED = 130

APART: dict[str, Any] = {}
"""For `Popen` of a child that its parent ends: a Ctrl+C in the terminal is for the parent alone."""
if sys.platform == "win32":
    APART["creationflags"] = subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP
else:
    APART["process_group"] = 0


def own_command() -> list[str]:
    """The command that starts this program again, frozen or not, from any folder."""
    if getattr(sys, "frozen", False):
        return [sys.executable]
    root = str(Path(__file__).resolve().parents[2])
    start = f"import sys; sys.path.insert(0, {root!r}); from app.__main__ import main; sys.exit(main())"
    return [sys.executable, "-c", start]
