"""Pictures as models see them: upright 8-bit RGB without transparency, in sRGB, of bounded size.

Nothing here keeps state, so that any thread may call it. Pillow's `Image.open` is not used: it would try formats
that nobody asked for, and it reports sizes by warnings, which are the whole process's.
"""

import hashlib
import io
import math
import struct
from dataclasses import dataclass

from PIL import (
    AvifImagePlugin,
    BmpImagePlugin,
    GifImagePlugin,
    Image,
    ImageChops,
    ImageCms,
    ImageFile,
    JpegImagePlugin,
    PngImagePlugin,
    TiffImagePlugin,
    WebPImagePlugin,
    features,
)

from app.core.sentence import Sentence
from app.engine.media.image_headers import CostlyPictureError, Header, UnknownPictureError, read_header
from app.engine.media.image_limits import (
    HEIC_IS_READABLE,
    MAX_PHOTO_AREA,
    MAX_READ_AREA,
    PictureError,
    check_bytes,
    check_memory,
    check_size,
    fitted,
    shown,
)
from app.engine.media.image_tiff import orientation_of

__all__ = ["FILE_SUFFIXES", "FORMATS", "Picture", "PictureError", "as_png", "read_picture", "thumbnail"]

_READERS: dict[str, type[ImageFile.ImageFile]] = {
    "PNG": PngImagePlugin.PngImageFile,
    "JPEG": JpegImagePlugin.JpegImageFile,
    "WEBP": WebPImagePlugin.WebPImageFile,
    "GIF": GifImagePlugin.GifImageFile,
    "BMP": BmpImagePlugin.BmpImageFile,
    "TIFF": TiffImagePlugin.TiffImageFile,
    "AVIF": AvifImagePlugin.AvifImageFile,
}
_HEIC = "HEIC"
_SUFFIXES = {
    "PNG": (".png", ".apng"),
    "JPEG": (".jpg", ".jpeg", ".jpe", ".jfif"),
    "WEBP": (".webp",),
    "GIF": (".gif",),
    "BMP": (".bmp", ".dib"),
    "TIFF": (".tif", ".tiff"),
    "AVIF": (".avif",),
    _HEIC: (".heic", ".heif"),
}
FORMATS = (
    *(name for name in _READERS if name not in {"AVIF", "WEBP"} or features.check(name.lower())),
    *((_HEIC,) if HEIC_IS_READABLE else ()),
)
"""Pillow may have been built without AVIF or WebP, and the reader of HEIC is there where it has been built."""
FILE_SUFFIXES = tuple(suffix for name in FORMATS for suffix in _SUFFIXES[name])
"""For file dialogs. What a file is, its content says, whatever its name."""

_NAMES = {"WEBP": "WebP"}

_TURNS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
_WITH_ALPHA = {"RGBA", "RGBa", "LA", "La", "PA"}
_PROFILE_SPACES = {"RGB": "RGB ", "L": "GRAY", "CMYK": "CMYK"}


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    width: int
    height: int
    rgb: bytes
    """Rows from the top, 3 bytes a pixel: width * height * 3 in all."""
    digest: str
    """sha256 hex of width, height and rgb: equal for equal pictures, whatever file they came from."""
    note: str = ""
    """What of the file is not in the picture, in one sentence or two; or empty."""


def read_picture(data: bytes, name: str = "") -> Picture:
    """Decode the picture file `data`. `name` is for the sentences. Raises PictureError for whatever else it is."""
    check_bytes(len(data), name)
    try:
        header = read_header(data)
    except UnknownPictureError as error:
        raise _unknown(name, error.what) from error
    except CostlyPictureError as error:
        # What is too large by itself is not called damaged.
        check_size(error.width, error.height, name, max_area=MAX_PHOTO_AREA)
        raise _damaged(name, error) from error
    except (ValueError, IndexError, struct.error) as error:
        raise _damaged(name, error) from error
    if header.format not in FORMATS:
        raise _unknown(name, f"a {header.format} picture")
    check_size(header.width, header.height, name, max_area=_max_area(header))
    if header.format != "JPEG":
        check_memory(header.width, header.height, name)
    try:
        return _decoded(header, name)
    except PictureError:
        raise
    except MemoryError as error:
        raise PictureError(
            "Memory is too short to read {name}; close other programs and try again.", name=shown(name)
        ) from error
    except Exception as error:
        raise _damaged(name, error) from error


