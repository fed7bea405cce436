"""Who may use the local API: programs on this computer, and others only with a key."""

import hmac
from dataclasses import dataclass, field
from typing import ClassVar

from aiohttp import hdrs, web

from app.api.errors import ApiError
from app.api.hosts import address_of, hosts_of, is_everywhere, is_loopback, is_own_page, without_port
from app.core.requests import SESSION

PUBLIC_PATHS = frozenset({"/health", "/v1/health"})
"""Answered without a key, so that whatever watches over programs can watch over this one."""
OF_THIS_COMPUTER = "localhost"
_SCHEME = "bearer "
_ANTHROPICS = "x-api-key"
"""The header in which Anthropic's clients send it."""

PEER = web.RequestKey("peer", str)
"""The fingerprint of the paired computer that asks; see `peer_access`."""


def conversation_of(request: web.Request) -> str:
    """What a paired computer's conversation is called here: no other computer can name it. Empty for everybody else,
    and where it is not told.
    """
    peer, session = request.get(PEER, ""), request.headers.get(SESSION, "")
    return f"{peer} {session[:128]}" if peer and session else ""


def asks_first(request: web.Request) -> bool:
    """Whether a browser asks on behalf of a page, without a key, what that may do (preflight). It may nothing where no
    header of the answer lets it in.
    """
    return request.method == hdrs.METH_OPTIONS and hdrs.ORIGIN in request.headers


@dataclass(frozen=True, slots=True)
class Access:
    """The rules for one server."""

    is_paired: ClassVar[bool] = False
    """Whether it is for paired computers alone."""
    host: str
    """The address or name that is listened on, or several; see `hosts_of`."""
    api_key: str = field(default="", repr=False)
    origins: tuple[str, ...] = ()
    """Sites whose pages may use the API from a browser (CORS), such as "https://chat.example", or `OF_THIS_COMPUTER`
    for those that it serves itself; none unless allowed.
    """

    def allowed_origin(self, request: web.Request) -> str | None:
        """The site that the request comes from, where its pages may read the answer."""
        origin = request.headers.get(hdrs.ORIGIN)
        if origin is None:
            return None
        is_own = OF_THIS_COMPUTER in self.origins and is_own_page(origin)
        return origin if is_own or origin in self.origins else None

    def check(self, request: web.Request) -> None:
        """Raises ApiError: 403 for a wrong Host or a foreign page, 401 for a missing or wrong key."""
        if not self._is_own_name(request.headers.getall(hdrs.HOST, [])):
            # DNS rebinding: a page of evil.example has its name point here, and the browser lets it read.
            raise ApiError(403, "This Host is not the name of this server.", code="host_not_allowed")
        if asks_first(request):
            return
        if request.headers.getall(hdrs.ORIGIN, []) not in ([], [self.allowed_origin(request)]):
            # A page can't read what it is answered, and could still have the model work.
            raise ApiError(
                403,
                "Pages of this origin may not use Hearth. Let it in by name in the settings, page Local API.",
                code="origin_not_allowed",
            )
        if self.api_key and request.path not in PUBLIC_PATHS and not self._has_key(request):
            told = "The API key is missing or wrong. Send it as “Authorization: Bearer KEY”."
            raise ApiError(401, told, kind="authentication_error", code="invalid_api_key")

    def _is_own_name(self, hosts: list[str]) -> bool:
        if len(hosts) != 1:
            return False
        name = without_port(hosts[0])
        hosts = hosts_of(self.host.lower())
        if name in hosts or is_loopback(name):
            return True
        # Listening everywhere: any address may be ours, and an address can't be rebound as a name can.
        return any(map(is_everywhere, hosts)) and address_of(name) is not None

    def _has_key(self, request: web.Request) -> bool:
        sent = request.headers.get(hdrs.AUTHORIZATION, "")
        bearer = sent[len(_SCHEME) :].strip() if sent.lower().startswith(_SCHEME) else ""
        # In constant time, so that the time it takes tells nothing of the key.
        return any(
            hmac.compare_digest(key.encode("utf-8", "replace"), self.api_key.encode("utf-8", "replace"))
            for key in (bearer, request.headers.get(_ANTHROPICS, "").strip())
        )
