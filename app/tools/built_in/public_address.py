"""Which addresses are out in the internet, and not on this computer or in its networks."""

import asyncio
import ipaddress
import socket
from collections.abc import Callable

from aiohttp.abc import AbstractResolver, ResolveResult

from app.core.errors import UserError
from app.tools.daemon_call import daemon_call

_NAT64 = ipaddress.ip_network("64:ff9b::/96")


def is_public(address: str) -> bool:
    """Of an address in digits: whether it can be reached through the internet alone, also where it wraps another."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(found, ipaddress.IPv6Address):
        inner = found.ipv4_mapped or found.sixtofour
        if found in _NAT64:
            inner = ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)
        if inner is not None:
            found = inner
    return found.is_global and not found.is_multicast and not found.is_reserved


def look_up(host: str, port: int) -> list[tuple[int, str]]:
    """Families and addresses of a host. Raises OSError."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys((int(family), str(where[0])) for family, _, _, _, where in found))


class PublicResolver(AbstractResolver):
    """What it gives is what is connected to: a name that leads elsewhere the next time changes nothing."""

    def __init__(
        self, look: Callable[[str, int], list[tuple[int, str]]] = look_up, allows: Callable[[str], bool] = is_public
    ) -> None:
        self._look, self.allows = look, allows

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """Raises UserError where any of the host's addresses is not public: no honest host has such a mixture."""
        found = await daemon_call(lambda: self._look(host, port))
        if not found or not all(self.allows(address) for _, address in found):
            raise _private(host)
        return [
            ResolveResult(hostname=host, host=address, port=port, family=kind, proto=0, flags=socket.AI_NUMERICHOST)
            for kind, address in found
        ]

    async def close(self) -> None:
        await asyncio.sleep(0)


def check_digits(host: str, resolver: PublicResolver) -> None:
    """A host that is an address in digits is looked up by nobody. Raises UserError where it is not public."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return
    if not resolver.allows(host):
        raise _private(host)


def _private(host: str) -> UserError:
    return UserError("{host} is on this computer or in its network, where pages are not read.", host=host)
