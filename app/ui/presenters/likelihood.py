"""From "How surprising was this answer?" to the engine, and its figures back."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget

from app.ui.theme.appearance import Appearance
from app.ui.transcript.message_actions import TellLikelihood
from app.ui.transcript.transcript import Transcript

if TYPE_CHECKING:
    from app.services.chat.chat_controller import ChatController


class LikelihoodPresenter(QObject):
    """`window` owns it."""

    def __init__(
        self, appearance: Appearance, controller: "ChatController", transcript: Transcript, window: QWidget
    ) -> None:
        super().__init__(window)
        self._appearance = appearance
        self._controller = controller
        self._window = window
        transcript.wished.connect(self._hear)

    @Slot(object)
    def _hear(self, wish: object) -> None:
        if not isinstance(wish, TellLikelihood):
            return
        # Imported here: few ask.
        from app.ui.transcript.likelihood_dialog import LikelihoodDialog

        dialog = LikelihoodDialog(self._appearance, self._window)
        asked = self._controller.likelihood.ask(wish.message_id, dialog.show_result, dialog.show_progress)
        if asked is None:
            dialog.deleteLater()
            return
        dialog.finished.connect(asked.cancel)
        dialog.open()
