from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.core.messages import ImagePart
from app.services.pictures.states import PendingPicture, PictureState
from app.ui.composer.image_tray import TILE, ImageTray
from app.ui.theme.appearance import Appearance


def picture(number: int, name: str = "cat.jpg", state: PictureState = PictureState.READY) -> PendingPicture:
    if state is PictureState.READING:
        return PendingPicture(number, name, state)
    image = QImage(160, 120, QImage.Format.Format_RGB32)
    image.fill(QColor("red"))
    return PendingPicture(number, name, state, ImagePart("0" * 64, name, 1600, 1200), image)


@pytest.fixture
def tray(qtbot: QtBot, appearance: Appearance) -> Iterator[ImageTray]:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(500, 300)
    made = ImageTray(appearance, window)
    made.resize(500, 10)
    window.show()
    yield made


def test_it_is_there_only_while_there_are_pictures(tray: ImageTray) -> None:
    assert tray.isHidden()
    tray.show_pictures((picture(1), picture(2)))
    assert tray.isVisible()
    assert tray.height() >= TILE
    tray.show_pictures(())
    assert tray.isHidden()
    assert tray.is_empty


def test_names_for_those_who_cannot_see(tray: ImageTray) -> None:
    tray.show_pictures((picture(1), picture(2, "")))
    assert [tile.remove_button.accessibleName() for tile in tray.tiles] == [
        "Picture 1 of 2: cat.jpg, remove",
        "Picture 2 of 2: picture without a name, remove",
    ]
    tray.show_pictures((picture(2, ""),))
    assert tray.tiles[0].accessibleName() == "Picture 1 of 1: picture without a name"


def test_a_name_is_never_read_as_html(tray: ImageTray) -> None:
    tray.show_pictures((picture(1, "<img src=/etc/hosts>.png"),))
    assert "<img" not in tray.tiles[0].toolTip()
    assert "1,600 × 1,200" in tray.tiles[0].toolTip()


def test_the_ring_turns_while_something_is_done(qtbot: QtBot, tray: ImageTray) -> None:
    tray.show_pictures((picture(1, state=PictureState.READING), picture(2, state=PictureState.ENCODING), picture(3)))
    assert [tile.is_turning for tile in tray.tiles] == [True, True, False]
    tile = tray.tiles[0]
    before = tile.grab().toImage()
    qtbot.waitUntil(lambda: tile.grab().toImage() != before)
    tray.show_pictures((picture(1), picture(2), picture(3)))
    assert not any(tile.is_turning for tile in tray.tiles)
    assert tray.tiles[0] is tile, "the same tile shows the picture that was read"


@pytest.mark.parametrize("state", PictureState)
def test_what_is_read_can_be_sent(tray: ImageTray, state: PictureState) -> None:
    tray.show_pictures((picture(1), picture(2, state=state)))
    assert tray.is_reading is (state is PictureState.READING)


def test_the_thumbnail_is_drawn_with_round_corners(tray: ImageTray) -> None:
    tray.show_pictures((picture(1),))
    tile = tray.tiles[0]
    drawn = tile.grab().toImage()
    assert drawn.pixelColor(TILE // 2, tile.height() - TILE // 2) == QColor("red")
    assert drawn.pixelColor(0, tile.height() - 1) != QColor("red")


@pytest.mark.parametrize("key", [Qt.Key.Key_Delete, Qt.Key.Key_Backspace, Qt.Key.Key_Space, Qt.Key.Key_Return])
def test_keys_remove(qtbot: QtBot, tray: ImageTray, key: Qt.Key) -> None:
    tray.show_pictures((picture(1), picture(2)))
    with qtbot.waitSignal(tray.remove_wanted) as wanted:
        QTest.keyClick(tray.tiles[1].remove_button, key)
    assert wanted.args == [2]


def test_the_focus_stays_near(qtbot: QtBot, tray: ImageTray) -> None:
    three = (picture(1), picture(2), picture(3))
    tray.show_pictures(three)
    tray.tiles[1].remove_button.setFocus()
    tray.show_pictures(three[::2])
    assert tray.tiles[1].remove_button.hasFocus()
    tray.show_pictures(three[:1])
    assert tray.tiles[0].remove_button.hasFocus()
    with qtbot.waitSignal(tray.emptied):
        tray.show_pictures(())


def test_arrows_go_along(tray: ImageTray) -> None:
    tray.show_pictures((picture(1), picture(2)))
    tray.tiles[0].remove_button.setFocus()
    QTest.keyClick(tray.tiles[0].remove_button, Qt.Key.Key_Right)
    assert tray.tiles[1].remove_button.hasFocus()
    QTest.keyClick(tray.tiles[1].remove_button, Qt.Key.Key_Right)
    assert tray.tiles[0].remove_button.hasFocus()


def test_a_click_removes_or_opens(qtbot: QtBot, tray: ImageTray) -> None:
    tray.show_pictures((picture(5),))
    tile = tray.tiles[0]
    with qtbot.waitSignal(tray.remove_wanted):
        QTest.mouseClick(tile.remove_button, Qt.MouseButton.LeftButton)
    with qtbot.waitSignal(tray.opened) as opened:
        QTest.mouseClick(tile, Qt.MouseButton.LeftButton, pos=QPoint(20, 50))
    assert opened.args == [picture(5).part]
    tray.show_pictures((picture(5, state=PictureState.READING),))
    with qtbot.assertNotEmitted(tray.opened):
        QTest.mouseClick(tray.tiles[0], Qt.MouseButton.LeftButton, pos=QPoint(20, 50))


def test_many_break_into_rows(tray: ImageTray) -> None:
    tray.show_pictures(tuple(picture(number) for number in range(16)))
    rows = {tile.y() for tile in tray.tiles}
    assert len(rows) == 3
    assert all(tile.geometry().right() < tray.width() for tile in tray.tiles)
    assert tray.tiles[-1].geometry().bottom() < tray.height()
    tray.resize(1300, tray.height())
    assert {tile.y() for tile in tray.tiles} == {0}


def test_what_a_picture_lacks_is_in_its_tip(tray: ImageTray) -> None:
    tray.show_pictures((replace(picture(1), note="Only the first frame is used."),))
    assert "Only the first frame is used." in tray.tiles[0].toolTip()
