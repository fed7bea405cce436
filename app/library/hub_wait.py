"""How long a server wants to be left alone."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_SECONDS = re.compile(r"\d{1,6}")
_RESET = re.compile(r"r\s*=\s*0\s*;\s*t\s*=\s*(\d{1,6})")
"""Nothing is left until `t` seconds have gone: draft-ietf-httpapi-ratelimit-headers-09, which the hub follows."""


def wait_told(headers: Mapping[str, str]) -> float:
    """Seconds; 0 where nothing is said. `Retry-After` may be a number or a date (RFC 9110, 10.2.3)."""
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
    try:
        when = parsedate_to_datetime(told)
        return (when if when.tzinfo is not None else when.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
