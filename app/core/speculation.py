"""Speculative decoding: what people choose, and what they are told of it."""

from dataclasses import dataclass, field, fields
from enum import StrEnum

from app.core.loading import CacheType
from app.core.sentence import Sentence
from app.core.setting import declaration, setting


@dataclass(frozen=True, slots=True, kw_only=True)
class Speculation:
    """Several tokens are guessed cheaply and checked at once. Flags are llama.cpp's where it has one."""

    ngram: bool = setting(
        True,
        "Guess from the conversation",
        "What was written before is guessed to come again, as when code or text is revised.",
        flags=("--spec-ngram",),
        words="speed faster",
    )
    ngram_max: int = setting(
        16,
        "Most tokens from the conversation",
        "The longest guess from what was written before.",
        within=(1, 63),
        unit="tokens",
        reload=True,
        flags=("--spec-ngram-simple-size-m",),
        advanced=True,
    )
    mtp: bool = setting(
        False,
        "Guess with the model's own head",
        "For models that were trained to predict several tokens (MTP). Takes memory for one more layer or two.",
        reload=True,
        flags=("--spec-mtp",),
        words="speed faster",
    )
    draft_model: str = setting(
        "",
        "Draft model",
        "A much smaller model with the same vocabulary that guesses for this one. Empty is none.",
        reload=True,
        flags=("-md", "--model-draft", "--spec-draft-model"),
        model=True,
        words="speed faster",
    )
    draft_max: int = setting(
        4,
        "Most tokens per guess",
        "Of the model's own head or of a draft model. Fewer are guessed where that is faster.",
        within=(1, 63),
        unit="tokens",
        reload=True,
        flags=("--spec-draft-n-max", "--draft-max", "--draft"),
    )
    draft_min: int = setting(
        0,
        "Fewest tokens per guess",
        "Shorter guesses of the model's own head or of a draft model are not checked at all.",
        within=(0, 63),
        unit="tokens",
        flags=("--spec-draft-n-min", "--draft-min"),
        advanced=True,
    )
    draft_p_min: float = setting(
        0.0,
        "Smallest probability of a guess",
        "A guess ends before a token that the guessing model finds less likely than this.",
        within=(0.0, 1.0),
        flags=("--spec-draft-p-min", "--draft-p-min"),
        advanced=True,
    )
    cache_type_k_draft: CacheType = setting(
        CacheType.F16,
        "KV cache type K of the draft",
        "How keys of the draft model, or of the model's own head, are kept.",
        reload=True,
        flags=("-ctkd", "--cache-type-k-draft", "--spec-draft-type-k"),
        advanced=True,
    )
    cache_type_v_draft: CacheType = setting(
        CacheType.F16,
        "KV cache type V of the draft",
        "How values are kept. Quantised types need flash attention.",
        reload=True,
        flags=("-ctvd", "--cache-type-v-draft", "--spec-draft-type-v"),
        advanced=True,
    )
    exact: bool = setting(
        False,
        "Exact",
        "Guesses stay so short that checking them gives the very numbers of plain decoding, or are left out.",
        flags=("--spec-exact",),
    )

    @property
    def loads_model(self) -> bool:
        """Something that guesses has to be loaded."""
        return self.mtp or bool(self.draft_model)

    @property
    def rows(self) -> int:
        """The most logits that one batch has to give: of the token before a guess, and of each in it."""
        longest = [self.ngram_max] * self.ngram + [self.draft_max] * self.loads_model
        return 1 + max(longest, default=0)


_OF_LOADED = ("draft_max", "cache_type_k_draft", "cache_type_v_draft")
"""Settings of what has to be loaded to guess."""


def redrafts(wanted: Speculation, loaded: Speculation) -> bool:
    """Whether a model has to be loaded again to draft as `wanted`."""
    idle = () if wanted.loads_model or loaded.loads_model else _OF_LOADED
    return any(
        getattr(wanted, each.name) != getattr(loaded, each.name)
        for each in fields(Speculation)
        if declaration(each).reload and each.name not in idle
    )


