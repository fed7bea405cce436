"""The prompts of requests: what a reply would read, cut where the context is full, or refused."""

from dataclasses import replace
from typing import assert_never

from app.core.errors import ContextFullError, ModelError
from app.core.messages import Message, Role
from app.core.overflow import Overflow, kept_messages
from app.core.requests import ChatRequest, FillRequest, PromptText, SpellRequest, TokenizeRequest, TokenRequest, Tokens
from app.core.sentence import Sentence
from app.engine.binding.vocab import Vocab
from app.engine.media.media import Media, show
from app.engine.prompt.chat_prompt import ChatPrompt
from app.engine.prompt.fill import fill_tokens
from app.engine.prompt.prompt import Prompt
from app.engine.prompt.prompt_tokens import PromptTokens
from app.engine.template.marked_text import plain
from app.engine.template.turns import shown_tools


class RequestPrompts:
    """Those of one loaded model, for a context of `n_ctx` entries."""

    def __init__(self, chat: ChatPrompt, media: Media | None, vocab: Vocab, n_ctx: int, longest_message: int) -> None:
        """`longest_message` is told by `ModelInfo`."""
        self._chat = chat
        self._media = media
        self._vocab = vocab
        self._n_ctx = n_ctx
        self._longest_message = longest_message

    def fitting(self, request: ChatRequest) -> tuple[Prompt, tuple[Message, ...], tuple[str, ...]]:
        """The prompt, the messages in it, and sentences about what was left out.

        Raises ContextFullError, and a UserError for what the template refuses.
        """
        self._refuse_unreadable(request)
        messages = request.messages
        notes: tuple[str, ...] = ()
        prompt = self.of(messages, request)
        overflows = len(prompt.tokens) + 1 > self._room(request)
        if overflows and request.prompt is None and request.overflow is not Overflow.STOP:
            kept = self._kept(prompt, messages, request)
            left_out = len(messages) - len(kept)
            if left_out:
                messages = tuple(messages[index] for index in kept)
                told = "{count} earlier messages were left out, because the context is full."
                notes = (Sentence(told, count=left_out),)
                prompt = self.of(messages, request)
        self._refuse_unfit(prompt.tokens, request)
        return prompt, messages, (*notes, *self._unseen(messages))

    def to_score(self, request: ChatRequest) -> tuple[Prompt, Prompt]:
        """The prompt with the answer at its end, of whatever length, and the one without it, which fits.

        Raises as `fitting` does.
        """
        asked = replace(request, messages=request.messages[:-1], continues=False)
        before, messages, _ = self.fitting(asked)
        return self.of((*messages, request.messages[-1]), request), before

    def of(self, messages: tuple[Message, ...], request: ChatRequest) -> Prompt:
        """Of whatever length."""
        if request.prompt is not None:
            return self._chat.plain(request.prompt, request.suffix)
        shown, laid_out = show(messages, self._media)
        tools = shown_tools(request)
        return self._chat.prompt(shown, request.template_args, laid_out, tools=tools, continues=request.continues)

    def _unseen(self, messages: tuple[Message, ...]) -> tuple[str, ...]:
        """A sentence where there are pictures that the model is only told the names of."""
        # A tool's are told in what it gave, again and again.
        if self._media is None and any(each.media for each in messages if each.role is not Role.TOOL):
            return ("The pictures were left out: this model can't see them.",)
        return ()

    def _room(self, request: ChatRequest) -> int:
        """Entries that a prompt may take. A policy that drops turns leaves room for an answer."""
        n_ctx = self._n_ctx
        if request.overflow is Overflow.STOP:
            return n_ctx
        return n_ctx - min(request.sampling.max_tokens or n_ctx, n_ctx // 4)

    def _kept(self, prompt: Prompt, messages: tuple[Message, ...], request: ChatRequest) -> tuple[int, ...]:
        sizes = prompt.sizes(len(messages))
        return kept_messages([each.role for each in messages], sizes, self._room(request), request.overflow)

    def _refuse_unfit(self, prompt: PromptTokens, request: ChatRequest) -> None:
        room = self._n_ctx
        if not len(prompt):
            raise ModelError("The prompt is empty, and this model needs at least one token to begin from.")
        if len(prompt) + 1 > room:
            raise ContextFullError(
                "{what} has {size:,} tokens, and the context holds {room:,}. "
                "Start a new conversation, shorten this one, or load the model with a larger context.",
                what=Sentence("This conversation") if request.prompt is None else Sentence("This text"),
                size=len(prompt),
                room=room,
                n_tokens=len(prompt),
                n_ctx=room,
            )

    def _refuse_unreadable(self, request: ChatRequest) -> None:
        """What the model can make nothing of, though its context may hold it."""
        most = self._longest_message
        asked = [each for each in request.messages if most and each.role is Role.USER and request.prompt is None]
        if any(each.documents or len(self._vocab.tokenize(each.text)) > most for each in asked):
            raise ContextFullError("This is too much for the guide; a larger model can read it.")


def written(chat: ChatPrompt, media: Media | None, request: ChatRequest) -> PromptText:
    """The prompt that a reply would read, of whatever length. Raises what the template raises."""
    shown, laid_out = show(request.messages, media)
    rendered = chat.rendered(shown, request.template_args, tools=shown_tools(request), continues=request.continues)
    return PromptText(plain(rendered.text), len(chat.tokenized(rendered, shown, laid_out).tokens))


def tokens_of(vocab: Vocab, request: TokenRequest) -> Tokens:
    """Tokens of a text, or of those that are given, with their texts."""
    match request:
        case TokenizeRequest(text, add_special, parse_special):
            ids = vocab.tokenize(text, parse_special=parse_special)
            if add_special and vocab.add_bos:
                ids.insert(0, vocab.bos)
        case SpellRequest(tokens):
            ids = list(tokens)
        case FillRequest():
            ids = fill_tokens(vocab, request)
        case _:
            assert_never(request)
    return Tokens(tuple(ids), tuple(vocab.piece(token, special=True) for token in ids))
