"""How the next token is chosen: llama.cpp's sampler chain as one typed value.

Names and defaults are those of llama.cpp's `common_params_sampling`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields

from app.core.setting import check, field_types, setting, with_values

RANDOM_SEED = -1
"""Asks for a fresh seed; the one that was drawn is told in the figures, so that a reply can be repeated."""
MAX_SEED = 2**32 - 2
"""llama.cpp keeps 2**32 - 1 for itself as "random"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """Parameters of the sampler chain. A temperature of 0 or less always takes the likeliest token."""

    seed: int = setting(
        RANDOM_SEED,
        "Seed",
        "The same seed, prompt and settings give the same answer. -1 draws a new one each time.",
        default_words="a new one each time",
        within=(-1, MAX_SEED),
        flags=("--seed",),
        words="random reproducible",
    )
    temperature: float = setting(
        0.8,
        "Temperature",
        "How adventurous the choice of words is. 0 always takes the likeliest.",
        within=(0.0, 5.0),
        flags=("--temp",),
        words="creativity creative random",
    )
    top_k: int = setting(
        40,
        "Top-k",
        "Choose among this many of the likeliest tokens. 0 means all.",
        within=(0, 1_000_000),
        flags=("--top-k",),
    )
    top_p: float = setting(
        0.95,
        "Top-p",
        "Choose among the likeliest tokens that together reach this probability. 1 means all.",
        within=(0.0, 1.0),
        flags=("--top-p",),
    )
    min_p: float = setting(
        0.05,
        "Min-p",
        "Leave out tokens less likely than this share of the likeliest one. 0 leaves out none.",
        within=(0.0, 1.0),
        flags=("--min-p",),
    )
    top_n_sigma: float = setting(
        -1.0,
        "Top-n-sigma",
        "Leave out tokens whose logit is more than this many standard deviations below the best. -1 is off.",
        default_words="off",
        within=(-1.0, 100.0),
        flags=("--top-nsigma",),
        advanced=True,
    )
    typical_p: float = setting(
        1.0,
        "Typical-p",
        "Locally typical sampling. 1 is off.",
        within=(0.0, 1.0),
        flags=("--typical",),
        advanced=True,
    )
    xtc_probability: float = setting(
        0.0,
        "XTC probability",
        "How often the likeliest choices are left out, for variety. 0 is off.",
        within=(0.0, 1.0),
        flags=("--xtc-probability",),
        advanced=True,
    )
    xtc_threshold: float = setting(
        0.1,
        "XTC threshold",
        "Only tokens at least this likely are left out by XTC. Above 0.5 XTC is off.",
        within=(0.0, 1.0),
        flags=("--xtc-threshold",),
        advanced=True,
    )
    dynatemp_range: float = setting(
        0.0,
        "Dynamic temperature range",
        "The temperature varies by this much with the certainty. 0 is off.",
        within=(0.0, 5.0),
        flags=("--dynatemp-range",),
        advanced=True,
    )
    dynatemp_exponent: float = setting(
        1.0,
        "Dynamic temperature exponent",
        "How the certainty maps to the temperature.",
        within=(0.0, 10.0),
        flags=("--dynatemp-exp",),
        advanced=True,
    )
    penalty_last_n: int = setting(
        64,
        "Penalty window",
        "How many of the last tokens the penalties look at. 0 is off, -1 the whole context.",
        within=(-1, 1_000_000),
        unit="tokens",
        flags=("--repeat-last-n",),
        advanced=True,
    )
    penalty_repeat: float = setting(
        1.0,
        "Repeat penalty",
        "Makes tokens that were used lately less likely. 1 is off.",
        within=(0.01, 10.0),
        flags=("--repeat-penalty",),
        words="repetition loop",
    )
    penalty_freq: float = setting(
        0.0,
        "Frequency penalty",
        "Grows with each use of a token. 0 is off.",
        within=(-2.0, 2.0),
        flags=("--frequency-penalty",),
        advanced=True,
    )
    penalty_present: float = setting(
        0.0,
        "Presence penalty",
        "Applies once to every token that was used. 0 is off.",
        within=(-2.0, 2.0),
        flags=("--presence-penalty",),
        advanced=True,
    )
    dry_multiplier: float = setting(
        0.0,
        "DRY multiplier",
        "Strength of the penalty on repeated phrases. 0 is off.",
        within=(0.0, 100.0),
        flags=("--dry-multiplier",),
        advanced=True,
    )
    dry_base: float = setting(
        1.75,
        "DRY base",
        "How fast the DRY penalty grows with the length of the phrase.",
        within=(0.0, 100.0),
        flags=("--dry-base",),
        advanced=True,
    )
    dry_allowed_length: int = setting(
        2,
        "DRY allowed length",
        "Phrases up to this length may repeat freely.",
        within=(0, 1_000_000),
        unit="tokens",
        flags=("--dry-allowed-length",),
        advanced=True,
    )
    dry_penalty_last_n: int = setting(
        64,
        "DRY window",
        "How many of the last tokens DRY looks at. 0 is off, -1 the whole context.",
        within=(-1, 1_000_000),
        unit="tokens",
        flags=("--dry-penalty-last-n",),
        advanced=True,
    )
    dry_sequence_breakers: tuple[str, ...] = setting(
        ("\n", ":", '"', "*"),
        "DRY sequence breakers",
        "A phrase does not run on past these.",
        advanced=True,
    )
    mirostat: int = setting(
        0,
        "Mirostat",
        "Keeps the surprise of the text constant, instead of top-k, top-p and so on. 0 is off.",
        within=(0, 2),
        flags=("--mirostat",),
        advanced=True,
    )
    mirostat_tau: float = setting(
        5.0,
        "Mirostat target",
        "The surprise that Mirostat aims at.",
        within=(0.0, 20.0),
        flags=("--mirostat-ent",),
        advanced=True,
    )
    mirostat_eta: float = setting(
        0.1,
        "Mirostat learning rate",
        "How fast Mirostat corrects itself.",
        within=(0.0, 1.0),
        flags=("--mirostat-lr",),
        advanced=True,
    )
    min_keep: int = setting(
        0,
        "Keep at least",
        "The filters leave at least this many tokens to choose from.",
        within=(0, 1000),
        unit="tokens",
        advanced=True,
    )
    max_tokens: int = setting(
        0,
        "Longest answer",
        "The answer stops after this many tokens. 0 lets it use the room that the context has.",
        within=(0, 10_000_000),
        unit="tokens",
        flags=("-n", "--predict"),
        words="length limit short",
    )

    def layered(self, advice: Mapping[str, object], own: Mapping[str, object]) -> "Sampling":
        """These are the settings for all; over them comes what a model's file advises wherever they are as they came,
        and over both what is set for the model alone."""
        return with_values(advised(self, advice), own)


