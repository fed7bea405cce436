"""Where a server is: what people type, made one form."""

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from app.core.errors import UserError
from app.remote.pairing.certificate import Pin

_SCHEMES = ("http", "https")
_PORTS = {"http": 80, "https": 443}
_BASES = re.compile(r"/(?:v1(?:/(?:chat/completions|models|completions))?|api/(?:chat|tags))$")
"""What people copy behind the place that all routes share."""
_HOME_NAMES = (".local", ".localhost", ".lan", ".internal", ".home.arpa", ".home", ".fritz.box")


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """Equal where it is the same server; holds no key."""

    base: str
    """`http://host:port/path`: without `/v1`, and without a slash at its end."""
    pin: Pin | None = None
    """Of a Hearth that was paired with; None trusts whom the system trusts."""

    @classmethod
    def typed(cls, text: str) -> "ServerAddress":
        """With or without `http://`, `/v1` and what else people copy. Raises UserError with a sentence."""
        parts = _split(text.strip())
        host = (parts.hostname or "").rstrip(".")
        port = _port(parts)
        shown = f"[{host}]" if ":" in host else host
        told = "" if port in (None, _PORTS[parts.scheme]) else f":{port}"
        path = parts.path.rstrip("/")
        return cls(f"{parts.scheme}://{shown}{told}{_BASES.sub('', path).rstrip('/')}")

    @property
    def host(self) -> str:
        return urlsplit(self.base).hostname or ""

    @property
    def port(self) -> int | None:
        """None where none is named."""
        return urlsplit(self.base).port

    @property
    def shown(self) -> str:
        """For people: without the scheme."""
        return self.base.split("://", 1)[1]

    @property
    def is_encrypted(self) -> bool:
        return self.base.startswith("https:")

    @property
    def is_loopback(self) -> bool:
        """Whether it is this computer by what its name says; no name server is asked."""
        ip = _ip(self.host)
        return ip.is_loopback if ip is not None else self.host == "localhost" or self.host.endswith(".localhost")

    @property
    def is_private(self) -> bool:
        """Whether it is this computer, or in a network of one's own, by what its name says."""
        return _is_private(self.host)

    @property
    def tells_key(self) -> bool:
        """Whether a key that goes there could be read on its way."""
        return not self.is_encrypted and not self.is_private

    def url(self, path: str) -> str:
        """`path` begins with a slash."""
        return self.base + path


def _split(text: str) -> SplitResult:
    if not text or any(each.isspace() or not each.isprintable() for each in text):
        raise _unusable(text)
    try:
        if _ip(text.strip("[]")) is not None and ":" in text:
            text = f"[{text.strip('[]')}]"
        parts = urlsplit(text if "://" in text else f"//{text}")
        host = parts.hostname
    except ValueError as error:
        raise _unusable(text) from error
    if not host or (parts.scheme and parts.scheme not in _SCHEMES) or "\\" in text or "%" in host:
        raise _unusable(text)
    if parts.username is not None or parts.password is not None:
        raise UserError("The address holds a name or a password. Leave them out, and enter the key in its own field.")
    scheme = parts.scheme or ("http" if _is_private(host) else "https")
    return parts._replace(scheme=scheme, query="", fragment="")


def _port(parts: SplitResult) -> int | None:
    try:
        return parts.port
    except ValueError as error:
        raise _unusable(parts.netloc) from error


def _unusable(text: str) -> UserError:
    return UserError(
        "{address} is no address of a server. It looks like http://192.168.1.5:8080 or https://example.org.",
        address=text or "Nothing",
    )


def _ip(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        ip = ipaddress.ip_address(host)
    except ValueError:
        return None
    mapped = ip.ipv4_mapped if isinstance(ip, ipaddress.IPv6Address) else None
    return mapped or ip


def _is_private(host: str) -> bool:
    ip = _ip(host)
    if ip is not None:
        return not ip.is_global  # with 100.64.0.0/10, which networks over VPNs use
    return "." not in host or host.endswith(_HOME_NAMES)
