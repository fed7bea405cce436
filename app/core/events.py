"""What the engine says while it works: a stream of frozen values, consumed with `match`."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import chain, groupby
from pathlib import Path

from app.core.adapters import Adapter
from app.core.capabilities import Capabilities, MemoryKind
from app.core.loading import CacheType, FlashAttention, Loading
from app.core.messages import AudioPart, Generation, ImagePart, MediaPart, ToolCall
from app.core.model_ref import ModelRef
from app.core.reasoning import Efforts
from app.core.requests import TemplateFacts
from app.core.sentence import Sentence
from app.core.speculation import DraftFigures, DraftingInfo


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """A loaded model, as far as other layers need to know it."""

    ref: ModelRef
    name: str
    architecture: str
    size: int
    """Bytes of all its tensors."""
    n_params: int
    n_ctx: int
    """Entries that the context holds, as allocated; 0 where a server does not tell."""
    n_ctx_train: int
    vocab: str
    """Fingerprint of the vocabulary; see `Generation`."""
    has_template: bool
    """False where the model has no chat template of its own and ChatML stands in."""
    loading: Loading = field(default_factory=Loading)
    """The settings it was loaded with, as asked."""
    cache_type_k: CacheType = CacheType.F16
    """What the context has, which may differ from what was asked."""
    cache_type_v: CacheType = CacheType.F16
    flash_attn: FlashAttention = FlashAttention.AUTO
    """What the context was made with; automatic leaves it to llama.cpp."""
    n_layer: int = 0
    n_offloadable: int = 0
    """Layers that graphics cards could take, with the output as one more; 0 where there is no card."""
    n_offloaded: int = 0
    """Those of them that lie on cards."""
    n_embd: int = 0
    n_vocab: int = 0
    ends: tuple[int, ...] = ()
    """The tokens that end an answer."""
    template: TemplateFacts = field(default_factory=TemplateFacts)
    capabilities: Capabilities = field(default_factory=Capabilities)
    """What it can do here; the engine's own list."""
    sampling: Mapping[str, object] = field(default_factory=dict, hash=False)
    """How its file says that it is best sampled, by the names of `Sampling`'s fields."""
    efforts: Efforts = field(default_factory=dict, hash=False)
    """How long it can be asked to reason; empty where nothing can be chosen."""
    mmproj: Path | None = None
    """The projector that was loaded with it, or was tried."""
    image_max_tokens: int = 0
    """Entries that one picture may take, as asked when it was loaded; 0 leaves it to the model."""
    adapters: tuple[Adapter, ...] = ()
    """LoRA adapters that work on it."""
    projector_problem: str = ""
    """One sentence: why the projector that was tried is not used; empty where none was, or where it is."""
    drafting: DraftingInfo = field(default_factory=DraftingInfo)
    load_ms: float = field(default=0.0, compare=False)
    """Reading its weights from disk took so long, in milliseconds."""
    activate_ms: float = field(default=0.0, compare=False)
    """Making its context took so long, with all that goes with it."""
    n_parallel: int = 1
    """Replies that are written at once."""
    continues: bool = True
    """It goes on from the middle of an answer."""
    host: str = ""
    """Of a server's model: the computer that questions go to. Empty for a model on this one."""
    takes_states: bool = False
    """Of a server's model: what this computer holds of a conversation can be sent there."""
    longest_message: int = 0
    """Tokens of a person's message that it was trained to take, and then it reads no documents; 0 for any model that
    takes whatever its context holds.
    """

    @property
    def sees(self) -> bool:
        return self.capabilities.sees

    @property
    def uses_projector(self) -> bool:
        """Whether the one that was loaded with it lets it see or hear."""
        return self.sees or self.capabilities.hears

    @property
    def needs_checkpoints(self) -> bool:
        """Its memory can't go back to any place by itself."""
        return self.capabilities.memory is not MemoryKind.ATTENTION

    def refusal(self, parts: Iterable[MediaPart]) -> str:
        """Why it can't be given these, in a sentence that does not say what to do; empty where it can."""
        for part in parts:
            seconds, most = (
                (part.seconds, self.capabilities.hears_seconds) if isinstance(part, AudioPart) else (0.0, 0.0)
            )
            if not (self.sees if isinstance(part, ImagePart) else self.capabilities.hears):
                senseless = _SENSELESS if self.ref.is_file else _SENSELESS_THERE
                return self.projector_problem or Sentence(senseless[type(part)], name=self.name)
            if seconds > most:
                told = "{name} hears at most {most:,} seconds at once, and {file} lasts {seconds:,}."
                file = part.name or Sentence("the recording")
                return Sentence(told, name=self.name, most=int(most), file=file, seconds=math.ceil(seconds))
        return ""


