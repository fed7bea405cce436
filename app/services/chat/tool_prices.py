"""What tools cost in the prompt, counted by the loaded model, and what switching some on now would have read again."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.core.errors import UserError
from app.core.messages import Message, Role
from app.core.requests import ChatRequest
from app.services.chat.active_conversation import ActiveConversation
from app.services.chat.conversation_tools import ConversationTools, offered_tools
from app.services.chat.request_builder import RequestBuilder
from app.services.engine.futures import Future
from app.services.engine.service import EngineService
from app.services.engine.states import ModelReady

if TYPE_CHECKING:
    from app.engine.reply.session import Session

_QUESTION = Message.of(Role.USER, "?")


@dataclass(frozen=True, slots=True)
class ToolPrice:
    tokens: int
    """Its tools take in a prompt."""
    seconds: float
    """For reading them, as fast as this model has read so far."""
    again: int = 0
    """Tokens that the next question would read beyond its own, if it were switched on now."""
    again_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class _Asked:
    alone: ChatRequest
    """With its tools and nothing else."""
    switched: ChatRequest | None
    """The next question with it on; None where it is on, or the chat is new."""


class ToolPrices(QObject):
    """GUI thread. Of the conversation on screen; nothing is known before `look` was answered."""

    changed = Signal()

    def __init__(
        self,
        tools: ConversationTools,
        requests: RequestBuilder,
        active: ActiveConversation,
        engine: EngineService,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._tools = tools
        self._requests = requests
        self._active = active
        self._engine = engine
        self._known: Mapping[str, ToolPrice] = {}
        self._future: Future[Mapping[str, ToolPrice]] | None = None

    def of(self, source: str) -> ToolPrice | None:
        return self._known.get(source)

    def look(self) -> None:
        """Ask the engine, when it has time; `changed` tells when it has answered."""
        self.forget()
        state = self._engine.state
        if not isinstance(state, ModelReady) or not state.info.capabilities.tools:
            return
        path, number = self._active.path, self._active.conversation_id
        now = self._requests.build(path, number, state.info, _QUESTION)
        asked = {}
        for source in self._tools.sources:
            if tools := self._tools.tools_of(source):
                declared = tuple(each.declaration for each in offered_tools([(source, tools)]))
                is_new = not path or source in self._tools.on(number)
                switched = None if is_new else self._requests.build(path, number, state.info, _QUESTION, also=source)
                asked[source] = _Asked(replace(now, messages=(_QUESTION,), tools=declared), switched)
        self._future = self._engine.ask(
            lambda session, cancelled: priced(session, now, asked, cancelled), self._hear, waits=True
        )

    def forget(self) -> None:
        """What was known holds no more."""
        self._known = {}
        if self._future is not None:
            self._future.cancel()
            self._future = None

    def _hear(self, said: Mapping[str, ToolPrice] | Exception) -> None:
        self._future = None
        if not isinstance(said, Exception):
            self._known = said
            self.changed.emit()


def priced(
    session: "Session", now: ChatRequest, asked: Mapping[str, _Asked], cancelled: Callable[[], bool]
) -> Mapping[str, ToolPrice]:
    """In the engine thread."""
    speed, found = session.slot.rates.reading.per_second, {}
    bare, usual = replace(now, messages=(_QUESTION,), tools=()), _to_read(session, now)
    for source, each in asked.items():
        if cancelled():
            break
        try:
            tokens = session.written(each.alone).n_tokens - session.written(bare).n_tokens
        except UserError:
            continue  # the template can't say these
        again = max(0, _to_read(session, each.switched) - usual) if each.switched is not None else 0
        found[source] = ToolPrice(tokens, tokens / speed, again, again / speed)
    return found


def _to_read(session: "Session", request: ChatRequest) -> int:
    try:
        told = session.peek(request)
    except UserError:
        return 0
    return told.total - told.keep
