"""What a model file says of itself, read from its header without loading anything."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from app.core.errors import UserError
from app.core.fit_shape import FitShape, LayerShape, shape_of
from app.core.gguf_header import GgufHeader, HeaderError, read_header
from app.core.sampling import advice_from
from app.library.quantisation import file_type_name, most_common_type, quantisation_in

_FILE_MAGIC = b"GGUF"
_LONGEST_TEXT = 300
_ORIGINS = ("general.name", "general.base_model.0.repo_url", "general.source.repo_url", "general.base_model.0.name")
_DRAFTS = {"eagle3", "dflash", "gemma4-assistant"}
"""Architectures that only guess ahead for another model."""
_EMBEDDERS = {
    "bert", "nomic-bert", "nomic-bert-moe", "jina-bert-v2", "jina-bert-v3", "modern-bert", "neo-bert", "eurobert",
    "gemma-embedding", "llama-embed",
}  # fmt: skip
_RANK, _SCORES = 4, "cls.output.weight"
_UNSPECIFIED = 0xFFFFFFFF
"""The pooling of models that llama.cpp saves itself, chat models among them: llama.h's -1."""
"""llama.cpp's pooling of models that rank, and the tensor that they rank with."""
_DIFFUSION = {"dream", "llada", "llada-moe", "rnd1"}
"""llama.cpp's list: `llm_arch_is_diffusion`."""
_TOOLS = r"\btools\b|\btool_calls?\b|available_tools|\[AVAILABLE_TOOLS\]"
_REASONING = r"<think>|</think>|enable_thinking|reasoning_content|reasoning_effort|<\|channel\|>|\[THINK\]"
"""Both compiled when the first model file is looked at."""
_DRAFT_NAME = re.compile(r"(?:^|[-_.])(?:draft|mtp|eagle\d?)(?:$|[-_.])", re.IGNORECASE)


class ModelKind(StrEnum):
    MODEL = "model"
    PROJECTOR = "projector"
    DRAFT = "draft"
    ADAPTER = "adapter"
    EMBEDDER = "embedder"
    """Makes vectors of texts, and can't chat."""
    RERANKER = "reranker"
    """Tells how well documents answer a query, and can't chat."""
    DIFFUSION = "diffusion"
    """Fills in a whole text at once; Hearth refuses to load it."""
    OTHER = "other"
    """Never told of: such a file is a problem."""


_WRITE_OR_READ = (
    ModelKind.MODEL,
    ModelKind.DRAFT,
    ModelKind.EMBEDDER,
    ModelKind.RERANKER,
    ModelKind.DIFFUSION,
)


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """Everything is empty or 0 where the file doesn't say."""

    kind: ModelKind
    name: str = ""
    """What its makers call it."""
    architecture: str = ""
    n_params: int = 0
    quantisation: str = ""
    """llama.cpp's name of the mixture, such as Q4_K_M."""
    size: int = 0
    """Bytes of its tensors."""
    n_ctx_train: int = 0
    has_template: bool = False
    tools: bool = False
    reasoning: bool = False
    mtp: bool = False
    """It can guess further words itself (multi-token prediction)."""
    vision: bool = False
    """Of a projector: it takes pictures."""
    audio: bool = False
    """Of a projector: it takes sound that a model is to hear."""
    width: int = 0
    """Length of the embeddings: the model's, or those that a projector makes."""
    vocabulary: str = ""
    """Kind and size of the vocabulary; models and their drafts have the same."""
    licence: str = ""
    origins: tuple[str, ...] = ()
    """In lower case: its name and where its base model came from, by which companions find each other."""
    sampling: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """How it is best sampled, by the names of `Sampling`'s fields."""
    shape: FitShape | None = None
    """None for what is no model."""
    tokens: str = ""
    """A digest of the vocabulary's tokens; see `GgufHeader`."""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, told: dict[str, Any]) -> "ModelFacts":
        """Raises KeyError, TypeError and ValueError where `as_json` did not write it."""
        shape = told["shape"]
        if shape is not None:
            shape = FitShape(**{**shape, "layers": tuple(LayerShape(**each) for each in shape["layers"])})
        return cls(**{**told, "kind": ModelKind(told["kind"]), "origins": tuple(told["origins"]), "shape": shape})


def read_facts(parts: Sequence[Path]) -> ModelFacts:
    """The facts of a model that lies in `parts`, in order. Raises UserError with a sentence for whatever is wrong."""
    headers = [_header(part) for part in parts]
    _check_parts(parts, headers)
    header = headers[0]
    kind = _kind(header, parts[0])
    if kind in _WRITE_OR_READ:
        return _model(kind, headers, parts[0])
    if kind is ModelKind.OTHER:
        raise UserError("{name} holds no model: its header says nothing of one.", name=parts[0].name)
    sizes = sum(info.n_bytes for info in header.tensors.values())
    return ModelFacts(
        kind,
        _text(header, "general.name"),
        _text(header, "general.architecture"),
        size=sizes,
        quantisation=_quantisation(headers, parts[0]),
        vision=_flag(header, "clip.has_vision_encoder"),
        audio=_flag(header, "clip.has_audio_encoder") and not _speaks(header),
        width=header.number("clip.vision.projection_dim") or header.number("clip.audio.projection_dim"),
        licence=_text(header, "general.license"),
        origins=_origins(header),
    )


def read_template(path: Path) -> str:
    """The chat template of a model; empty where it has none. Raises UserError with a sentence."""
    return _header(path).text("tokenizer.chat_template")


