"""Says to screen readers what happens away from the keyboard's focus: an answer that is finished, a notice."""

from collections.abc import Callable

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QWidget

from app.core.errors import UserError
from app.services.engine.states import Activity, Calling, Idle, Prefilling, Stopping, Waiting
from app.storage.conversations import MessageState, StoredMessage
from app.ui.formatting.sentences import translated

_LONGEST = 600
"""Letters of an answer that are read aloud; of a longer one it is said that it is there."""
Tell = Callable[[str, bool], None]
"""A sentence, and whether it may interrupt what is being said"""


class Announcer(QObject):
    """Connect its slots. GUI thread; costs nothing where no screen reader listens."""

    def __init__(self, window: QWidget, tell: Tell | None = None) -> None:
        super().__init__(window)
        self._window = window
        self._tell = tell or self._announce
        self._busy = False
        self._conversation: int | None = None

    @Slot(object)
    def show_conversation(self, conversation: int | None) -> None:
        """What ends in this one is said."""
        self._conversation = conversation

    @Slot(object)
    def show_activity(self, activity: Activity) -> None:
        was_busy, self._busy = self._busy, not isinstance(activity, Idle)
        if self._busy and not was_busy and isinstance(activity, Prefilling | Waiting):
            self._tell(self.tr("The model is reading."), False)
        elif isinstance(activity, Calling) and activity.asks:
            self._tell(self.tr("A tool waits for your permission."), False)
        elif isinstance(activity, Stopping):
            self._tell(self.tr("Stopping."), False)

    @Slot(object)
    def show_end(self, answer: StoredMessage) -> None:
        if answer.conversation_id != self._conversation:
            return
        text = answer.message.text.strip()
        if answer.state is MessageState.FAILED:
            return  # why is said as an error
        if answer.state is not MessageState.COMPLETE:
            self._tell(self.tr("The answer was stopped."), False)
        elif len(text) <= _LONGEST:
            self._tell(self.tr("Answer: {text}").format(text=text), False)
        else:
            self._tell(self.tr("The answer is there, %n word(s).", "", len(text.split())), False)

    @Slot(object)
    def show_notice(self, sentence: str) -> None:
        self._tell(translated(sentence), False)

    @Slot(object)
    def show_error(self, error: UserError) -> None:
        self._tell(translated(error.sentence), True)

    def _announce(self, sentence: str, urgent: bool) -> None:
        if QAccessible.isActive():
            event = QAccessibleAnnouncementEvent(self._window, sentence)
            politeness = QAccessible.AnnouncementPoliteness
            event.setPoliteness(politeness.Assertive if urgent else politeness.Polite)
            QAccessible.updateAccessibility(event)
