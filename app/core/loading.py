"""How a model is loaded: the context's size and types, threads and layers, as one typed value."""

from dataclasses import dataclass, fields
from enum import StrEnum

from app.core.setting import declaration, setting


class FlashAttention(StrEnum):
    AUTO = "auto"
    ON = "on"
    OFF = "off"


class CacheType(StrEnum):
    """KV cache element types, by llama.cpp's names."""

    F32 = "f32"
    F16 = "f16"
    BF16 = "bf16"
    Q8_0 = "q8_0"
    Q5_1 = "q5_1"
    Q5_0 = "q5_0"
    Q4_1 = "q4_1"
    Q4_0 = "q4_0"
    IQ4_NL = "iq4_nl"


class LoadMode(StrEnum):
    """How a file's weights come into memory, by llama.cpp's names."""

    AUTO = "auto"
    NONE = "none"
    MMAP = "mmap"
    MLOCK = "mlock"
    MMAP_MLOCK = "mmap+mlock"
    DIRECT_IO = "dio"

    @property
    def locks(self) -> bool:
        return self in (LoadMode.MLOCK, LoadMode.MMAP_MLOCK)


class Pooling(StrEnum):
    """What a text's vector is made of, by llama.cpp's names; None where one is wanted is as the model's file says."""

    NONE = "none"
    """A vector for each token."""
    MEAN = "mean"
    CLS = "cls"
    LAST = "last"
    RANK = "rank"
    """Scores instead, of how well a document answers a query."""


UNQUANTISED = (CacheType.F32, CacheType.F16, CacheType.BF16)
"""Types that V may have without flash attention."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loading:
    """How a model is loaded, and how long it stays. Names are llama.cpp's flags'."""

    ctx_size: int = setting(
        8192,
        "Context size",
        "How much of a conversation the model can look at. 0 is as much as it was trained with.",
        within=(0, 16_777_216),
        unit="tokens",
        reload=True,
        flags=("-c", "--ctx-size"),
        words="memory window length history remember forget",
    )
    gpu_layers: int = setting(
        -1,
        "GPU layers",
        "How many layers are kept on the graphics card. -1 takes as many as there are, 0 none.",
        default_words="as many as there are",
        within=(-1, 10_000),
        reload=True,
        flags=("-ngl", "--gpu-layers"),
        words="vram video nvidia amd intel cuda vulkan metal offload acceleration speed",
    )
    threads: int = setting(
        0,
        "Threads",
        "Processor threads for the model. 0 takes the number of real cores, less one for the window.",
        within=(0, 512),
        reload=True,
        flags=("-t", "--threads"),
        words="cpu speed fast slow",
    )
    batch_size: int = setting(
        2048,
        "Batch size",
        "How many tokens are handed to the model at once while it reads.",
        within=(1, 65_536),
        unit="tokens",
        reload=True,
        flags=("-b", "--batch-size"),
        advanced=True,
    )
    ubatch_size: int = setting(
        512,
        "Micro-batch size",
        "How many tokens are computed at once while the model reads. Smaller stops sooner.",
        within=(1, 65_536),
        unit="tokens",
        reload=True,
        flags=("-ub", "--ubatch-size"),
        advanced=True,
    )
    flash_attn: FlashAttention = setting(
        FlashAttention.AUTO,
        "Flash attention",
        "Computes attention with less memory; a quantised V cache needs it. On a processor it is slower in long "
        "conversations: automatic leaves it out where the memory allows that.",
        reload=True,
        flags=("-fa", "--flash-attn"),
        words="ram vram speed",
    )
    cache_type_k: CacheType = setting(
        CacheType.F16,
        "KV cache type K",
        "How keys are kept. q8_0 halves their memory.",
        reload=True,
        flags=("-ctk", "--cache-type-k"),
        words="ram vram quantization",
    )
    cache_type_v: CacheType = setting(
        CacheType.F16,
        "KV cache type V",
        "How values are kept. Quantised types need flash attention.",
        reload=True,
        flags=("-ctv", "--cache-type-v"),
        words="ram vram quantization",
    )
    load_mode: LoadMode = setting(
        LoadMode.AUTO,
        "Loading mode",
        "mmap maps the file: quick, but the system may drop parts and read them again. none reads all of it: slower to "
        "load. mlock and mmap+mlock keep it locked in memory, never swapped out: other programs have less. dio reads "
        "past the system's file cache: every load waits for the disk. auto is mmap where the devices can.",
        reload=True,
        flags=("-lm", "--load-mode"),
        advanced=True,
        words="ram swap",
    )
    swa_full: bool = setting(
        False,
        "Full-size sliding-window cache",
        "Keeps every cell of sliding-window layers: more memory, and any edit resumes where it was made.",
        reload=True,
        flags=("--swa-full",),
        advanced=True,
    )
    exact: bool = setting(
        False,
        "Exact to the last bit",
        "A warm answer has the very numbers of a cold start, however numbers are rounded. For that the end of each "
        "prompt and every answer are read once more with the next question, and guesses stay short.",
        reload=True,
        flags=("--exact",),
        advanced=True,
    )
    parallel: int = setting(
        4,
        "Answers at once",
        "How many answers may be written at the same time, such as for several clients. They share the context, and "
        "each is slower then; the numbers below the estimate tell what more memory that takes. 1 writes one after "
        "the other.",
        within=(1, 16),
        reload=True,
        flags=("-np", "--parallel"),
        advanced=True,
        words="concurrent users slots queue",
    )
    idle_deactivate: int = setting(
        0,
        "Free the context when idle",
        "When nobody has used the model for so long, its context and the graphics card's memory are freed. The weights "
        "stay in memory, so that it is back in a moment. 0 keeps the context.",
        within=(0, 10_080),
        unit="minutes",
        flags=("--idle-deactivate",),
        lasting=True,
        words="ram vram release timeout",
    )
    idle_unload: int = setting(
        0,
        "Free the memory when idle",
        "The model is unloaded when nobody has used it for so long, and loads again when you ask it something. "
        "0 keeps it.",
        within=(0, 10_080),
        unit="minutes",
        flags=("--idle-unload",),
        lasting=True,
        words="ram release timeout",
    )

    @property
    def keeps_all_cells(self) -> bool:
        """Also of sliding windows. In a small window cells stand where there was room, and are added up in that order:
        `exact` can't be had there."""
        return self.swa_full or self.exact


def differs(wanted: Loading, loaded: Loading) -> bool:
    """Whether a model has to be loaded again to be as `wanted`."""
    return any(
        getattr(wanted, each.name) != getattr(loaded, each.name) for each in fields(Loading) if declaration(each).reload
    )
