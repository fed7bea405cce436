"""Answers that were given lately, so that they come back into a prompt as the tokens that they were."""

import hashlib
import json
from collections import OrderedDict
from dataclasses import replace

from app.core.events import Finished
from app.core.messages import Generation, Message, Role, ToolCall
from app.core.requests import ChatRequest

_MOST = 256


class RememberedAnswers:
    """Clients send texts back and no tokens. Nothing but hashes and tokens is kept, in memory alone."""

    def __init__(self) -> None:
        self._known: OrderedDict[bytes, Generation] = OrderedDict()

    def add(self, finished: Finished) -> None:
        if not finished.generation.tokens:
            return
        self._known[_key(finished.text, finished.tool_calls)] = finished.generation
        if len(self._known) > _MOST:
            self._known.popitem(last=False)

    def recall(self, chat: ChatRequest) -> ChatRequest:
        """The request, with the tokens of the answers in it that are known."""
        return replace(chat, messages=tuple(map(self._recalled, chat.messages)))

    def _recalled(self, message: Message) -> Message:
        if message.role is not Role.ASSISTANT:
            return message
        key = _key(message.text, message.tool_calls)
        known = self._known.get(key)
        if known is None:
            return message
        self._known.move_to_end(key)
        return replace(message, generation=known)


def _key(text: str, calls: tuple[ToolCall, ...]) -> bytes:
    said = json.dumps([text, [[each.name, each.arguments] for each in calls]])
    return hashlib.sha256(said.encode()).digest()
