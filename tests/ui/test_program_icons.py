"""The icons of a bundle: every size is drawn, in every format."""

from pathlib import Path

from devtools.bundle_icons import SIZES, drawings, main
from PIL import Image

ROOT = Path(__file__).parents[2]


def test_every_size_is_drawn_in_every_format(tmp_path: Path) -> None:
    main(ROOT, tmp_path)
    for size in SIZES:
        for name in ("apps/hearth.png", "mimetypes/application-x-gguf.png"):
            with Image.open(tmp_path / "hicolor" / f"{size}x{size}" / name) as drawn:
                assert drawn.size == (size, size)
                corner, middle = drawn.getpixel((0, 0)), drawn.getpixel((size // 2, size * 3 // 5))
                assert (corner[3], middle[3]) == (0, 255), name  # type: ignore[index]  # four channels
    with Image.open(tmp_path / "hearth.ico") as icon:
        assert {(16, 16), (32, 32), (48, 48), (256, 256)} <= icon.info["sizes"]
    with Image.open(tmp_path / "hearth.icns") as icon:
        assert (512, 512, 2) in icon.info["sizes"]
    assert (tmp_path / "hicolor/scalable/apps/hearth.svg").read_bytes() == drawings(ROOT)[0].read_bytes()


def test_small_icons_have_a_drawing_of_their_own(tmp_path: Path) -> None:
    main(ROOT, tmp_path)
    with Image.open(tmp_path / "hicolor/16x16/apps/hearth.png") as small:
        # The ground of the small drawing has one colour; the large one's goes from light to dark.
        assert small.getpixel((2, 8))[:3] == small.getpixel((8, 14))[:3]  # type: ignore[index]
    with Image.open(tmp_path / "hicolor/256x256/apps/hearth.png") as large:
        assert large.getpixel((30, 40))[:3] != large.getpixel((30, 230))[:3]  # type: ignore[index]
