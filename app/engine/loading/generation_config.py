"""How a model is best sampled, as a `generation_config.json` beside its file says (Hugging Face transformers)."""

import json
import logging
import os
import re
from pathlib import Path

from app.core.sampling import Sampling
from app.core.setting import check, field_types

_log = logging.getLogger(__name__)

NAME = "generation_config.json"
_LARGEST = 1 << 20
_MOST_FILES = 1000
_TOLD = {
    "temperature": "temperature",
    "top_k": "top_k",
    "top_p": "top_p",
    "min_p": "min_p",
    "typical_p": "typical_p",
    "repetition_penalty": "penalty_repeat",
}
_COMPANION = re.compile(r"^(?:mmproj|draft|mtp|lora|adapter)[-_.]|[-_.](?:mmproj|lora)(?:$|[-_.])", re.IGNORECASE)


def advice_beside(model: Path) -> dict[str, object]:
    """By the names of `Sampling`'s fields; empty where no such file lies beside the model, or it can't be read.

    In a folder with models of several families nobody knows whose it is, and nothing of it is taken.
    """
    path = model.parent / NAME
    try:
        if not path.is_file() or path.stat().st_size > _LARGEST or not _is_of_one_family(model):
            return {}
        told = json.loads(path.read_text("utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        _log.info("%s can't be read: %s", path, error)
        return {}
    return _advice(told) if isinstance(told, dict) else {}


def _advice(told: dict[str, object]) -> dict[str, object]:
    if told.get("do_sample") is False:
        return {"temperature": 0.0}
    found: dict[str, object] = {}
    for key, name in _TOLD.items():
        value = told.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool):
            try:
                found[name] = check(Sampling, name, field_types(Sampling)[name](value))
            except (ValueError, OverflowError):
                continue
    return found


def _is_of_one_family(model: Path) -> bool:
    with os.scandir(model.parent) as entries:
        names = [each.name for each, _ in zip(entries, range(_MOST_FILES), strict=False)]
    stems = [Path(name).stem for name in names if name.lower().endswith(".gguf")]
    families = {_family(stem) for stem in stems if not _COMPANION.search(stem)}
    return families <= {_family(model.stem)}


def _family(stem: str) -> str:
    return re.split(r"[-_. ]", stem.casefold(), maxsplit=1)[0]
