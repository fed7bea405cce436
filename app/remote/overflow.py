"""A conversation that a server finds too long, cut by what is known of its size."""

from dataclasses import replace

from app.core.errors import ContextFullError
from app.core.overflow import Overflow, kept_messages
from app.core.requests import ChatRequest
from app.remote.openai_body import spoken
from app.remote.server import ServerModel

_CHARACTERS = 4
"""Of a token, about."""
_AROUND = 8
"""Tokens that a template writes around a message, about."""


def shortened(request: ChatRequest, model: ServerModel, error: ContextFullError) -> ChatRequest | None:
    """With fewer turns, as the conversation's policy wants; None where it says to stop, and where nothing can go."""
    if request.overflow is Overflow.STOP:
        return None
    sizes = [len(spoken(each, model.abilities)) // _CHARACTERS + _AROUND for each in request.messages]
    counted, reckoned = error.n_tokens, sum(sizes)
    if counted:
        sizes = [max(1, each * counted // reckoned) for each in sizes]
    n_ctx = error.n_ctx or model.context or sum(sizes) * 3 // 4
    room = n_ctx - min(request.sampling.max_tokens or n_ctx, n_ctx // 4)
    kept = kept_messages([each.role for each in request.messages], sizes, min(room, sum(sizes) - 1), request.overflow)
    if len(kept) == len(request.messages):
        return None
    return replace(request, messages=tuple(request.messages[index] for index in kept))
