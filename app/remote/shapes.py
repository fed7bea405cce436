"""How servers differ, as data: which fields each kind understands. A field that is not here is not sent to it: one kind
refuses unknown ones, the others swallow them without a word.

Tried on llama-server, llama-cpp-python, Transformers, vLLM and Hearth (`tests.bench.serving.servers`). What is said of
SGLang, Ollama and LM Studio was read in their sources and manuals.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from app.core.sampling import Sampling
from app.remote.server import YES, Abilities, ServerKind, ServerModel, no


class Dialect(StrEnum):
    OPENAI = "openai"
    """`/v1/chat/completions`, server-sent events."""
    OLLAMA = "ollama"
    """`/api/chat`, lines of JSON: only there can the context be set."""


class SchemaForm(StrEnum):
    """How a JSON Schema is handed over."""

    JSON_SCHEMA = "json_schema"
    """OpenAI's: `response_format` with a name."""
    JSON_OBJECT = "json_object"
    """`response_format` of that type, with the schema beside it."""
    FORMAT = "format"
    """Ollama's field."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    dialect: Dialect = Dialect.OPENAI
    sampling: Mapping[str, str] = field(default_factory=dict)
    """Names there, by the fields of `Sampling`."""
    all_top_k: int = 0
    """What stands for no limit on `top_k`."""
    reasoning: str = ""
    """Of a message: what an answer thought, given back. Empty where the server takes none."""
    asks: Mapping[str, object] = field(default_factory=dict)
    """Fields of every request, which have it tell its figures."""
    grammar: tuple[str, ...] = ()
    """The path of fields that takes a grammar."""
    schema: SchemaForm | None = None
    template_args: str = ""
    """What takes further variables of the chat template."""
    continues: Mapping[str, object] = field(default_factory=dict)
    """What makes an answer go on that stands last."""
    ignore_eos: bool = False
    parallel_calls: bool = False
    """It takes `parallel_tool_calls`."""
    cache_salt: bool = False
    """Others whose prompts begin alike can't find out by the time that an answer takes."""
    counters: tuple[str, str] | None = None
    """At `/metrics`: how many prompt tokens were looked up in the cache, and how many were found there."""
    one_at_a_time: bool = False
    """A second question ends the first one's answer."""
    abilities: Abilities = field(default_factory=Abilities)
    """Of a model of which the server tells nothing."""

    @property
    def understood(self) -> frozenset[str]:
        """Fields of `Sampling` that make a difference there."""
        return frozenset(self.sampling)


_OPENAIS = {
    "temperature": "temperature",
    "top_p": "top_p",
    "penalty_present": "presence_penalty",
    "penalty_freq": "frequency_penalty",
    "max_tokens": "max_tokens",
}
_SEEDED = {**_OPENAIS, "seed": "seed"}
_WIDER = {**_SEEDED, "top_k": "top_k", "min_p": "min_p"}
_PENALISED = {**_WIDER, "penalty_repeat": "repetition_penalty"}
_OLLAMAS = {
    **_WIDER,
    "penalty_repeat": "repeat_penalty",
    "penalty_last_n": "repeat_last_n",
    "typical_p": "typical_p",
    "max_tokens": "num_predict",
}
_LLAMAS = {
    **{name: name for name in Sampling.__dataclass_fields__ if not name.startswith("penalty_")},
    **_WIDER,
    "penalty_repeat": "repeat_penalty",
    "penalty_last_n": "repeat_last_n",
}
"""llama-server takes the whole chain."""

_USAGE: Mapping[str, object] = {"stream_options": {"include_usage": True}}
_PREFILL: Mapping[str, object] = {"continue_final_message": True, "add_generation_prompt": False}

_NO_GRAMMAR = no("This server can't hold answers to a grammar.")
_NO_SCHEMA = no("This server can't hold answers to a schema.")
_NO_CONTINUING = no("This server can't go on from the middle of an answer.")
_DROPS_PICTURES = no("This server leaves pictures out without a word where a model can't see them.")
_NO_FORCING = no("This server can't make a model call a tool.")
_NO_SOUND = no("This server takes no recordings.")

