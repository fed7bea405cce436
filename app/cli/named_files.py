"""`hearth FILE…`: the command line of a double-click, which opens the window with these files."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_VERBOSE = ("-v", "--verbose")
COMMANDS = ("ask", "perplexity", "serve", "models", "selftest")
"""The parser's; named here, because a double-click should not wait for it."""


@dataclass(frozen=True, slots=True)
class NamedFiles:
    files: tuple[Path, ...]
    """Absolute; they need not exist."""
    verbose: bool = False


def named_files(arguments: Sequence[str]) -> NamedFiles | None:
    """None for what is no list of files: then it is a command, a wrong one perhaps, and the parser's to judge.

    The first word decides: it is a file when there is one, or when it could be nothing else. After `--` all are.
    """
    rest = list(arguments)
    verbose = False
    while rest and rest[0] in _VERBOSE:
        verbose = True
        del rest[0]
    if rest[:1] == ["--"]:
        del rest[0]
    elif not rest or not _is_file(rest[0]):
        return None
    return NamedFiles(tuple(Path(each).absolute() for each in rest), verbose)


def _is_file(word: str) -> bool:
    if word.startswith("-") or word in COMMANDS:
        return False
    return "." in word or os.sep in word or Path(word).exists()
