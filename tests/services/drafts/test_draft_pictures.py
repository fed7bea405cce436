import gc
import os
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from app.core.errors import UserError
from app.core.picture_settings import PictureSettings
from app.services.drafts.offers import PictureBytes, PictureFile, PicturePixels
from app.services.drafts.pending import PendingPicture
from app.services.engine.states import NoModel
from tests.picture_files import SVG, jpeg, png
from tests.services.attaching import Stand
from tests.ui.fakes import MODEL, READY, SEEING
from tests.waits import WAIT


def add(stand: Stand, data: bytes = b"", name: str = "") -> None:
    stand.drafts.add(PictureBytes(data, name))


def pictures(stand: Stand) -> list[PendingPicture]:
    return [each for each in stand.drafts.pending if isinstance(each, PendingPicture)]


def test_a_picture_is_read_and_its_file_kept(qtbot: QtBot, stand: Stand) -> None:
    data = jpeg(400, 200)
    add(stand, data, "a.jpg")
    assert pictures(stand)[0].is_busy
    stand.settle(qtbot)
    (picture,) = pictures(stand)
    assert not picture.is_busy
    part = picture.part
    assert part is not None
    assert (part.name, part.width, part.height, len(part.digest)) == ("a.jpg", 400, 200, 64)
    assert stand.store.get(part.content_hash) == data
    assert picture.thumbnail is not None
    assert (picture.thumbnail.width(), picture.thumbnail.height()) == (160, 80)
    assert picture.thumbnail.pixelColor(80, 40).red() > 240


def test_files_and_pixels_come_in_too(qtbot: QtBot, stand: Stand, tmp_path: Path) -> None:
    (tmp_path / "b.png").write_bytes(png())
    image = QImage(30, 20, QImage.Format.Format_ARGB32)
    image.fill(QColor("green"))
    stand.drafts.add(PictureFile(tmp_path / "b.png"))
    stand.drafts.add(PicturePixels(image))
    add(stand, SVG, "plan.svg")
    stand.settle(qtbot)
    assert stand.names == ["b.png", "", "plan.png"]
    sizes = [(each.part.width, each.part.height) for each in pictures(stand) if each.part is not None]
    assert sizes == [(40, 30), (30, 20), (1024, 512)]
    kept = stand.store.get(stand.drafts.parts[1].content_hash)
    assert kept is not None and QImage.fromData(kept).pixelColor(3, 3) == QColor("green")


