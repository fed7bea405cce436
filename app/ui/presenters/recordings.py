"""How the recordings of the message that is being written are played."""

from PySide6.QtCore import QObject, Slot

from app.core.messages import AudioPart
from app.services.drafts.draft_attachments import DraftAttachments
from app.services.recordings.service import RecordingService
from app.ui.composer.audio_tray import AudioTray
from app.ui.widgets.notices import Notices


class RecordingsPresenter(QObject):
    """Joins the tray to the service. Those of the transcript play by themselves."""

    def __init__(
        self, recordings: RecordingService, attached: DraftAttachments, tray: AudioTray, notices: Notices
    ) -> None:
        super().__init__(tray)
        self._recordings = recordings
        self._attached = attached
        self._tray = tray
        tray.opened.connect(self._toggle)
        recordings.played.connect(self._show)
        recordings.noticed.connect(notices.show_notice)
        attached.changed.connect(self._show)

    @Slot(int)
    def _toggle(self, number: int) -> None:
        found = self._attached.find(number)
        if found is not None and isinstance(found.part, AudioPart):
            self._recordings.toggle(found.part)

    @Slot()
    def _show(self, _: object = None) -> None:
        if not self._tray.is_empty:
            self._recordings.look_for_device()
            self._tray.show_playing(self._recordings.share_of, self._recordings.problem)
