from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QApplication

from app.core.resources import RESOURCES
from app.ui.theme.svg_image import svg_image
from tests.heap import in_use

_STOP = (RESOURCES / "icons" / "stop.svg").read_bytes()


def test_a_drawing_has_the_size_and_the_colour_that_are_asked_for(qapp: QApplication) -> None:
    image = svg_image(_STOP, 30, 20, "#ff0000")
    assert (image.width(), image.height()) == (30, 20)
    assert image.pixelColor(15, 10) == QColor("#ff0000")
    assert svg_image(_STOP, 0, 0).size() == svg_image(_STOP, 1, 1).size()


def test_drawings_that_are_kept_take_little_more_than_their_pixels(qapp: QApplication) -> None:
    svg_image(_STOP, 18, 18)  # what Qt keeps once for all
    before = in_use()
    kept = [svg_image(_STOP, 18, 18, "#123456") for _ in range(300)]
    pixels = sum(each.sizeInBytes() for each in kept)
    assert kept[0].format() is QImage.Format.Format_ARGB32_Premultiplied
    assert pixels <= in_use() - before < 2 * pixels
