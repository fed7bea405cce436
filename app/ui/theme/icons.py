"""Our own line icons, tinted with a colour of the theme."""

from functools import lru_cache

from PySide6.QtCore import QByteArray, QSize
from PySide6.QtGui import QIcon, QPixmap
from PySide6.QtSvg import QSvgRenderer

from app.core.resources import RESOURCES
from app.ui.theme.fonts import half_scaled
from app.ui.theme.svg_image import drawn

_SIZES = (16, 18, 20, 27, 32, 36, 40, 60)
"""Pixels; the larger ones are the smaller ones on screens of two and three times the density, or beside larger text."""
_INK = b"#000000"


@lru_cache(maxsize=512)
def tinted(name: str, colour: str, disabled: str = "") -> QIcon:
    """The icon `name` (a file of `resources/icons`) in `colour`, written as #rrggbb."""
    icon = QIcon()
    for mode, ink in ((QIcon.Mode.Normal, colour), (QIcon.Mode.Disabled, disabled)):
        for each in _inked(name, ink) if ink else ():
            icon.addPixmap(each, mode)
    return icon


def icon_size(pixels: int) -> QSize:
    """Of a button's icon that has `pixels` beside text of the usual size."""
    return QSize(half_scaled(pixels), half_scaled(pixels))


@lru_cache(maxsize=1)
def app_icon() -> QIcon:
    icon = QIcon()
    for each in _rendered(_source("hearth"), (16, 24, 32, 48, 64, 128, 256)):
        icon.addPixmap(each)
    return icon


@lru_cache(maxsize=512)
def _inked(name: str, colour: str) -> tuple[QPixmap, ...]:
    """In all sizes, 37 KiB: icons of several colours share how they look when disabled."""
    return _rendered(_source(name).replace(_INK, colour.encode("ascii")), _SIZES)


def _rendered(source: bytes, sizes: tuple[int, ...]) -> tuple[QPixmap, ...]:
    drawing = QSvgRenderer(QByteArray(source))
    return tuple(QPixmap.fromImage(drawn(drawing, size, size)) for size in sizes)


@lru_cache(maxsize=64)
def _source(name: str) -> bytes:
    return (RESOURCES / "icons" / f"{name}.svg").read_bytes()
