"""That every loop over a file's parts has an end of its own, whatever the decoder would have said."""

import io
import struct

import pytest
from PIL import TiffImagePlugin

from app.engine.media.image_headers import read_header
from tests.hostile_pictures import hostile


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
