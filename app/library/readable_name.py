"""What a model's file is called, for people."""

import re

_QUANTISATION = re.compile(r"[-_. ](?P<type>I?Q\d\w*|TQ\d\w*|MXFP4\w*|BF16|F16|F32)$", re.IGNORECASE)


def readable_name(stem: str) -> str:
    """What a file's name without its suffix tells people: "Llama 3.2 1B Instruct (Q4_K_M)"."""
    quantisation = _QUANTISATION.search(stem)
    words = stem[: quantisation.start()] if quantisation else stem
    name = re.sub(r"[-_\s]+", " ", words).strip() or stem
    return f"{name} ({quantisation['type'].upper()})" if quantisation else name
