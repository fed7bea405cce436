"""That pictures come out as people see them: upright, on white, in the right colours, of bounded size."""

import hashlib
import io
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import psutil
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageCms

from app.engine.media.image_limits import MAX_AREA, MAX_SIDE, fitted
from app.engine.media.images import FILE_SUFFIXES, FORMATS, Picture, PictureError, as_png, read_picture, thumbnail
from tests.hostile_pictures import FORMATS as MADE_FORMATS
from tests.hostile_pictures import chunk, exif, noise, png, saved, scene, tiff

RED, GREEN, BLUE, GREY, WHITE = (255, 0, 0), (0, 255, 0), (0, 0, 255), (128, 128, 128), (255, 255, 255)


def levels(picture: Picture) -> NDArray[np.uint8]:
    return np.frombuffer(picture.rgb, dtype=np.uint8).reshape(picture.height, picture.width, 3)


def at(picture: Picture, x: int, y: int) -> tuple[int, ...]:
    return tuple(int(each) for each in levels(picture)[y, x])


def corners(picture: Picture) -> list[tuple[int, ...]]:
    """Above left, above right, below left, below right."""
    right, below = picture.width - 1, picture.height - 1
    return [at(picture, x, y) for y in (0, below) for x in (0, right)]


def near(first: tuple[int, ...], second: tuple[int, ...], tolerance: int) -> bool:
    return all(abs(one - other) <= tolerance for one, other in zip(first, second, strict=True))


@pytest.mark.parametrize("form", MADE_FORMATS)
def test_each_format_gives_its_colours(form: str) -> None:
    assert form in FORMATS
    picture = read_picture(saved(scene(), form, **({"quality": 95} if form in {"JPEG", "WEBP", "AVIF"} else {})), "a")
    assert (picture.width, picture.height, picture.note, len(picture.rgb)) == (60, 40, "", 60 * 40 * 3)
    tolerance = 12 if form in {"JPEG", "WEBP", "AVIF"} else 0
    for found, expected in zip(corners(picture), [RED, GREEN, BLUE, GREY], strict=True):
        assert near(found, expected, tolerance)


@pytest.mark.parametrize("form", ["PNG", "BMP", "TIFF"])
def test_formats_without_loss_give_the_pixels_exactly(form: str) -> None:
    picture = read_picture(saved(noise(), form))
    assert picture.rgb == noise().tobytes()
    assert picture.digest == hashlib.sha256(b"60x40:" + picture.rgb).hexdigest()


def test_equal_pixels_are_equal_whatever_the_file_and_other_shapes_are_not() -> None:
    assert read_picture(saved(noise(), "PNG")).digest == read_picture(saved(noise(), "BMP")).digest
    wide, high = (read_picture(saved(Image.new("RGB", size), "PNG")) for size in ((8, 2), (2, 8)))
    assert wide.rgb == high.rgb
    assert wide.digest != high.digest


ORIENTED = {
    1: [RED, GREEN, BLUE, GREY],
    2: [GREEN, RED, GREY, BLUE],
    3: [GREY, BLUE, GREEN, RED],
    4: [BLUE, GREY, RED, GREEN],
    5: [RED, BLUE, GREEN, GREY],
    6: [BLUE, RED, GREY, GREEN],
    7: [GREY, GREEN, BLUE, RED],
    8: [GREEN, GREY, RED, BLUE],
}


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP", "TIFF", "AVIF"])
@pytest.mark.parametrize("orientation", ORIENTED)
def test_a_turned_photograph_stands_upright(form: str, orientation: int) -> None:
    if form not in MADE_FORMATS:
        pytest.skip("this Pillow cannot write it")
    tags = Image.Exif()
    tags[0x0112] = orientation
    quality = {} if form in {"PNG", "TIFF"} else {"quality": 95}
    picture = read_picture(saved(scene(), form, exif=tags, **quality))
    assert (picture.width, picture.height) == ((60, 40) if orientation < 5 else (40, 60))
    for found, expected in zip(corners(picture), ORIENTED[orientation], strict=True):
        assert near(found, expected, 12)


