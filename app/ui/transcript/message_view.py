"""One message on screen."""

from PySide6.QtWidgets import QWidget

from app.core.messages import Role
from app.services.pictures.preview_cache import PreviewCache
from app.services.recordings.service import RecordingService
from app.storage.conversations import StoredMessage
from app.ui.theme.appearance import Appearance
from app.ui.transcript.answer_view import AnswerView
from app.ui.transcript.user_view import UserView

__all__ = ["AnswerView", "MessageView", "UserView", "make_message_view"]

MessageView = UserView | AnswerView


def make_message_view(
    appearance: Appearance,
    stored: StoredMessage,
    parent: QWidget,
    previews: PreviewCache | None = None,
    recordings: RecordingService | None = None,
) -> MessageView:
    if stored.message.role is Role.USER:
        return UserView(appearance, stored, parent, previews=previews, recordings=recordings)
    return AnswerView(appearance, stored, parent, previews=previews)
