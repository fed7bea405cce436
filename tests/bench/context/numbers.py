"""Conversations in numbers, for models whose vocabulary has no words.

llama.cpp's `test-llama-archs` gives its files a vocabulary of 128 tokens whose pieces are two hexadecimal digits.
A message's text is then its tokens, and everything but the template and the tokenizer is the product's own.
"""

import random
from collections.abc import Mapping, Sequence

from app.core.messages import Message, Role
from app.engine.binding.vocab import Vocab
from app.engine.output.format import OutputFormat, Reasoning
from app.engine.prompt.chat_prompt import ChatFormat, ChatPrompt
from app.engine.prompt.prompt import LaidOutMedia, Prompt, PromptTokenizer
from app.engine.prompt.prompt_tokens import PromptTokens
from app.engine.template.chat_template import ChatTemplate

N_TOKENS = 128
_END = 0
_BEGINS = {Role.SYSTEM: 1, Role.USER: 2, Role.ASSISTANT: 3}
_FIRST = 8


class NumbersChat(ChatPrompt):
    """Stands in for the chat template and the tokenizer of a model: a mark, the message's numbers, an end."""

    def __init__(self, vocab: Vocab) -> None:
        self.is_own = True
        nothing = Reasoning(starts=(), ends=())
        self._numbers = ChatFormat(ChatTemplate(""), PromptTokenizer(vocab, ""), OutputFormat(reasoning=nothing), ())

    def chat_format(self, *, tools: bool = False) -> ChatFormat:
        return self._numbers

    def prompt(
        self,
        messages: tuple[Message, ...],
        template_args: Mapping[str, object],
        pictures: Sequence[LaidOutMedia] = (),
        *,
        tools: Sequence[Mapping[str, object]] = (),
        continues: bool = False,
    ) -> Prompt:
        tokens: list[int] = []
        turns = []
        for index, message in enumerate(messages):
            tokens.append(_BEGINS[message.role])
            turns.append((index, len(tokens)))
            # A small number's piece has one digit, so an answer is known by its tokens alone.
            spoken = message.generation.tokens if message.generation else bytes.fromhex(message.text)
            tokens += [*spoken, _END]
        tokens.append(_BEGINS[Role.ASSISTANT])
        return Prompt(PromptTokens(tokens), tuple(turns))


def numbers(count: int, seed: int) -> str:
    """The text of `count` random tokens, always the same ones."""
    drawn = random.Random(seed)
    return bytes(drawn.randrange(_FIRST, N_TOKENS) for _ in range(count)).hex()


def changed(text: str, at: int) -> str:
    """`text` with token number `at` changed."""
    tokens = bytearray.fromhex(text)
    tokens[at] = _FIRST + (tokens[at] - _FIRST + 1) % (N_TOKENS - _FIRST)
    return tokens.hex()