def test_orientation_in_either_byte_order() -> None:
    jpeg = saved(scene(), "JPEG")
    for data in (exif(6), b"Exif\0\0" + tiff((0x0112, 3, 1, 6), order=">")):
        turned = jpeg[:2] + b"\xff\xe1" + struct.pack(">H", len(data) + 2) + data + jpeg[2:]
        assert read_picture(turned).width == 40


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (saved(Image.new("RGBA", (4, 4), (255, 0, 0, 0)), "PNG"), WHITE),
        (saved(Image.new("RGBA", (4, 4), (255, 0, 0, 51)), "PNG"), (255, 204, 204)),
        (saved(Image.new("LA", (4, 4), (0, 51)), "PNG"), (204, 204, 204)),
        (saved(Image.new("RGBA", (4, 4), (255, 0, 0, 51)), "TIFF"), (255, 204, 204)),
        (saved(Image.new("PA", (4, 4), (0, 0)), "TIFF"), WHITE),
        (saved(Image.new("RGBA", (4, 4), (255, 0, 0, 51)), "WEBP", lossless=True, exact=True), (255, 204, 204)),
        (png(4, 4, bytes(4 * 13), chunk(b"tRNS", bytes(6))), WHITE),
        (png(4, 4, bytes(4 * 13), chunk(b"tRNS", b"\0\1" * 3)), (0, 0, 0)),
        (png(4, 4, (b"\0" + b"\x12\x34" * 12) * 4, chunk(b"tRNS", b"\x12\x34" * 3), depth=16), WHITE),
        (png(4, 4, (b"\0" + b"\x12\x34" * 4) * 4, chunk(b"tRNS", b"\x12\x34"), depth=16, colour=0), WHITE),
        (png(4, 4, b"\0\x55" * 4, chunk(b"tRNS", b"\0\1"), depth=2, colour=0), WHITE),
        (png(4, 4, b"\0\x55" * 4, chunk(b"tRNS", b"\0\2"), depth=2, colour=0), (85, 85, 85)),
        (png(4, 4, bytes(20), chunk(b"PLTE", b"\xff\0\0"), chunk(b"tRNS", b"\0"), colour=3), WHITE),
        (png(4, 4, bytes(20), chunk(b"PLTE", b"\xff\0\0"), chunk(b"tRNS", b"\x33"), colour=3), (255, 204, 204)),
        (saved(Image.new("P", (4, 4)), "GIF", transparency=0), WHITE),
    ],
    ids=str,
)
def test_white_shines_through_what_is_transparent(data: bytes, expected: tuple[int, ...]) -> None:
    picture = read_picture(data)
    assert {at(picture, x, y) for x in range(4) for y in range(4)} == {expected}


def test_a_premultiplied_picture_is_not_multiplied_again() -> None:
    tags = [(256, 3, 1, 1), (257, 3, 1, 1), (258, 3, 4, 200), (259, 3, 1, 1), (262, 3, 1, 2), (273, 4, 1, 208)]
    tags += [(277, 3, 1, 4), (278, 3, 1, 1), (279, 4, 1, 4), (338, 3, 1, 1)]
    data = tiff(*tags).ljust(200, b"\0") + struct.pack("<HHHH", 8, 8, 8, 8) + bytes((51, 0, 0, 51))
    assert near(at(read_picture(data), 0, 0), (255, 204, 204), 1)


def bmp_of_32_bits(alpha: int) -> bytes:
    head = struct.pack("<iiHHIIiiII", 1, 1, 1, 32, 3, 0, 0, 0, 0, 0)
    head += struct.pack("<IIII", 0xFF0000, 0xFF00, 0xFF, 0xFF000000)
    return b"BM" + struct.pack("<IIII", 74, 0, 70, 56) + head + bytes((0, 0, 255, alpha))


