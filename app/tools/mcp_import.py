"""Servers as others write them down: on pages, in links of the "Add to ..." kind, and in other programs' files."""

import base64
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from app.core.errors import UserError
from app.tools.mcp_file import SERVERS, ServerEntry, entries_of, parsed

_MOST_BYTES = 1 << 20
# Texts are passed over, so that an address in one is no comment.
_COMMENT = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_LAST_COMMA = re.compile(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])')


@dataclass(frozen=True, slots=True)
class OtherProgram:
    """Whose servers can be taken over. Its file is only read."""

    name: str
    entries: tuple[ServerEntry, ...] = ()
    problem: str = ""
    """A sentence, where its file can't be understood."""


def pasted(text: str) -> tuple[ServerEntry, ...]:
    """The servers in a link, or in a text from a README or another program's file: whole, or the part within
    "mcpServers", with comments and commas at the end.

    What is to be allowed without asking, as some files say, is not taken over. Raises UserError.
    """
    text = text.strip().rstrip(",")
    if is_link(text):
        return _linked(text)
    if not text.startswith(("{", "/")):
        text = f"{{{text}}}"
    return _servers(parsed(_plain(text), "This"), "")


def is_link(text: str) -> bool:
    """Whether it is of the kind behind buttons that add a server to a program."""
    try:
        parts = urlsplit(text)
        return parts.scheme.startswith("vscode") or (bool(parts.scheme) and "config" in parse_qs(parts.query))
    except ValueError:
        return False


def other_programs() -> tuple[OtherProgram, ...]:
    """Those on this machine that have servers."""
    found = (_program(name, path) for name, path in _files())
    return tuple(each for each in found if each.entries or each.problem)


def _files() -> tuple[tuple[str, Path], ...]:
    home = Path.home()
    if sys.platform == "darwin":
        settings = home / "Library" / "Application Support"
    elif sys.platform == "win32":
        settings = Path(os.environ.get("APPDATA") or home)
    else:
        settings = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    return (
        ("Claude Desktop", settings / "Claude" / "claude_desktop_config.json"),
        ("Cursor", home / ".cursor" / "mcp.json"),
        ("LM Studio", home / ".lmstudio" / "mcp.json"),
        ("VS Code", settings / "Code" / "User" / "mcp.json"),
    )


def _program(name: str, path: Path) -> OtherProgram:
    try:
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES)
    except OSError:
        return OtherProgram(name)
    try:
        found = parsed(_plain(data.decode("utf-8", "replace")), str(path))
        return OtherProgram(name, entries_of(_inner(found) or {}))
    except UserError as error:
        return OtherProgram(name, problem=error.sentence)


def _linked(text: str) -> tuple[ServerEntry, ...]:
    parts = urlsplit(text)
    told = parse_qs(parts.query)
    config = told["config"][0] if "config" in told else unquote(parts.query)
    name = told.get("name", [""])[0]
    if not config.startswith("{"):
        try:
            # A plus is a blank in links.
            config = base64.b64decode(config.replace(" ", "+") + "===").decode("utf-8", "replace")
        except ValueError as error:
            raise UserError("The link can't be understood.") from error
    return _servers(parsed(config, "The link"), name)


def _servers(found: dict[str, Any], name: str) -> tuple[ServerEntry, ...]:
    found = _inner(found) or found
    if "command" in found or isinstance(found.get("url"), str):
        found = {name or str(found.get("name") or "server"): found}
    if not found:
        raise UserError("There is no server in this text.")
    return entries_of(found)


def _inner(found: dict[str, Any]) -> dict[str, Any] | None:
    """The servers in a whole file."""
    return next((found[key] for key in (SERVERS, "servers") if isinstance(found.get(key), dict)), None)


def _plain(text: str) -> str:
    """JSON without what VS Code allows beside."""
    for extra in (_COMMENT, _LAST_COMMA):
        text = extra.sub(lambda found: found[1] or "", text)
    return text
