"""What picture files say of themselves: size, orientation, colour profile, frames, and where the pixels are.

Pillow's own readers of what surrounds the pixels inflate texts, follow chains and issue warnings. They are given
only what pixels need, cut out here, where every loop has an end and nothing is decompressed but a colour profile.

Sources: PNG 3rd edition (W3C 2025); ITU-T T.81 annex B; GIF89a; RFC 9649 (WebP); ISO/IEC 14496-12 and AVIF 1.1.
"""

import re
import struct
import zlib
from dataclasses import dataclass

from app.engine.media.image_tiff import orientation_of, read_tiff

_MAX_PARTS = 50_000
"""Chunks, segments or blocks of a file. A file of 64 MiB with usual ones has a third of that."""
_MAX_BLOCKS = 300_000
"""GIF's data blocks have up to 255 bytes."""
_MAX_ICC = 4 << 20
_MAX_RLE_BYTES = 1 << 20
_MAX_RLE_PIXELS = 4_000_000
"""Pillow unpacks run-length encoded BMP files in Python, a pixel at a time."""
_MAX_SCAN_PIXELS = 1_500_000_000
"""Pixels times scans of a JPEG: a small file can ask for thousands of passes over a large picture."""

_PNG_PARTS = {b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND"}
_EXIF_ITEM = re.compile(rb"(infe.{8,10}?)Exif", re.DOTALL)
_AVIF_SIZE = re.compile(rb"ispe\0\0\0\0(.{8})", re.DOTALL)
_FILL = re.compile(rb"\xff+")


class UnknownPictureError(ValueError):
    """A file in none of the formats that are read; `what` says what it seems to be, or is empty."""

    def __init__(self, what: str = "") -> None:
        super().__init__(what or "no known signature")
        self.what = what


class CostlyPictureError(ValueError):
    """A file whose pixels are not worth reading, or not all there."""

    def __init__(self, what: str, width: int, height: int) -> None:
        super().__init__(what)
        self.width = width
        self.height = height


@dataclass(frozen=True, slots=True)
class Header:
    """A picture before it is decoded. Width and height are as stored, before the orientation is applied."""

    format: str
    width: int
    height: int
    data: bytes
    """A file for the format's decoder, with what it needs for the pixels and nothing else."""
    orientation: int = 1
    icc: bytes = b""
    more_frames: bool = False
    depth: int = 8
    """Bits of a PNG's sample; 8 for all other formats."""
    white_is_zero: bool = False


def read_header(data: bytes) -> Header:
    """Raises UnknownPictureError, and ValueError, IndexError or struct.error for a damaged file."""
    for magic, reader in _READERS:
        if data.startswith(magic):
            return reader(data)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return _webp(data)
    if data[4:8] == b"ftyp":
        return _ftyp(data)
    raise UnknownPictureError(_guess(data))


def _png(data: bytes) -> Header:
    view, at = memoryview(data), 8
    kept: list[bytes | memoryview] = [data[:8]]
    width = height = depth = 0
    orientation, icc, srgb, frames = 1, b"", False, 1
    for _ in range(_MAX_PARTS):
        length, kind = struct.unpack_from(">I4s", data, at)
        body, end = data[at + 8 : at + 8 + min(length, _MAX_ICC)] if kind != b"IDAT" else b"", at + 12 + length
        if end > len(data) and kind != b"IDAT":
            raise ValueError(f"{kind!r} is cut short")
        if kind == b"IHDR":
            if width:
                raise ValueError("two headers")
            width, height, depth = struct.unpack_from(">IIB", body)
        elif kind == b"eXIf":
            orientation = orientation_of(body)
        elif kind == b"iCCP":
            icc = _inflated(body.partition(b"\0")[2][1:])
        elif kind == b"sRGB":
            srgb = True
        elif kind == b"acTL":
            frames = int.from_bytes(body[:4], "big")
        if kind in _PNG_PARTS:
            kept.append(view[at:end])
        at = end
        if kind == b"IEND" or at > len(data):
            break
    else:
        raise ValueError("too many chunks")
    return Header("PNG", width, height, b"".join(kept), orientation, b"" if srgb else icc, frames > 1, depth)


def _inflated(data: bytes) -> bytes:
    """Nothing where the data are damaged, or larger than a colour profile may be."""
    inflater = zlib.decompressobj()
    try:
        plain = inflater.decompress(data, _MAX_ICC)
    except zlib.error:
        return b""
    return plain if inflater.eof else b""


def _jpeg(data: bytes) -> Header:
    kept, at = [b"\xff\xd8"], 2
    width = height = orientation = 0
    profile: dict[int, bytes] = {}
    for _ in range(_MAX_PARTS):
        fill = _FILL.match(data, at)
        if fill is None:
            raise ValueError(f"no marker at {at}")
        at = fill.end() - 1
        marker = data[at + 1]
        if marker == 0xDA:
            kept.append(data[at:])
            break
        if marker == 0x01 or 0xD0 <= marker <= 0xD8:
            at += 2
            continue
        (length,) = struct.unpack_from(">H", data, at + 2)
        body, segment = data[at + 4 : at + 2 + length], data[at : at + 2 + length]
        if marker == 0xD9 or length < 2 or len(segment) < 2 + length:
            raise ValueError("the header is cut short")
        at += 2 + length
        if 0xC0 <= marker <= 0xCF and marker not in {0xC4, 0xC8, 0xCC}:
            if width:
                raise ValueError("two frames")
            height, width = struct.unpack_from(">HH", body, 1)
        elif marker == 0xE1 and body.startswith(b"Exif\0\0") and not orientation:
            orientation = orientation_of(body)
        elif marker == 0xE2 and body.startswith(b"ICC_PROFILE\0"):
            profile[body[12]] = body[14:]
        # Of the applications' segments, the decoder needs the two that tell how colours are coded.
        if (not 0xE0 <= marker <= 0xEF and marker != 0xFE) or body.startswith((b"JFIF\0", b"Adobe")):
            kept.append(segment)
    else:
        raise ValueError("too many segments")
    if width * height * kept[-1].count(b"\xff\xda") > _MAX_SCAN_PIXELS:
        raise CostlyPictureError("too many scans", width, height)
    icc = b"".join(profile[each] for each in sorted(profile))
    return Header("JPEG", width, height, b"".join(kept), orientation or 1, icc)


def _gif(data: bytes) -> Header:
    """Cuts out the first frame: the screen, its colours, the transparency, and the image."""
    width, height, flags = struct.unpack_from("<HHB", data, 6)
    colours = data[: 13 + _colours(flags)]
    at, control = _next_image(data, len(colours))
    left, top, across, down, flags = struct.unpack_from("<HHHHB", data, at + 1)
    more = True
    try:
        end = _after_blocks(data, at + 10 + _colours(flags) + 1)
    except (IndexError, ValueError):
        end, more = len(data), False
    try:
        _next_image(data, end)
    except (IndexError, ValueError):
        more = False
    frame = b"".join((colours, control, data[at:end], b";"))
    return Header("GIF", max(width, left + across), max(height, top + down), frame, more_frames=more)


def _colours(flags: int) -> int:
    """Bytes of the colour table that the flags announce."""
    return 3 << (flags & 7) + 1 if flags & 0x80 else 0


def _next_image(data: bytes, at: int) -> tuple[int, bytes]:
    """Where the next image begins, and the graphic control extension that goes with it."""
    control = b""
    for _ in range(_MAX_PARTS):
        if data[at] != 0x21:
            break
        end = _after_blocks(data, at + 2)
        if data[at + 1] == 0xF9:
            control = data[at:end]
        at = end
    if data[at] != 0x2C:
        raise ValueError(f"no image at {at}")
    return at, control


def _after_blocks(data: bytes, at: int) -> int:
    """Where a chain of GIF's data blocks ends."""
    for _ in range(_MAX_BLOCKS):
        if not data[at]:
            return at + 1
        at += 1 + data[at]
    raise ValueError("too many blocks")


def _webp(data: bytes) -> Header:
    at, orientation, icc, frames = 12, 1, b"", 0
    width = height = 0
    for _ in range(_MAX_PARTS):
        if at + 8 > len(data):
            break
        kind, length = struct.unpack_from("<4sI", data, at)
        body = data[at + 8 : at + 8 + min(length, _MAX_ICC)]
        if kind == b"VP8X":
            width, height = (int.from_bytes(body[each : each + 3], "little") + 1 for each in (4, 7))
        elif kind == b"VP8 " and not width:
            width, height = (each & 0x3FFF for each in struct.unpack_from("<HH", body, 6))
        elif kind == b"VP8L" and not width:
            (bits,) = struct.unpack_from("<I", body, 1)
            width, height = (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        elif kind == b"EXIF":
            orientation = orientation_of(body)
        elif kind == b"ICCP":
            icc = body
        elif kind == b"ANMF":
            frames += 1
        at += 8 + length + length % 2
    else:
        raise ValueError("too many chunks")
    return Header("WEBP", width, height, data, orientation, icc, frames > 1)


def _ftyp(data: bytes) -> Header:
    """AVIF and HEIC: the largest size that any of its items claims, so that the limits hold for all of them."""
    length = int.from_bytes(data[:4], "big")
    brands = {data[8:12], *(data[each : each + 4] for each in range(16, min(length, 256), 4))}
    is_avif = bool(brands & {b"avif", b"avis"})
    if not is_avif and not brands & {b"heic", b"heix", b"hevc", b"mif1"}:
        raise UnknownPictureError("a film")
    sizes = [struct.unpack(">II", each) for each in _AVIF_SIZE.findall(data, 0, 1 << 20)]
    if not sizes:
        raise ValueError("no size")
    width, height = max(sizes, key=lambda each: each[0] * each[1])
    if not is_avif:
        return Header("HEIC", width, height, data)
    # AVIF is turned by its own properties. EXIF, which Pillow would read with warnings, is renamed in place.
    plain = _EXIF_ITEM.sub(rb"\1skip", data[: 1 << 20]) + data[1 << 20 :]
    return Header("AVIF", width, height, plain, more_frames=b"avis" in brands)


def _bmp(data: bytes) -> Header:
    (size,) = struct.unpack_from("<I", data, 14)
    if size == 12:
        width, height, _, bits = struct.unpack_from("<HHHH", data, 18)
        compression = 0
    else:
        width, height, _, bits, compression = struct.unpack_from("<iiHHI", data, 18)
        height = abs(height)
    if compression in {1, 2}:
        if len(data) > _MAX_RLE_BYTES or width * height > _MAX_RLE_PIXELS:
            raise CostlyPictureError("a run-length encoded file of this size", width, height)
    elif width * height * bits // 8 > len(data):
        raise CostlyPictureError("the pixels are cut short", width, height)
    return Header("BMP", width, height, data)


def _tiff(data: bytes) -> Header:
    read = read_tiff(data)
    return Header(
        "TIFF",
        read.width,
        read.height,
        read.data,
        read.orientation,
        read.icc[:_MAX_ICC],
        read.more_pages,
        white_is_zero=read.white_is_zero,
    )


def _guess(data: bytes) -> str:
    """What people attach instead of a picture, for a sentence that helps."""
    start = data[:1024].lstrip(b"\xef\xbb\xbf \t\r\n")
    lowered = start.lower()
    if start.startswith(b"%PDF"):
        return "a PDF document"
    if lowered.startswith(b"<") and b"<svg" in lowered:
        return "an SVG drawing, which only the window takes"  # Qt paints it there, before it comes here
    if lowered.startswith((b"<!doctype html", b"<html")):
        return "a web page"
    if start.startswith(b"PK\x03\x04"):
        return "a ZIP archive or an office document"
    try:
        start.decode()
    except UnicodeDecodeError as error:
        # A character that the cut divides is no reason.
        if len(start) - error.start > 3:
            return ""
    return "" if b"\0" in start or not start else "text"


_READERS = (
    (b"\x89PNG\r\n\x1a\n", _png),
    (b"\xff\xd8\xff", _jpeg),
    (b"GIF87a", _gif),
    (b"GIF89a", _gif),
    (b"BM", _bmp),
    (b"II*\0", _tiff),
    (b"MM\0*", _tiff),
)