def test_a_bitmap_whose_transparency_was_never_set_is_opaque() -> None:
    assert at(read_picture(bmp_of_32_bits(0)), 0, 0) == RED
    assert at(read_picture(bmp_of_32_bits(51)), 0, 0) == (255, 204, 204)


@pytest.mark.parametrize(("value", "level"), [(0, 0), (0x0100, 1), (0x8080, 128), (0xFF00, 254), (0xFFFF, 255)])
def test_16_bit_grey_keeps_its_levels(value: int, level: int) -> None:
    row = b"\0" + struct.pack(">H", value) * 4
    assert at(read_picture(png(4, 4, row * 4, depth=16, colour=0)), 2, 2) == (level,) * 3
    for mode in ("I;16", "I;16B"):
        assert at(read_picture(saved(Image.new(mode, (4, 4), value), "TIFF")), 2, 2) == (level,) * 3


def test_16_bit_colours_keep_their_levels() -> None:
    row = b"\0" + struct.pack(">HHH", 0xFFFF, 0x8000, 0x0000) * 4
    assert at(read_picture(png(4, 4, row * 4, depth=16)), 2, 2) == (255, 128, 0)


def test_16_bit_grey_whose_zero_is_white() -> None:
    plain = saved(Image.new("I;16", (4, 4), 0xFFFF), "TIFF")
    assert at(read_picture(plain.replace(b"\x06\1\3\0\1\0\0\0\1", b"\x06\1\3\0\1\0\0\0\0", 1)), 1, 1) == (0, 0, 0)


@pytest.mark.parametrize(
    ("mode", "values", "expected"),
    [
        ("F", (0.0, 0.5, 1.0), (0, 128, 255)),
        ("F", (0.0, 0.25, 0.5), (0, 64, 128)),
        ("F", (-10.0, 0.0, 10.0), (0, 128, 255)),
        ("I", (0, 500, 1000), (0, 128, 255)),
        ("I", (-32768, 0, 32767), (0, 128, 255)),
        ("F", (7.0, 7.0, 7.0), (0, 0, 0)),
    ],
)
def test_numbers_span_from_black_to_white(mode: str, values: tuple[float, ...], expected: tuple[int, ...]) -> None:
    image = Image.new(mode, (3, 1))
    for x, value in enumerate(values):
        image.putpixel((x, 0), value)
    picture = read_picture(saved(image, "TIFF"))
    assert near(tuple(at(picture, x, 0)[0] for x in range(3)), expected, 1)


CMYK: dict[tuple[int, ...], tuple[int, ...]] = {
    (0, 255, 255, 0): RED,
    (255, 0, 255, 0): GREEN,
    (0, 0, 0, 0): WHITE,
    (0, 0, 0, 255): (0, 0, 0),
}


@pytest.mark.parametrize("form", ["JPEG", "TIFF"])
@pytest.mark.parametrize("ink", CMYK)
def test_inks_become_colours(form: str, ink: tuple[int, ...]) -> None:
    data = saved(Image.new("CMYK", (16, 16), ink), form)
    assert (form == "JPEG") == (b"Adobe" in data)
    assert near(at(read_picture(data), 8, 8), CMYK[ink], 3)


def test_lab_becomes_rgb() -> None:
    white = Image.new("LAB", (1, 1), (255, 128, 128))
    assert near(at(read_picture(saved(white, "TIFF")), 0, 0), WHITE, 2)


