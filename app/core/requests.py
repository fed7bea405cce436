"""What the engine is asked to do."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from app.core.messages import Message
from app.core.overflow import Overflow
from app.core.sampling import Sampling
from app.core.speculation import DraftLimits

SESSION = "X-Session-ID"
"""The header by which a server is told a conversation's name, and nothing else of it."""


class ToolChoice(StrEnum):
    AUTO = "auto"
    """The model decides."""
    NONE = "none"
    """The tools are not even shown to it."""
    REQUIRED = "required"
    """It has to call one; see `ChatRequest.tool_name`."""


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One reply to a conversation, or with `prompt` the continuation of a plain text."""

    messages: tuple[Message, ...]
    """Root to last; the model answers after the last one. Not used with `prompt`."""
    continues: bool = field(default=False, kw_only=True)
    """The last message is an answer that goes on from its end."""
    sampling: Sampling = field(default_factory=Sampling)
    sampling_set: frozenset[str] | None = field(default=None, kw_only=True)
    """Fields of it that people set: of the others servers have defaults of their own. None is all."""
    stop: tuple[str, ...] = ()
    """The answer ends before any of these strings; they are not shown."""
    stop_tokens: tuple[int, ...] = ()
    """Any of these ends the answer, as the model's own end does."""
    overflow: Overflow = Overflow.STOP
    template_args: Mapping[str, object] = field(default_factory=dict)
    """Further variables of the chat template, such as `enable_thinking`."""
    conversation: str = ""
    """Whose turns these are, opaque; empty where nobody will come back, and then nothing is written to disk."""
    keep_on_disk: bool = True
    """False keeps what was read of this conversation in memory alone, and removes what is on disk of it."""
    tools: tuple[Mapping[str, object], ...] = ()
    """As OpenAI declares them: `{"type": "function", "function": {"name", "description", "parameters"}}`."""
    found_tools: tuple[Mapping[str, object], ...] = ()
    """Declared so, too: what the conversation tells of in a result may be called as well."""
    tool_choice: ToolChoice = ToolChoice.AUTO
    tool_name: str = ""
    """With `ToolChoice.REQUIRED`: the one to call; empty leaves the choice to the model."""
    parallel_tool_calls: bool = True
    grammar: str = ""
    """GBNF that the answer keeps to, from the end of its reasoning on; a required tool has its own instead."""
    schema: Mapping[str, object] | None = None
    """A JSON Schema that the answer keeps to, likewise; not used with `grammar`."""
    logit_bias: tuple[tuple[int | str, float], ...] = ()
    """(token, or a text that means all of its tokens; what is added to its logit); minus infinity forbids it."""
    ignore_eos: bool = False
    """No token that ends an answer is drawn: it goes on up to its limit, as benchmarks want it."""
    stop_repetition: bool = False
    """An answer that only repeats itself ends with `FinishReason.REPETITION`."""
    top_logprobs: int | None = None
    """How many of the likeliest tokens to tell at each place, with the chosen one; None tells nothing."""
    prompt: str | tuple[int, ...] | None = None
    """A plain text, or tokens, to go on from: no chat template, no reasoning, no tools. Control tokens that are
    written in the text are recognised.
    """
    suffix: str = ""
    """With `prompt`: what the answer has to lead to, for models that fill gaps (FIM). As plain text."""
    prompt_logprobs: bool = False
    """With `prompt` and `top_logprobs`: also of the prompt, all of which is read anew for it."""
    only_read: bool = False
    """Nothing is written; the figures are about the reading."""
    only_documents: bool = False
    """With `only_read`: no further than the documents with which the first question begins."""
    drafts: DraftLimits = field(default_factory=DraftLimits)


@dataclass(frozen=True, slots=True)
class TokenizeRequest:
    """The tokens of a text."""

    text: str
    add_special: bool = False
    """With the BOS that the vocabulary asks for."""
    parse_special: bool = True
    """Control tokens that are written in the text become such."""


@dataclass(frozen=True, slots=True)
class SpellRequest:
    """The texts of tokens, which must be the model's."""

    tokens: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class FillRequest:
    """The tokens with which a gap in a text is filled (FIM), as llama.cpp's server lays them out."""

    prefix: str
    suffix: str
    begun: str = ""
    """What stands in the gap already."""
    extra: tuple[tuple[str, str], ...] = ()
    """Names and texts of other files."""
    n_batch: int = 2048
    """Tokens of which the prefix takes three quarters at the most, and the suffix one."""
    n_extra: int = 0
    """Tokens of other files at the most; the last ones stay."""


TokenRequest = TokenizeRequest | SpellRequest | FillRequest


@dataclass(frozen=True, slots=True)
class Tokens:
    """The answer to all of them."""

    ids: tuple[int, ...]
    pieces: tuple[bytes, ...]
    """What each stands for, which may be a part of a character; control tokens are spelled out."""


@dataclass(frozen=True, slots=True)
class PromptText:
    """A conversation as the model would read it."""

    text: str
    """As the chat template writes it; a picture is one U+FFFC."""
    n_tokens: int
    """Entries that it takes."""


@dataclass(frozen=True, slots=True)
class TemplateFacts:
    """A model's chat template, and what it has words for."""

    source: str = ""
    """Jinja; ChatML's where the model has none."""
    bos_token: str = ""
    eos_token: str = ""
    tools: bool = False
    """It tells the model which tools there are."""
    tool_calls: bool = False
    system: bool = False
    typed_content: bool = False
    """It wants contents as lists of parts."""