def _model(kind: ModelKind, headers: Sequence[GgufHeader], path: Path) -> ModelFacts:
    header = headers[0]
    architecture = header.text("general.architecture")
    template = header.text("tokenizer.chat_template")
    try:
        shape = shape_of(headers)
    except (ArithmeticError, IndexError) as error:
        raise UserError(
            "{name} is damaged: its header contradicts itself.", name=path.name, detail=str(error)
        ) from error
    return ModelFacts(
        kind,
        _text(header, "general.name"),
        _text(header, "general.architecture"),
        sum(math.prod(info.shape) for each in headers for info in each.tensors.values()),
        _quantisation(headers, path),
        shape.weights,
        header.number(f"{architecture}.context_length"),
        bool(template),
        bool(re.search(_TOOLS, template)),
        bool(re.search(_REASONING, template)),
        header.number(f"{architecture}.nextn_predict_layers") > 0,
        width=shape.n_embd,
        vocabulary=_vocabulary(header),
        licence=_text(header, "general.license"),
        origins=_origins(header),
        sampling=advice_from(lambda key: _as_text(header, key)),
        shape=shape,
        tokens=header.tokens,
    )


def _header(path: Path) -> GgufHeader:
    try:
        if path.exists() and not path.is_file():
            # Reading from a pipe would wait without end.
            raise UserError("{name} is no file.", name=path.name)
        return read_header(path)
    except FileNotFoundError:
        raise UserError("{name} is not there any more.", name=path.name) from None
    except PermissionError:
        raise UserError("You are not allowed to read {name}.", name=path.name) from None
    except OSError as error:
        raise UserError("{name} can't be read: {reason}.", name=path.name, reason=error.strerror or error) from error
    except HeaderError as error:
        raise _damaged(path, str(error)) from error


def _damaged(path: Path, detail: str) -> UserError:
    try:
        with path.open("rb") as file:
            head = file.read(len(_FILE_MAGIC))
    except OSError:
        head = _FILE_MAGIC
    if not head:
        return UserError("{name} is empty. Fetch it again.", name=path.name)
    if head != _FILE_MAGIC:
        return UserError("{name} is not a GGUF file, whatever its name says.", name=path.name, detail=detail)
    if "ends early" in detail:
        return UserError("{name} is cut off. Fetch the rest of it, or fetch it again.", name=path.name, detail=detail)
    return UserError("{name} is damaged. Fetch it again.", name=path.name, detail=detail)


def _check_parts(parts: Sequence[Path], headers: Sequence[GgufHeader]) -> None:
    count = headers[0].number("split.count")
    if count > len(parts):
        raise UserError(
            "{name} is one of {count} parts, and only {found} of them are here.",
            name=parts[0].name,
            count=count,
            found=len(parts),
        )
    wanted = headers[0].number("split.tensors.count")
    found = sum(len(header.tensors) for header in headers)
    if count and wanted and wanted != found:
        raise UserError("The parts of {name} do not belong together: fetch them again.", name=parts[0].name)


def _kind(header: GgufHeader, path: Path) -> ModelKind:
    architecture = header.text("general.architecture")
    told = header.text("general.type")
    if architecture == "clip" or told == "mmproj":
        return ModelKind.PROJECTOR
    if told == "adapter":
        return ModelKind.ADAPTER
    pooling = header.metadata.get(f"{architecture}.pooling_type", _UNSPECIFIED)
    if pooling != _UNSPECIFIED or architecture in _EMBEDDERS:
        ranks = pooling == _RANK or _SCORES in header.tensors
        return ModelKind.RERANKER if ranks else ModelKind.EMBEDDER
    if architecture in _DIFFUSION:
        return ModelKind.DIFFUSION
    if not architecture or header.number(f"{architecture}.block_count") <= 0:
        return ModelKind.OTHER
    if architecture in _DRAFTS or _DRAFT_NAME.search(path.stem):
        return ModelKind.DRAFT
    return ModelKind.MODEL


def _quantisation(headers: Sequence[GgufHeader], path: Path) -> str:
    # People know files by their names, which may tell of mixtures that llama.cpp has no number for.
    return (
        quantisation_in(path.stem)
        or file_type_name(headers[0].metadata.get("general.file_type"))
        or most_common_type([info for header in headers for info in header.tensors.values()])
    )


def _vocabulary(header: GgufHeader) -> str:
    kind = header.text("tokenizer.ggml.model")
    n_tokens = header.lengths.get("tokenizer.ggml.tokens", 0)
    return f"{kind[:_LONGEST_TEXT]} {header.text('tokenizer.ggml.pre')[:_LONGEST_TEXT]} {n_tokens}" if kind else ""


def _origins(header: GgufHeader) -> tuple[str, ...]:
    told = (_text(header, key).casefold() for key in _ORIGINS)
    return tuple(sorted({each for each in told if each}))


def _text(header: GgufHeader, key: str) -> str:
    return " ".join(header.text(key).split())[:_LONGEST_TEXT]


def _speaks(header: GgufHeader) -> bool:
    """Whether it takes a speaker's voice, for a model that speaks."""
    types = (header.text("clip.projector_type"), header.text("clip.audio.projector_type"))
    return any(each.endswith("_spkenc") for each in types)


def _flag(header: GgufHeader, key: str) -> bool:
    return header.metadata.get(key) is True


def _as_text(header: GgufHeader, key: str) -> str | None:
    found = header.metadata.get(key)
    return str(found) if isinstance(found, str | int | float) else None