def swapped_profile() -> bytes:
    """sRGB's profile with red and blue exchanged, so that nobody can miss whether it was used."""
    data = bytearray(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
    count = struct.unpack_from(">I", data, 128)[0]
    tags = {bytes(data[place : place + 4]): place for place in range(132, 132 + 12 * count, 12)}
    red, blue = tags[b"rXYZ"], tags[b"bXYZ"]
    data[red + 4 : red + 12], data[blue + 4 : blue + 12] = data[blue + 4 : blue + 12], data[red + 4 : red + 12]
    name = data.find("sRGB".encode("utf-16-be"))
    data[name : name + 8] = "test".encode("utf-16-be")
    return bytes(data)


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP", "TIFF", "AVIF"])
def test_a_colour_profile_is_applied(form: str) -> None:
    if form not in MADE_FORMATS:
        pytest.skip("this Pillow cannot write it")
    picture = read_picture(saved(Image.new("RGB", (16, 16), RED), form, icc_profile=swapped_profile()))
    assert near(at(picture, 8, 8), BLUE, 12)


def test_a_profile_of_srgb_changes_nothing() -> None:
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    assert read_picture(saved(noise(), "PNG", icc_profile=profile)).rgb == noise().tobytes()


def test_a_profile_for_other_colours_is_ignored() -> None:
    assert at(read_picture(saved(Image.new("L", (4, 4), 128), "PNG", icc_profile=swapped_profile())), 1, 1) == GREY


def test_a_profile_that_is_a_bomb_is_ignored() -> None:
    bomb = chunk(b"iCCP", b"x\0\0" + zlib.compress(bytes(20 << 20)))
    assert at(read_picture(png(1, 1, b"\0\xff\0\0", bomb)), 0, 0) == RED


@pytest.mark.parametrize(
    ("form", "name", "what"), [("GIF", "a.gif", "frame"), ("WEBP", "b", "frame"), ("TIFF", "c", "page")]
)
def test_of_moving_pictures_the_first_frame_is_used_and_that_is_said(form: str, name: str, what: str) -> None:
    quality = {"lossless": True} if form == "WEBP" else {}
    data = saved(scene(), form, save_all=True, append_images=[noise()], **quality)
    picture = read_picture(data, name)
    assert corners(picture) == [RED, GREEN, BLUE, GREY]
    assert picture.note == f"Only the first {what} of {name} is used."
    assert read_picture(saved(scene(), form), name).note == ""


def test_a_moving_png_shows_its_still_picture() -> None:
    data = saved(scene(), "PNG", save_all=True, append_images=[noise()])
    picture = read_picture(data, "moving.png")
    assert corners(picture) == [RED, GREEN, BLUE, GREY]
    assert picture.note == "Only the first frame of moving.png is used."


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ((4096, 3906), (4096, 3906)),
        ((4097, 100), (4096, 99)),
        ((100, 5000), (81, 4096)),
        ((4096, 4096), (4000, 4000)),
        ((30_000, 600), (4096, 81)),
        ((1, 50), (1, 50)),
    ],
)
def test_a_size_is_kept_or_made_to_fit(size: tuple[int, int], expected: tuple[int, int]) -> None:
    assert fitted(*size) == expected
    assert max(expected) <= MAX_SIDE and expected[0] * expected[1] <= MAX_AREA


@pytest.mark.parametrize("form", ["JPEG", "PNG"])
def test_a_large_picture_is_made_smaller_and_that_is_said(form: str) -> None:
    picture = read_picture(saved(scene(9000, 3000), form, compress_level=1), "wide")
    assert (picture.width, picture.height) == (4096, 1365)
    assert picture.note == "wide was made smaller, to 4,096 × 1,365 pixels."
    assert len(picture.rgb) == 4096 * 1365 * 3
    for found, expected in zip(corners(picture), [RED, GREEN, BLUE, GREY], strict=True):
        assert near(found, expected, 3)


def test_a_large_photograph_on_its_side_is_told_in_its_upright_size() -> None:
    tags = Image.Exif()
    tags[0x0112] = 6
    picture = read_picture(saved(scene(4200, 1000), "JPEG", exif=tags), "tower")
    assert picture.note == "tower was made smaller, to 975 × 4,096 pixels."


@pytest.mark.parametrize(("form", "size"), [("JPEG", (16_320, 12_240)), ("PNG", (8_160, 6_120))])
def test_what_telephones_make_is_scaled_and_not_refused(form: str, size: tuple[int, int]) -> None:
    picture = read_picture(saved(Image.new("L", size, 90), form), "photo")
    assert picture.note == "photo was made smaller, to 4,096 × 3,072 pixels."
    assert set(picture.rgb[:3000]) == {90}


