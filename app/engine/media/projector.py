"""Whether an encoder (mmproj) of pictures or sounds is whole, and belongs to a model: told from its header alone.

mtmd loads an encoder of the wrong family without a word and shows the model garbage, and on some damaged
files it ends the process at the first picture.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from app.core.errors import ModelError
from app.core.gguf_header import GgufHeader
from app.engine.media.audio_limits import MAX_SECONDS
from app.engine.media.projector_families import AUDIO_FAMILIES, FAMILIES, OWN_ENCODER, SPEAKS, Family
from app.engine.preflight.model_file import header_of

_VISION, _AUDIO = "vision", "audio"
_MOST = 1 << 16
_NUMBERS = {
    _VISION: {"embedding_length": _MOST, "block_count": _MOST, "attention.head_count": _MOST, "image_size": _MOST,
              "patch_size": _MOST},
    _AUDIO: {"embedding_length": _MOST, "block_count": _MOST, "attention.head_count": _MOST, "num_mel_bins": 257},
}  # fmt: skip
"""Metadata below `clip.vision` and `clip.audio` that a graph divides by or counts to, each with its bound."""
_SEPARATE = re.compile(r"v\.blk\.#\.attn_[qkv]\..*")
_LAST_OF_YI = "mm.3.bias"
"""Yi's variant of LLaVA has norms between its layers, and other numbers for them."""
_BLOCK_INPUT = re.compile(r"[va]\.blk\.\d+\.(attn_(q|k|v|qkv)|ln1|ln2)\.weight")
_PLACES, _SECONDS_A_PLACE = "a.position_embd.weight", 0.02


@dataclass(frozen=True, slots=True)
class _Encoder:
    """One of those in a file."""

    medium: str
    projector: str
    family: Family

    def number(self, header: GgufHeader, key: str) -> int:
        return header.number(f"clip.{self.medium}.{key}")


def check_projector(path: Path, *, n_embd: int, architecture: str) -> str:
    """The projector type of a file that this model can be given; ModelError with a sentence for any other.

    `n_embd` is the length of one entry (`llama_model_n_embd_inp`), `architecture` the model's. Of a file that sees and
    hears it is the type of what sees.
    """
    header = header_of(path)
    encoders = _encoders(path, header)
    for each in encoders:
        _check(path, header, each, n_embd, architecture)
    return encoders[0].projector


def most_seconds(path: Path) -> float:
    """The longest recording that a file's encoder takes, of those that Hearth reads. Raises ModelError.

    LFM2's ends the process at a longer one than it has places for.
    """
    header = header_of(path)
    places = header.tensors.get(_PLACES)
    if _type(header, _AUDIO) != "lfm2a" or places is None:
        return MAX_SECONDS
    return min(MAX_SECONDS, int(places.shape[1] * _SECONDS_A_PLACE))


def _check(path: Path, header: GgufHeader, encoder: _Encoder, n_embd: int, architecture: str) -> None:
    family = encoder.family
    if family.placed:
        raise ModelError("Hearth can't show pictures to models of the family “{family}” yet.", family=encoder.projector)
    if not _goes_with(encoder, architecture):
        raise ModelError(
            "{name} was made for another kind of model than “{kind}”. Choose the mmproj file that came with the model.",
            name=path.name,
            kind=architecture,
        )
    problem = _damage(encoder, header)
    if problem:
        raise ModelError(
            "{name} is incomplete or damaged. Download it again, or choose another mmproj file.",
            name=path.name,
            detail=problem,
        )
    width = _width(encoder, header)
    if width not in (0, n_embd):
        raise ModelError(
            "{name} belongs to another model: it makes embeddings of {width:,} values, and this model "
            "takes {taken:,}. Choose the mmproj file that came with the model.",
            name=path.name,
            width=width,
            taken=n_embd,
        )