def test_what_cannot_be_read_says_so_and_goes(qtbot: QtBot, stand: Stand, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    huge = tmp_path / "huge.png"
    with huge.open("wb") as file:
        file.truncate(10 << 30)
    add(stand, png()[:50], "cut.png")
    add(stand, b"", "empty.png")
    stand.drafts.add(PicturePixels(QImage()))
    add(stand, b"<svg broken/>", "x.svg")
    for name in ("folder", "pipe", "huge.png", "none.png"):
        stand.drafts.add(PictureFile(tmp_path / name))
    add(stand, png(), "good.png")
    stand.settle(qtbot)
    assert stand.names == ["good.png"]
    assert [sentence.split()[0] for sentence in stand.sentences] == [
        *("cut.png", "empty.png", "The", "This", "folder", "pipe", "huge.png", "Hearth")
    ]


def test_thumbnails_of_few_drafts_are_kept_and_others_drawn_again(qtbot: QtBot, stand: Stand) -> None:
    def drawn() -> int:
        pending = [each for each in gc.get_objects() if isinstance(each, PendingPicture)]
        return sum(each.thumbnail is not None for each in pending)

    gc.collect()
    before = drawn()
    for conversation in range(12):
        stand.drafts.show_conversation(conversation)
        add(stand, png(), f"{conversation}")
        stand.settle(qtbot)
    assert drawn() - before == 8
    for conversation, was_drawn in ((8, True), (0, False), (8, True)):
        stand.drafts.show_conversation(conversation)
        (picture,) = pictures(stand)
        assert (picture.thumbnail is not None, picture.is_busy) == (was_drawn, False)
        qtbot.waitUntil(lambda: pictures(stand)[0].thumbnail is not None, timeout=WAIT)
    assert stand.names == ["8"]


def test_the_same_picture_twice(qtbot: QtBot, stand: Stand) -> None:
    add(stand, png(), "a.png")
    add(stand, png(), "a.png")
    stand.settle(qtbot)
    first, second = stand.drafts.parts
    assert first == second
    stand.drafts.remove(pictures(stand)[0].number)
    assert len(pictures(stand)) == 1


def test_a_model_that_sees_looks_at_once(qtbot: QtBot, stand: Stand) -> None:
    stand.engine.enter(SEEING)
    add(stand, png(), "a.png")
    stand.settle(qtbot)
    assert stand.encoding == [True]
    assert stand.engine.calls == [("encode", "a.png")]
    stand.engine.end_encode()
    assert stand.encoding == [False]
    stand.settings.changed.emit(stand.settings.settings)
    assert stand.engine.calls == [("encode", "a.png")], "it is encoded once"


@pytest.mark.parametrize("state", [READY, NoModel()])
def test_nobody_else_is_asked_to(qtbot: QtBot, stand: Stand, state: object) -> None:
    stand.engine.enter(state)  # type: ignore[arg-type]
    add(stand, png(), "a.png")
    stand.settle(qtbot)
    assert stand.encoding == [False]
    assert stand.engine.calls == []


def test_not_where_the_setting_is_off(qtbot: QtBot, stand: Stand) -> None:
    stand.settings.update(PictureSettings, encode_while_typing=False)
    stand.engine.enter(SEEING)
    add(stand, png(), "a.png")
    stand.settle(qtbot)
    assert stand.engine.calls == []
    stand.settings.update(PictureSettings, encode_while_typing=True)
    assert stand.encoding == [True]


def test_removal_cancels(qtbot: QtBot, stand: Stand) -> None:
    stand.engine.enter(SEEING)
    add(stand, png(), "a.png")
    stand.settle(qtbot)
    stand.drafts.remove(pictures(stand)[0].number)
    assert stand.engine.calls[-1] == ("cancel_encode", "a.png")
    stand.engine.end_encode(False)
    assert stand.names == []


def test_another_conversation_cancels_and_the_way_back_asks_again(qtbot: QtBot, stand: Stand) -> None:
    stand.engine.enter(SEEING)
    add(stand, png(), "a.png")
    stand.settle(qtbot)
    stand.drafts.show_conversation(3)
    assert stand.engine.calls[-1] == ("cancel_encode", "a.png")
    stand.engine.end_encode(False)
    stand.drafts.show_conversation(None)
    assert stand.engine.calls[-1] == ("encode", "a.png")
    assert stand.encoding == [True]


def test_sending_lets_the_encoding_go_on_and_stopping_ends_it(qtbot: QtBot, stand: Stand) -> None:
    stand.engine.enter(SEEING)
    add(stand, png(), "a.png")
    stand.settle(qtbot)
    stand.drafts.take()
    assert stand.engine.calls == [("encode", "a.png")]
    stand.drafts.cancel_sent()
    assert stand.engine.calls[-1] == ("cancel_encode", "a.png")
    stand.drafts.cancel_sent()
    assert len(stand.engine.calls) == 2


def test_what_failed_is_not_tried_again_before_the_reply(qtbot: QtBot, stand: Stand) -> None:
    stand.engine.enter(SEEING)
    add(stand, png(), "a.png")
    stand.settle(qtbot)
    stand.engine.end_encode(UserError("It is gone."))
    assert stand.encoding == [False]
    add(stand, png(), "b.png")
    stand.settle(qtbot)
    assert stand.engine.calls == [("encode", "a.png"), ("encode", "b.png")]


def test_another_model_looks_anew(qtbot: QtBot, stand: Stand) -> None:
    stand.engine.enter(SEEING)
    add(stand, png(), "a.png")
    stand.settle(qtbot)
    stand.engine.end_encode()
    stand.engine.enter(NoModel())
    stand.engine.enter(SEEING)
    assert stand.engine.calls == [("encode", "a.png")] * 2
    stand.engine.enter(NoModel())
    assert stand.encoding == [False]


def test_what_stands_in_the_way(stand: Stand) -> None:
    assert stand.drafts.obstacle == ""
    stand.engine.enter(SEEING)
    assert stand.drafts.obstacle == ""
    stand.engine.enter(READY)
    assert stand.drafts.obstacle == ""
    add(stand)
    assert stand.drafts.obstacle.startswith(f"{MODEL.name} can't see pictures: there is no mmproj file")
    stand.engine.enter(replace(READY, info=replace(MODEL, projector_problem="It is of another family.")))
    assert stand.drafts.obstacle == "It is of another family."
