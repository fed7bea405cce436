"""Questions to the hub: bounded in time and in length, whatever answers."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from time import monotonic
from typing import Any

from app.core.errors import UserError
from app.library.hub_errors import of_network, of_status, offline, unusable_proxy

_PATIENCE = 15.0
"""Seconds without a byte."""
_LONGEST_TIME = 60.0
"""Seconds for all of an answer: who sends a byte now and then must hold nobody up."""
_SECONDS = re.compile(r"\d{1,6}")
_RESET = re.compile(r"r\s*=\s*0\s*;\s*t\s*=\s*(\d{1,6})")
"""Nothing is left until `t` seconds have gone: draft-ietf-httpapi-ratelimit-headers-09, which the hub follows."""


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


def bearer(token: str | None) -> dict[str, str]:
    """The header that says who asks."""
    return {"Authorization": f"Bearer {token}"} if token else {}


@contextmanager
def asked(
    url: str, what: str, token: str | None = None, parameters: Mapping[str, Any] | None = None, /, **headers: str
) -> Iterator[Any]:
    """httpx's answer to one request, with no other tries; its body comes as it is read, inside.

    `what` is what sentences call it. Raises UserError for what is no success, and for what the network does meanwhile.
    """
    import httpx2
    from huggingface_hub.errors import OfflineModeIsEnabled

    headers |= bearer(token)
    try:
        with hub_session().stream(
            "GET", url, params=parameters, headers=headers, timeout=_PATIENCE, follow_redirects=True
        ) as answer:
            if answer.status_code not in (200, 206):
                raise of_status(answer.status_code, what, has_token=bool(token), wait=wait_told(answer.headers))
            yield answer
    except OfflineModeIsEnabled as error:
        raise offline("HF_HUB_OFFLINE is set") from error
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
        raise of_network(error) from error


def body_of(answer: Any, longest: int) -> bytes:
    """All of an answer, or somewhat more than `longest` bytes of it. Raises OfflineError where it does not end."""
    ends, found = monotonic() + _LONGEST_TIME, bytearray()
    for piece in answer.iter_bytes():
        found += piece
        if len(found) > longest:
            break
        if monotonic() > ends:
            raise offline("the answer did not end")
    return bytes(found)


def get(
    url: str, what: str, token: str | None, parameters: Mapping[str, Any] | None = None, *, longest: int,
    cut: bool = False,
) -> bytes:  # fmt: skip
    """The body that `asked` gives; one that has more than `longest` bytes is `cut`, or refused."""
    with asked(url, what, token, parameters) as answer:
        found = body_of(answer, longest)
    if len(found) > longest and not cut:
        raise UserError("Hugging Face answers with far more than Hearth asked for. Try again later.")
    return found[:longest]


def wait_told(headers: Mapping[str, str]) -> float:
    """Seconds for which the server wants to be left alone; 0 where nothing is said.

    `Retry-After` may be a number or a date (RFC 9110, 10.2.3).
    """
    told = headers.get("Retry-After", "").strip()
    if _SECONDS.fullmatch(told):
        return float(told)
    if told:
        when, now = _date(told), _date(headers.get("Date", ""))
        # By the server's own clock, where it tells it: this computer's may be wrong.
        return max(0.0, (when - (now or datetime.now(UTC))).total_seconds()) if when is not None else 0.0
    spent = _RESET.search(headers.get("RateLimit", ""))
    return float(spent[1]) if spent else 0.0


def _date(told: str) -> datetime | None:
    from email.utils import parsedate_to_datetime  # not for the window's start

    try:
        when = parsedate_to_datetime(told)
        return (when if when.tzinfo is not None else when.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
