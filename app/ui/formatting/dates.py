"""Days and times as the person's system writes them."""

from PySide6.QtCore import QDate, QDateTime, QLocale

_SHORT, _LONG = QLocale.FormatType.ShortFormat, QLocale.FormatType.LongFormat


def short_moment(seconds: float, locale: QLocale | None = None) -> str:
    """The time of what was today, the date of all else. `seconds` since the epoch; empty for 0, which is not known."""
    if not seconds:
        return ""
    moment, here = QDateTime.fromSecsSinceEpoch(int(seconds)), locale or QLocale.system()
    if moment.date() == QDate.currentDate():
        return here.toString(moment.time(), _SHORT)
    return short_date(moment.date(), here)


def full_moment(seconds: float, locale: QLocale | None = None) -> str:
    """The day and the time, such as “Monday, 23 November 2026, 14:32”."""
    if not seconds:
        return ""
    moment, here = QDateTime.fromSecsSinceEpoch(int(seconds)), locale or QLocale.system()
    return f"{here.toString(moment.date(), _LONG)}, {here.toString(moment.time(), _SHORT)}"


def day_and_time(seconds: float, locale: QLocale | None = None) -> str:
    """Both, as short as the system writes them."""
    moment, here = QDateTime.fromSecsSinceEpoch(int(seconds)), locale or QLocale.system()
    return f"{short_date(moment.date(), here)} {here.toString(moment.time(), _SHORT)}"


def short_date(date: QDate, locale: QLocale | None = None) -> str:
    """Where the system names no country, Qt would write “22 11 2026”."""
    here = locale or QLocale.system()
    return here.toString(date, "yyyy-MM-dd" if here.language() == QLocale.Language.C else _SHORT)
