"""Which files hold a multi-token-prediction head that llama.cpp can run, as their headers tell."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from app.core.errors import ModelError
from app.core.gguf_header import GgufHeader, HeaderError, TensorInfo, read_header
from app.core.sentence import Sentence
from app.engine.preflight.model_file import parts

_ONE_HEAD = frozenset({
    "qwen35", "qwen35moe", "qwen3next", "glm4moe", "glm-dsa", "deepseek2", "deepseek32", "deepseek4",
    "bailingmoe3", "cohere2moe", "nemotron_h_moe",
})  # fmt: skip
_SEVERAL_HEADS = frozenset({"hy_v3", "mimo2", "step35"})
"""Architectures with a graph for heads (llama.cpp's src/models). Others have the tensors, and are not to be believed:
llama.cpp ends the process when it is asked to run them."""
_MOST_HEADS = 16
SHARED = {"gemma4-assistant": "gemma4"}
"""Drafters that work in the memory of the model that they draft for, and that model's architecture."""
_OTHERS = ("eagle3", "dflash")
"""Drafters of other kinds."""
_KEY = "nextn_predict_layers"
_PROJECTION = "blk.{}.nextn.eh_proj.weight"
_TRUNK = "blk.0.attn_norm.weight"


@dataclass(frozen=True, slots=True)
class MtpHead:
    path: Path
    """The file that holds it."""
    architecture: str
    heads: int
    """How many follow one upon the other, each for one token of a draft; 1 where one does for all."""
    alone: bool
    """There is nothing else in the file: it drafts for another one."""


def find_head(path: Path) -> MtpHead:
    """The head in a model file (the first part of a split one), or in a file that holds a head alone.

    Raises ModelError with a sentence that says why there is none.
    """
    try:
        headers = [read_header(part) for part in parts(path)]
    except (HeaderError, OSError) as error:
        raise ModelError("{name} can't be read. It may be damaged.", name=path.name, detail=str(error)) from error
    return head_in(path, headers[0], {name: info for each in headers for name, info in each.tensors.items()})


def is_head_alone(path: Path) -> bool:
    """Whether a file holds nothing but a drafter that needs the model it drafts for. False where it can't be read."""
    try:
        header = read_header(path)
    except (HeaderError, OSError):
        return False
    architecture = header.text("general.architecture")
    if architecture in SHARED or architecture in _OTHERS:
        return True
    return header.number(f"{architecture}.{_KEY}") > 0 and _TRUNK not in header.tensors


def head_in(path: Path, header: GgufHeader, tensors: Mapping[str, TensorInfo]) -> MtpHead:
    """`find_head` for a file whose header is known; `tensors` are those of all its parts."""
    architecture = header.text("general.architecture")
    n_layer, told = header.number(f"{architecture}.block_count"), header.number(f"{architecture}.{_KEY}")
    if architecture in SHARED:
        if not 0 < told == n_layer:
            raise unfit(path, Sentence("it is not made as llama.cpp expects it"))
        return MtpHead(path, architecture, 1, alone=True)
    if architecture in _OTHERS:
        raise unfit(path, Sentence("drafters of the kind “{kind}” are not supported yet", kind=architecture))
    if not told:
        raise ModelError("{name} has no head of its own that guesses tokens (MTP).", name=path.name)
    if architecture not in _ONE_HEAD | _SEVERAL_HEADS:
        raise unfit(path, Sentence("llama.cpp can't run it for the architecture “{kind}”", kind=architecture))
    most = _MOST_HEADS if architecture in _SEVERAL_HEADS else 1
    if told > most:
        why = Sentence("llama.cpp runs one such layer of a model of this kind, and there are {count}", count=told)
        raise unfit(path, why)
    if not all(_PROJECTION.format(layer) in tensors for layer in range(n_layer - told, n_layer)):
        raise ModelError(
            "{name} was made without the head that guesses tokens (MTP), although it mentions one.", name=path.name
        )
    return MtpHead(path, architecture, told, alone=_TRUNK not in tensors)


def unfit(path: Path, why: str, detail: str = "") -> ModelError:
    told = "The head of {name} that guesses tokens (MTP) can't be used: {why}."
    return ModelError(told, name=path.name, why=why, detail=detail)