def thumbnail(picture: Picture, side: int) -> Picture:
    """`picture` with `side` pixels at its longest side, or as it is where it is no larger."""
    scale = side / max(picture.width, picture.height)
    if scale >= 1:
        return picture
    size = (max(1, round(picture.width * scale)), max(1, round(picture.height * scale)))
    image = Image.frombytes("RGB", (picture.width, picture.height), picture.rgb)
    return _picture(image.resize(size, Image.Resampling.BICUBIC, reducing_gap=2.0))


def as_png(picture: Picture) -> bytes:
    file = io.BytesIO()
    Image.frombytes("RGB", (picture.width, picture.height), picture.rgb).save(file, "PNG", compress_level=1)
    return file.getvalue()


def _decoded(header: Header, name: str) -> Picture:
    stored = _opened_heic(header, name) if header.format == _HEIC else _READERS[header.format](io.BytesIO(header.data))
    if header.format in {"AVIF", _HEIC}:
        check_size(*stored.size, name)
    elif stored.size != (header.width, header.height):
        raise ValueError(f"{stored.size} where the header says {header.width} x {header.height}")
    full = stored.size
    size = fitted(*full)
    if header.format == "JPEG" and isinstance(stored, ImageFile.ImageFile):
        # In one piece: a decoder that is fed piece by piece is fed again what it could not use yet.
        stored.decodermaxblock = len(header.data)
        if size != full:
            stored.draft(None, size)
    stored.load()
    orientation, icc = header.orientation, header.icc
    if header.format == _HEIC:
        icc = stored.info.get("icc_profile") or b""
    if header.format == "AVIF":
        # Pillow makes EXIF of the file's own turns.
        orientation, icc = orientation_of(stored.info.get("exif", b"")), stored.info.get("icc_profile", b"")
    image = _coloured(_resized(_plain(stored, header), size), icc)
    if orientation in _TURNS:
        image = image.transpose(_TURNS[orientation])
    return _picture(image, _note(header, name, image.size if size != full else None))


def _opened_heic(header: Header, name: str) -> Image.Image:
    """Decoded and upright; a size is told before anything is decoded."""
    import pi_heif

    file = pi_heif.open_heif(io.BytesIO(header.data))
    width, height = file.size
    check_size(width, height, name, max_area=_max_area(header))
    check_memory(width, height, name)
    image: Image.Image = file.to_pillow()
    return image


def _plain(image: Image.Image, header: Header) -> Image.Image:
    """In a mode of 8 bits a channel that can be resized."""
    if image.mode.startswith("I;16"):
        return _from_16_bit(image, header)
    if image.mode in {"I", "F"}:
        return _from_numbers(image)
    transparency = image.info.get("transparency")
    if transparency is not None and header.format == "PNG" and image.mode in {"L", "RGB"}:
        image.info["transparency"] = _as_8_bit(transparency, header.depth)
    if image.mode in {"1", "P"} or (transparency is not None and image.mode in {"L", "RGB"}):
        return image.convert("RGBA" if transparency is not None else "L" if image.mode == "1" else "RGB")
    if image.mode in {"PA", "YCbCr", "RGBX", "HSV"}:
        return image.convert("RGBA" if image.mode == "PA" else "RGB")
    if image.mode == "RGBA" and header.format == "BMP" and image.getchannel("A").getextrema() == (0, 0):
        # Programs that know no transparency leave its byte zero.
        return image.convert("RGB")
    return image


def _from_16_bit(image: Image.Image, header: Header) -> Image.Image:
    numbers = image.convert("I").point(lambda value: value * (1 / 257) + 0.5)
    grey = numbers.convert("L")
    if header.white_is_zero:
        return ImageChops.invert(grey)
    transparency = image.info.get("transparency")
    if isinstance(transparency, int):
        grey.info["transparency"] = _as_8_bit(transparency, 16)
        return grey.convert("RGBA")
    return grey


