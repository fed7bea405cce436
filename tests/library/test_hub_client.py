"""How long a server wants to be left alone."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from app.library.hub_client import wait_told
from app.library.hub_errors import BusyError, of_status


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, 0),
        ({"Retry-After": "17"}, 17),
        ({"Retry-After": " 0 "}, 0),
        ({"Retry-After": "-3"}, 0),
        ({"Retry-After": "soon"}, 0),
        ({"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0),
        ({"Retry-After": "Wed, 21 Oct 99999999999999 07:28:00 GMT"}, 0),
        # By the clock of the server that says so, and not by this computer's.
        ({"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT", "Date": "Wed, 21 Oct 2015 07:27:30 GMT"}, 30),
        ({"Retry-After": "Wed, 21 Oct 2065 07:28:00 GMT", "Date": "Wed, 21 Oct 2065 07:27:30 GMT"}, 30),
        ({"Retry-After": "Wed, 21 Oct 2015 09:28:00 +0200", "Date": "Wed, 21 Oct 2015 07:27:30"}, 30),
        ({"RateLimit": '"api";r=0;t=55'}, 55),
        ({"RateLimit": '"api";r=12;t=55'}, 0),
        ({"Retry-After": "9", "RateLimit": '"api";r=0;t=55'}, 9),
    ],
)
def test_what_is_told(headers: dict[str, str], seconds: float) -> None:
    assert wait_told(headers) == seconds


def test_a_date_is_understood() -> None:
    when = datetime.now(UTC) + timedelta(seconds=100)
    assert 95 < wait_told({"Retry-After": format_datetime(when, usegmt=True)}) <= 100


@pytest.mark.parametrize(
    ("wait", "told"), [(0, "later"), (0.2, "in 1 s"), (17, "in 17 s"), (300, "in 5 minutes"), (7200, "in 2 hours")]
)
def test_the_sentence_says_when(wait: float, told: str) -> None:
    error = of_status(429, "org/M", has_token=False, wait=wait)
    assert isinstance(error, BusyError)
    assert error.wait == wait
    assert error.sentence.endswith(f"Try again {told}.")
