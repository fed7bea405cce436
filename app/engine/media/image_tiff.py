"""The TIFF structure, of TIFF files and of EXIF data: a header and a directory of tags.

Source: TIFF revision 6.0 (1992), section 2; EXIF 2.32, 4.6.
"""

import struct
from dataclasses import dataclass

_UNIT = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8}
_MAX_TAGS = 1000
_MAX_SAMPLES = 6
_WIDTH, _HEIGHT, _BITS, _COMPRESSION, _PHOTOMETRIC = 256, 257, 258, 259, 262
_STRIP_OFFSETS, _ORIENTATION, _SAMPLES, _STRIP_ROWS, _STRIP_SIZES = 273, 274, 277, 278, 279
_TILE_WIDTH, _TILE_HEIGHT, _TILE_OFFSETS, _TILE_SIZES = 322, 323, 324, 325
_ICC = 34675
_SINGLE = {_WIDTH, _HEIGHT, _COMPRESSION, _PHOTOMETRIC, 266, _SAMPLES, _STRIP_ROWS, 284, 292, 293, 317}
_SINGLE |= {_TILE_WIDTH, _TILE_HEIGHT, 531}
_KEPT = _SINGLE | {_BITS, _STRIP_OFFSETS, _STRIP_SIZES, 320, _TILE_OFFSETS, _TILE_SIZES, 338, 339, 347, 529, 530, 532}
_COMPRESSIONS = {1, 2, 3, 4, 5, 7, 8, 32773, 32946}
"""None, CCITT, LZW, JPEG, Deflate and PackBits. The rare rest is not worth the risk of its decoders."""
_TILE_MARGIN = 4096
"""A tile may reach this far over the picture's edge."""


@dataclass(frozen=True, slots=True)
class TiffHeader:
    width: int
    height: int
    data: bytes
    """The file with one directory, of the tags that pixels need."""
    orientation: int
    icc: bytes
    more_pages: bool
    white_is_zero: bool


class _Directory:
    """The first directory of `data`; its tags' values are read when they are asked for."""

    def __init__(self, data: bytes) -> None:
        orders = {b"II*\0": "<", b"MM\0*": ">"}
        if data[:4] not in orders:
            raise ValueError("no TIFF header")
        self.data = data
        self.order = orders[data[:4]]
        (at,) = struct.unpack_from(f"{self.order}I", data, 4)
        (count,) = struct.unpack_from(f"{self.order}H", data, at)
        if count > _MAX_TAGS:
            raise ValueError(f"{count} tags")
        end = at + 2 + 12 * count
        if end > len(data):
            raise ValueError("the directory is cut short")
        self.raw = [data[each : each + 12] for each in range(at + 2, end, 12)]
        self.next = int.from_bytes(data[end : end + 4], "little" if self.order == "<" else "big")

    def raw_of(self, tag: int) -> bytes | None:
        code = struct.pack(f"{self.order}H", tag)
        return next((each for each in self.raw if each[:2] == code), None)

    def n_values(self, raw: bytes) -> int:
        return int(struct.unpack_from(f"{self.order}I", raw, 4)[0])

    def bytes_of(self, raw: bytes) -> bytes:
        _, kind, count, place = struct.unpack(f"{self.order}HHII", raw)
        size = _UNIT.get(kind, 0) * count
        if size <= 4:
            return raw[8 : 8 + size]
        if place + size > len(self.data):
            raise ValueError("a tag points outside the file")
        return self.data[place : place + size]

    def number(self, tag: int, default: int | None = None) -> int:
        """The first value of a tag of whole numbers."""
        raw = self.raw_of(tag)
        if raw is None:
            if default is None:
                raise ValueError(f"tag {tag} is missing")
            return default
        (kind,) = struct.unpack_from(f"{self.order}H", raw, 2)
        form = {1: "B", 3: "H", 4: "I"}.get(kind)
        if form is None:
            raise ValueError(f"tag {tag} is no number")
        return int(struct.unpack_from(self.order + form, self.bytes_of(raw))[0])


def orientation_of(exif: bytes) -> int:
    """EXIF's orientation, 1 to 8; 1 where it is not told, or cannot be read."""
    try:
        value = _Directory(exif.removeprefix(b"Exif\0\0")).number(_ORIENTATION, 1)
    except (ValueError, struct.error):
        return 1
    return value if 1 <= value <= 8 else 1


def read_tiff(data: bytes) -> TiffHeader:
    """What a TIFF file says of its first page. Raises ValueError or struct.error."""
    directory = _Directory(data)
    width, height = directory.number(_WIDTH), directory.number(_HEIGHT)
    if directory.number(_COMPRESSION, 1) not in _COMPRESSIONS:
        raise ValueError(f"compression {directory.number(_COMPRESSION)}")
    if directory.number(_SAMPLES, 1) > _MAX_SAMPLES:
        raise ValueError(f"{directory.number(_SAMPLES)} samples a pixel")
    if width and height:
        _check_pieces(directory, width, height)
    raw_icc = directory.raw_of(_ICC)
    try:
        icc = b"" if raw_icc is None else directory.bytes_of(raw_icc)
        orientation = directory.number(_ORIENTATION, 1)
    except (ValueError, struct.error):
        icc, orientation = b"", 1
    return TiffHeader(
        width,
        height,
        _with_one_directory(directory),
        orientation if 1 <= orientation <= 8 else 1,
        icc,
        directory.next != 0,
        directory.number(_PHOTOMETRIC, 0) == 0,
    )


def _check_pieces(directory: _Directory, width: int, height: int) -> None:
    """No more strips or tiles than cover the picture, and none much larger than it: each costs time and memory."""
    tiled = directory.raw_of(_TILE_OFFSETS)
    pieces = tiled or directory.raw_of(_STRIP_OFFSETS)
    if pieces is None:
        raise ValueError("no strips and no tiles")
    if tiled:
        across, down = directory.number(_TILE_WIDTH), directory.number(_TILE_HEIGHT)
        if across > width + _TILE_MARGIN or down > height + _TILE_MARGIN:
            raise ValueError("tiles larger than the picture")
    else:
        across, down = width, min(height, directory.number(_STRIP_ROWS, height))
    if not across or not down:
        raise ValueError("empty strips or tiles")
    expected = -(-width // across) * -(-height // down) * directory.number(_SAMPLES, 1)
    if directory.n_values(pieces) > expected:
        raise ValueError("more strips or tiles than the picture has")


def _with_one_directory(directory: _Directory) -> bytes:
    """The file with a directory at its end that lists only what the decoder needs.

    Everything else in a TIFF file (further pages, thumbnails, EXIF, chains of directories without end) is then out
    of reach.
    """
    kept, total, seen = [], 0, set()
    for raw in directory.raw:
        tag, kind, count, _ = struct.unpack(f"{directory.order}HHII", raw)
        if tag not in _KEPT or tag in seen:
            continue
        seen.add(tag)
        if not count or kind not in _UNIT or (tag in _SINGLE and count != 1):
            raise ValueError(f"tag {tag} of type {kind} with {count} values")
        total += len(directory.bytes_of(raw))
        kept.append(raw)
    if total > len(directory.data):
        raise ValueError("tags larger than the file")
    padding = len(directory.data) % 2
    place = struct.pack(f"{directory.order}I", len(directory.data) + padding)
    count_of_tags = struct.pack(f"{directory.order}H", len(kept))
    return b"".join((directory.data[:4], place, directory.data[8:], bytes(padding), count_of_tags, *kept, bytes(4)))
