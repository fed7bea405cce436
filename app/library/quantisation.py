"""Names of quantisations: in file names, by llama.cpp's number, and from the tensors themselves."""

import math
import re
from collections import Counter
from collections.abc import Iterable

from app.core.gguf_header import TensorInfo

_IN_NAME = re.compile(
    r"(?:^|[-_. ])(?P<type>(?:UD[-_])?(?:I?Q\d\w*|TQ\d\w*|MXFP4\w*|NVFP4\w*|BF16|F16|F32))$", re.IGNORECASE
)

_FILE_TYPES = {
    0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 7: "Q8_0", 8: "Q5_0", 9: "Q5_1", 10: "Q2_K", 11: "Q3_K_S", 12: "Q3_K_M",
    13: "Q3_K_L", 14: "Q4_K_S", 15: "Q4_K_M", 16: "Q5_K_S", 17: "Q5_K_M", 18: "Q6_K", 19: "IQ2_XXS", 20: "IQ2_XS",
    21: "Q2_K_S", 22: "IQ3_XS", 23: "IQ3_XXS", 24: "IQ1_S", 25: "IQ4_NL", 26: "IQ3_S", 27: "IQ3_M", 28: "IQ2_S",
    29: "IQ2_M", 30: "IQ4_XS", 31: "IQ1_M", 32: "BF16", 36: "TQ1_0", 37: "TQ2_0", 38: "MXFP4",
}  # fmt: skip
"""llama.h's enum llama_ftype."""

_TENSOR_TYPES = {
    0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 6: "Q5_0", 7: "Q5_1", 8: "Q8_0", 10: "Q2_K", 11: "Q3_K", 12: "Q4_K",
    13: "Q5_K", 14: "Q6_K", 16: "IQ2_XXS", 17: "IQ2_XS", 18: "IQ3_XXS", 19: "IQ1_S", 20: "IQ4_NL", 21: "IQ3_S",
    22: "IQ2_S", 23: "IQ4_XS", 29: "IQ1_M", 30: "BF16", 34: "TQ1_0", 35: "TQ2_0", 39: "MXFP4", 40: "NVFP4",
}  # fmt: skip
"""ggml.h's enum ggml_type."""


def quantisation_in(stem: str) -> str:
    """What a file's name, without suffix and part number, ends in; empty where that is no quantisation."""
    match = _IN_NAME.search(re.sub(r"-\d{5}-of-\d{5}$", "", stem))
    return match["type"].upper().replace("UD_", "UD-") if match else ""


def file_type_name(number: object) -> str:
    return _FILE_TYPES.get(number, "") if isinstance(number, int) and not isinstance(number, bool) else ""


def most_common_type(tensors: Iterable[TensorInfo]) -> str:
    """The type of most of the elements."""
    counts: Counter[int] = Counter()
    for info in tensors:
        counts[info.type] += math.prod(info.shape)
    return _TENSOR_TYPES.get(counts.most_common(1)[0][0], "") if counts else ""
