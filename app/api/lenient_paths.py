"""Paths as clients come to them by bases that are nearly right."""

import re

_VERSIONED = ("models", "chat", "completions", "responses", "messages")
"""What stands behind `/v1`."""


def lenient_path(path: str) -> str:
    """Without slashes too many, and with `/v1` once where it belongs."""
    path = re.sub(r"/{2,}", "/", path).rstrip("/") or "/"
    path = re.sub(r"^(/v1)+(?=/)", "/v1", path)
    head, _, rest = path.removeprefix("/v1/").removeprefix("/").partition("/")
    if head in _VERSIONED:
        return f"/v1/{head}/{rest}".rstrip("/")
    return path.removeprefix("/v1") if path.startswith("/v1/") else path
