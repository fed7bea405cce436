"""What is said of downloads and of models on the hub: sizes, speeds, times."""

from PySide6.QtCore import QCoreApplication, QDate, Qt

from app.library.hub import HubModel
from app.services.models.download_states import Download, DownloadStage
from app.ui.formatting.dates import short_date
from app.ui.formatting.numbers import compact, size_text
from app.ui.models.rows import DOT, params_text


def model_facts(model: HubModel) -> str:
    """One line of what the hub tells of a model."""
    from app.ui.models.discover_rows import short  # the window's start needs no page of the hub

    parts = (
        model.repo.partition("/")[0],
        params_text(model.n_params),
        model.architecture,
        _tr("context {size}").format(size=compact(model.n_ctx)) if model.n_ctx else "",
        model.licence,
        _tr("{count} downloads").format(count=short(model.downloads)) if model.downloads else "",
        _tr("{count} likes").format(count=short(model.likes)) if model.likes else "",
        _tr("changed {date}").format(date=_day(model.updated)) if model.updated else "",
    )
    return DOT.join(each for each in parts if each)


def _day(moment: str) -> str:
    """Of a moment as ISO 8601 writes it."""
    return short_date(QDate.fromString(moment[:10], Qt.DateFormat.ISODate))


def percent(download: Download) -> int:
    """100 only when all is there."""
    if download.stage is DownloadStage.DONE:
        return 100
    return min(99, int(100 * download.done / download.size)) if download.size else 0


def time_left(seconds: float) -> str:
    """Roughly, as nobody knows it better."""
    if seconds < 60:
        return _tr("less than a minute left")
    if seconds < 5400:
        minutes = round(seconds / 60)
        return _tr("1 minute left") if minutes == 1 else _tr("{count} minutes left").format(count=minutes)
    hours = round(seconds / 3600)
    return _tr("{count} hours left").format(count=hours) if hours < 48 else _tr("more than two days left")


def _time(seconds: float) -> str:
    return (
        _tr("{count} s").format(count=round(seconds))
        if seconds < 90
        else _tr("{count} min").format(count=round(seconds / 60))
    )


def progress_line(download: Download) -> str:
    """How far it is, in one line."""
    size = size_text(download.size)
    so_far = _tr("{done} of {size}").format(done=size_text(download.done), size=size)
    match download.stage:
        case DownloadStage.WAITING:
            return DOT.join((_tr("Waiting for its turn"), so_far if download.done else size))
        case DownloadStage.RUNNING if download.away:
            again = _tr("tries again in {time}").format(time=_time(download.wait))
            trying = again if download.wait >= 1 else _tr("tries again now")
            return DOT.join((_tr("Waiting for the network"), so_far, trying))
        case DownloadStage.RUNNING if download.wait >= 1:
            return DOT.join((so_far, _tr("it rests, and goes on in {time}").format(time=_time(download.wait))))
        case DownloadStage.RUNNING:
            left = download.left
            parts = [so_far]
            if download.speed:
                parts.append(_tr("{size} a second").format(size=size_text(download.speed)))
            if left is not None:
                parts.append(time_left(left) if download.done < download.size else _tr("checking"))
            elif download.checking or (download.size and download.done >= download.size):
                parts.append(_tr("checking"))
            return DOT.join(parts)
        case DownloadStage.PAUSED:
            return DOT.join((_tr("Paused"), so_far))
        case DownloadStage.FAILED:
            return DOT.join((_tr("Stopped"), so_far))
        case DownloadStage.DONE:
            return DOT.join((_tr("Here"), size))


def _tr(text: str) -> str:
    return QCoreApplication.translate("hub", text)
