from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from app.ui.theme.icons import tinted
from tests.heap import in_use

_PIXELS = 4 * sum(size * size for size in (16, 18, 20, 27, 32, 36, 40, 60))


def test_an_icon_has_a_look_of_its_own_when_it_is_disabled(qapp: QApplication) -> None:
    icon = tinted("stop", "#ff0000", "#00ff00")
    for mode, colour in ((QIcon.Mode.Normal, "#ff0000"), (QIcon.Mode.Disabled, "#00ff00")):
        assert icon.pixmap(20, mode).toImage().pixelColor(10, 10).name() == colour


def test_icons_of_many_colours_share_how_they_look_when_disabled(qapp: QApplication) -> None:
    tinted("stop", "#000100", "#123456")  # and what Qt keeps once for all
    before = in_use()
    kept = [tinted("stop", f"#0002{number:02x}", "#123456") for number in range(100)]
    assert len(kept) * _PIXELS <= in_use() - before < len(kept) * _PIXELS * 1.5
