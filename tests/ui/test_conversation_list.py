from datetime import datetime, timedelta

import pytest

from app.storage.conversations import Conversation
from app.ui.conversation_list import Age, Header, age_of, rows_of
from tests.ui.fakes import conversation

NOW = datetime(2025, 6, 15, 0, 30)


@pytest.mark.parametrize(
    ("ago", "age"),
    [
        (timedelta(minutes=29), Age.TODAY),
        (timedelta(minutes=31), Age.YESTERDAY),
        (timedelta(hours=24, minutes=29), Age.YESTERDAY),
        (timedelta(hours=24, minutes=31), Age.WEEK),
        (timedelta(days=7), Age.WEEK),
        (timedelta(days=9), Age.OLDER),
        (timedelta(minutes=-5), Age.TODAY),
    ],
)
def test_ages_are_calendar_days(ago: timedelta, age: Age) -> None:
    assert age_of((NOW - ago).timestamp(), NOW) is age


def test_each_age_has_one_header() -> None:
    today, also, older = (_made(title, days) for title, days in (("A", 0), ("B", 0), ("C", 30)))
    assert rows_of((today, also, older), "", NOW) == [Header(Age.TODAY), today, also, Header(Age.OLDER), older]


def test_every_word_has_to_be_in_the_title() -> None:
    made = (_made("Trip to Kyoto", 0), _made("Kyoto food", 0), _made("STRASSE", 20))
    assert _titles(made, "kyoto TRIP") == ["Trip to Kyoto"]
    assert _titles(made, "straße") == ["STRASSE"]
    assert rows_of(made, "nothing", NOW) == []


def _made(title: str, days: int) -> Conversation:
    return conversation(title, (NOW - timedelta(days=days)).timestamp())


def _titles(made: tuple[Conversation, ...], wanted: str) -> list[str]:
    return [row.title for row in rows_of(made, wanted, NOW) if isinstance(row, Conversation)]
