"""The program's icons in every size and format, from the drawings in `resources/icons` and `packaging/icons`.

Run by the bundle's own Python, which has Qt and Pillow: `python -m devtools.bundle_icons CHECKOUT TARGET`.
"""

import io
import sys
from pathlib import Path

from PIL import Image
from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRectF
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

from devtools.bundle_identity import MODEL_ICON

SIZES = (16, 22, 24, 32, 48, 64, 96, 128, 256, 512)
"""Pixels, as the freedesktop icon themes have them."""
_SMALL = 24
"""Up to here the drawing with fewer and bolder shapes is used."""
_WINDOWS = (16, 24, 32, 48, 64, 128, 256)
_MAC = (16, 32, 64, 128, 256, 512, 1024)


def main(root: Path, target: Path) -> None:
    """Writes `hicolor/` (a theme's tree), `.ico` and `.icns` of the program and of model files into `target`."""
    ours, small, model = drawings(root)
    for size in SIZES:
        folder = target / "hicolor" / f"{size}x{size}"
        _write(folder / "apps" / "hearth.png", _program(ours, small, size))
        _write(folder / "mimetypes" / "application-x-gguf.png", draw(model, size))
    for svg, place in ((ours, "apps/hearth.svg"), (model, "mimetypes/application-x-gguf.svg")):
        _write(target / "hicolor" / "scalable" / place, svg.read_bytes())
    for sizes, ending in ((_WINDOWS, "ico"), (_MAC, "icns")):
        _collect([_program(ours, small, size) for size in sizes], sizes, target / f"hearth.{ending}")
        _collect([draw(model, size) for size in sizes], sizes, target / f"{MODEL_ICON}.{ending}")


def drawings(root: Path) -> tuple[Path, Path, Path]:
    """The program's icon, the same for small sizes, and the one of model files."""
    icons = root / "packaging" / "icons"
    return root / "resources" / "icons" / "hearth.svg", icons / "hearth-small.svg", icons / "model-file.svg"


def draw(svg: Path, size: int) -> bytes:
    """A PNG of `size` pixels a side."""
    renderer = QSvgRenderer(str(svg))
    if not renderer.isValid():
        raise ValueError(f"Qt cannot draw {svg}")
    image = QImage(size, size, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(0)
    painter = QPainter(image)
    renderer.render(painter, QRectF(0, 0, size, size))
    painter.end()
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]  # text is what works
    return bytes(data.data())


def _program(ours: Path, small: Path, size: int) -> bytes:
    return draw(small if size <= _SMALL else ours, size)


def _collect(pictures: list[bytes], sizes: tuple[int, ...], path: Path) -> None:
    """All sizes in one file, each as it was drawn and none scaled by Pillow."""
    *smaller, largest = (Image.open(io.BytesIO(picture)) for picture in pictures)
    largest.save(path, append_images=smaller, sizes=[(size, size) for size in sizes])


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
