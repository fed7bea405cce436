"""What requests hold that Hearth does nothing with: refused where a client relies on it, and otherwise named."""

import re
from collections.abc import Mapping

from app.api.validation import Given, invalid

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
_OUR_ORDER = ["penalties", "dry", "top_n_sigma", "top_k", "typ_p", "top_p", "min_p", "xtc", "temperature"]
RELIED_ON: Mapping[str, tuple[object, ...]] = {
    # Where it ends.
    "min_tokens": (0,),
    "min_new_tokens": (0,),
    "ban_eos_token": (False,),
    "stop_token_ids": ([],),
    "stop_regex": ("", []),
    "include_stop_str_in_output": (False,),
    "no_stop_trim": (False,),
    "t_max_predict_ms": (0, -1),
    "n_indent": (0,),
    "reasoning_budget_tokens": (-1,),
    "thinking_budget_tokens": (-1,),
    "thinking_token_budget": (-1,),
    # How it is drawn.
    "samplers": (_OUR_ORDER, "edskypmxt"),
    "use_beam_search": (False,),
    "logits_processors": ([],),
    "custom_logit_processor": ("",),
    "lora": ([],),
    # What it may hold.
    "allowed_token_ids": ([],),
    "bad_words": ([],),
    "banned_strings": ([],),
    "custom_token_bans": ("",),
    "skip_special_tokens": (True,),
    "guided_json": (),
    "guided_regex": ("",),
    "guided_choice": ([],),
    "guided_grammar": ("",),
    "structured_outputs": ({},),
    "structural_tag": ("",),
    "regex": ("",),
    "ebnf": ("",),
    "grammar_lazy": (False,),
    "grammar_triggers": ([],),
    # What is told with it.
    "n_cmpl": (1,),
    "prompt_logprobs": (),
    "post_sampling_probs": (False,),
    "return_tokens": (False,),
    "return_token_ids": (False,),
    "return_tokens_as_token_ids": (False,),
    # What it is an answer to.
    "truncate_prompt_tokens": (),
}
"""Parameters of other servers (vLLM's, llama-server's, SGLang's) that decide where an answer ends or what it holds,
with the values that ask for nothing: those programs' own defaults. To ignore one would give a client something else
than it can use.
"""
_NAME = re.compile(r"[\w.\-]{1,64}", re.ASCII)
_ODD_NAME = "(unreadable)"
_CODE = "unsupported_parameter"


def unknown_in(
    given: Given, known: frozenset[str], refused: Mapping[str, tuple[object, ...]] = RELIED_ON, where: str = ""
) -> tuple[str, ...]:
    """The names of what is not known, and so ignored. Raises ApiError for what is `refused`, unless it has one of the
    values that stand there; `where` is told before its name.
    """
    found = []
    for name, value in given.items():
        if name in known:
            continue
        if name in refused:
            if value not in refused[name]:
                raise invalid(f"{where}{name}", f"Hearth does not support {where}{name}. Leave it out.", code=_CODE)
        elif name not in WITHOUT_EFFECT:
            found.append(name if _NAME.fullmatch(name) else _ODD_NAME)
    return tuple(found)
