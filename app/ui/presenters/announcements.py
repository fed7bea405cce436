"""What is said to screen readers of the conversation on screen."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.ui.composer.composer import Composer
from app.ui.widgets.announcer import Announcer

if TYPE_CHECKING:
    from app.services.chat.chat_controller import ChatController


class AnnouncementsPresenter(QObject):
    def __init__(self, controller: "ChatController", composer: Composer, window: QWidget) -> None:
        super().__init__(window)
        told, announcer = controller.notices, Announcer(window)
        controller.active.switched.connect(announcer.show_conversation)
        controller.replies.ended.connect(announcer.show_end)
        controller.replies.activity_changed.connect(announcer.show_activity)
        for said in (told.noticed, composer.refused):
            said.connect(announcer.show_notice)
        for failed in (told.failed, told.load_failed, told.answer_failed):
            failed.connect(announcer.show_error)
