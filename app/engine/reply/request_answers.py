"""What a request asks of its answer: how it is read, what may stand in it, and where it ends."""

import math
from collections.abc import Callable

from app.core.cancel import CancelFlag
from app.core.requests import ChatRequest
from app.engine.binding.sampler import SamplerChain
from app.engine.binding.vocab import Vocab
from app.engine.output.call_syntax import schemas
from app.engine.output.parser import OutputParser
from app.engine.prompt.chat_prompt import ChatPrompt
from app.engine.prompt.prompt import Prompt
from app.engine.prompt.prompt_tokens import PromptTokens
from app.engine.reply.answer import Answer, PlainText
from app.engine.reply.citing import with_citing
from app.engine.reply.constraint import Constraint, constraint_of
from app.engine.reply.generation import GenerationParams
from app.engine.template.turns import callable_tools, shown_tools


class RequestAnswers:
    """Of one model with one context."""

    def __init__(self, chat: ChatPrompt, vocab: Vocab, n_ctx: int, cancel: CancelFlag) -> None:
        self._chat = chat
        self._vocab = vocab
        self._n_ctx = n_ctx
        self._cancel = cancel

    def answer(self, request: ChatRequest, prompt: Prompt) -> Answer:
        """An empty one, before its first token."""
        before = self._tokens_before(request, prompt.tokens)
        if request.prompt is not None:
            return Answer(request.stop, PlainText(), before=before)
        chat_format = self._chat.chat_format(tools=bool(shown_tools(request)))
        tools = schemas(callable_tools(request))
        parser = OutputParser(chat_format.format, thinking_open=prompt.thinks, tools=tools)
        stops = (*request.stop, *chat_format.stops)
        most = None if request.parallel_tool_calls else 1
        return Answer(stops, parser, thinks=prompt.thinks, before=before, begun=prompt.begun, most_calls=most)

    def params(self, request: ChatRequest, chain: SamplerChain, constraint: Constraint) -> GenerationParams:
        limit = request.sampling.max_tokens or self._n_ctx
        told = request.top_logprobs
        spelling, stops = self._spelling(request), frozenset(request.stop_tokens)
        return GenerationParams(chain, constraint, spelling, limit, told, request.stop_repetition, stops)

    def constraint(self, request: ChatRequest, prompt: Prompt) -> Constraint | None:
        chat_format = self._chat.chat_format(tools=bool(shown_tools(request)))
        vocab = self._vocab
        made = constraint_of(request, prompt, chat_format, vocab, self._cancel)
        return None if made is None else with_citing(made, request, prompt, chat_format, vocab)

    def biases(self, request: ChatRequest) -> tuple[tuple[int, float], ...]:
        vocab = self._vocab
        biases = [(token, -math.inf) for token in (vocab.ends if request.ignore_eos else ())]
        for told, bias in request.logit_bias:
            tokens = vocab.tokenize(told, parse_special=True) if isinstance(told, str) else [told]
            biases += [(token, bias) for token in tokens]
        return tuple(biases)

    def _tokens_before(self, request: ChatRequest, prompt: PromptTokens) -> tuple[int, ...] | None:
        """The tokens of the beginning of the answer that is continued; None where it went in by other ones."""
        if not request.continues:
            return ()
        known = request.messages[-1].generation
        if known is None or prompt.tokens(len(prompt) - len(known.tokens), len(prompt)).tolist() != list(known.tokens):
            return None
        return known.tokens

    def _spelling(self, request: ChatRequest) -> Callable[[int], bytes]:
        if request.prompt is not None:
            return self._vocab.piece
        return self._chat.chat_format(tools=bool(shown_tools(request))).tokenizer.piece
