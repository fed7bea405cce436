"""How large a picture may be, before and after it is read, and the sentences for those that are too large.

Hundreds of bytes can claim billions of pixels, so a file is judged by its header, before memory is taken.
"""

import importlib.util

from app.core.errors import UserError

HEIC_IS_READABLE = importlib.util.find_spec("pi_heif") is not None
"""Its reader is there for the systems that it has been built for."""

MAX_BYTES = 64 << 20
MAX_READ_SIDE = 30_000
MAX_READ_AREA = 100_000_000
MAX_PHOTO_AREA = 220_000_000
"""Of JPEG and HEIC, in which telephones make pictures of 48 to 200 megapixels. JPEG is reduced while it is decoded, in
the frequency domain, and costs the less for it.
"""
_SMALL_AREA = 40_000_000
"""Up to here memory is not asked for first."""
_BYTES_PER_PIXEL = 8
"""That decoding takes where nothing is reduced meanwhile: the pixels, and once more what they are converted to."""
MAX_ASPECT = 50

MAX_SIDE = 4096
MAX_AREA = 16_000_000
"""The largest picture that is kept. Some of llama.cpp's preprocessing hangs or overflows on much larger ones."""

_NAME_LENGTH = 60


class PictureError(UserError):
    """A picture that cannot be used; the sentence names the file."""


def shown(name: str, nameless: str = "This picture") -> str:
    """The name of a file as it can stand in a sentence: on one line, without control characters, not too long."""
    plain = " ".join("".join(each if each.isprintable() else " " for each in name).split())
    if len(plain) > _NAME_LENGTH:
        half = _NAME_LENGTH // 2
        plain = f"{plain[: half - 1]}…{plain[-half:]}"
    return plain or nameless


def check_bytes(n_bytes: int, name: str) -> None:
    """Raises PictureError for a file that is empty or too large."""
    if not n_bytes:
        raise PictureError("{name} is empty; choose another file.", name=shown(name))
    if n_bytes > MAX_BYTES:
        raise PictureError(
            "{name} has {size:,} MiB, and a picture may have {most}; make it smaller in another program.",
            name=shown(name),
            size=n_bytes >> 20,
            most=MAX_BYTES >> 20,
        )


def check_size(width: int, height: int, name: str, *, max_area: int = MAX_READ_AREA) -> None:
    """Raises PictureError for a size that is not read, in pixels."""
    if min(width, height) < 1:
        raise PictureError("{name} has no pixels; choose another file.", name=shown(name))
    if max(width, height) > MAX_READ_SIDE or width * height > max_area:
        raise PictureError(
            "{name} has {width:,} × {height:,} pixels, and Hearth reads up to {side:,} a side and "
            "{area} million in all; make it smaller in another program.",
            name=shown(name),
            width=width,
            height=height,
            side=MAX_READ_SIDE,
            area=max_area // 1_000_000,
        )
    if max(width, height) > MAX_ASPECT * min(width, height):
        raise PictureError(
            "{name} has {width:,} × {height:,} pixels, and one side may be up to {times} times the other; "
            "cut out the part that matters.",
            name=shown(name),
            width=width,
            height=height,
            times=MAX_ASPECT,
        )


def check_memory(width: int, height: int, name: str) -> None:
    """Raises PictureError where decoding all pixels at once would take more than half of the memory that is free."""
    if width * height <= _SMALL_AREA:
        return
    # Not before it is needed: the window's first paint imports this file.
    import psutil

    if width * height * _BYTES_PER_PIXEL > psutil.virtual_memory().available // 2:
        raise PictureError("Memory is too short to read {name}; close other programs and try again.", name=shown(name))


def fitted(width: int, height: int) -> tuple[int, int]:
    """The size to keep: within MAX_SIDE and MAX_AREA, in the same proportions, each side 1 at least."""
    scale = min(1.0, MAX_SIDE / max(width, height), (MAX_AREA / (width * height)) ** 0.5)
    if scale == 1.0:
        return width, height
    return max(1, int(width * scale)), max(1, int(height * scale))
