"""The side that was told a code: it goes to the other computer, and comes back with its certificate."""

import json
import socket
import ssl
from dataclasses import dataclass

from app.core.errors import UserError
from app.remote.address import ServerAddress
from app.remote.pairing.certificate import OwnCertificate, Pin, fingerprint_of, unverified
from app.remote.pairing.handshake import Guest, Sides, WrongCodeError, plain_code
from app.remote.pairing.lines import Lines, TalkError, data, shown_name, text

_CONNECT = 6.0
_DIGITS = 6


@dataclass(frozen=True, slots=True)
class PairedHost:
    name: str
    """As it calls itself."""
    address: ServerAddress
    """Where those that are paired are served, with its certificate pinned."""


def pair(own: OwnCertificate, name: str, address: str, code: str) -> PairedHost:
    """Blocks for half a minute at most. `name` is what this computer calls itself, `address` a name or number and a
    port, as the other computer shows them. Raises UserError with a sentence; then nobody is trusted.
    """
    host, port = _place(address)
    code = plain_code(code)
    if len(code) != _DIGITS or not code.isdecimal():
        raise UserError("The code has {n} digits, as the other computer shows them.", n=_DIGITS)
    try:
        with (
            socket.create_connection((host, port), _CONNECT) as connection,
            unverified().wrap_socket(connection) as encrypted,
        ):
            return _talk(Lines(encrypted), own, name, host, code)
    except WrongCodeError as error:
        raise UserError(
            "The code is not the one that {host} shows, or somebody stands between. Have it make a new code.", host=host
        ) from error
    except TalkError as error:
        raise UserError("What answers at {address} is no Hearth that waits to be paired.", address=address) from error
    except socket.gaierror as error:
        raise UserError("The name {host} is not known here. Check the address and the network.", host=host) from error
    except (ssl.SSLError, ValueError) as error:  # names that are none are ValueErrors
        raise UserError("What answers at {address} is no Hearth that waits to be paired.", address=address) from error
    except OSError as error:
        raise UserError(
            "{address} can't be reached. Check that the other computer shows a code now, and that no firewall stands "
            "between.",
            address=address,
            detail=repr(error),
        ) from error


def _place(address: str) -> tuple[str, int]:
    host, _, port = address.strip().rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 1 << 16:
        raise UserError("Enter the address with its port, as the other computer shows it: 192.168.1.5:40123.")
    return host.strip("[]"), int(port)


def _talk(lines: Lines, own: OwnCertificate, name: str, host: str, code: str) -> PairedHost:
    guest, seen = Guest(code), lines.seen
    lines.say(certificate=own.pem, name=name, start=guest.start)
    sides = Sides(guest=own.fingerprint, host=fingerprint_of(seen))
    lines.say(proof=guest.confirm(data(lines.hear(), "start"), sides, name))
    answer = lines.hear()
    if "refused" in answer:
        raise WrongCodeError
    told = text(answer, "told")
    guest.check(data(answer, "proof"), sides, told)
    try:
        said = json.loads(told)
    except (ValueError, RecursionError) as error:
        raise TalkError from error
    match said:
        case {"name": str(theirs), "port": int(port)} if 0 < port < 1 << 16:
            shown = f"[{host}]" if ":" in host else host
            pin = Pin(ssl.DER_cert_to_PEM_cert(seen), str(own.path))
            return PairedHost(shown_name(theirs) or host, ServerAddress(f"https://{shown}:{port}", pin))
    raise TalkError
