"""One question to the hub: bounded in time and in length, whatever answers."""

from collections.abc import Mapping
from time import monotonic
from typing import Any

from app.core.errors import UserError
from app.library.hub_errors import of_status, offline
from app.library.hub_session import hub_session
from app.library.hub_wait import wait_told

_PATIENCE = 15.0
"""Seconds without a byte."""
_LONGEST_TIME = 60.0
"""Seconds for all of an answer: who sends a byte now and then must hold nobody up."""


def get(
    url: str, what: str, token: str | None, parameters: Mapping[str, Any] | None = None, *, longest: int,
    cut: bool = False,
) -> bytes:  # fmt: skip
    """The body, in one request with no other tries. `what` is what sentences call it.

    One that has more than `longest` bytes is `cut`, or refused. Raises UserError, and what the network raises.
    """
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    ends = monotonic() + _LONGEST_TIME
    with hub_session().stream(
        "GET", url, params=parameters, headers=headers, timeout=_PATIENCE, follow_redirects=True
    ) as answer:
        if answer.status_code != 200:
            raise of_status(answer.status_code, what, has_token=bool(token), wait=wait_told(answer.headers))
        found = bytearray()
        for piece in answer.iter_bytes():
            found += piece
            if len(found) > longest:
                if cut:
                    break
                raise UserError("Hugging Face answers with far more than Hearth asked for. Try again later.")
            if monotonic() > ends:
                raise offline("the answer did not end")
    return bytes(found[:longest])
