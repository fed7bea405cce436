"""What servers are to be told and nobody else, in the system's keyring."""

import logging
import os
import re
import threading
from collections.abc import Mapping
from dataclasses import replace

from app.core.errors import UserError
from app.tools.mcp_file import ServerEntry

_log = logging.getLogger(__name__)
_SERVICE = "Hearth tools"
_SECRET = re.compile(r"key|token|secret|passw|authorization|credential", re.IGNORECASE)
_KEPT = re.compile(r"\$\{keyring:([^}]+)\}")
"""Stands in mcp.json where a secret belongs."""
_ASKED = re.compile(r"\$\{input:([^}]+)\}")
_ENVIRONMENT = re.compile(r"\$\{env:([^}]+)\}")
"""As VS Code and Cursor write them."""


class Secrets:
    """Blocks, as some keyrings ask the user: not for the GUI thread. Without a keyring they hold for this run."""

    def __init__(self, service: str = _SERVICE) -> None:
        """`service` is what the keyring's own program lists them under."""
        self._service = service
        self._lock = threading.Lock()
        self._session: dict[str, str] = {}

    def get(self, name: str) -> str | None:
        import keyring

        with self._lock:
            if name in self._session:
                return self._session[name]
        try:
            return keyring.get_password(self._service, name)
        except Exception as error:  # noqa: BLE001 - keyrings of other makers raise what they like
            _log.info("The keyring can't be read: %s", error)
            return None

    def hold(self, name: str, value: str) -> None:
        """Until the program ends; waits for nobody."""
        with self._lock:
            self._session[name] = value

    def put(self, name: str, value: str) -> bool:
        """False where it holds for this run alone."""
        import keyring

        self.hold(name, value)
        try:
            keyring.set_password(self._service, name, value)
        except Exception as error:  # noqa: BLE001 - as above
            _log.info("The keyring can't be written: %s", error)
            return False
        return True

    def remove(self, name: str) -> None:
        import keyring

        try:
            keyring.delete_password(self._service, name)
        except Exception as error:  # noqa: BLE001 - as above, and where there is no such entry
            _log.info("No secret was removed: %r", error)
        # What is held hides what the keyring had until then.
        with self._lock:
            self._session.pop(name, None)

    def hide(self, entry: ServerEntry) -> tuple[ServerEntry, bool]:
        """The entry with names for its secrets, which are kept; False where they hold for this run alone."""
        kept = True
        made: list[dict[str, str]] = []
        for pairs in (entry.env, entry.headers):
            made.append(dict(pairs))
            for key in secrets_of(pairs):
                name = f"{entry.name}/{key}".replace("}", "")
                kept = self.put(name, pairs[key]) and kept
                made[-1][key] = f"${{keyring:{name}}}"
        return replace(entry, env=made[0], headers=made[1]), kept

    def filled(self, entry: ServerEntry) -> ServerEntry:
        """The entry with its secrets. Raises UserError where one is gone."""
        env, headers = (
            {key: self._filled(entry, each) for key, each in pairs.items()} for pairs in (entry.env, entry.headers)
        )
        return replace(entry, env=env, headers=headers)

    def forget(self, entry: ServerEntry) -> None:
        """All that was kept for a server."""
        for value in (*entry.env.values(), *entry.headers.values()):
            for name in _KEPT.findall(value):
                self.remove(name)
        self.remove(sign_in_name(entry))

    def _filled(self, entry: ServerEntry, value: str) -> str:
        for name in _KEPT.findall(value):
            found = self.get(name)
            if found is None:
                raise UserError(
                    "{secret} of {name} is not in this computer's keyring: add the server again, or write it into "
                    "mcp.json.",
                    secret=name.rpartition("/")[2],
                    name=entry.name,
                )
            value = value.replace(f"${{keyring:{name}}}", found)
        if asked := _ASKED.search(value):
            raise UserError("{name} asks for {what}: write it into mcp.json.", name=entry.name, what=asked[1])
        return _ENVIRONMENT.sub(lambda found: os.environ.get(found[1], ""), value)


def secrets_of(pairs: Mapping[str, str]) -> tuple[str, ...]:
    """The names among variables or headers whose values nobody should read, and that are not kept yet."""
    return tuple(key for key, value in pairs.items() if value and _SECRET.search(key) and "${" not in value)


def names_secrets(entry: ServerEntry) -> bool:
    """Whether it asks for what lies in the keyring; whoever wrote it elsewhere may have another's in mind."""
    return any(_KEPT.search(value) for value in (*entry.env.values(), *entry.headers.values()))


def names_of_environment(entry: ServerEntry) -> tuple[str, ...]:
    """The variables of Hearth's own environment that it is to be told."""
    values = (*entry.env.values(), *entry.headers.values())
    return tuple(name for value in values for name in _ENVIRONMENT.findall(value))


def sign_in_name(entry: ServerEntry) -> str:
    return f"sign-in {entry.url}"
