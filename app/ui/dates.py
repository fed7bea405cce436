"""Dates and times as the system writes them. Where it has no way of its own, as ISO 8601 does."""

from datetime import datetime

from PySide6.QtCore import QDate, QDateTime, QLocale, QTime

_SHORT = QLocale.FormatType.ShortFormat


def date_text(date: QDate) -> str:
    return _written(date, "yyyy-MM-dd")


def time_text(time: QTime) -> str:
    return _written(time, "HH:mm")


def moment_text(when: float | datetime) -> str:
    """Date and time of `when`, in seconds since the epoch, or in the user's own time."""
    seconds = when.timestamp() if isinstance(when, datetime) else when
    moment = QDateTime.fromSecsSinceEpoch(int(seconds))
    return _written(moment, "yyyy-MM-dd HH:mm")


def _written(what: QDate | QTime | QDateTime, iso: str) -> str:
    here = QLocale()
    if here.language() == QLocale.Language.C:
        return what.toString(iso)
    return here.toString(what, _SHORT)
