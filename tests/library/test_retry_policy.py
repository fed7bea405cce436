"""How long a download goes on trying."""

import pytest

from app.library.hub_errors import offline
from app.library.retry_policy import Retries, RetryPolicy
from app.library.transfer_errors import BrokenError

BROKEN = BrokenError("away", offline())
LASTING = BrokenError("refused", offline(), is_lasting=True)


def after(seconds: list[float], monkeypatch: pytest.MonkeyPatch, broken: BrokenError = BROKEN) -> bool:
    """Whether it is given up when failures follow each other so many seconds apart."""
    times = iter([sum(seconds[: n + 1]) for n in range(len(seconds))])
    monkeypatch.setattr("app.library.retry_policy.monotonic", lambda: next(times))
    patience = Retries(RetryPolicy(tries=3, endurance=3600.0))
    for _ in seconds:
        patience.count(0)
    return patience.is_over(broken)


def test_a_network_that_stays_away_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not after([30.0] * 120, monkeypatch)
    assert after([30.0] * 122, monkeypatch)


def test_a_computer_that_slept_has_not_waited(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some systems' clocks go on meanwhile, and the network is back a while after the computer."""
    assert not after([30.0, 30.0, 30.0, 9 * 3600.0, 1.0], monkeypatch)


def test_what_waiting_does_not_mend_is_given_up_after_a_few_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not after([1.0] * 2, monkeypatch, LASTING)
    assert after([1.0] * 3, monkeypatch, LASTING)
