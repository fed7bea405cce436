from datetime import datetime

import pytest
from PySide6.QtCore import QLocale

from app.ui.formatting.dates import day_and_time, full_moment, short_moment

OLD = datetime(2024, 3, 5, 14, 32).timestamp()


@pytest.mark.parametrize(
    ("name", "short", "full"),
    [
        ("C", "2024-03-05", "Tuesday, 5 March 2024, 14:32"),
        ("en_GB", "05/03/2024", "Tuesday, 5 March 2024, 14:32"),
        ("de_DE", "05.03.24", "Dienstag, 5. März 2024, 14:32"),
    ],
)
def test_days_are_written_as_the_system_writes_them(name: str, short: str, full: str) -> None:
    locale = QLocale(name)
    assert (short_moment(OLD, locale), full_moment(OLD, locale)) == (short, full)
    assert day_and_time(OLD, locale) == f"{short} 14:32"


def test_what_was_today_is_told_by_its_time() -> None:
    now, locale = datetime.now(), QLocale("de_DE")
    assert short_moment(now.timestamp(), locale) == f"{now:%H:%M}"
    assert full_moment(now.timestamp(), locale).endswith(f", {now:%H:%M}")


def test_what_nobody_knows_is_not_told() -> None:
    assert (short_moment(0), full_moment(0)) == ("", "")
