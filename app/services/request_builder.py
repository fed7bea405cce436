"""What the engine is asked for a conversation: its turns, and the settings that hold for it."""

from collections.abc import Sequence

from app.core.events import ModelInfo
from app.core.messages import Message, Role, TextPart
from app.core.requests import ChatRequest
from app.core.sampling import advised
from app.services.conversation_options import ConversationOptions
from app.services.settings_service import SettingsService
from app.storage.conversations import StoredMessage


class RequestBuilder:
    def __init__(self, settings: SettingsService, options: ConversationOptions) -> None:
        self._settings = settings
        self._options = options

    def build(
        self,
        path: Sequence[StoredMessage],
        conversation_id: int | None,
        model: ModelInfo,
        *more: Message,
        continues: bool = False,
    ) -> ChatRequest:
        """To answer after `path` and `more`, in a conversation (None: a new one), by that model.

        With `continues` the last message is an answer that goes on.
        """
        settings = self._settings.settings
        turns = _turns([*(each.message for each in path), *more])
        if prompt := settings.interface.system_prompt.strip():
            turns.insert(0, Message.of(Role.SYSTEM, prompt))
        sampling = self._options.sampling(advised(settings.sampling, model.sampling), model.name, conversation_id)
        overflow = self._options.overflow(conversation_id)
        return ChatRequest(
            tuple(turns),
            sampling,
            overflow=overflow,
            continues=continues,
            conversation="" if conversation_id is None else str(conversation_id),
            keep_on_disk=settings.snapshots.on_disk,
        )


def _turns(messages: Sequence[Message]) -> list[Message]:
    """What the model is told: without answers that never came, and with the questions around them joined.

    Many chat templates refuse two turns of one side in a row.
    """
    turns: list[Message] = []
    for message in (each for each in messages if each.parts):
        if turns and turns[-1].role is message.role is Role.USER:
            turns[-1] = Message(Role.USER, (*turns[-1].parts, TextPart("\n\n"), *message.parts))
        else:
            turns.append(message)
    return turns
