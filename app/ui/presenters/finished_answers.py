"""An answer that ends where nobody looks: told in the window, and by the system while the window is not in use."""

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget

from app.services.runtime.settings_service import SettingsService
from app.storage.conversations import Conversation, MessageState, StoredMessage
from app.ui.sidebar.rows import untitled
from app.ui.widgets.notices import NoticeBar, Notices
from app.ui.widgets.system_notice import SystemNotice

if TYPE_CHECKING:
    from app.services.chat.chat_controller import ChatController
    from app.services.conversations.chat_marks import ChatMarks


class FinishedAnswersPresenter(QObject):
    """`window` owns it."""

    def __init__(
        self,
        marks: "ChatMarks",
        controller: "ChatController",
        settings: SettingsService,
        notices: Notices,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._controller = controller
        self._settings = settings
        self._notices = notices
        self.system = SystemNotice(window)
        self._titles: dict[int, str] = {}
        self._bars: dict[int, NoticeBar] = {}
        """What is shown now of conversations that nobody has opened since."""
        self._told: int | None = None
        """The conversation of what the system told last."""
        controller.active.listed.connect(self._hear_titles)
        controller.active.switched.connect(self._hear_opened)
        marks.finished.connect(self._hear_end)
        marks.asked.connect(self._hear_call)
        notices.gone.connect(self._forget)
        self.system.clicked.connect(self._open_told)

    @Slot(object)
    def _hear_titles(self, conversations: tuple[Conversation, ...]) -> None:
        self._titles = {each.id: each.title for each in conversations}
        for gone in self._bars.keys() - self._titles.keys():
            self._hear_opened(gone)

    @Slot(object)
    def _hear_opened(self, conversation_id: int | None) -> None:
        if conversation_id is not None and (bar := self._bars.pop(conversation_id, None)) is not None:
            self._notices.withdraw(bar)

    @Slot(object)
    def _forget(self, gone: NoticeBar) -> None:
        """Its time was up, or somebody dismissed it."""
        self._bars = {number: bar for number, bar in self._bars.items() if bar is not gone}

    @Slot(object)
    def _hear_end(self, stored: StoredMessage) -> None:
        if stored.state is MessageState.FAILED:
            told = self.tr("The answer in “{title}” broke off.")
        else:
            told = self.tr("“{title}” has an answer.")
        self._tell(stored.conversation_id, told)

    @Slot(int)
    def _hear_call(self, conversation_id: int) -> None:
        self._tell(conversation_id, self.tr("“{title}” waits for your permission."))

    def _tell(self, conversation_id: int, told: str) -> None:
        if not self._settings.settings.interface.tell_answers or conversation_id not in self._titles:
            return
        sentence = told.format(title=self._titles[conversation_id] or untitled())
        if conversation_id != self._controller.active.conversation_id:
            self._hear_opened(conversation_id)
            self._bars[conversation_id] = self._notices.offer(
                sentence, self.tr("Open"), partial(self._controller.open_conversation, conversation_id)
            )
        if self.system.is_wanted:
            self._told = conversation_id
            self.system.show("Hearth", sentence)

    @Slot()
    def _open_told(self) -> None:
        window = self._window.window()
        if window.isMinimized():
            window.showNormal()
        window.raise_()
        window.activateWindow()
        if self._told is not None and self._told in self._titles:
            self._controller.open_conversation(self._told)
