"""One message on screen."""

from PySide6.QtWidgets import QWidget

from app.core.messages import Role
from app.services.pictures.picture_shelf import PictureShelf
from app.storage.conversations import StoredMessage
from app.ui.theme.theme import Look
from app.ui.transcript.answer_view import AnswerView
from app.ui.transcript.user_view import UserView

__all__ = ["AnswerView", "MessageView", "UserView", "make_message_view"]

MessageView = UserView | AnswerView


def make_message_view(
    look: Look, stored: StoredMessage, parent: QWidget, shelf: PictureShelf | None = None
) -> MessageView:
    if stored.message.role is Role.USER:
        return UserView(look, stored, parent, shelf=shelf)
    return AnswerView(look, stored, parent)
