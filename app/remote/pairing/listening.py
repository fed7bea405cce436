"""A socket for whoever reaches this computer, by whichever of its addresses."""

import errno
import socket

_NO_IPV6 = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)


def everywhere(port: int) -> socket.socket:
    """Listens at all addresses, those of IPv6 among them where there are any. Raises OSError."""
    if socket.has_dualstack_ipv6():
        try:
            return socket.create_server(("", port), family=socket.AF_INET6, dualstack_ipv6=True)
        except OSError as error:
            if error.errno not in _NO_IPV6:
                raise
    return socket.create_server(("", port))
