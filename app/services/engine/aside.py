"""What a model's template and vocabulary alone can tell, in any thread, while the engine's computes."""

import threading
from typing import TYPE_CHECKING

from app.core.requests import ChatRequest, PromptText, TokenRequest, Tokens

if TYPE_CHECKING:
    from app.engine.prompt.chat_prompt import ChatPrompt
    from app.engine.reply.session import Session


class Aside:
    """Has caches of its own; of the model it asks what never changes. The engine's thread frees no model meanwhile."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._session: Session | None = None
        self._chat: ChatPrompt | None = None

    def take(self, session: "Session | None") -> None:
        """In the engine's thread: another model is asked from now on, and the one before no more."""
        with self._lock:
            if session is not self._session:
                self._session, self._chat = session, None

    def written(self, request: ChatRequest) -> PromptText | None:
        """As `Session.written`; None where the engine itself has to be asked, as of what is seen and heard."""
        if any(each.media for each in request.messages):
            return None
        from app.engine.reply.request_prompts import written

        with self._lock:
            chat = self._own_chat()
            return written(chat, None, request) if chat is not None else None

    def tokens(self, request: TokenRequest) -> Tokens | None:
        """As `Session.tokens`; None where the engine itself has to be asked."""
        from app.engine.reply.request_prompts import tokens_of

        with self._lock:
            chat = self._own_chat()
            return tokens_of(chat.vocab, request) if chat is not None else None

    def _own_chat(self) -> "ChatPrompt | None":
        if self._chat is None and self._session is not None:
            self._chat = self._session.another_chat()
        return self._chat
