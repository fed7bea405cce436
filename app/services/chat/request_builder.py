"""What the engine is asked for a conversation."""

from collections.abc import Mapping, Sequence

from app.core.events import ModelInfo
from app.core.messages import Message, Role, TextPart, ToolCall
from app.core.model_options import key_of
from app.core.preset import Preset
from app.core.requests import ChatRequest
from app.core.sampling import advised, changed_fields
from app.services.chat.conversation_options import ConversationOptions
from app.services.chat.conversation_tools import ConversationTools
from app.services.runtime.settings_service import SettingsService
from app.storage.conversations import StoredMessage
from app.tools.tool import OfferedTool, to_model
from app.tools.tool_search import SEARCH, names_found


class RequestBuilder:
    """What the engine is asked for a conversation: its turns, and the settings that hold for it."""

    def __init__(
        self, settings: SettingsService, options: ConversationOptions, tools: ConversationTools | None = None
    ) -> None:
        self._settings = settings
        self._options = options
        self._tools = tools

    def build(
        self,
        path: Sequence[StoredMessage],
        conversation_id: int | None,
        model: ModelInfo,
        *more: Message,
        continues: bool = False,
        also: str | None = None,
        chosen: Preset | None = None,
    ) -> ChatRequest:
        """To answer after `path` and `more`, in a conversation (None: a new one), by that model.

        With `continues` the last message is an answer that goes on; with `also` that source of tools is on, too. A
        preset that is `chosen` holds in the place of what is set for the conversation.
        """
        settings = self._settings.settings
        turns = turns_of([*(each.message for each in path), *more], continues=continues)
        preset = chosen or self._options.preset(conversation_id) or Preset("")
        prompt = preset.system_prompt.strip() or settings.interface.system_prompt.strip()
        # An imported conversation may begin with a system prompt of its own.
        if prompt and not (turns and turns[0].role is Role.SYSTEM):
            turns.insert(0, Message.of(Role.SYSTEM, prompt))
        advice = advised(settings.sampling, model.sampling)
        sampling = self._options.sampling(advice, key_of(model.ref), conversation_id, chosen)
        own = self._options.sampling_set(key_of(model.ref), conversation_id, chosen)
        overflow = self._options.overflow(conversation_id)
        offered = self._offered(conversation_id, model, also)
        return ChatRequest(
            tuple(turns),
            sampling,
            sampling_set=changed_fields(settings.sampling).union(own),
            overflow=overflow,
            template_args=self._options.template_args(conversation_id, model.efforts, chosen),
            continues=continues,
            conversation="" if conversation_id is None else str(conversation_id),
            tools=tuple(each.declaration for each in offered if not each.waits),
            found_tools=_found(turns, offered),
            stop_repetition=settings.interface.stop_repetition,
            keep_on_disk=settings.snapshots.on_disk and self._options.keeps_on_disk(conversation_id),
        )

    def _offered(self, conversation_id: int | None, model: ModelInfo, also: str | None) -> Sequence[OfferedTool]:
        if self._tools is None or not model.capabilities.tools:
            return ()
        return self._tools.offered(conversation_id, model.n_ctx, also)


def turns_of(messages: Sequence[Message], *, continues: bool) -> list[Message]:
    """What the model is told: without answers that never came, and with the questions around them joined.

    Many chat templates refuse two turns of one side in a row. What goes on stays, however little there is of it. Calls
    that were left without a result get one.
    """
    turns: list[Message] = []
    goes_on = messages[-1] if continues else None
    unanswered: list[ToolCall] = []
    for message in (each for each in messages if each.parts or each.tool_calls or each is goes_on):
        if message.role is Role.TOOL:
            unanswered = [call for call in unanswered if call.id != message.tool_call_id]
        else:
            turns += map(not_allowed, unanswered)
            unanswered = list(message.tool_calls)
        if turns and turns[-1].role is message.role is Role.USER:
            turns[-1] = Message(Role.USER, (*turns[-1].parts, TextPart("\n\n"), *message.parts))
        else:
            turns.append(message)
    return turns


def _found(turns: Sequence[Message], offered: Sequence[OfferedTool]) -> tuple[Mapping[str, object], ...]:
    """Tools that waited, and which a search told of."""
    searches = {each.name for each in offered if each.server == SEARCH}
    told = (names_found(turn.text) for turn in turns if turn.role is Role.TOOL and turn.name in searches)
    names = set[str]().union(*told)
    return tuple(each.declaration for each in offered if each.waits and each.name in names)


def not_allowed(call: ToolCall, reason: str = "") -> Message:
    """What the model is told of a call that nobody allowed: templates refuse calls without results."""
    told = to_model("The user did not allow this call.")
    text = to_model("{told} The user says: {reason}", told=told, reason=reason) if reason else told
    return Message(Role.TOOL, (TextPart(text),), tool_call_id=call.id, name=call.name)
