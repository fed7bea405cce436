"""Hearths that show a code, found in the local network: multicast DNS, as printers are (RFC 6762, RFC 6763).

Told are a name and a port, for as long as the code is shown; looked for while somebody wants to pair. What is found is
a hint for people, and trusted in nothing: the code decides.
"""

import logging
import socket
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from app.remote.pairing.lines import shown_name

if TYPE_CHECKING:
    from zeroconf import Zeroconf

    from app.remote.pairing.host import PairingHost
    from app.remote.pairing.peers import Peer

_KIND = "_hearth-pair._tcp.local."
_PATIENCE_MS = 1500
MOST_SHOWN = 8
"""Where somebody announces more, people enter the address."""
_MOST_KNOWN = 64
_LONGEST_LABEL = 50
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class FoundHost:
    name: str
    """As it calls itself; printable."""
    address: str
    """As `pair` takes it."""


class Announcement:
    """From its making on, until `close`. A network that does not take it is no error: people can enter the address."""

    def __init__(self, name: str, address: str, port: int, interfaces: Sequence[str] = ()) -> None:
        """Blocks for a second. `address` is this computer's own."""
        self._zeroconf = _opened(interfaces)
        if self._zeroconf is None:
            return
        from zeroconf import ServiceInfo

        # A label has room for 63 bytes, the port's among them.
        shortened = shown_name(name).encode()[:_LONGEST_LABEL].decode("utf-8", "ignore").replace(".", " ")
        label = f"{shortened or 'Hearth'} {port}"
        told = ServiceInfo(
            _KIND, f"{label}.{_KIND}", port, addresses=[socket.inet_aton(address)], server=f"hearth-{port}.local."
        )
        _quiet(lambda zeroconf: zeroconf.register_service(told), self._zeroconf)

    def close(self) -> None:
        """Takes it back. Blocks for a moment."""
        if self._zeroconf is not None:
            _quiet(lambda zeroconf: zeroconf.close(), self._zeroconf)


def wait_announced(host: "PairingHost", address: str) -> "Peer | None":
    """`PairingHost.wait`, while the network is told of it. `address` is this computer's own."""
    with closing(Announcement(host.name, address, host.port)):
        return host.wait()


class Discovery:
    """Looks around from its making on, until `close`. `heard` is told all that are there whenever that changes, in a
    thread of its own.
    """

    def __init__(self, heard: Callable[[tuple[FoundHost, ...]], None], interfaces: Sequence[str] = ()) -> None:
        self._heard = heard
        self._found: dict[str, FoundHost] = {}
        self._zeroconf = _opened(interfaces)
        if self._zeroconf is None:
            return
        from zeroconf import ServiceBrowser

        self._browser = ServiceBrowser(self._zeroconf, _KIND, handlers=[self._changed])

    def close(self) -> None:
        """Nothing is told after it. Blocks for a moment."""
        self._heard = lambda _: None
        if self._zeroconf is not None:
            _quiet(lambda zeroconf: zeroconf.close(), self._zeroconf)

    def _changed(self, zeroconf: "Zeroconf", service_type: str, name: str, state_change: Any) -> None:
        is_too_much = name not in self._found and len(self._found) >= _MOST_KNOWN
        is_gone = is_too_much or state_change.name == "Removed"
        found = zeroconf.get_service_info(service_type, name, _PATIENCE_MS) if not is_gone else None
        addresses = found.parsed_addresses() if found is not None else []
        if found is None or not addresses or not found.port:
            self._found.pop(name, None)
        else:
            shown = shown_name(name.removesuffix(f".{_KIND}")).removesuffix(f" {found.port}")
            self._found[name] = FoundHost(shown, f"{addresses[0]}:{found.port}")
        found_now = sorted(self._found.values(), key=lambda each: (each.name, each.address))
        self._heard(tuple(found_now[:MOST_SHOWN]))


def _opened(interfaces: Sequence[str]) -> "Zeroconf | None":
    """None where the network takes no multicast."""
    from zeroconf import InterfaceChoice, IPVersion, Zeroconf

    try:
        return Zeroconf(interfaces=list(interfaces) or InterfaceChoice.Default, ip_version=IPVersion.V4Only)
    except OSError as error:
        _log.info("Computers can't be found in this network: %s", error)
        return None


def _quiet(act: "Callable[[Zeroconf], None]", zeroconf: "Zeroconf") -> None:
    from zeroconf import Error

    with suppress(Error, OSError, TimeoutError):
        act(zeroconf)