@dataclass(frozen=True, slots=True)
class DraftLimits:
    """What one request says of drafts. None leaves it to the settings; more than was loaded for is never drafted."""

    n_max: int | None = None
    """Most tokens per draft; 0 drafts nothing."""
    n_min: int | None = None
    p_min: float | None = None


class DrafterKind(StrEnum):
    NGRAM = "ngram"
    MTP = "mtp"
    DRAFT_MODEL = "draft-model"


class Rollback(StrEnum):
    """How a memory lets go of guesses that were wrong."""

    TRIM = "trim"
    """It forgets them."""
    SNAPSHOT = "snapshot"
    """It forgets as many as it keeps states for, of the last batch alone."""
    CHECKPOINT = "checkpoint"
    """A state from before is put back, and what was right is evaluated again, together with the next guess."""
    NONE = "none"
    """Nothing can be guessed: no batch is large enough to check it."""


_INSTEAD_OF_HEAD = "The model answers without it; it can be switched off in the settings, under “Speed and memory”."
_INSTEAD_OF_MODEL = (
    "The model answers without it; choose another draft model in the settings, under “Speed and memory”, or none."
)


@dataclass(frozen=True, slots=True)
class DraftingInfo:
    """What a loaded model can do of it."""

    asked: Speculation = field(default_factory=Speculation)
    """The settings it was loaded with."""
    ready: tuple[DrafterKind, ...] = ()
    problems: tuple[tuple[DrafterKind, str], ...] = ()
    """One sentence for each that was asked for and is not ready."""
    rollback: Rollback = Rollback.NONE
    exact_batch: int = 1
    """The largest batch that gives the very bits of single tokens on this machine, as found by trying; 1 where none
    does, or where it was not tried."""
    exact_deep: int = 1
    """The same where the context holds more than 256 entries: llama.cpp may compute a single token in another way
    then."""
    no_head: str = ""
    """One sentence: why the model's own head could not be used either, where it was not asked for; empty where its
    file says that it could."""
    flash_changes: bool = False
    """The context may change to attention with other bits, sooner or later with guesses; not while `exact` is asked."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What is told when the model is loaded: of each drafter that somebody wanted and that is not ready, why, and
        what can be done. N-grams, which nobody has to ask for, are silent."""
        return tuple(
            Sentence.joined(why, _INSTEAD_OF_HEAD if kind is DrafterKind.MTP and self.asked.mtp else _INSTEAD_OF_MODEL)
            for kind, why in self.problems
            if kind is not DrafterKind.NGRAM
        )

    def identical(self, rows: int) -> bool:
        """Whether guesses of up to `rows` - 1 tokens never change the output, however long the conversation."""
        return not self.flash_changes and min(self.exact_batch, self.exact_deep) >= rows


@dataclass(frozen=True, slots=True)
class DrafterStats:
    """What one drafter did for one reply: what llama.cpp's `common_speculative_print_stats` prints. Times are those of
    the drafter alone, in milliseconds."""

    kind: DrafterKind
    begin_n: int = 0
    begin_ms: float = 0.0
    """With what it had to read of the history first."""
    draft_n: int = 0
    """Drafts that it was asked for, also those that came to nothing."""
    draft_ms: float = 0.0
    accept_n: int = 0
    accept_ms: float = 0.0
    places: tuple[tuple[int, int], ...] = ()
    """By place in a draft: tokens that were guessed there, and those that were right."""


@dataclass(frozen=True, slots=True)
class DraftFigures:
    """What drafting did for one reply."""

    kinds: tuple[DrafterKind, ...] = ()
    """Those whose drafts were checked, the one with most tokens first."""
    rounds: int = 0
    """Batches that checked a draft."""
    drafted: int = 0
    accepted: int = 0
    gain: float = 1.0
    """How many times as fast as plain decoding the answer was written, as estimated."""
    off: str = ""
    """One sentence: why nothing was drafted; empty where something was."""
    identical: bool = False
    """What was drafted was checked in batches that give the very numbers of plain decoding."""

    stats: tuple[DrafterStats, ...] = ()
    """Of each drafter that was asked for anything."""

    @property
    def mean_run(self) -> float:
        """Tokens that a round gave."""
        return 1 + self.accepted / self.rounds if self.rounds else 0.0
