"""What does not go together when a model is loaded, said before anybody tries."""

from PySide6.QtCore import QCoreApplication

from app.core.loading import CacheType, FlashAttention, Loading

PLAIN_TYPES = frozenset((CacheType.F32, CacheType.F16, CacheType.BF16))
"""Those that are not quantised."""


def broken_rules(loading: Loading) -> dict[str, str]:
    """A sentence for each field of `loading` that cannot be as it is."""
    broken = {}
    if loading.flash_attn is FlashAttention.OFF and loading.cache_type_v not in PLAIN_TYPES:
        broken["cache_type_v"] = _tr(
            "{type} values need flash attention: turn it on or to automatic, or choose f32, f16 or bf16 here."
        ).format(type=loading.cache_type_v.value)
    if loading.ubatch_size > loading.batch_size:
        broken["ubatch_size"] = _tr("The micro-batch cannot be larger than the batch, which is {size} tokens.").format(
            size=loading.batch_size
        )
    return broken


def _tr(text: str) -> str:
    return QCoreApplication.translate("settings", text)
