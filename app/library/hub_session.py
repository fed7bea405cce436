"""The client that all questions to the hub share."""

from typing import Any

from app.library.hub_errors import unusable_proxy


def hub_session() -> Any:
    """httpx's client, as huggingface_hub makes it. Raises UserError where the proxy that the environment names is
    none."""
    import httpx2
    from huggingface_hub import get_session

    try:
        return get_session()
    except (ImportError, ValueError, httpx2.InvalidURL) as error:
        # It imports a package of its own for SOCKS, and reads the addresses of proxies, when it is made.
        raise unusable_proxy(error) from error
