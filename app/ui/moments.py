"""Days and times as the person's system writes them."""

from PySide6.QtCore import QDate, QDateTime, QLocale


def short_moment(seconds: float) -> str:
    """The time of what was today, the date of all else. `seconds` since the epoch; empty for 0, which is not known."""
    if not seconds:
        return ""
    moment, short = QDateTime.fromSecsSinceEpoch(int(seconds)), QLocale.FormatType.ShortFormat
    if moment.date() == QDate.currentDate():
        return QLocale.system().toString(moment.time(), short)
    return QLocale.system().toString(moment.date(), short)


def full_moment(seconds: float) -> str:
    """The day and the time, such as “Monday, November 23, 2026 at 14:32”."""
    if not seconds:
        return ""
    moment, locale = QDateTime.fromSecsSinceEpoch(int(seconds)), QLocale.system()
    day = locale.toString(moment.date(), QLocale.FormatType.LongFormat)
    return f"{day}, {locale.toString(moment.time(), QLocale.FormatType.ShortFormat)}"
