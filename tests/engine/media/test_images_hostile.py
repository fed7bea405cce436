"""That no file, whatever it holds, does more than become a picture or a sentence."""

import io
import re
import struct
import subprocess
import sys
import warnings
from functools import partial

import pytest
from PIL import Image, TiffImagePlugin

from app.engine.media.image_headers import read_header
from app.engine.media.images import PictureError, read_picture
from tests.hostile_pictures import GROUPS, hostile
from tests.work import assert_quick

SECONDS = 6.0
"""Of work. The slowest takes 0.7 s on an idle machine."""

_LIMITED = """
import resource
from app.engine.media.images import PictureError, read_picture
from tests.hostile_pictures import hostile
files = [each for group in ("sizes", "bombs", "tiffs") for each in hostile(group)]
read_picture(hostile("wrong suffix")[0][1])
held = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (held + (600 << 20),) * 2)
short = []
for name, data in files:
    try:
        read_picture(data, name)
    except PictureError as error:
        if "Memory is too short" in error.sentence or "MemoryError" in error.detail:
            short.append(name)
print(short)
"""


@pytest.mark.parametrize("group", GROUPS)
def test_each_file_becomes_a_picture_or_a_sentence(group: str) -> None:
    def read(name: str, data: bytes) -> None:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                picture = read_picture(data, name)
        except PictureError as error:
            assert not isinstance(error.__cause__, Warning), name
            told = error.sentence
        else:
            assert len(picture.rgb) == picture.width * picture.height * 3, name
            assert min(picture.width, picture.height) >= 1 and max(picture.width, picture.height) <= 4096, name
            told = picture.note
        if told:
            assert told.endswith("."), told
            assert len(re.findall(r"\.(?: |$)", told)) <= 2, told
            assert told.isprintable(), told

    for name, data in hostile(group):
        assert_quick(SECONDS, partial(read, name, data), name)


def test_there_are_enough_of_them_and_some_are_pictures() -> None:
    files = [each for group in GROUPS for each in hostile(group)]
    assert len(files) >= 220
    assert len({data for _, data in files}) >= 400


@pytest.mark.parametrize(
    ("group", "usable", "refused"),
    [
        ("shapes", {"shape-1x1.png", "shape-1x50.png", "shape-3x149.gif"}, {"shape-1x51.png", "shape-51x1.jpeg"}),
        ("bombs", {"bomb-ztxt.png", "bomb-many-ztxt.png", "bomb-fill.jpg"}, {"bomb-scans.jpg", "large.jpg"}),
        ("tiffs", {"chain-self.tif", "chain-long.tif", "sub-directories.tif"}, {"strips-many.tif", "tile-large.tif"}),
        ("sizes", {"size-12000x9000.jpg"}, {"size-65535x65535.gif", "size-canvas.webp", "size-9000x4000.bmp"}),
        ("metadata", {"exif-self.jpeg", "exif-values.webp", "icc-random.png", "icc-claims.tiff"}, set()),
        ("wrong suffix", {"is-png.jpeg", "is-jpeg.webp", "is-gif.bmp"}, set()),
    ],
)
def test_hostile_surroundings_do_not_cost_a_good_picture(group: str, usable: set[str], refused: set[str]) -> None:
    files = dict(hostile(group))
    for name in usable:
        assert read_picture(files[name], name).width
    for name in refused:
        with pytest.raises(PictureError):
            read_picture(files[name], name)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc and RLIMIT_AS")
def test_none_of_them_takes_memory_without_end() -> None:
    run = subprocess.run([sys.executable, "-c", _LIMITED], capture_output=True, text=True, check=False, timeout=120)
    assert run.returncode == 0, run.stderr[-2000:]
    assert run.stdout.strip() == "[]"


def _with_size(form: str, at: bytes, offset: int, kind: str, side: int) -> bytes:
    """A small picture whose header claims `side` by `side` pixels."""
    written = io.BytesIO()
    Image.new("RGB", (16, 16)).save(written, form, **({"progressive": True} if form == "JPEG" else {}))
    data = bytearray(written.getvalue())
    struct.pack_into(kind, data, data.index(at) + offset, side, side)
    return bytes(data)


@pytest.mark.parametrize("form", ["JPEG", "BMP"])
def test_what_claims_too_many_pixels_is_called_too_large_and_not_damaged(form: str) -> None:
    place = {"JPEG": (b"\xff\xc2", 5, ">HH"), "BMP": (b"BM", 18, "<ii")}[form]
    with pytest.raises(PictureError, match=r"20,000 × 20,000 pixels, and Hearth reads up to"):
        read_picture(_with_size(form, *place, 20_000))


@pytest.mark.parametrize(
    ("group", "name", "reason"),
    [
        ("bombs", "bomb-blocks.gif", "too many blocks"),
        ("bombs", "bomb-texts.png", "too many chunks"),
        ("bombs", "bomb-chunks.webp", "too many chunks"),
        ("bombs", "bomb-comments.jpg", "too many segments"),
        ("bombs", "bomb-restarts.jpg", "too many segments"),
        ("bombs", "bomb-scans.jpg", "too many scans"),
        ("bombs", "bomb-rle-long.bmp", "run-length"),
        ("bombs", "bomb-rle-wide.bmp", "run-length"),
        ("tiffs", "strips-many.tif", "more strips"),
        ("tiffs", "tile-large.tif", "tiles larger"),
        ("tiffs", "tags-65535.tif", "65535 tags"),
        ("tiffs", "samples-many.tif", "samples a pixel"),
        ("tiffs", "compression-34712.tif", "compression 34712"),
    ],
)
def test_what_has_no_end_is_refused_before_it_is_decoded(group: str, name: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        read_header(dict(hostile(group))[name])


@pytest.mark.parametrize("name", ["chain-self.tif", "chain-long.tif", "chain-outside.tif", "pages.tif"])
def test_a_chain_of_directories_is_cut(name: str) -> None:
    header = read_header(dict(hostile("tiffs"))[name])
    assert header.more_frames
    assert struct.unpack_from("<I", header.data, len(header.data) - 4) == (0,)
    assert not TiffImagePlugin.TiffImageFile(io.BytesIO(header.data)).is_animated


def test_texts_and_exif_do_not_reach_the_decoder() -> None:
    assert b"zTXt" not in read_header(dict(hostile("bombs"))["bomb-many-ztxt.png"]).data
    assert b"Exif" not in read_header(dict(hostile("metadata"))["exif-self.jpeg"]).data
    assert b"acTL" not in read_header(dict(hostile("animations"))["actl-huge.png"]).data
