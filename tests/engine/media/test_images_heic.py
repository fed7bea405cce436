"""Photos of telephones: HEIC, where its reader is there."""

import base64

import pytest

from app.engine.media.images import FILE_SUFFIXES, FORMATS, PictureError, read_picture

pytestmark = pytest.mark.skipif("HEIC" not in FORMATS, reason="no reader of HEIC for this system")

PLAIN = base64.b64decode(
    "AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAX1tZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAA"
    "ACJpbG9jAAAAAERAAAEAAQAAAAABoQABAAAAAAAAAGUAAAAjaWluZgAAAAAAAQAAABVpbmZlAgAAAAABAABodmMxAAAAAA5waXRt"
    "AAAAAAABAAAA/WlwcnAAAADdaXBjbwAAAHZodmNDAQNwAAAAkAAAAAAAHvAA/P34+AAADwNgAAEAGEABDAH//wNwAAADAJAAAAMA"
    "AAMAHroCQGEAAQAqQgEBA3AAAAMAkAAAAwAAAwAeoCCBBZbq5Ka5uAhoMCAAAAMDIAAAAwAhYgABAAZEAcFzwIkAAAATY29scm5j"
    "bHgAAQANAAaAAAAAFGlzcGUAAAAAAAAAQAAAAEAAAAAoY2xhcAAAAEAAAAABAAAAMAAAAAEAAAAAAAAAAv////AAAAACAAAAEHBp"
    "eGkAAAAAAwgICAAAABhpcG1hAAAAAAAAAAEAAQWBAgMFhAAAAG1tZGF0AAAAYSgBrwngOSMkv//5BH//+MRuQ/gUZcF//HTh9/h2"
    "cf/79X9RGNYssf4K3Ob5i2gqxGOY6p8pXymcDUtb3x7NpSFZpAgS8B005Sybj3rnvPEaiqYA/7XMJG+rRO5wMeGuDGA="
)
"""64 x 48 pixels: red at the left, blue at the right. Made with pillow-heif."""
TURNED = base64.b64decode(
    "AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAchtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAA"
    "ADRpbG9jAAAAAERAAAIAAQAAAAAB7AABAAAAAAAAAGUAAgAAAAACUQABAAAAAAAAACQAAAA4aWluZgAAAAAAAgAAABVpbmZlAgAA"
    "AAABAABodmMxAAAAABVpbmZlAgAAAQACAABFeGlmAAAAAA5waXRtAAAAAAABAAABB2lwcnAAAADmaXBjbwAAAHZodmNDAQNwAAAA"
    "kAAAAAAAHvAA/P34+AAADwNgAAEAGEABDAH//wNwAAADAJAAAAMAAAMAHroCQGEAAQAqQgEBA3AAAAMAkAAAAwAAAwAeoCCBBZbq"
    "5Ka5uAhoMCAAAAMDIAAAAwAhYgABAAZEAcFzwIkAAAATY29scm5jbHgAAQANAAaAAAAAFGlzcGUAAAAAAAAAQAAAAEAAAAAoY2xh"
    "cAAAAEAAAAABAAAAMAAAAAEAAAAAAAAAAv////AAAAACAAAAEHBpeGkAAAAAAwgICAAAAAlpcm90AwAAABlpcG1hAAAAAAAAAAEA"
    "AQaBAgMFhIYAAAAaaXJlZgAAAAAAAAAOY2RzYwACAAEAAQAAAJFtZGF0AAAAYSgBrwngOSMkv//5BH//+MRuQ/gUZcF//HTh9/h2"
    "cf/79X9RGNYssf4K3Ob5i2gqxGOY6p8pXymcDUtb3x7NpSFZpAgS8B005Sybj3rnvPEaiqYA/7XMJG+rRO5wMeGuDGAAAAAGRXhp"
    "ZgAATU0AKgAAAAgAAQESAAMAAAABAAYAAAAAAAA="
)
"""The same, to be turned by a quarter to the right."""


def colours(data: bytes) -> tuple[tuple[int, int], str, str]:
    seen = read_picture(data, "photo.heic")

    def name(x: int, y: int) -> str:
        red, _, blue = seen.rgb[(y * seen.width + x) * 3 :][:3]
        return "red" if red > blue else "blue"

    return (seen.width, seen.height), name(4, 4), name(seen.width - 5, seen.height - 5)


def test_a_photo_is_read_and_upright() -> None:
    assert colours(PLAIN) == ((64, 48), "red", "blue")
    assert colours(TURNED) == ((48, 64), "red", "blue")
    assert ".heic" in FILE_SUFFIXES


@pytest.mark.parametrize("cut", [40, 100, 200, 300, 400, 500, 517])
def test_a_cut_photo_is_a_sentence(cut: int) -> None:
    with pytest.raises(PictureError) as caught:
        read_picture(PLAIN[:cut], "photo.heic")
    assert caught.value.sentence.startswith("photo.heic ")
    assert caught.value.sentence.endswith(".")


def test_flipped_bytes_are_a_picture_or_a_sentence() -> None:
    for place in range(0, len(PLAIN), 3):
        damaged = bytearray(PLAIN)
        damaged[place] ^= 0x55
        try:
            read_picture(bytes(damaged), "photo.heic")
        except PictureError as error:
            assert error.sentence.endswith(".")


def test_a_claimed_size_is_refused_before_anything_is_decoded() -> None:
    claimed = PLAIN.replace((64).to_bytes(4, "big") * 2, b"\0\0\x9c\x40\0\0\x9c\x40")
    assert claimed != PLAIN
    with pytest.raises(PictureError, match=r"photo\.heic"):
        read_picture(claimed, "photo.heic")