_LLAMA_SERVER = Shape(
    sampling=_LLAMAS,
    reasoning="reasoning_content",
    asks={**_USAGE, "return_progress": True, "timings_per_token": True},
    grammar=("grammar",),
    template_args="chat_template_kwargs",
    continues=_PREFILL,
    ignore_eos=True,
    parallel_calls=True,
    schema=SchemaForm.JSON_SCHEMA,
    abilities=Abilities(grammar=YES, schema=YES, continues=YES),
)

SHAPES: Mapping[ServerKind, Shape] = {
    ServerKind.LLAMA_SERVER: _LLAMA_SERVER,
    ServerKind.HEARTH: _LLAMA_SERVER,
    ServerKind.LLAMA_CPP_PYTHON: Shape(
        sampling={**_WIDER, "penalty_repeat": "repeat_penalty"},
        grammar=("grammar",),
        schema=SchemaForm.JSON_OBJECT,
        one_at_a_time=True,
        abilities=Abilities(
            pictures=_DROPS_PICTURES,
            recordings=_NO_SOUND,
            forced_tools=_NO_FORCING,
            grammar=YES,
            schema=YES,
            continues=_NO_CONTINUING,
        ),
    ),
    ServerKind.TRANSFORMERS: Shape(
        sampling=_SEEDED,
        template_args="chat_template_kwargs",
        abilities=Abilities(
            pictures=_DROPS_PICTURES,
            recordings=_NO_SOUND,
            forced_tools=_NO_FORCING,
            grammar=_NO_GRAMMAR,
            schema=_NO_SCHEMA,
            continues=_NO_CONTINUING,
        ),
    ),
    ServerKind.VLLM: Shape(
        sampling=_PENALISED,
        reasoning="reasoning",
        asks={"stream_options": {"include_usage": True, "continuous_usage_stats": True}},
        grammar=("structured_outputs", "grammar"),
        template_args="chat_template_kwargs",
        continues=_PREFILL,
        ignore_eos=True,
        parallel_calls=True,
        cache_salt=True,
        counters=("vllm:prefix_cache_queries_total", "vllm:prefix_cache_hits_total"),
        schema=SchemaForm.JSON_SCHEMA,
        abilities=Abilities(grammar=YES, schema=YES, continues=YES),
    ),
    ServerKind.SGLANG: Shape(
        sampling=_PENALISED,
        all_top_k=-1,
        reasoning="reasoning_content",
        asks=_USAGE,
        grammar=("ebnf",),
        template_args="chat_template_kwargs",
        continues={"continue_final_message": True},
        ignore_eos=True,
        parallel_calls=True,
        schema=SchemaForm.JSON_SCHEMA,
        abilities=Abilities(grammar=YES, schema=YES, continues=YES),
    ),
    ServerKind.OLLAMA: Shape(
        dialect=Dialect.OLLAMA,
        sampling=_OLLAMAS,
        reasoning="thinking",
        schema=SchemaForm.FORMAT,
        abilities=Abilities(
            schema=YES, recordings=_NO_SOUND, forced_tools=_NO_FORCING, grammar=_NO_GRAMMAR, continues=_NO_CONTINUING
        ),
    ),
    ServerKind.LM_STUDIO: Shape(
        sampling={**_SEEDED, "top_k": "top_k", "penalty_repeat": "repeat_penalty"},
        asks=_USAGE,
        schema=SchemaForm.JSON_SCHEMA,
        abilities=Abilities(recordings=_NO_SOUND, grammar=_NO_GRAMMAR, schema=YES, continues=_NO_CONTINUING),
    ),
    ServerKind.OTHER: Shape(
        sampling=_OPENAIS,
        asks=_USAGE,
        schema=SchemaForm.JSON_SCHEMA,
        abilities=Abilities(grammar=_NO_GRAMMAR, continues=_NO_CONTINUING),
    ),
}


def unlisted(kind: ServerKind, name: str) -> ServerModel:
    """One that its server does not list, and that may be there all the same: known is what holds for its kind."""
    return ServerModel(name, abilities=SHAPES[kind].abilities)