_SENSELESS = {
    ImagePart: "{name} can't see pictures: there is no mmproj file with it that does.",
    AudioPart: "{name} can't hear: there is no mmproj file with it that does.",
}
_SENSELESS_THERE = {
    ImagePart: "{name} can't be shown pictures: its server takes none for it.",
    AudioPart: "{name} can't be given recordings: its server takes none for it.",
}


class LoadStage(StrEnum):
    CHECKING = "checking"
    """A child process tries the file, because this machine has never loaded it."""
    LOADING = "loading"
    CONTEXT = "context"


@dataclass(frozen=True, slots=True)
class LoadProgress:
    stage: LoadStage
    fraction: float
    """0 to 1 within the stage."""


@dataclass(frozen=True, slots=True)
class PromptProgress:
    """Reading the prompt. `reused` entries were warm; `read` of `total - reused` are evaluated so far."""

    total: int
    reused: int
    read: int
    elapsed: float
    """Seconds since reading began."""


@dataclass(frozen=True, slots=True)
class Looking:
    """A picture or a recording is being encoded, which no progress is known of."""

    number: int
    """Of those that this reply has to look at or listen to, from 1."""
    count: int
    name: str = ""
    listens: bool = False
    """It is a recording."""


@dataclass(frozen=True, slots=True)
class Retrying:
    """A server could not answer, and will be asked again by itself."""

    why: str
    """One sentence."""
    seconds: float
    """Until then."""


@dataclass(frozen=True, slots=True)
class LikelyToken:
    """A token that could have come, and how likely it was."""

    token: int
    piece: bytes
    """Its text, which may be a part of a character; control tokens are spelled out."""
    logprob: float
    """Natural logarithm of its probability as the model gave it, before any sampler."""


@dataclass(frozen=True, slots=True)
class TokenLogprob:
    """One token of a text, and the likeliest that could have stood there."""

    chosen: LikelyToken
    top: tuple[LikelyToken, ...] = ()
    """Likeliest first; the chosen one need not be among them."""


class DeltaKind(StrEnum):
    CONTENT = "content"
    REASONING = "reasoning"


@dataclass(frozen=True, slots=True)
class TextDelta:
    text: str
    predicted_n: int | None = 0
    """Tokens of the answer so far; None where a server does not tell."""
    kind: DeltaKind = DeltaKind.CONTENT
    logprobs: tuple[TokenLogprob, ...] = ()
    """Of the tokens since the last delta that carried any, where they were asked for."""


@dataclass(frozen=True, slots=True)
class ToolCallDelta:
    """A piece of a tool call. The first of an `index` carries id and name, and perhaps no arguments yet."""

    index: int
    """Which call of this answer, from 0."""
    id: str = ""
    name: str = ""
    arguments: str = ""
    """JSON text to append."""
    predicted_n: int | None = 0


class FinishReason(StrEnum):
    STOP = "stop"
    """The model ended its answer, or a stop string came."""
    LENGTH = "length"
    """The limit on the answer's tokens was reached."""
    TOOL_CALLS = "tool_calls"
    """The model ended its answer, and asks for tools to be called."""
    CONTEXT_FULL = "context_full"
    REPETITION = "repetition"
    """It only repeated itself, and was stopped; see `ChatRequest.stop_repetition`."""
    CANCELLED = "cancelled"
    BROKEN_OFF = "broken_off"
    """The server that wrote it went away, or said something that is no answer; `Finished.notes` says what."""


@dataclass(frozen=True, slots=True)
class Timings:
    """The figures of one reply. Names are llama-server's; times are milliseconds, and of a server's reply those that
    passed here where it tells none. Counts that it does not tell are None.
    """

    cache_n: int | None = 0
    """Prompt entries that were warm."""
    prompt_n: int | None = 0
    """Prompt entries that were read; all of the prompt's where `cache_n` is not told."""
    prompt_ms: float = 0.0
    predicted_n: int | None = 0
    predicted_ms: float = 0.0
    draft_n: int | None = 0
    draft_n_accepted: int | None = 0

    @property
    def prompt_total(self) -> int | None:
        """Entries of the whole prompt."""
        return None if self.prompt_n is None else self.prompt_n + (self.cache_n or 0)

    @property
    def prompt_per_second(self) -> float | None:
        return _per_second(self.prompt_n, self.prompt_ms)

    @property
    def predicted_per_second(self) -> float | None:
        return _per_second(self.predicted_n, self.predicted_ms)


