"""A small button in the header that shows how far the downloads are, and opens their page."""

from collections.abc import Sequence

from PySide6.QtWidgets import QPushButton, QWidget

from app.services.models.download_states import Download, DownloadStage
from app.ui.formatting.sentences import translated
from app.ui.models.hub_text import percent, progress_line
from app.ui.widgets.plain_text import plain_tip

_OPEN = (DownloadStage.WAITING, DownloadStage.RUNNING)


class DownloadChip(QPushButton):
    """Hidden while nothing is being fetched and nothing has stopped."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("fetching")
        self.setAutoDefault(False)
        self.show_downloads(())

    def show_downloads(self, downloads: Sequence[Download]) -> None:
        running = [each for each in downloads if each.stage in _OPEN]
        stopped = [each for each in downloads if each.stage is DownloadStage.FAILED]
        self.setHidden(not running and not stopped)
        if running:
            size, done = sum(each.size for each in running), sum(each.done for each in running)
            share = percent(running[0]) if len(running) == 1 else min(99, int(100 * done / size)) if size else 0
            text = self.tr("↓ {percent} %").format(percent=share)
            lines = [f"{each.name}: {progress_line(each)}" for each in running]
        else:
            text = self.tr("Download stopped")
            lines = [f"{each.name}: {translated(each.problem)}" for each in stopped]
        if text != self.text():
            self.setText(text)
        told = "\n".join(lines)
        self.setToolTip(plain_tip(told))
        self.setAccessibleName(self.tr("Downloads: {percent}").format(percent=text))
        self.setAccessibleDescription(told)
