"""Makes picture files that are damaged, hostile, rare, or no pictures at all."""

import functools
import io
import random
import struct
import zlib
from collections.abc import Callable, Iterator
from typing import Any

from PIL import Image, ImageDraw, features

Files = Iterator[tuple[str, bytes]]

FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF") + (("AVIF",) if features.check("avif") else ())
MAGIC = {
    "png": b"\x89PNG\r\n\x1a\n",
    "jpg": b"\xff\xd8\xff\xe0",
    "webp": b"RIFF\x40\0\0\0WEBPVP8 ",
    "gif": b"GIF89a",
    "bmp": b"BM",
    "tif": b"II*\0\x08\0\0\0",
    "avif": b"\0\0\0\x1cftypavif\0\0\0\0avifmif1miaf",
}


def saved(image: Image.Image, form: str, **options: Any) -> bytes:
    file = io.BytesIO()
    image.save(file, form, **options)
    return file.getvalue()


def scene(width: int = 60, height: int = 40) -> Image.Image:
    """Red above left, green above right, blue below left, grey below right."""
    image = Image.new("RGB", (width, height), (128, 128, 128))
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, width // 2 - 1, height // 2 - 1), (255, 0, 0))
    draw.rectangle((width // 2, 0, width, height // 2 - 1), (0, 255, 0))
    draw.rectangle((0, height // 2, width // 2 - 1, height), (0, 0, 255))
    return image


def noise(width: int = 60, height: int = 40) -> Image.Image:
    return Image.frombytes("RGB", (width, height), random.Random(1).randbytes(width * height * 3))


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png(
    width: int, height: int, pixels: bytes, *extra: bytes, depth: int = 8, colour: int = 2, interlace: int = 0
) -> bytes:
    """A PNG file of `pixels`, rows with their filter bytes; `extra` chunks go before the pixels."""
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlace))
    data = chunk(b"IDAT", zlib.compress(pixels))
    return MAGIC["png"] + head + b"".join(extra) + data + chunk(b"IEND", b"")


def tiff(*tags: tuple[int, int, int, int], after: bytes = b"", next_at: int = 0, order: str = "<") -> bytes:
    """A TIFF file of one directory; a tag is (tag, type, number of values, value or place)."""
    body = b"".join(
        struct.pack(f"{order}HHI", *tag[:3])
        + struct.pack(f"{order}HH" if tag[1] == 3 else f"{order}I", *((tag[3], 0) if tag[1] == 3 else (tag[3],)))
        for tag in tags
    )
    magic = b"II*\0" if order == "<" else b"MM\0*"
    numbers = struct.pack(f"{order}I", 8) + struct.pack(f"{order}H", len(tags))
    return magic + numbers + body + struct.pack(f"{order}I", next_at) + after


def grey_tiff(width: int, height: int, **changes: tuple[int, int, int]) -> bytes:
    """A plain 8-bit TIFF file; `changes` replace tags: t256=(type, count, value)."""
    values = {256: (4, 1, width), 257: (4, 1, height), 258: (3, 1, 8), 259: (3, 1, 1), 262: (3, 1, 1)}
    values |= {273: (4, 1, 200), 277: (3, 1, 1), 278: (4, 1, height), 279: (4, 1, min(width * height, 2**32 - 1))}
    values |= {int(key[1:]): value for key, value in changes.items()}
    made = tiff(*((tag, *values[tag]) for tag in sorted(values)))
    return made.ljust(200, b"\0") + bytes(min(width * height, 100_000))


def exif(orientation: int) -> bytes:
    return b"Exif\0\0" + tiff((0x0112, 3, 1, orientation))


def _truncated() -> Files:
    for form in FORMATS:
        for kind, image in (("scene", scene()), ("noise", noise())):
            whole = saved(image, form)
            for tenth in (*range(10), 9.9):
                yield f"cut-{kind}-{tenth}.{form.lower()}", whole[: int(len(whole) * tenth / 10)]


def _random_after_magic() -> Files:
    source = random.Random(2)
    for kind, magic in MAGIC.items():
        for length in (0, 1, 20, 1000, 100_000):
            yield f"random-{length}.{kind}", magic + source.randbytes(length)


def _flipped_bytes() -> Files:
    source = random.Random(3)
    for form in FORMATS:
        whole = saved(scene(), form)
        for number in range(12):
            changed = bytearray(whole)
            for _ in range(1 + number % 4):
                changed[source.randrange(min(len(whole), 200))] = source.randrange(256)
            yield f"flipped-{number}.{form.lower()}", bytes(changed)


def _no_pictures() -> Files:
    yield "empty.png", b""
    yield "one-byte.png", b"\x89"
    yield "text.png", "Just some words: Grüße.\n".encode() * 100
    yield "latin.txt", "Grüße".encode("latin-1") * 9
    yield "drawing.svg", b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><rect width="9"/></svg>'
    yield "bomb.svg", b"<svg>" + b"<g>" * 100_000
    yield "paper.pdf", b"%PDF-1.7\n1 0 obj\n<<>>\nendobj\n"
    yield "page.html", b"<!DOCTYPE html><html><img src=x></html>"
    yield "letter.docx", b"PK\x03\x04" + bytes(100)
    yield "photo.heic", b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + bytes(100)
    yield "film.mp4", b"\0\0\0\x18ftypisom\0\0\0\0isommp42" + bytes(100)
    yield "picture.eps", b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n"
    yield "picture.ppm", b"P6 2 2 255\n" + bytes(12)
    yield "picture.ico", saved(scene(16, 16), "ICO")
    yield "picture.tga", saved(scene(), "TGA")
    yield "picture.psd", b"8BPS\0\x01" + bytes(60)
    yield "picture.jp2", b"\0\0\0\x0cjP  \r\n\x87\n" + bytes(60)
    yield "program.exe", b"MZ" + bytes(300)
    yield "zeros.jpg", bytes(5000)
    yield "name\nwith\tlines and \u202e marks " + "x" * 300 + ".png", b"no"
    yield "", b"no name"


def _wrong_suffix() -> Files:
    for form, suffix in zip(FORMATS, (*FORMATS[1:], FORMATS[0]), strict=True):
        yield f"is-{form.lower()}.{suffix.lower()}", saved(scene(), form)


def _sizes() -> Files:
    for width, height in ((0, 0), (0, 5), (5, 0), (2**31, 1), (2**31 - 1, 2**31 - 1), (60_000, 60_000), (31_000, 700)):
        yield f"size-{width}x{height}.png", png(width, height, bytes(100))
    for width, height in ((0, 0), (65_535, 65_535), (16_384, 16_384)):
        yield (
            f"size-{width}x{height}.gif",
            b"GIF89a"
            + struct.pack("<HHBBB", width, height, 0, 0, 0)
            + bytes((0x2C, 0, 0, 0, 0))
            + struct.pack("<HH", width, height)
            + b"\0\x02\x02\x4c\x01\0;",
        )
    for width, height in ((0, 0), (-5, 5), (2**31 - 1, 2**31 - 1), (40_000, 1_000), (9, -(2**31)), (9000, 4000)):
        head = struct.pack("<iiHHIIiiII", width, height, 1, 24, 0, 0, 0, 0, 0, 0)
        yield f"size-{width}x{height}.bmp", b"BM" + struct.pack("<IIII", 54, 0, 54, 40) + head
    for width, height in ((0, 0), (2**32 - 1, 2**32 - 1), (2**31, 2), (50_000, 50_000), (9000, 4000)):
        yield f"size-{width}x{height}.tif", grey_tiff(width, height)
    jpeg = saved(scene(), "JPEG")
    frame = jpeg.index(b"\xff\xc0") + 5
    for width, height in ((0, 0), (60, 0), (65_535, 65_535), (65_535, 1_000), (12_000, 9_000)):
        yield f"size-{width}x{height}.jpg", jpeg[:frame] + struct.pack(">HH", height, width) + jpeg[frame + 4 :]
    for bits in (0, 0xFFFFFFFF, 0x0FFFFFFF):
        body = b"\x2f" + struct.pack("<I", bits) + bytes(20)
        yield (
            f"size-{bits:x}.webp",
            b"RIFF" + struct.pack("<I", 12 + len(body)) + b"WEBPVP8L" + struct.pack("<I", len(body)) + body,
        )
    body = bytes(4) + b"\xff\xff\xff\xff\xff\xff"
    yield "size-canvas.webp", b"RIFF" + struct.pack("<I", 30) + b"WEBPVP8X" + struct.pack("<I", 10) + body + bytes(8)
    if "AVIF" in FORMATS:
        avif = saved(scene(), "AVIF")
        place = avif.index(b"ispe") + 8
        for width, height in ((0, 0), (2**32 - 1, 2**32 - 1), (30_000, 30_000), (61, 41)):
            yield f"size-{width}x{height}.avif", avif[:place] + struct.pack(">II", width, height) + avif[place + 8 :]


def _shapes() -> Files:
    for form in FORMATS:
        for width, height in ((1, 1), (1, 51), (51, 1), (1, 50), (2, 2), (3, 149)):
            yield f"shape-{width}x{height}.{form.lower()}", saved(Image.new("RGB", (width, height), "red"), form)


def _bombs() -> Files:
    text = zlib.compress(bytes(20 << 20), 9)
    row = bytes(4)
    yield "bomb-ztxt.png", png(1, 1, row, chunk(b"zTXt", b"Comment\0\0" + text))
    yield "bomb-itxt.png", png(1, 1, row, chunk(b"iTXt", b"XML:com.adobe.xmp\0\1\0\0\0" + text))
    yield "bomb-many-ztxt.png", png(1, 1, row, *(chunk(b"zTXt", b"Comment\0\0" + text) for _ in range(80)))
    yield "bomb-iccp.png", png(1, 1, row, chunk(b"iCCP", b"x\0\0" + text))
    yield "bomb-texts.png", png(1, 1, row, *[chunk(b"tEXt", b"a\0b")] * 60_000)
    yield "bomb-pixels.png", png(4200, 4000, bytes(12601 * 4000))
    yield "bomb-deep.png", png(2000, 2000, bytes(16001 * 2000), depth=16, colour=6)
    yield "bomb-interlaced.png", png(2000, 2000, bytes(6100 * 2000), interlace=1)
    yield "bomb-too-much.png", png(4, 4, bytes(20 << 20))
    yield "bomb-no-end.png", png(4, 4, bytes(52))[:-12] + chunk(b"IDAT", b"") * 60_000
    screen = b"GIF89a\x02\0\x02\0\0\0\0"
    yield "bomb-blocks.gif", screen + b"!\xfe" + b"\x01a" * 2_000_000
    yield "bomb-extensions.gif", screen + b"!\xfe\0" * 500_000
    yield "bomb-image.gif", screen + b",\0\0\0\0\x02\0\x02\0\0\x02" + b"\x01\x04" * 1_000_000
    yield "outside.gif", screen + b",\xff\xff\xff\xff\xff\xff\xff\xff\0\x02\x02\x4c\x01\0;"
    progressive = saved(scene(3000, 3000), "JPEG", progressive=True)
    scan = progressive.rindex(b"\xff\xda")
    yield "bomb-scans.jpg", progressive[:-2] + progressive[scan:-2] * 5000 + b"\xff\xd9"
    jpeg = saved(scene(), "JPEG")
    yield "bomb-fill.jpg", b"\xff\xd8" + b"\xff" * 10_000_000 + jpeg[3:]
    yield "bomb-comments.jpg", b"\xff\xd8" + b"\xff\xfe\0\2" * 1_000_000 + jpeg[2:]
    yield "bomb-restarts.jpg", b"\xff\xd8" + b"\xff\xd0" * 1_000_000 + jpeg[2:]
    yield "two-frames.jpg", jpeg[:2] + jpeg[jpeg.index(b"\xff\xc0") :][:19] + jpeg[2:]
    rle = struct.pack("<iiHHIIiiII", 2000, 2000, 1, 8, 1, 0, 0, 0, 2, 0)
    head = b"BM" + struct.pack("<IIII", 0, 0, 62, 40)
    yield "bomb-rle.bmp", head + rle + bytes(8) + b"\1\1\0\0" * 200_000
    yield "bomb-rle-long.bmp", head + rle + bytes(8) + b"\1\1" * 2_000_000
    wide = struct.pack("<iiHHIIiiII", 20_000, 2_000, 1, 8, 1, 0, 0, 0, 2, 0)
    yield "bomb-rle-wide.bmp", head + wide + bytes(8) + b"\1\1\0\0" * 2000
    yield "bomb-chunks.webp", b"RIFF\xff\xff\xff\x7fWEBP" + b"JUNK\0\0\0\0" * 500_000
    yield "large.jpg", jpeg + bytes(65 << 20)
    if "AVIF" in FORMATS:
        yield "bomb.avif", MAGIC["avif"] + b"\xff\xff\xff\xffmeta" + bytes(1000)


def _tiffs() -> Files:
    good = grey_tiff(20, 20)
    yield "chain-self.tif", good[:118] + struct.pack("<I", 8) + good[122:]
    chain = [good[:118] + struct.pack("<I", len(good)) + good[122:]]
    place = len(good)
    for _ in range(20_000):
        place += 6
        chain.append(struct.pack("<HI", 0, place))
    yield "chain-long.tif", b"".join(chain)
    yield "chain-outside.tif", good[:118] + struct.pack("<I", 2**32 - 2) + good[122:]
    yield "directory-outside.tif", b"II*\0\xff\xff\xff\x7f"
    yield "directory-in-header.tif", b"II*\0\0\0\0\0" + bytes(50)
    yield "tags-65535.tif", b"II*\0\x08\0\0\0\xff\xff" + bytes(900_000)
    yield "sub-directories.tif", grey_tiff(20, 20, t330=(4, 1, 8), t34665=(4, 1, 8), t34853=(4, 1, 8))
    yield "exif-outside.tif", grey_tiff(20, 20, t34665=(4, 1, 2**32 - 1))
    yield "strips-many.tif", grey_tiff(1000, 999, t273=(4, 20_000, 200), t278=(4, 1, 998))
    yield "strips-none.tif", grey_tiff(20, 20, t273=(4, 0, 0))
    yield "strips-outside.tif", grey_tiff(20, 20, t273=(4, 1, 2**31))
    yield "strip-rows-0.tif", grey_tiff(20, 20, t278=(4, 1, 0))
    yield "tag-outside.tif", grey_tiff(20, 20, t273=(4, 9, 2**32 - 1))
    yield "tag-endless.tif", grey_tiff(20, 20, t273=(4, 2**32 - 1, 200))
    yield "tag-twice.tif", grey_tiff(20, 20, t262=(3, 2, 1))
    yield "tag-text.tif", grey_tiff(20, 20, t256=(2, 3, 0x333231))
    yield "samples-many.tif", grey_tiff(20, 20, t277=(4, 1, 2**31))
    yield "bits-17.tif", grey_tiff(20, 20, t258=(3, 1, 17))
    yield "planar.tif", grey_tiff(20, 20, t284=(3, 1, 2))
    yield "tile-large.tif", grey_tiff(20, 20, t322=(4, 1, 60_000), t323=(4, 1, 60_000), t324=(4, 1, 200))
    yield "tile-0.tif", grey_tiff(20, 20, t322=(4, 1, 0), t323=(4, 1, 0), t324=(4, 1, 200))
    for compression in (0, 2, 3, 4, 5, 6, 7, 8, 34712, 34887, 34925, 50000, 50001, 65535):
        yield f"compression-{compression}.tif", grey_tiff(20, 20, t259=(3, 1, compression))
    yield "big.tif", b"II+\0\x08\0\0\0\x10\0\0\0\0\0\0\0" + bytes(100)
    yield "pages.tif", saved(scene(), "TIFF", save_all=True, append_images=[noise()])
    for method in ("tiff_lzw", "tiff_deflate", "packbits", "jpeg"):
        yield f"{method}.tif", saved(scene(), "TIFF", compression=method)


def _animations() -> Files:
    frames = [scene(), noise(), scene()]
    for form, ending in (("GIF", "gif"), ("WEBP", "webp"), ("PNG", "apng"), ("TIFF", "tif")):
        yield f"animated.{ending}", saved(frames[0], form, save_all=True, append_images=frames[1:])
        yield f"animated-cut.{ending}", saved(frames[0], form, save_all=True, append_images=frames[1:])[:-900]
    row = bytes(4)
    yield "actl-twice.png", png(1, 1, row, chunk(b"acTL", bytes(8)), chunk(b"acTL", bytes(8)))
    yield "actl-huge.png", png(1, 1, row, chunk(b"acTL", b"\xff" * 8))
    yield (
        "fctl-outside.png",
        png(1, 1, row, chunk(b"acTL", b"\0\0\0\2" * 2), chunk(b"fcTL", b"\0\0\0\0" + b"\xff" * 22)),
    )
    if "AVIF" in FORMATS:
        yield "animated.avif", saved(frames[0], "AVIF", save_all=True, append_images=frames[1:])


def _metadata() -> Files:
    bad = {
        "empty": b"",
        "short": b"Exif\0\0II*\0",
        "random": b"Exif\0\0" + random.Random(4).randbytes(500),
        "outside": b"Exif\0\0II*\0\xff\xff\xff\x7f",
        "self": b"Exif\0\0" + tiff((0x8769, 4, 1, 8), (0x0112, 3, 1, 6), next_at=8),
        "text": b"Exif\0\0" + tiff((0x0112, 2, 9, 8)),
        "nine": exif(9),
        "many": b"Exif\0\0II*\0\x08\0\0\0\xff\xff",
        "values": b"Exif\0\0" + tiff((0x0112, 3, 60_000, 9000), (0x011A, 5, 2, 9000)),
    }
    for name, data in bad.items():
        for form in ("JPEG", "PNG", "WEBP", *FORMATS[6:]):
            if data or form != "AVIF":
                yield f"exif-{name}.{form.lower()}", _with_exif(form, data)
    profiles = {"empty": b"", "short": b"x", "random": random.Random(5).randbytes(3000), "zeros": bytes(128)}
    profiles["claims"] = b"\xff\xff\xff\xff" + b"lcms\x04\0\0\0mntrRGB XYZ " + bytes(16) + b"acsp" + b"\xff" * 200
    for name, data in profiles.items():
        for form in ("JPEG", "PNG", "WEBP", "TIFF", *FORMATS[6:]):
            yield f"icc-{name}.{form.lower()}", saved(scene(), form, icc_profile=data)


def _with_exif(form: str, data: bytes) -> bytes:
    if form == "PNG":
        return png(2, 2, bytes(14), chunk(b"eXIf", data.removeprefix(b"Exif\0\0")))
    if form == "JPEG":
        jpeg = saved(scene(), "JPEG")
        return jpeg[:2] + b"\xff\xe1" + struct.pack(">H", len(data) + 2) + data + jpeg[2:]
    if form == "AVIF":
        # Pillow reads what it is to write, so the data go in afterwards, at their place.
        mark = Image.Exif()
        mark[0x010F] = "mark" * 200
        avif = saved(scene(), "AVIF", exif=mark)
        place = max(avif.find(b"MM\0*"), avif.find(b"II*\0"))
        plain = data.removeprefix(b"Exif\0\0")[:800]
        return avif[:place] + plain + avif[place + len(plain) :]
    return saved(scene(), form, exif=data)


def _rare() -> Files:
    for depth, colour, length in ((1, 0, 2), (2, 0, 3), (4, 0, 5), (16, 0, 17), (16, 2, 49), (8, 4, 17), (16, 4, 33)):
        yield f"rare-{depth}-{colour}.png", png(8, 8, bytes(length * 8), depth=depth, colour=colour)
    yield "palette-missing.png", png(8, 8, bytes(72), colour=3)
    yield "palette-short.png", png(8, 8, b"\0" + b"\xff" * 8 + bytes(63), chunk(b"PLTE", b"abc"), colour=3)
    yield "palette-odd.png", png(8, 8, bytes(72), chunk(b"PLTE", b"abcd"), colour=3)
    yield "transparency-long.png", png(8, 8, bytes(72), chunk(b"PLTE", b"abc"), chunk(b"tRNS", bytes(900)), colour=3)
    yield "transparency-short.png", png(8, 8, bytes(200), chunk(b"tRNS", b"a"))
    yield "depth-3.png", png(8, 8, bytes(72), depth=3)
    yield "colour-7.png", png(8, 8, bytes(72), colour=7)
    yield "header-twice.png", png(8, 8, bytes(200), chunk(b"IHDR", struct.pack(">IIBBBBB", 9, 9, 8, 2, 0, 0, 0)))
    yield "header-late.png", MAGIC["png"] + chunk(b"IDAT", zlib.compress(bytes(4))) + chunk(b"IEND", b"")
    yield "pixels-none.png", MAGIC["png"] + chunk(b"IHDR", struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0))
    yield "checksum.png", png(8, 8, bytes(200)).replace(b"IHDR\0\0\0\x08", b"IHDR\0\0\0\x07")
    for mode in ("L", "CMYK", "RGB"):
        yield f"{mode}.jpg", saved(Image.new(mode, (8, 8)), "JPEG")
    for mode in ("1", "L", "LA", "P", "PA", "RGBA", "RGBX", "CMYK", "YCbCr", "LAB", "I", "I;16", "I;16B", "F"):
        yield f"{mode}.tif", saved(Image.new(mode, (8, 8)), "TIFF")
    numbers = Image.new("F", (8, 8))
    for name, value in (("nan", float("nan")), ("endless", float("inf")), ("tiny", 1e-40), ("huge", 3e38)):
        numbers.putpixel((3, 3), value)
        yield f"F-{name}.tif", saved(numbers, "TIFF")
        first = numbers.copy()
        first.putpixel((0, 0), value)
        yield f"F-first-{name}.tif", saved(first, "TIFF")


GROUPS: dict[str, Callable[[], Files]] = {
    "truncated": _truncated,
    "random": _random_after_magic,
    "flipped": _flipped_bytes,
    "no pictures": _no_pictures,
    "wrong suffix": _wrong_suffix,
    "sizes": _sizes,
    "shapes": _shapes,
    "bombs": _bombs,
    "tiffs": _tiffs,
    "animations": _animations,
    "metadata": _metadata,
    "rare": _rare,
}


@functools.cache
def hostile(group: str) -> tuple[tuple[str, bytes], ...]:
    """The files of a group as (name, bytes)."""
    return tuple(GROUPS[group]())
