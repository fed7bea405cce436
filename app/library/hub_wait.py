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
        try:
            when = parsedate_to_datetime(told)
        except ValueError:
            return 0.0
        when = when if when.tzinfo is not None else when.replace(tzinfo=UTC)
        return max(0.0, (when - datetime.now(UTC)).total_seconds())
    spent = _RESET.search(headers.get("RateLimit", ""))
    return float(spent[1]) if spent else 0.0