def test_a_picture_that_memory_has_no_room_for_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    data, memory = saved(Image.new("1", (8_000, 6_000)), "PNG"), psutil.virtual_memory()
    monkeypatch.setattr(psutil, "virtual_memory", lambda: memory._replace(available=4 << 30))
    read_picture(data)
    monkeypatch.setattr(psutil, "virtual_memory", lambda: memory._replace(available=500 << 20))
    with pytest.raises(PictureError, match="Memory is too short"):
        read_picture(data)


def test_16_million_pixels_are_kept_whole() -> None:
    assert read_picture(saved(scene(4000, 4000), "JPEG")).note == ""


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: b"", "This picture is empty; choose another file."),
        (lambda: bytes(65 << 20), "This picture has 65 MiB, and a picture may have 64; make it smaller"),
        (lambda: saved(Image.new("1", (600, 11)), "PNG"), "This picture has 600 × 11 pixels, and one side may be up"),
        (lambda: saved(Image.new("1", (10_000, 10_001)), "PNG"), "reads up to 30,000 a side and 100 million in all"),
        (lambda: b"%PDF-1.4", "This picture is a PDF document; save it as one of PNG, JPEG, WebP,"),
        (lambda: b"<svg/>", "is an SVG drawing, which only the window takes; save it as one of PNG,"),
        (lambda: b"hello", "This picture is text; save it as one of"),
        (lambda: b"\x00\x01\x02\x03" * 9, "This picture is no picture that Hearth can read; use PNG,"),
        (lambda: saved(noise(), "JPEG")[:1500], "This picture is damaged, or an unusual kind of picture;"),
    ],
)
def test_what_cannot_be_used_is_told_with_what_to_do(make: Callable[[], bytes], sentence: str) -> None:
    with pytest.raises(PictureError) as caught:
        read_picture(make())
    assert sentence in caught.value.sentence


def test_the_sentence_names_the_file_on_one_line() -> None:
    with pytest.raises(PictureError) as caught:
        read_picture(b"x", "holiday \n\x07" + "long" * 100 + " end.png")
    assert caught.value.sentence.startswith("holiday long")
    assert "end.png is text" in caught.value.sentence
    assert caught.value.sentence.isprintable() and len(caught.value.sentence) < 200


def test_a_thumbnail_keeps_the_proportions() -> None:
    picture = read_picture(saved(scene(600, 400), "PNG"))
    small = thumbnail(picture, 96)
    assert (small.width, small.height, len(small.rgb)) == (96, 64, 96 * 64 * 3)
    assert corners(small) == [RED, GREEN, BLUE, GREY]
    assert small.digest != picture.digest
    assert thumbnail(picture, 600) is picture
    line = read_picture(saved(Image.new("RGB", (500, 10)), "PNG"))
    assert (thumbnail(line, 20).width, thumbnail(line, 20).height) == (20, 1)


def test_a_picture_goes_through_png_unchanged() -> None:
    picture = read_picture(saved(noise(), "BMP"))
    assert read_picture(as_png(picture)).digest == picture.digest
    assert Image.open(io.BytesIO(as_png(picture))).mode == "RGB"


def test_the_suffixes_are_those_of_the_formats() -> None:
    assert {".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp", ".tiff"} <= set(FILE_SUFFIXES)
    assert (".avif" in FILE_SUFFIXES) == ("AVIF" in FORMATS)
    assert all(each == each.lower() and each.startswith(".") for each in FILE_SUFFIXES)


def test_threads_read_at_once() -> None:
    files = [saved(image, form) for form in MADE_FORMATS for image in (scene(), noise())]
    alone = [read_picture(each).digest for each in files]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda each: read_picture(each).digest, files * 5)) == alone * 5


def test_reading_pictures_needs_neither_llama_cpp_nor_numpy_nor_qt() -> None:
    code = "import sys, app.engine.media.images; print(sorted({'llama_cpp', 'numpy', 'PySide6'} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert run.stdout.strip() == "[]"
