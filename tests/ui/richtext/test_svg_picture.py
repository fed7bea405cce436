import base64
from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QImage

from app.core.errors import UserError
from app.ui.richtext.svg_picture import paint_svg
from tests.picture_files import SVG, png

HEAD = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 100 100">'


@pytest.fixture(autouse=True)
def application(qapp: object) -> None:
    """Fonts need one."""


def painted(inside: str, before: str = "") -> QImage:
    return QImage.fromData(paint_svg(f"{before}{HEAD}{inside}</svg>".encode()))


def middle(image: QImage) -> QColor:
    return image.pixelColor(image.width() // 2, image.height() // 2)


def bitmap(data: bytes) -> str:
    address = "data:image/png;base64," + base64.b64encode(data).decode()
    return f'<image xlink:href="{address}" width="100" height="100"/>'


def test_its_longer_side_has_1024_pixels() -> None:
    image = QImage.fromData(paint_svg(SVG))
    assert (image.width(), image.height()) == (1024, 512)
    assert middle(image) == QColor("blue")


def test_it_stands_on_white() -> None:
    assert middle(painted("")) == QColor("white")


def test_what_is_defined_and_used_is_drawn() -> None:
    assert middle(painted('<g id="a"><rect width="100" height="100" fill="red"/></g><use xlink:href="#a"/>')) == QColor(
        "red"
    )
    entity = '<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY c "red">]>'
    assert middle(painted('<rect width="100" height="100" fill="&c;"/>', entity)) == QColor("red")


def test_a_bitmap_within_is_drawn() -> None:
    assert middle(painted(bitmap(png(colour="blue")))) == QColor("blue")


def test_no_other_file_is_opened(tmp_path: Path) -> None:
    other = tmp_path / "other.png"
    other.write_bytes(png(colour="blue"))
    style = tmp_path / "other.css"
    style.write_text("rect { fill: blue }")
    rect = '<rect width="100" height="100" fill="red"/>'
    for address in (other, other.as_uri(), f" {other}", str(other).replace("/", "&#x2f;")):
        assert middle(painted(f'<image xlink:href="{address}" width="100" height="100"/>')) == QColor("white")
        assert middle(painted(f'<image href="{address}" width="100" height="100"/>')) == QColor("white")
    entity = f"<!DOCTYPE svg [<!ENTITY i \"<image h&#x72;ef='{other}' width='100' height='100'/>\">]>"
    assert middle(painted("&i;", entity)) == QColor("white")
    inner = f'{HEAD}<image xlink:href="{other}" width="100" height="100"/></svg>'
    assert middle(painted(bitmap(inner.encode()))) == QColor("white"), "an SVG that says it is a PNG"
    assert middle(painted(rect, f'<?xml-stylesheet type="text/css" href="{style}"?>')) == QColor("red")
    assert middle(painted(f'<style>@import url("{style}");</style>{rect}')) == QColor("red")


def _laughs(levels: int) -> str:
    groups = "".join(
        f'<g id="l{level}">' + f'<use xlink:href="#l{level - 1}"/>' * 10 + "</g>" for level in range(1, levels)
    )
    return '<rect id="l0" width="9" height="9"/>' + groups


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<svg",
        b"<html><svg></svg></html>",
        f"{HEAD}{_laughs(9)}</svg>".encode(),
        f"{HEAD}{'<g>' * 60_000}{'</g>' * 60_000}</svg>".encode(),
        (HEAD + '<g id="a"><use xlink:href="#b"/></g><g id="b"><use xlink:href="#a"/></g></svg>').encode(),
        f'<!DOCTYPE svg [<!ENTITY a "{"a" * 3000}"><!ENTITY b "{"&a;" * 50}">]>{HEAD}<text>&b;</text></svg>'.encode(),
        b'<svg xmlns="http://www.w3.org/2000/svg" width="0" height="0"/>',
    ],
)
def test_what_cannot_be_drawn_is_refused_in_a_sentence(data: bytes) -> None:
    with pytest.raises(UserError, match="This SVG file cannot be drawn"):
        paint_svg(data)


def test_many_effects_are_left_out() -> None:
    blurred = '<rect filter="url(#f)" width="100" height="100" fill="red"/>'
    image = painted('<filter id="f"><feGaussianBlur stdDeviation="50"/></filter>' + blurred * 40)
    assert image.pixelColor(2, 2) == QColor("red"), "the blur would have washed out the corner"