_ADVISED = {
    "temp": "temperature",
    "top_k": "top_k",
    "top_p": "top_p",
    "min_p": "min_p",
    "xtc_probability": "xtc_probability",
    "xtc_threshold": "xtc_threshold",
    "penalty_last_n": "penalty_last_n",
    "penalty_repeat": "penalty_repeat",
}
"""llama.cpp's keys below `general.sampling`, with which a model's file says how it is best sampled."""


def advice_from(metadata: Callable[[str], str | None]) -> dict[str, object]:
    """What a model's metadata advises, by the names of `Sampling`'s fields; what is out of bounds is left out."""
    found: dict[str, object] = {}
    types = field_types(Sampling)
    for key, name in _ADVISED.items():
        told = metadata(f"general.sampling.{key}")
        try:
            if told is not None:
                found[name] = check(Sampling, name, types[name](told))
        except ValueError:
            continue
    return found


def advised(sampling: Sampling, advice: Mapping[str, object]) -> Sampling:
    """`sampling` with a model's advice wherever nothing else than the default is set."""
    taken = changed_fields(sampling)
    return with_values(sampling, {name: value for name, value in advice.items() if name not in taken})


def changed_fields(sampling: Sampling) -> frozenset[str]:
    """Names of what differs from the defaults."""
    plain = Sampling()
    return frozenset(
        each.name for each in fields(Sampling) if getattr(sampling, each.name) != getattr(plain, each.name)
    )


def summary(sampling: Sampling) -> str:
    """What matters of it in one line, by llama.cpp's names: for people who read how an answer came about."""
    if sampling.temperature <= 0 and not sampling.mirostat:
        return "greedy"
    plain, off = Sampling(), {"top_k": 0, "top_p": 1.0, "min_p": 0.0}
    told = [f"temperature {sampling.temperature:g}"]
    for each in fields(Sampling):
        value = getattr(sampling, each.name)
        always = each.name in off
        if each.name in ("seed", "temperature", "max_tokens") or (value == getattr(plain, each.name) and not always):
            continue
        if always and value == off[each.name]:
            continue
        shown = f"{value:g}" if isinstance(value, int | float) else ", ".join(map(repr, value))
        told.append(f"{each.name.replace('_', '-') if always else each.name} {shown}")
    return ", ".join(told)