def _per_second(n: int | None, ms: float) -> float | None:
    if n is None:
        return None
    return n / ms * 1000 if ms > 0 else 0.0


@dataclass(frozen=True, slots=True)
class SlotStatus:
    """What the context holds."""

    n_past: int
    n_ctx: int
    checkpoints: tuple[int, ...] = ()
    """Entries at which a checkpoint was taken, ascending."""
    checkpoint_bytes: int = 0


@dataclass(frozen=True, slots=True)
class SavedState:
    """A state in a file, as it was written or brought back."""

    n_entries: int
    n_bytes: int
    more: Mapping[str, object] = field(hash=False)
    """What its writer put with it; JSON."""


@dataclass(frozen=True, slots=True)
class HeldState:
    """What a model holds of a conversation, for who thinks of moving it."""

    identity: str
    """What must be equal where the state shall be of use: model file, build, layout."""
    n_entries: int
    n_bytes: int
    """0 where nothing is held."""
    reading: float
    """Entries of a prompt in a second, as measured here."""
    trying: float = 0.0
    """Seconds that the last state from outside was tried for; 0 before the first."""


@dataclass(frozen=True, slots=True)
class Peeked:
    """What a request would read, if it were sent now."""

    total: int
    keep: int
    told: str
    """One sentence."""


@dataclass(frozen=True, slots=True)
class Finished:
    reason: FinishReason
    text: str
    """All that was written as content, as shown; an answer that was continued had its beginning before."""
    generation: Generation
    """Of the whole answer; without tokens where those of its beginning are not known."""
    timings: Timings
    seed: int | None
    """The seed that the sampler really had; None where a server does not tell, as with all counts."""
    n_past: int | None
    """Entries in the context now."""
    reuse: str = ""
    """One sentence: what was kept, what was read again, and why."""
    notes: tuple[str, ...] = ()
    """Sentences about what was done differently from what was asked."""
    slot: SlotStatus | None = None
    reasoning: str = ""
    reasoning_ms: float = 0.0
    """From the first token of the reasoning to its end."""
    tool_calls: tuple[ToolCall, ...] = ()
    """All of them, also of an answer that was continued."""
    reasoning_n: int | None = 0
    """Tokens of the reasoning, with the marks around it."""
    logprobs: tuple[TokenLogprob, ...] = ()
    """Of the tokens that were written, reasoning and tool calls included, where they were asked for."""
    prompt_logprobs: tuple[TokenLogprob, ...] = ()
    """Of every token of the prompt, where they were asked for; the first one's says nothing: it is 0."""
    drafting: DraftFigures = field(default_factory=DraftFigures)
    stop: str = ""
    """The stop string that ended it; empty where none did."""


class QueuedFor(StrEnum):
    TURN = "turn"
    """As many are written as can be at once."""
    ROOM = "room"
    """The others fill the context."""


@dataclass(frozen=True, slots=True)
class Queued:
    """It is not this reply's turn."""

    waits_for: QueuedFor


ReplyEvent = PromptProgress | Looking | Retrying | Queued | TextDelta | ToolCallDelta | Finished

Delta = TextDelta | ToolCallDelta


def joined_deltas(deltas: Iterable[Delta]) -> list[Delta]:
    """Neighbours that are text of one kind, or pieces of one tool call, as one each."""
    told = list(deltas)
    # Nearly always there is one: after each token the processor's caches are cold, and every line of Python counts.
    return told if len(told) < 2 else [_joined(list(run)) for _, run in groupby(told, _belongs_to)]


def _belongs_to(delta: Delta) -> DeltaKind | int:
    return delta.kind if isinstance(delta, TextDelta) else delta.index


def _joined(run: list[Delta]) -> Delta:
    first, predicted_n = run[0], run[-1].predicted_n
    if isinstance(first, TextDelta):
        texts = [each for each in run if isinstance(each, TextDelta)]
        logprobs = tuple(chain.from_iterable(each.logprobs for each in texts))
        return TextDelta("".join(each.text for each in texts), predicted_n, first.kind, logprobs)
    arguments = "".join(each.arguments for each in run if isinstance(each, ToolCallDelta))
    return replace(first, arguments=arguments, predicted_n=predicted_n)


def grow_calls(calls: list[ToolCall], delta: ToolCallDelta) -> None:
    """Put a piece of a tool call where it belongs."""
    if delta.index >= len(calls):
        calls.append(ToolCall(delta.id, delta.name, delta.arguments))
    else:
        call = calls[delta.index]
        calls[delta.index] = replace(call, arguments=call.arguments + delta.arguments)