def _as_8_bit(transparency: object, depth: int) -> object:
    """The transparent level or colour of a PNG, which is told in its own depth."""
    if isinstance(transparency, tuple):
        # Pillow keeps the upper byte of 16-bit colours.
        return tuple(each >> 8 for each in transparency) if depth == 16 else transparency
    if isinstance(transparency, int):
        return transparency * 255 // ((1 << depth) - 1)
    return transparency


def _from_numbers(image: Image.Image) -> Image.Image:
    """Whole or real numbers without a known white: 0 to 1 for real ones within it, else from least to most."""
    low, high = image.getextrema()
    assert isinstance(low, (int, float)) and isinstance(high, (int, float))
    if not math.isfinite(low) or not math.isfinite(high):
        raise ValueError("numbers without bounds")
    if image.mode == "F" and low >= 0 and high <= 1:
        low, high = 0, 1
    scale = 255 / (high - low) if high > low else 0.0
    return image.point(lambda value: value * scale + (0.5 - low * scale)).convert("L")


def _resized(image: Image.Image, size: tuple[int, int]) -> Image.Image:
    if image.size == size:
        return image
    return image.resize(size, Image.Resampling.BICUBIC, reducing_gap=2.0)


def _coloured(image: Image.Image, icc: bytes) -> Image.Image:
    """In sRGB, on white where it is transparent."""
    if image.mode in _WITH_ALPHA:
        if image.mode != "RGBA":
            image = image.convert("LA" if image.mode == "La" else "RGBA").convert("RGBA")
        image = Image.alpha_composite(Image.new("RGBA", image.size, "white"), image).convert("RGB")
    converted = None
    if image.mode == "LAB":
        converted = ImageCms.profileToProfile(
            image, ImageCms.createProfile("LAB"), ImageCms.createProfile("sRGB"), outputMode="RGB"
        )
    elif icc:
        converted = _in_srgb(image, icc)
    if converted is not None:
        return converted
    return image if image.mode == "RGB" else image.convert("RGB")


def _in_srgb(image: Image.Image, icc: bytes) -> Image.Image | None:
    """None where the profile is damaged, is for something else, or is sRGB: the colours then stand as they are."""
    try:
        profile = ImageCms.ImageCmsProfile(io.BytesIO(icc))
        if profile.profile.xcolor_space != _PROFILE_SPACES.get(image.mode):
            return None
        if "sRGB" in (profile.profile.profile_description or ""):
            return None
        return ImageCms.profileToProfile(image, profile, ImageCms.createProfile("sRGB"), outputMode="RGB")
    except (ImageCms.PyCMSError, OSError, ValueError, TypeError):
        return None


def _picture(image: Image.Image, note: str = "") -> Picture:
    rgb = image.tobytes()
    digest = hashlib.sha256(f"{image.width}x{image.height}:".encode())
    digest.update(rgb)
    return Picture(image.width, image.height, rgb, digest.hexdigest(), note)


def _max_area(header: Header) -> int:
    return MAX_PHOTO_AREA if header.format in {"JPEG", _HEIC} else MAX_READ_AREA


def _note(header: Header, name: str, smaller: tuple[int, int] | None) -> str:
    sentences = []
    if header.more_frames:
        tiff = header.format == "TIFF"
        told = "Only the first page of {name} is used." if tiff else "Only the first frame of {name} is used."
        sentences.append(Sentence(told, name=shown(name)))
    if smaller:
        width, height = smaller
        told = "{name} was made smaller, to {width:,} × {height:,} pixels."
        sentences.append(Sentence(told, name=shown(name), width=width, height=height))
    return Sentence.joined(*sentences)


def _unknown(name: str, what: str) -> PictureError:
    names = [_NAMES.get(each, each) for each in FORMATS]
    kinds = ", ".join(names[:-1]) + f" or {names[-1]}"
    if what:
        return PictureError(
            "{name} is {what}; save it as one of {kinds}, and use that.", name=shown(name), what=what, kinds=kinds
        )
    return PictureError("{name} is no picture that Hearth can read; use {kinds}.", name=shown(name), kinds=kinds)


def _damaged(name: str, error: BaseException) -> PictureError:
    return PictureError(
        "{name} is damaged, or an unusual kind of picture; open it in another program and save it again.",
        name=shown(name),
        detail=f"{type(error).__name__}: {error}",
    )
