"""`mcp.json`: which servers there are, in the notation of Claude Desktop, Cursor and LM Studio.

`{"mcpServers": {NAME: {"command", "args", "env", "cwd"} | {"url", "headers"}}}`, and "disabled" in any of them. The
file is the user's: keys that Hearth does not know stay as they are.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.core.errors import UserError
from app.core.files import write_atomic
from app.tools.tool import digest

SERVERS = "mcpServers"
_MOST_BYTES = 1 << 20
_OFF = ("disabled", False), ("enabled", True), ("active", True)
"""How programs say that a server is off: by a key that is not as usual."""
_PLAIN = re.compile(r"[\w@./:=+,-]+")


@dataclass(frozen=True, slots=True)
class ServerEntry:
    """One server: a program, or an address."""

    name: str
    command: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict, repr=False, hash=False)
    cwd: str = ""
    url: str = ""
    """Empty for a program."""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False, hash=False)
    enabled: bool = True

    @property
    def fingerprint(self) -> str:
        """What a permission is bound to: all that says what runs, or who is asked; of secrets only their names."""
        return digest([self.command, self.args, self.cwd, sorted(self.env), self.url, sorted(self.headers)])

    @property
    def where(self) -> str:
        """The command or the address, on one line."""
        return self.url or " ".join(map(_quoted, (self.command, *self.args)))


Stamp = tuple[int, int]
"""Another one when the file was written."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What was found in a file."""

    before: Stamp | None
    """As it was known to be."""
    stamp: Stamp
    entries: tuple[ServerEntry, ...] | UserError


class McpFile:
    """Reads and writes one file. Raises UserError; a file that can't be understood is never written over."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def reading(self, before: Stamp | None = None) -> Reading | None:
        """What is in the file; None where it is as it was `before`. Raises nothing."""
        stamp = self._stamp()
        if stamp == before:
            return None
        try:
            return Reading(before, stamp, self.read())
        except UserError as error:
            return Reading(before, stamp, error)

    def read(self) -> tuple[ServerEntry, ...]:
        """In the order of the file."""
        return entries_of(self._servers(self._load()))

    def put(self, entries: Iterable[ServerEntry]) -> None:
        """Add servers, or replace those of the same names."""
        whole = self._load()
        servers = self._servers(whole)
        for entry in entries:
            known = servers.get(entry.name)
            servers[entry.name] = _to_json(entry, known if isinstance(known, dict) else {})
        self._write({**whole, SERVERS: servers})

    def remove(self, name: str) -> None:
        whole = self._load()
        servers = self._servers(whole)
        servers.pop(name, None)
        self._write({**whole, SERVERS: servers})

    def ensure(self) -> None:
        """Make an empty file where there is none, so that it can be edited."""
        if not self.path.exists():
            self._write({SERVERS: {}})

    def _stamp(self) -> Stamp:
        try:
            found = self.path.stat()
        except OSError:
            return 0, 0
        return found.st_mtime_ns, found.st_size

    def _load(self) -> dict[str, Any]:
        try:
            data = self.path.read_bytes() if self.path.exists() else b"{}"
        except OSError as error:
            raise UserError(
                "{path} can't be read: {reason}.", path=self.path, reason=error.strerror or error
            ) from error
        if len(data) > _MOST_BYTES:
            raise UserError("{path} is too large for a list of servers.", path=self.path)
        return parsed(data.decode("utf-8", "replace"), str(self.path))

    def _servers(self, whole: dict[str, Any]) -> dict[str, Any]:
        servers = whole.get(SERVERS, {})
        if not isinstance(servers, dict):
            raise UserError("{path}: “mcpServers” has to be an object of servers by name.", path=self.path)
        return dict(servers)

    def _write(self, whole: Mapping[str, Any]) -> None:
        try:
            write_atomic(self.path, (json.dumps(whole, indent=2, ensure_ascii=False) + "\n").encode())
        except OSError as error:
            raise UserError(
                "{path} can't be written: {reason}.", path=self.path, reason=error.strerror or error
            ) from error


def entries_of(servers: Mapping[str, Any]) -> tuple[ServerEntry, ...]:
    """By name, in their order. Raises UserError."""
    return tuple(_entry(name, value) for name, value in servers.items())


def parsed(text: str, what: str) -> dict[str, Any]:
    """A JSON object; `what` begins the sentence of the UserError that is raised for anything else."""
    try:
        found = json.loads(text)
    except json.JSONDecodeError as error:
        raise UserError(
            "{what} is no JSON: line {line}, column {column}.", what=what, line=error.lineno, column=error.colno
        ) from error
    except RecursionError as error:
        raise UserError("{what} is nested too deeply.", what=what) from error
    if not isinstance(found, dict):
        raise UserError("{what} has to be a JSON object.", what=what)
    return found


def _entry(name: str, value: Any) -> ServerEntry:
    if not isinstance(value, dict):
        raise UserError("The server “{name}” has to be an object with “command” or “url”.", name=name)
    entry = ServerEntry(
        name,
        _text(name, value, "command"),
        _texts(name, value, "args"),
        _pairs(name, value, "env"),
        _text(name, value, "cwd"),
        _text(name, value, "url") or _text(name, value, "serverUrl"),
        _pairs(name, value, "headers"),
        all(value.get(key, usual) is usual for key, usual in _OFF),
    )
    if bool(entry.command) is bool(entry.url):
        raise UserError("The server “{name}” needs a “command” or a “url”, and not both.", name=name)
    if entry.url and not entry.url.startswith(("http://", "https://")):
        raise UserError("The address of “{name}” has to begin with http:// or https://.", name=name)
    return entry


def _text(name: str, value: Mapping[str, Any], key: str) -> str:
    found = value.get(key, "")
    if not isinstance(found, str):
        raise UserError("“{key}” of the server “{name}” has to be a text.", name=name, key=key)
    return found.strip()


def _texts(name: str, value: Mapping[str, Any], key: str) -> tuple[str, ...]:
    found = value.get(key, [])
    if not isinstance(found, list) or not all(isinstance(each, str | int | float) for each in found):
        raise UserError("“{key}” of the server “{name}” has to be a list of texts.", name=name, key=key)
    return tuple(map(str, found))


def _pairs(name: str, value: Mapping[str, Any], key: str) -> dict[str, str]:
    found = value.get(key, {})
    if not isinstance(found, dict) or not all(isinstance(each, str | int | float) for each in found.values()):
        raise UserError("“{key}” of the server “{name}” has to be an object of texts.", name=name, key=key)
    return {each: str(content) for each, content in found.items()}


def _to_json(entry: ServerEntry, known: dict[str, Any]) -> dict[str, Any]:
    """With what was in the file beside what is known here."""
    told: dict[str, Any] = {
        "command": entry.command,
        "args": list(entry.args),
        "env": dict(entry.env),
        "cwd": entry.cwd,
        "url": entry.url,
        "headers": dict(entry.headers),
    }
    kept = {key: value for key, value in known.items() if key not in (*told, "serverUrl", *(key for key, _ in _OFF))}
    off = {} if entry.enabled else {"disabled": True}
    return {key: value for key, value in told.items() if value} | kept | off


def _quoted(word: str) -> str:
    return word if _PLAIN.fullmatch(word) else json.dumps(word, ensure_ascii=False)
