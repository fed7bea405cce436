"""Which addresses a text may lead to."""

_SCHEMES = ("http://", "https://", "mailto:")


def is_safe_link(address: str) -> bool:
    """Only the web and mail: never a file, a script or a share of the network."""
    return address.lower().startswith(_SCHEMES)
