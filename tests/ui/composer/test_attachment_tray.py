"""What holds for the trays of every kind, and what for pictures alone."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from app.core.messages import DocumentPart, ImagePart
from app.services.drafts.pending import PendingAttachment, PendingDocument, PendingPicture
from app.ui.composer.attachment_tray import AttachmentTray
from app.ui.composer.document_tray import DocumentTray
from app.ui.composer.picture_tray import TILE, PictureTray
from app.ui.theme.appearance import Appearance


def picture(number: int, name: str = "cat.jpg", *, is_encoding: bool = False) -> PendingPicture:
    image = QImage(160, 120, QImage.Format.Format_RGB32)
    image.fill(QColor("red"))
    return PendingPicture(number, name, ImagePart("0" * 64, name, 1600, 1200), is_encoding, thumbnail=image)


def document(number: int) -> PendingDocument:
    return PendingDocument(number, "a.txt", DocumentPart("", "a.txt", "text"), 4)


class Stand(NamedTuple):
    tray: AttachmentTray[Any, Any]
    made: Callable[[int], PendingAttachment]
    unread: PendingAttachment

    def show(self, *numbers: int) -> None:
        self.tray.show_pending(tuple(map(self.made, numbers)))

    def press(self, index: int, key: Qt.Key) -> None:
        self.tray.items[index].focus_place.setFocus()
        QTest.keyClick(self.tray.items[index].focus_place, key)

    @property
    def focused(self) -> list[bool]:
        return [item.focus_place.hasFocus() for item in self.tray.items]


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    made.resize(500, 300)
    # What Qt's own keys would lead to.
    QLineEdit(made)
    made.show()
    return made


@pytest.fixture
def tray(window: QWidget, appearance: Appearance) -> PictureTray:
    made = PictureTray(appearance, window)
    made.resize(500, 10)
    return made


@pytest.fixture(params=["pictures", "documents"])
def stand(request: pytest.FixtureRequest, window: QWidget, appearance: Appearance, tray: PictureTray) -> Stand:
    if request.param == "pictures":
        return Stand(tray, picture, PendingPicture(9, "cat.jpg"))
    documents = DocumentTray(appearance, window)
    documents.resize(500, 10)
    return Stand(documents, document, PendingDocument(9, "a.txt"))


def test_it_is_there_only_while_there_is_something(stand: Stand) -> None:
    assert stand.tray.isHidden()
    stand.show(1, 2)
    assert stand.tray.isVisible()
    assert stand.tray.height() >= stand.tray.items[0].height()
    stand.show()
    assert stand.tray.isHidden()
    assert stand.tray.is_empty


def test_what_is_read_can_be_sent(stand: Stand) -> None:
    stand.show(1)
    assert not stand.tray.is_reading
    stand.tray.show_pending((stand.made(1), stand.unread))
    assert stand.tray.is_reading


def test_it_tells_what_is_lost(stand: Stand) -> None:
    assert not stand.tray.show_pending((stand.made(1), stand.made(2)))
    assert stand.tray.show_pending((stand.made(2), stand.made(3)))


@pytest.mark.parametrize("key", [Qt.Key.Key_Delete, Qt.Key.Key_Backspace])
def test_keys_remove(qtbot: QtBot, stand: Stand, key: Qt.Key) -> None:
    stand.show(1, 2)
    with qtbot.waitSignal(stand.tray.remove_wanted) as wanted:
        stand.press(1, key)
    assert wanted.args == [2]


def test_the_focus_stays_near(qtbot: QtBot, stand: Stand) -> None:
    stand.show(1, 2, 3)
    stand.tray.items[1].focus_place.setFocus()
    stand.show(1, 3)
    assert stand.focused == [False, True]
    stand.show(1)
    assert stand.focused == [True]
    with qtbot.waitSignal(stand.tray.emptied):
        stand.show()


def test_arrows_go_along_and_around(stand: Stand) -> None:
    stand.show(1, 2, 3)
    stand.press(0, Qt.Key.Key_Right)
    assert stand.focused == [False, True, False]
    stand.press(0, Qt.Key.Key_Left)
    assert stand.focused == [False, False, True]
    stand.press(2, Qt.Key.Key_Right)
    assert stand.focused == [True, False, False]


def test_names_for_those_who_cannot_see(tray: PictureTray) -> None:
    tray.show_pending((picture(1), picture(2, "")))
    assert [tile.remove_button.accessibleName() for tile in tray.items] == [
        "Picture 1 of 2: cat.jpg, remove",
        "Picture 2 of 2: picture without a name, remove",
    ]
    tray.show_pending((picture(2, ""),))
    assert tray.items[0].accessibleName() == "Picture 1 of 1: picture without a name"


def test_a_name_is_never_read_as_html(tray: PictureTray) -> None:
    tray.show_pending((picture(1, "<img src=/etc/hosts>.png"),))
    assert "<img" not in tray.items[0].toolTip()
    assert "1,600 × 1,200" in tray.items[0].toolTip()


def test_the_ring_turns_while_something_is_done(qtbot: QtBot, tray: PictureTray) -> None:
    tray.show_pending((PendingPicture(1, "cat.jpg"), picture(2, is_encoding=True), picture(3)))
    assert [tile.pending.is_busy for tile in tray.items] == [True, True, False]
    tile = tray.items[0]
    before = tile.grab().toImage()
    qtbot.waitUntil(lambda: tile.grab().toImage() != before)
    tray.show_pending((picture(1), picture(2), picture(3)))
    assert not any(tile.pending.is_busy for tile in tray.items)
    assert tray.items[0] is tile, "the same tile shows the picture that was read"


def test_the_thumbnail_is_drawn_with_round_corners(tray: PictureTray) -> None:
    tray.show_pending((picture(1),))
    tile = tray.items[0]
    drawn = tile.grab().toImage()
    assert drawn.pixelColor(TILE // 2, tile.height() - TILE // 2) == QColor("red")
    assert drawn.pixelColor(0, tile.height() - 1) != QColor("red")


@pytest.mark.parametrize("key", [Qt.Key.Key_Space, Qt.Key.Key_Return])
def test_the_keyboard_comes_to_what_removes(qtbot: QtBot, tray: PictureTray, key: Qt.Key) -> None:
    tray.show_pending((picture(1), picture(2)))
    with qtbot.waitSignal(tray.remove_wanted) as wanted:
        QTest.keyClick(tray.items[1].remove_button, key)
    assert wanted.args == [2]


def test_a_click_removes_or_opens(qtbot: QtBot, tray: PictureTray) -> None:
    tray.show_pending((picture(5),))
    tile = tray.items[0]
    with qtbot.waitSignal(tray.remove_wanted):
        QTest.mouseClick(tile.remove_button, Qt.MouseButton.LeftButton)
    with qtbot.waitSignal(tray.opened) as opened:
        QTest.mouseClick(tile, Qt.MouseButton.LeftButton, pos=QPoint(20, 50))
    assert opened.args == [5]
    tray.show_pending((PendingPicture(5, "cat.jpg"),))
    with qtbot.assertNotEmitted(tray.opened):
        QTest.mouseClick(tray.items[0], Qt.MouseButton.LeftButton, pos=QPoint(20, 50))


def test_many_break_into_rows(tray: PictureTray) -> None:
    tray.show_pending(tuple(picture(number) for number in range(16)))
    rows = {tile.y() for tile in tray.items}
    assert len(rows) == 3
    assert all(tile.geometry().right() < tray.width() for tile in tray.items)
    assert tray.items[-1].geometry().bottom() < tray.height()
    tray.resize(1300, tray.height())
    assert {tile.y() for tile in tray.items} == {0}


def test_what_a_picture_lacks_is_in_its_tip(tray: PictureTray) -> None:
    tray.show_pending((replace(picture(1), note="Only the first frame is used."),))
    assert "Only the first frame is used." in tray.items[0].toolTip()
