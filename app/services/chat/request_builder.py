"""What the engine is asked for a conversation: its turns, and the settings that hold for it."""

from collections.abc import Sequence

from app.core.events import ModelInfo
from app.core.messages import Message, Role, TextPart
from app.core.model_options import key_of
from app.core.preset import Preset
from app.core.requests import ChatRequest
from app.core.sampling import advised
from app.services.chat.conversation_options import ConversationOptions
from app.services.runtime.settings_service import SettingsService
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
        turns = _turns([*(each.message for each in path), *more], continues=continues)
        preset = self._options.preset(conversation_id) or Preset("")
        prompt = preset.system_prompt.strip() or settings.interface.system_prompt.strip()
        # An imported conversation may begin with a system prompt of its own.
        if prompt and not (turns and turns[0].role is Role.SYSTEM):
            turns.insert(0, Message.of(Role.SYSTEM, prompt))
        advice = advised(settings.sampling, model.sampling)
        sampling = self._options.sampling(advice, key_of(model.ref), conversation_id)
        overflow = self._options.overflow(conversation_id)
        return ChatRequest(
            tuple(turns),
            sampling,
            overflow=overflow,
            template_args=self._options.template_args(conversation_id, model.efforts),
            continues=continues,
            conversation="" if conversation_id is None else str(conversation_id),
            stop_repetition=settings.interface.stop_repetition,
            keep_on_disk=settings.snapshots.on_disk and self._options.keeps_on_disk(conversation_id),
        )


def _turns(messages: Sequence[Message], *, continues: bool) -> list[Message]:
    """What the model is told: without answers that never came, and with the questions around them joined.

    Many chat templates refuse two turns of one side in a row. What goes on stays, however little there is of it.
    """
    turns: list[Message] = []
    goes_on = messages[-1] if continues else None
    for message in (each for each in messages if each.parts or each.tool_calls or each is goes_on):
        if turns and turns[-1].role is message.role is Role.USER:
            turns[-1] = Message(Role.USER, (*turns[-1].parts, TextPart("\n\n"), *message.parts))
        else:
            turns.append(message)
    return turns
