"""Signing in to a server: OAuth by the SDK, in the system's browser, which comes back to this computer."""

import asyncio
import json
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from app.core.errors import UserError
from app.tools.mcp_file import ServerEntry
from app.tools.secrets import Secrets, sign_in_name

if TYPE_CHECKING:
    from mcp.client.auth import OAuthClientProvider
    from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthToken

WAITS = 600.0
"""Seconds for a person."""
_HOST = "127.0.0.1"
_PATH = "/callback"
_MOST_REQUEST = 16 << 10
_PAGE = "You can close this page and go back to Hearth."


class SignIn:
    """Of one server, in one asyncio loop. What is granted lies in the keyring, and renews itself without a browser."""

    def __init__(self, entry: ServerEntry, secrets: Secrets, ask: Callable[[str], None]) -> None:
        """`ask` is told the address that a person has to open; it is of a web page."""
        self._entry = entry
        self._secrets = secrets
        self._ask = ask
        self._kept: dict[str, Any] = {}
        self._port = 0
        self._state = ""
        self._back: asyncio.Future[AuthorizationCodeResult] | None = None
        self._server: asyncio.Server | None = None

    async def provider(self) -> "OAuthClientProvider":
        from mcp.client.auth import OAuthClientProvider
        from mcp.shared.auth import OAuthClientMetadata

        kept = await asyncio.to_thread(self._secrets.get, sign_in_name(self._entry))
        with suppress(ValueError):
            self._kept = dict(json.loads(kept or "{}"))
        known = self._kept.get("port")
        # The client is registered with its port.
        self._port = known if isinstance(known, int) else _free_port()
        metadata = OAuthClientMetadata.model_validate(
            {
                "client_name": "Hearth",
                "redirect_uris": [f"http://{_HOST}:{self._port}{_PATH}"],
                "token_endpoint_auth_method": "none",
                "grant_types": ["authorization_code", "refresh_token"],
            }
        )
        return OAuthClientProvider(self._entry.url, metadata, self, self._open, self._wait)

    async def get_tokens(self) -> "OAuthToken | None":
        from mcp.shared.auth import OAuthToken

        found: OAuthToken | None = _loaded(OAuthToken, self._kept.get("tokens"))
        ends = self._kept.get("ends")
        if found is not None and isinstance(ends, int | float) and ends < time.time():
            # The SDK takes what was stored for valid; without a token it asks for a new one first.
            found.access_token = ""
        return found

    async def set_tokens(self, tokens: "OAuthToken") -> None:
        ends = None if tokens.expires_in is None else time.time() + tokens.expires_in
        await self._keep(tokens=tokens.model_dump(mode="json"), ends=ends)

    async def get_client_info(self) -> "OAuthClientInformationFull | None":
        from mcp.shared.auth import OAuthClientInformationFull

        found: OAuthClientInformationFull | None = _loaded(OAuthClientInformationFull, self._kept.get("client"))
        return found

    async def set_client_info(self, client_info: "OAuthClientInformationFull") -> None:
        await self._keep(client=client_info.model_dump(mode="json"), port=self._port)

    async def _keep(self, **values: object) -> None:
        self._kept |= values
        await asyncio.to_thread(self._secrets.put, sign_in_name(self._entry), json.dumps(self._kept))

    async def _open(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https"):
            raise UserError("{name} asks to sign in at what is no web page.", name=self._entry.name)
        self._state = parse_qs(parts.query).get("state", [""])[0]
        self._back = asyncio.get_running_loop().create_future()
        try:
            # Before the page is told: a browser that is signed in there already comes back at once.
            self._server = await asyncio.start_server(self._answer, _HOST, self._port, limit=_MOST_REQUEST)
        except OSError as error:
            # Registered again, with another port, next time.
            await self._keep(client=None, port=None)
            raise UserError("The sign-in to {name} can't come back. Start it again.", name=self._entry.name) from error
        self._ask(url)

    async def _wait(self) -> "AuthorizationCodeResult":
        """The SDK asks for it right after `_open`."""
        assert self._back is not None
        assert self._server is not None
        try:
            return await asyncio.wait_for(self._back, WAITS)
        except TimeoutError:
            raise UserError("Nobody signed in to {name}.", name=self._entry.name) from None
        finally:
            self._server.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One request of a browser, or of any program on this computer: what does not know the state is sent away."""
        try:
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 10)
            target = head.split(b" ", 2)[1].decode("ascii", "replace")
            known = self._take(target)
            status, page = ("200 OK", _PAGE) if known else ("404 Not Found", "")
            told = f"HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {len(page)}\r\nConnection: close"
            writer.write(f"{told}\r\n\r\n{page}".encode())
            await writer.drain()
        except (OSError, ValueError, IndexError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass
        finally:
            writer.close()

    def _take(self, target: str) -> bool:
        from mcp.shared.auth import AuthorizationCodeResult

        parts = urlsplit(target)
        told = {key: values[0] for key, values in parse_qs(parts.query).items()}
        if parts.path != _PATH or not self._state or told.get("state") != self._state or self._back is None:
            return False
        if not self._back.done() and "code" in told:
            self._back.set_result(AuthorizationCodeResult(code=told["code"], state=self._state, iss=told.get("iss")))
        elif not self._back.done():
            self._back.set_exception(UserError("{name} did not let you sign in.", name=self._entry.name))
        return True


def _loaded(kind: Any, value: object) -> Any:
    """None for what was never kept, or is damaged."""
    try:
        return kind.model_validate(value) if value else None
    except ValueError:
        return None


def _free_port() -> int:
    with socket.socket() as free:
        free.bind((_HOST, 0))
        port: int = free.getsockname()[1]
    return port
