"""Which names and addresses mean this computer, and whom listening on them lets in.

Imports nothing of aiohttp's, so that a model can begin to load first.
"""

import ipaddress

from app.core.errors import UserError


def refuse_open_access(host: str, api_key: str) -> None:
    """Raises UserError where other computers could use the model without a key, or nobody with it."""
    if api_key != api_key.strip() or not api_key.isprintable():
        raise UserError("No program can send this API key. Choose one without blanks around it, of visible characters.")
    if not api_key and not all(map(is_loopback, hosts_of(host.lower()))):
        raise UserError(
            f"Listening on {host} lets other computers use the model. Set a key with --api-key, or leave out --host."
        )


def hosts_of(told: str) -> list[str]:
    """The addresses to listen on, which commas separate."""
    return [each.strip() for each in told.split(",")]


def is_loopback(name: str) -> bool:
    """Whether a host name or address (lower case, without a port) always means this computer."""
    address = address_of(name)
    return name == "localhost" if address is None else address.is_loopback


def is_own_page(origin: str) -> bool:
    """Whether a page's origin, such as "http://localhost:3000", is this computer."""
    scheme, _, host = origin.partition("://")
    return scheme in ("http", "https") and is_loopback(without_port(host))


def is_everywhere(host: str) -> bool:
    address = address_of(host)
    return address is not None and address.is_unspecified


def without_port(host: str) -> str:
    """ "[::1]:8080" becomes "::1", and "LOCALHOST.:8080" "localhost"."""
    host = host.strip().lower()
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0].removesuffix(".")


def address_of(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(name)
    except ValueError:
        return None
