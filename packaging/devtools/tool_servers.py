"""The official servers of tools, which are Node's: tests ask them. npm checks each file by the hash in the lock."""

import shutil
from pathlib import Path

from devtools.console import say
from devtools.errors import SetUpError
from devtools.layout import Layout
from devtools.logged import Command, run_logged

INSTALL_SECONDS = 30.0
_FILES = ("package.json", "package-lock.json")


def are_wanted(layout: Layout) -> bool:
    """Where there is no npm they are not, and those tests are skipped."""
    return shutil.which("npm") is not None and not _are_there(layout)


def install_tool_servers(layout: Layout) -> None:
    """No program of theirs runs. Without npm's registry the other tests can still be run, so that it is only told."""
    folder, npm = layout.tool_servers, shutil.which("npm") or "npm"
    folder.mkdir(parents=True, exist_ok=True)
    for name in _FILES:
        shutil.copyfile(_source(layout) / name, folder / name)
    # npm takes a folder behind a link for a package of its own.
    argv = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", str(folder.resolve())]
    try:
        run_logged(Command(argv, "Installing the servers of tools", layout.logs / "npm.log", INSTALL_SECONDS))
    except SetUpError as error:
        shutil.rmtree(folder)
        say(f"    {error.sentence} The tests with these servers are skipped.")


def _are_there(layout: Layout) -> bool:
    # npm writes the second file when all is in its place.
    lock, done = (layout.tool_servers / name for name in (_FILES[1], "node_modules/.package-lock.json"))
    return done.exists() and lock.read_bytes() == (_source(layout) / _FILES[1]).read_bytes()


def _source(layout: Layout) -> Path:
    return layout.requirements / "tool-servers"
