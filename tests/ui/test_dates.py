"""Dates as the system writes them."""

from collections.abc import Iterator
from datetime import datetime

import pytest
from PySide6.QtCore import QDate, QLocale, QTime

from app.ui.dates import date_text, moment_text, time_text


@pytest.fixture(autouse=True)
def usual_locale() -> Iterator[None]:
    before = QLocale()
    yield
    QLocale.setDefault(before)


@pytest.mark.parametrize(
    ("locale", "date", "time"),
    [
        (QLocale("de_DE"), "22.11.26", "14:05"),
        (QLocale("en_GB"), "22/11/2026", "14:05"),
        (QLocale.c(), "2026-11-22", "14:05"),
    ],
)
def test_they_are_written_as_the_system_does(locale: QLocale, date: str, time: str) -> None:
    QLocale.setDefault(locale)
    assert date_text(QDate(2026, 11, 22)) == date
    assert time_text(QTime(14, 5)) == time
    moment = datetime(2026, 11, 22, 14, 5)
    assert moment_text(moment).split() == moment_text(moment.timestamp()).split() == [date, time]
