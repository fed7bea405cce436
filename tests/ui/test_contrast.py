"""Letters that can be read and a focus that can be seen, measured on what is drawn."""

from collections import Counter
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QAbstractButton, QLabel, QWidget

from app.core.settings import Interface
from app.ui.window.status_line import StatusLine
from tests.ui.conftest import Stage
from tests.ui.contrast import contrast
from tests.ui.gallery import Scene, scenes, settle
from tests.ui.test_accessibility import describe, focusable

_LETTERS = 4.5
_RING_CHANGE = 2.0
"""Between what was drawn and what is drawn when the keyboard is there."""
_AROUND = 6
"""Pixels around a control in which its ring may be drawn."""
_LEAST_PIXELS = 24


@pytest.fixture(params=["light", "dark"])
def themed(stage: Stage, request: pytest.FixtureRequest) -> Stage:
    stage.settings.update(Interface, theme=request.param)
    stage.window.resize(1000, 700)
    return stage


def test_letters_stand_out_from_what_is_behind_them(themed: Stage) -> None:
    faint = {
        f"{scene}: {describe(widget)}: {found:.1f}"
        for scene, root in _shown(themed)
        for widget in _with_words(root)
        if (found := _drawn_contrast(widget)) < _LETTERS
    }
    assert not faint, "\n".join(sorted(faint))


def test_the_keyboards_place_can_be_seen_everywhere(themed: Stage) -> None:
    hidden = set()
    tried = set()
    for scene, root in _shown(themed):
        root.activateWindow()
        for widget in list(focusable(root)):
            takes_tab = widget.isEnabled() and widget.focusPolicy() & Qt.FocusPolicy.TabFocus and _in_sight(widget)
            kind = (type(widget), widget.objectName(), widget.property("tone"), type(widget.parentWidget()))
            if takes_tab and kind not in tried:
                # One of each kind: a style sheet draws the ring.
                tried.add(kind)
                if (ring := _ring(root, widget)) < _LEAST_PIXELS:
                    hidden.add(f"{scene}: {describe(widget)}: {ring} pixels")
    assert len(tried) > 15
    assert not hidden, "\n".join(sorted(hidden))


def _shown(stage: Stage) -> Iterator[Scene]:
    for scene, root in scenes(stage):
        settle()
        yield scene, root


def _with_words(root: QWidget) -> Iterator[QWidget]:
    for widget in root.findChildren(QWidget):
        if not isinstance(widget, QLabel | QAbstractButton) or not widget.text() or not widget.isEnabled():
            continue
        if _in_sight(widget) and not isinstance(widget, StatusLine):
            yield widget


def _in_sight(widget: QWidget) -> bool:
    return widget.isVisible() and widget.visibleRegion().boundingRect().size() == widget.size()


def _drawn_contrast(widget: QWidget) -> float:
    """Of the colour that there is most of, and the one that stands out most."""
    place = QRect(widget.mapTo(widget.window(), QPoint(0, 0)), widget.size())
    colours = _colours(widget.window().grab(place).toImage())
    ground = colours.most_common(1)[0][0]
    return max(contrast(ground, colour) for colour in colours)


def _ring(root: QWidget, widget: QWidget) -> int:
    """How many pixels change, and change enough to be seen, when the keyboard comes to the widget."""
    away = next((each for each in focusable(root) if each is not widget and each.isEnabled()), None)
    if away is None:
        return _LEAST_PIXELS
    place = QRect(widget.mapTo(root, QPoint(0, 0)), widget.size())
    place.adjust(-_AROUND, -_AROUND, _AROUND, _AROUND)
    # A composer's ring is around its box.
    frame = widget.parentWidget()
    if frame is not None and frame.objectName() in ("composer", "editor"):
        place = QRect(frame.mapTo(root, QPoint(0, 0)), frame.size())
    away.setFocus(Qt.FocusReason.TabFocusReason)
    settle()
    before = root.grab(place).toImage()
    widget.setFocus(Qt.FocusReason.TabFocusReason)
    settle()
    if not widget.hasFocus():
        return _LEAST_PIXELS
    pairs = Counter(zip(_pixels(before), _pixels(root.grab(place).toImage()), strict=False))
    return sum(
        count for (was, now), count in pairs.items() if was != now and contrast(_name(was), _name(now)) >= _RING_CHANGE
    )


def _colours(image: QImage) -> Counter[str]:
    counted = Counter(_pixels(image))
    return Counter({_name(pixel): count for pixel, count in counted.items()})


def _pixels(image: QImage) -> memoryview:
    # A copy: the picture's own memory goes with the picture.
    kept = image.convertToFormat(QImage.Format.Format_RGB32)
    return memoryview(bytes(kept.constBits())).cast("I")


def _name(pixel: int) -> str:
    return f"#{pixel & 0xFFFFFF:06x}"