def _encoders(path: Path, header: GgufHeader) -> tuple[_Encoder, ...]:
    """At least one."""
    if header.text("general.architecture") != "clip":
        raise ModelError(
            "{name} is a language model, not an encoder for pictures or sounds. Choose the file that has “mmproj” in "
            "its name.",
            name=path.name,
        )
    there = {each: _type(header, each) for each in (_VISION, _AUDIO) if _has(header, each)}
    if not there:
        raise ModelError("{name} holds no encoder for pictures or sounds. Choose another mmproj file.", name=path.name)
    if there.get(_AUDIO, "").endswith(SPEAKS):
        raise ModelError("{name} is for a model that speaks, which Hearth does not do yet.", name=path.name)
    known = tuple(_known(there))
    if not known:
        raise ModelError(
            "{name} is of the family “{family}”, which this build of llama.cpp does not know. "
            "A newer version of Hearth may.",
            name=path.name,
            family=next(iter(there.values())),
        )
    return known


def _known(there: dict[str, str]) -> Iterator[_Encoder]:
    for medium, projector in there.items():
        family = (FAMILIES if medium == _VISION else AUDIO_FAMILIES).get(projector)
        if family is not None:
            yield _Encoder(medium, projector, family)


def _has(header: GgufHeader, medium: str) -> bool:
    return header.metadata.get(f"clip.has_{medium}_encoder") is True


def _type(header: GgufHeader, medium: str) -> str:
    return header.text("clip.projector_type") or header.text(f"clip.{medium}.projector_type")


def _goes_with(encoder: _Encoder, architecture: str) -> bool:
    if encoder.family.architectures:
        return architecture in encoder.family.architectures
    return encoder.medium == _AUDIO or architecture not in OWN_ENCODER


def _damage(encoder: _Encoder, header: GgufHeader) -> str:
    """What is missing or cannot be, in technical words; empty where nothing is known to be wrong."""
    family = encoder.family
    if _width(encoder, header) < 0:
        return f"no {family.width} to tell the length of an embedding"
    if not family.tensors:
        return ""
    for key, bound in {**dict.fromkeys(family.keys, _MOST), **_NUMBERS[encoder.medium]}.items():
        if not 0 < encoder.number(header, key) < bound:
            return f"clip.{encoder.medium}.{key} is {encoder.number(header, key)}"
    return _missing(encoder, header) or _misshapen(encoder, header)


def _missing(encoder: _Encoder, header: GgufHeader) -> str:
    for pattern in encoder.family.tensors:
        blocks = range(encoder.number(header, "block_count")) if "#" in pattern else range(1)
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


def _misshapen(encoder: _Encoder, header: GgufHeader) -> str:
    patch, n_embd = encoder.number(header, "patch_size"), encoder.number(header, "embedding_length")
    if n_embd % encoder.number(header, "attention.head_count"):
        return f"{n_embd} values can't be shared among the heads"
    for name, info in header.tensors.items():
        if name.startswith("v.patch_embd.weight") and patch and info.shape != (patch, patch, 3, n_embd):
            return f"{name} has the shape {info.shape}"
        if name.startswith(encoder.medium[0]) and _BLOCK_INPUT.fullmatch(name) and info.shape[:1] != (n_embd,):
            return f"{name} has the shape {info.shape}"
    return ""


def _width(encoder: _Encoder, header: GgufHeader) -> int:
    """Length of one entry that the file makes; 0 where its header does not say, -1 where it should."""
    if encoder.family.width is None:
        return 0
    name, dimension = encoder.family.width
    if encoder.projector == "mlp" and _LAST_OF_YI in header.tensors:
        name, dimension = _LAST_OF_YI, 0
    info = header.tensors.get(name)
    if info is None or len(info.shape) <= dimension:
        return -1
    if encoder.medium == _AUDIO:
        return info.shape[dimension]
    deeper = sum(each.startswith("v.deepstack.") and each.endswith(".fc1.weight") for each in header.tensors)
    return info.shape[dimension] * (1 + deeper)
