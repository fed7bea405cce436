"""Names for picture files that leave the program."""

import re
from pathlib import PurePosixPath

_KINDS = (
    (b"\x89PNG\r\n\x1a\n", 0, "png"),
    (b"\xff\xd8\xff", 0, "jpeg"),
    (b"GIF8", 0, "gif"),
    (b"WEBP", 8, "webp"),
    (b"ftypavi", 4, "avif"),
    (b"II*\x00", 0, "tiff"),
    (b"MM\x00*", 0, "tiff"),
    (b"BM", 0, "bmp"),
)
_SUFFIXES = {"jpeg": (".jpg", ".jpeg", ".jpe", ".jfif"), "tiff": (".tif", ".tiff"), "bmp": (".bmp", ".dib")}
_NOT_IN_NAMES = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*]')
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)
_LONGEST = 120


def kind_of(data: bytes) -> str:
    """The picture's format as it stands in a MIME type after "image/"; "png" for what is not known."""
    return next((kind for mark, place, kind in _KINDS if data[place : place + len(mark)] == mark), "png")


def file_name(name: str, data: bytes) -> str:
    """`name` as every system takes it, without folders, and with the suffix that belongs to `data`."""
    plain = _NOT_IN_NAMES.sub(" ", name.replace("\\", "/").rpartition("/")[2]).strip(" .")
    kind = kind_of(data)
    suffixes = _SUFFIXES.get(kind, (f".{kind}",))
    stem, suffix = PurePosixPath(plain).stem, PurePosixPath(plain).suffix
    if not stem or _RESERVED.fullmatch(stem):
        stem = "picture"
    return stem[:_LONGEST] + (suffix if suffix.lower() in suffixes else suffixes[0])
