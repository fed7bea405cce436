"""What requests hold that Hearth does nothing with: refused where a client relies on it, and otherwise named."""

import re
from collections.abc import Mapping

from app.api.fields import Given, invalid

WITHOUT_EFFECT = frozenset(
    {
        "user",
        "metadata",
        "service_tier",
        "safety_identifier",
        "prompt_cache_key",
        "prompt_cache_retention",
        "prediction",
        "cache_prompt",
        "id_slot",
    }
)
"""Taken without a word: the answer is the same with them as without."""
RELIED_ON: Mapping[str, tuple[object, ...]] = {
    "stop_token_ids": ([],),
    "allowed_token_ids": ([],),
    "bad_words": ([],),
    "logits_processors": ([],),
    "use_beam_search": (False,),
    "lora": ([],),
    "guided_json": (),
    "guided_regex": ("",),
    "guided_choice": ([],),
    "guided_grammar": ("",),
    "structured_outputs": ({},),
    "grammar_lazy": (False,),
    "grammar_triggers": ([],),
}
"""Parameters of other servers that decide where an answer ends or what may stand in it, with the values that ask for
nothing. To ignore one would give a client something else than it can use.
"""
_NOTHING: tuple[object, ...] = (False, 0, "", [], {})
_NAME = re.compile(r"[\w.\-]{1,64}", re.ASCII)
_ODD_NAME = "(unreadable)"
_CODE = "unsupported_parameter"


def unknown_in(
    given: Given, known: frozenset[str], refused: Mapping[str, tuple[object, ...]] = RELIED_ON, where: str = ""
) -> tuple[str, ...]:
    """The names of what is ignored: neither known nor asking for nothing. Raises ApiError for what is `refused`, unless
    it has one of the values that stand there.
    """
    found = []
    for name, value in given.items():
        if name in refused:
            if value not in refused[name]:
                raise invalid(f"{where}{name}", f"Hearth does not support {where}{name}. Leave it out.", code=_CODE)
        elif name not in known and name not in WITHOUT_EFFECT and value not in _NOTHING:
            found.append(where + (name if _NAME.fullmatch(name) else _ODD_NAME))
    return tuple(found)
