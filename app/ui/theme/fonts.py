"""The typefaces that come with Hearth, with the system's own where they cannot be loaded, in the size people want."""

import logging
import re
from functools import cache

from PySide6.QtGui import QFont, QFontDatabase, QFontInfo, QGuiApplication

from app.core.resources import RESOURCES

UI_SIZE = 14
"""Pixels (device-independent), as all sizes here."""
READING_SIZE = 15
CODE_SIZE = 13
SMALL_SIZE = 12

_SIZED = re.compile(r"(?<=font-size: )(\d+)(?=px)")
_NOTHING = 1
"""Pixels of text that is not to be seen."""
_percent = 100
_TEXT = "Inter"
_CODE = "JetBrains Mono"
_log = logging.getLogger(__name__)


@cache
def load_fonts() -> tuple[str, str]:
    """The families for text and for code. Needs a QGuiApplication; loads the files once."""
    for path in sorted((RESOURCES / "fonts").glob("*.[ot]tf")):
        if QFontDatabase.addApplicationFont(str(path)) < 0:
            _log.warning("The font %s cannot be used.", path.name)
    known = set(QFontDatabase.families())
    text = _TEXT if _TEXT in known else QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont).family()
    code = _CODE if _CODE in known else QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).family()
    return text, code


def set_text_size(percent: int) -> None:
    """For everything that is made from now on. `theme.Look` calls it, and tells the widgets."""
    global _percent
    _percent = percent


def scaled(pixels: int) -> int:
    """`pixels`, said for the usual size of text, at the size that was chosen. For what must keep room for text."""
    return round(pixels * _percent / 100)


def half_scaled(pixels: int) -> int:
    """Half as much larger as letters are. For what stands beside text and holds none: icons, and the sidebar."""
    return (pixels + scaled(pixels)) // 2


def scaled_css(css: str) -> str:
    """A style sheet with its font sizes, all written as `font-size: 12px`, as `scaled` has them."""
    return _SIZED.sub(lambda found: str(_scaled_text(int(found[1]))), css)


def _scaled_text(pixels: int) -> int:
    return pixels if pixels <= _NOTHING else scaled(pixels)


def text_font(size: int = UI_SIZE, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    font = QFont(load_fonts()[0])
    font.setPixelSize(_scaled_text(size))
    font.setWeight(weight)
    return font


def application_font() -> QFont:
    """As large as `text_font`, but in points: dialogs of Qt's own, such as a printer's, reckon with them."""
    font = text_font()
    font.setPointSizeF(font.pixelSize() * 72 / QGuiApplication.primaryScreen().logicalDotsPerInchY())
    return font


def code_font(size: int = CODE_SIZE) -> QFont:
    font = QFont(load_fonts()[1])
    font.setPixelSize(_scaled_text(size))
    font.setStyleHint(QFont.StyleHint.Monospace)
    # JetBrains Mono would draw "->" and "!=" as one sign each; code is to be read as it was written.
    font.setFeature(QFont.Tag("calt"), 0)
    if not QFontInfo(font).fixedPitch():
        font.setFixedPitch(True)
    return font
