"""Whether a picture encoder (mmproj) is whole, and belongs to a model: told from its header alone.

mtmd loads an encoder of the wrong family without a word and shows the model garbage, and on some damaged
files it ends the process at the first picture.
"""

import re
from pathlib import Path

from app.core.errors import ModelError
from app.core.gguf_header import GgufHeader
from app.engine.media.projector_families import FAMILIES, OWN_ENCODER, Family
from app.engine.preflight.model_file import header_of

_NUMBERS = ("embedding_length", "block_count", "attention.head_count", "image_size", "patch_size")
"""Metadata below `clip.vision` that a graph divides by or counts to."""
_MOST = 1 << 16
_SEPARATE = re.compile(r"v\.blk\.#\.attn_[qkv]\..*")
_LAST_OF_YI = "mm.3.bias"
"""Yi's variant of LLaVA has norms between its layers, and other numbers for them."""
_BLOCK_INPUT = re.compile(r"v\.blk\.\d+\.(attn_(q|k|v|qkv)|ln1|ln2)\.weight")


def check_projector(path: Path, *, n_embd: int, architecture: str) -> str:
    """The projector type of a file that this model can be given; ModelError with a sentence for any other.

    `n_embd` is the length of one entry (`llama_model_n_embd_inp`), `architecture` the model's.
    """
    header = header_of(path)
    projector = _projector(path, header)
    family = FAMILIES.get(projector)
    if family is None:
        raise ModelError(
            "{name} is of the family “{family}”, which this build of llama.cpp does not know. "
            "A newer version of Hearth may.",
            name=path.name,
            family=projector,
        )
    if family.placed:
        raise ModelError("Hearth can't show pictures to models of the family “{family}” yet.", family=projector)
    if not _goes_with(family, architecture):
        raise ModelError(
            "{name} was made for another kind of model than “{kind}”. Choose the mmproj file that came with the model.",
            name=path.name,
            kind=architecture,
        )
    problem = _damage(projector, header, family)
    if problem:
        raise ModelError(
            "{name} is incomplete or damaged. Download it again, or choose another mmproj file.",
            name=path.name,
            detail=problem,
        )
    width = _width(projector, header, family)
    if width not in (0, n_embd):
        raise ModelError(
            "{name} belongs to another model: it makes embeddings of {width:,} values, and this model "
            "takes {taken:,}. Choose the mmproj file that came with the model.",
            name=path.name,
            width=width,
            taken=n_embd,
        )
    return projector


def _projector(path: Path, header: GgufHeader) -> str:
    if header.text("general.architecture") != "clip":
        raise ModelError(
            "{name} is a language model, not an encoder for pictures. Choose the file that has “mmproj” in its name.",
            name=path.name,
        )
    if header.metadata.get("clip.has_vision_encoder") is not True:
        if header.metadata.get("clip.has_audio_encoder") is True:
            raise ModelError(
                "{name} is for sound, which Hearth does not play to models. Choose one for pictures.", name=path.name
            )
        raise ModelError("{name} holds no encoder for pictures. Choose another mmproj file.", name=path.name)
    return header.text("clip.projector_type") or header.text("clip.vision.projector_type")


def _goes_with(family: Family, architecture: str) -> bool:
    if family.architectures:
        return architecture in family.architectures
    return architecture not in OWN_ENCODER


def _damage(projector: str, header: GgufHeader, family: Family) -> str:
    """What is missing or cannot be, in technical words; empty where nothing is known to be wrong."""
    if _width(projector, header, family) < 0:
        return f"no {family.width} to tell the length of an embedding"
    if not family.tensors:
        return ""
    for key in (*_NUMBERS, *family.keys):
        if not 0 < header.number(f"clip.vision.{key}") < _MOST:
            return f"clip.vision.{key} is {header.metadata.get(f'clip.vision.{key}')!r}"
    return _missing(header, family) or _misshapen(header)


def _missing(header: GgufHeader, family: Family) -> str:
    for pattern in family.tensors:
        blocks = range(header.number("clip.vision.block_count")) if "#" in pattern else range(1)
        for block in blocks:
            name = pattern.replace("#", str(block))
            if name not in header.tensors and not _elsewhere(header, block, pattern):
                return f"{name} is missing"
    return ""


def _elsewhere(header: GgufHeader, block: int, pattern: str) -> bool:
    """Whether another tensor takes the place of the one that `pattern` names."""
    if pattern == "mm.2.bias":
        return _LAST_OF_YI in header.tensors
    return _SEPARATE.fullmatch(pattern) is not None and f"v.blk.{block}.attn_qkv.weight" in header.tensors


def _misshapen(header: GgufHeader) -> str:
    patch, n_embd = header.number("clip.vision.patch_size"), header.number("clip.vision.embedding_length")
    if n_embd % header.number("clip.vision.attention.head_count"):
        return f"{n_embd} values can't be shared among the heads"
    for name, info in header.tensors.items():
        if name.startswith("v.patch_embd.weight") and info.shape != (patch, patch, 3, n_embd):
            return f"{name} has the shape {info.shape}"
        if _BLOCK_INPUT.fullmatch(name) and info.shape[:1] != (n_embd,):
            return f"{name} has the shape {info.shape}"
    return ""


def _width(projector: str, header: GgufHeader, family: Family) -> int:
    """Length of one entry that the file makes; 0 where its header does not say, -1 where it should."""
    if family.width is None:
        return 0
    name, dimension = family.width
    if projector == "mlp" and _LAST_OF_YI in header.tensors:
        name, dimension = _LAST_OF_YI, 0
    info = header.tensors.get(name)
    if info is None or len(info.shape) <= dimension:
        return -1
    deeper = sum(each.startswith("v.deepstack.") and each.endswith(".fc1.weight") for each in header.tensors)
    return info.shape[dimension] * (1 + deeper)
