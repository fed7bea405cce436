"""Messages that were sent while an answer was being written: they wait, and go by themselves."""

from dataclasses import dataclass
from enum import Enum, auto

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.core.messages import Message
from app.services.chat.chat_controller import ChatController
from app.services.drafts.drafts import Drafts
from app.storage.conversations import MessageState, StoredMessage


class Hold(Enum):
    """Why a queue does not go on by itself."""

    STOPPED = auto()
    FAILED = auto()
    FULL = auto()
    """The context was full."""
    REFUSED = auto()
    """The first of them could not be sent."""
    RESTARTED = auto()
    """It is from the last run."""


@dataclass(frozen=True, slots=True)
class Queue:
    """Of the conversation on screen."""

    messages: tuple[Message, ...] = ()
    hold: Hold | None = None
    """None while it goes by itself when the answer ends."""


class Outbox(QObject):
    """GUI thread; one queue for each conversation, kept with its draft."""

    changed = Signal(object)
    """Queue of the conversation on screen"""

    def __init__(self, controller: ChatController, drafts: Drafts, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._controller = controller
        self._drafts = drafts
        self._conversation: int | None = None
        self._known: set[int | None] = set()
        """Conversations whose queue was touched in this run."""
        self._holds: dict[int | None, Hold] = {}
        self._due: list[int | None] = []
        """Conversations whose queue may go on, the next one first."""
        self._is_closed = False
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.timeout.connect(self._go)
        controller.replies.ended.connect(self._hear_end)

    @property
    def queue(self) -> Queue:
        """Of the conversation on screen."""
        return Queue(self._messages(self._conversation), self._holds.get(self._conversation))

    @property
    def must_wait(self) -> bool:
        """Whether what is sent now has to be queued: an answer is being written in the conversation on screen."""
        return self._controller.replies.is_writing_in(self._conversation)

    def show_conversation(self, conversation: int | None) -> None:
        self._conversation = conversation
        if conversation not in self._known and self._messages(conversation):
            self._holds.setdefault(conversation, Hold.RESTARTED)
        self._known.add(conversation)
        self._tell()

    def add(self, message: Message, place: int | None = None) -> None:
        """Queue a message of the conversation on screen: at the end, or at a place."""
        self.put_back(self._conversation, message, len(self.queue.messages) if place is None else place)

    def put_back(self, conversation: int | None, message: Message, place: int) -> None:
        """Queue a message of any conversation, as near to that place as there is one."""
        queue = list(self._messages(conversation))
        queue.insert(place, message)
        self._set(conversation, queue)

    def remove(self, index: int) -> Message:
        """Take a message out of the queue on screen."""
        queue = list(self._messages(self._conversation))
        taken = queue.pop(index)
        self._set(self._conversation, queue)
        return taken

    def move(self, index: int, to: int) -> None:
        queue = list(self._messages(self._conversation))
        if 0 <= to < len(queue):
            queue.insert(to, queue.pop(index))
            self._set(self._conversation, queue)

    def send_now(self) -> None:
        """Let the queue on screen go on: at once, or when the answer that is being written ends."""
        self._holds.pop(self._conversation, None)
        self._due_first(self._conversation)
        self._tell()
        self._soon.start()

    def close(self) -> None:
        """Send nothing more by itself: the program is about to end. What waits is kept, and waits at the next start."""
        self._is_closed = True
        self._soon.stop()

    def _messages(self, conversation: int | None) -> tuple[Message, ...]:
        return self._drafts.get(conversation).queue

    def _set(self, conversation: int | None, queue: list[Message]) -> None:
        self._known.add(conversation)
        self._drafts.set_queue(conversation, tuple(queue))
        if not queue:
            self._holds.pop(conversation, None)
        elif conversation not in self._due:
            self._due.append(conversation)
        self._tell()

    def _due_first(self, conversation: int | None) -> None:
        self._due = [conversation, *(each for each in self._due if each != conversation)]

    @Slot(object)
    def _hear_end(self, stored: StoredMessage) -> None:
        where, active = stored.conversation_id, self._controller.active
        # One of several answers, of which another is kept, holds nothing up.
        is_beside = where == active.conversation_id and active.find(stored.id) is None
        if is_beside or (hold := _hold_after(stored)) is None:
            self._due_first(where)
        elif self._messages(where):
            self._holds[where] = hold
            if where == self._conversation:
                self._tell()
        # Not at once: whoever tells the end has more to tell.
        if not self._is_closed:
            self._soon.start()

    @Slot()
    def _go(self) -> None:
        self._due = [each for each in self._due if self._messages(each)]
        replies = self._controller.replies
        for where in [each for each in self._due if not (each in self._holds or replies.is_writing_in(each))]:
            self._send_first(where)

    def _send_first(self, where: int | None) -> None:
        first, *rest = self._messages(where)
        went = self._controller.send_to(where, first.text, first.attachments)
        if went is None:
            self._holds[where] = Hold.REFUSED
            self._tell()
            return
        self._set(where, rest if where == went else [])
        if where != went and rest:
            # It began a conversation, where the others belong too.
            self._set(went, [*rest, *self._messages(went)])

    def _tell(self) -> None:
        self.changed.emit(self.queue)


def _hold_after(stored: StoredMessage) -> Hold | None:
    match stored.state:
        case MessageState.FAILED:
            return Hold.FAILED
        case MessageState.COMPLETE:
            full = (stored.figures or {}).get("reason") == "context_full"
            return Hold.FULL if full else None
        case _:
            return Hold.STOPPED
