"""How pictures are shown to models, as one typed value."""

from dataclasses import dataclass

from app.core.setting import setting


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureSettings:
    """For models that see. A picture is encoded once, and what came of it is kept."""

    image_max_tokens: int = setting(
        1024,
        "Image detail",
        "The most that one picture may take of the context, for models that let this be chosen. More shows finer "
        "detail and takes longer. 0 leaves it to the model.",
        within=(0, 16384),
        unit="tokens",
        flags=("--image-max-tokens",),
        reload=True,
        words="resolution quality vision images",
    )
    encode_while_typing: bool = setting(
        True,
        "Look at pictures while you write",
        "A picture or recording is encoded as soon as it is added, so that the answer begins sooner.",
    )
    cache_ram: int = setting(
        256,
        "Picture memory",
        "Encoded pictures and recordings are kept in memory, so that none is encoded twice. 0 is off.",
        within=(0, 65536),
        unit="MiB",
        flags=("--image-cache-ram",),
        words="images",
    )
    cache_disk: int = setting(
        1024,
        "Picture cache on disk",
        "Encoded pictures and recordings are kept on disk too, for the next start. 0 is off.",
        within=(0, 1_048_576),
        unit="MiB",
        flags=("--image-cache-disk",),
        words="images",
    )
