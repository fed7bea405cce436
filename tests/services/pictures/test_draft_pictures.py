"""The desk over a real picture thread and store; the engine is a stand-in that ends its jobs when it is told."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from app.core.errors import UserError
from app.core.picture_settings import PictureSettings
from app.services.engine.service import EngineService
from app.services.engine.states import NoModel
from app.services.pictures.draft_pictures import MOST_PICTURES, DraftPictures
from app.services.pictures.states import PictureState
from app.services.runtime.settings_service import SettingsService
from app.services.runtime.worker_thread import WorkerThread
from app.storage.attachments import AttachmentStore
from tests.picture_files import SVG, jpeg, png
from tests.ui.fakes import MODEL, READY, SEEING, FakeEngine, FakeSettings
from tests.waits import WAIT


def paint_svg(data: bytes) -> bytes:
    if b"broken" in data:
        raise UserError("This cannot be drawn.")
    return png(1024, 512, "blue")


class Stand:
    def __init__(self, store: AttachmentStore) -> None:
        self.store = store
        self.engine = FakeEngine()
        self.settings = FakeSettings()
        self.thread = WorkerThread()
        self.drafts = DraftPictures(
            store, cast(EngineService, self.engine), cast(SettingsService, self.settings), self.thread, paint_svg
        )
        self.sentences: list[str] = []
        self.drafts.noticed.connect(self.sentences.append)

    @property
    def states(self) -> list[PictureState]:
        return [each.state for each in self.drafts.pictures]

    @property
    def names(self) -> list[str]:
        return [each.name for each in self.drafts.pictures]


@pytest.fixture
def stand(qapp: object, tmp_path: Path) -> Iterator[Stand]:
    made = Stand(AttachmentStore(tmp_path / "kept"))
    yield made
    made.drafts.close()
    made.thread.close()
    assert not made.thread.is_running


def settle(qtbot: QtBot, stand: Stand) -> None:
    qtbot.waitUntil(lambda: PictureState.READING not in stand.states, timeout=WAIT)


def test_a_picture_is_read_and_its_file_kept(qtbot: QtBot, stand: Stand) -> None:
    data = jpeg(400, 200)
    stand.drafts.add(data, "a.jpg")
    assert stand.states == [PictureState.READING]
    settle(qtbot, stand)
    (picture,) = stand.drafts.pictures
    assert picture.state is PictureState.READY
    part = picture.part
    assert part is not None
    assert (part.name, part.width, part.height, len(part.pixels)) == ("a.jpg", 400, 200, 64)
    assert stand.store.get(part.content_hash) == data
    assert picture.thumbnail is not None
    assert (picture.thumbnail.width(), picture.thumbnail.height()) == (160, 80)
    assert picture.thumbnail.pixelColor(80, 40).red() > 240


def test_files_and_pixels_come_in_too(qtbot: QtBot, stand: Stand, tmp_path: Path) -> None:
    (tmp_path / "b.png").write_bytes(png())
    image = QImage(30, 20, QImage.Format.Format_ARGB32)
    image.fill(QColor("green"))
    stand.drafts.add_file(tmp_path / "b.png")
    stand.drafts.add_image(image)
    stand.drafts.add(SVG, "plan.svg")
    settle(qtbot, stand)
    assert stand.names == ["b.png", "", "plan.png"]
    sizes = [(each.part.width, each.part.height) for each in stand.drafts.pictures if each.part is not None]
    assert sizes == [(40, 30), (30, 20), (1024, 512)]
    kept = stand.store.get(stand.drafts.parts[1].content_hash)
    assert kept is not None and QImage.fromData(kept).pixelColor(3, 3) == QColor("green")


def test_what_cannot_be_read_says_so_and_goes(qtbot: QtBot, stand: Stand, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    huge = tmp_path / "huge.png"
    with huge.open("wb") as file:
        file.truncate(10 << 30)
    stand.drafts.add(png()[:50], "cut.png")
    stand.drafts.add(b"", "empty.png")
    stand.drafts.add_image(QImage())
    stand.drafts.add(b"<svg broken/>", "x.svg")
    for name in ("folder", "pipe", "huge.png", "none.png"):
        stand.drafts.add_file(tmp_path / name)
    stand.drafts.add(png(), "good.png")
    settle(qtbot, stand)
    assert stand.names == ["good.png"]
    assert [sentence.split()[0] for sentence in stand.sentences] == [
        *("cut.png", "empty.png", "The", "This", "folder", "pipe", "huge.png", "Hearth")
    ]


def test_a_message_takes_so_many(qtbot: QtBot, stand: Stand) -> None:
    for number in range(MOST_PICTURES + 2):
        stand.drafts.add(png(), f"{number}.png")
    settle(qtbot, stand)
    assert len(stand.drafts.pictures) == MOST_PICTURES
    assert stand.sentences == [f"A message takes at most {MOST_PICTURES} pictures; send these first."] * 2


def test_the_same_picture_twice(qtbot: QtBot, stand: Stand) -> None:
    stand.drafts.add(png(), "a.png")
    stand.drafts.add(png(), "a.png")
    settle(qtbot, stand)
    first, second = stand.drafts.parts
    assert first == second
    stand.drafts.remove(stand.drafts.pictures[0].number)
    assert len(stand.drafts.pictures) == 1


def test_what_is_removed_while_it_is_read_stays_away(qtbot: QtBot, stand: Stand) -> None:
    stand.drafts.add(png()[:50], "cut.png")
    stand.drafts.remove(stand.drafts.pictures[0].number)
    stand.drafts.add(png(), "last.png")
    settle(qtbot, stand)
    assert stand.names == ["last.png"]
    assert stand.sentences == []


def test_each_conversation_has_its_pictures(qtbot: QtBot, stand: Stand) -> None:
    stand.drafts.add(png(), "new.png")
    stand.drafts.show_conversation(7)
    assert stand.names == []
    stand.drafts.add(png(), "seven.png")
    settle(qtbot, stand)
    stand.drafts.show_conversation(None)
    assert stand.names == ["new.png"]
    settle(qtbot, stand)
    stand.drafts.show_conversation(7)
    assert stand.names == ["seven.png"]


def test_taking_empties_and_giving_back_restores(qtbot: QtBot, stand: Stand) -> None:
    stand.drafts.add(png(), "a.png")
    settle(qtbot, stand)
    told: list[int] = []
    stand.drafts.changed.connect(lambda pictures: told.append(len(pictures)))
    taken = stand.drafts.take()
    assert [part.name for part in taken.parts] == ["a.png"]
    assert stand.names == []
    stand.drafts.give_back(taken)
    assert stand.names == ["a.png"]
    assert told == [0, 1]


def test_a_model_that_sees_looks_at_once(qtbot: QtBot, stand: Stand) -> None:
    stand.engine.enter(SEEING)
    stand.drafts.add(png(), "a.png")
    settle(qtbot, stand)
    assert stand.states == [PictureState.ENCODING]
    assert stand.engine.calls == [("encode", "a.png")]
    stand.engine.end_encode()
    assert stand.states == [PictureState.READY]
    stand.settings.changed.emit(stand.settings.settings)
    assert stand.engine.calls == [("encode", "a.png")], "it is encoded once"


@pytest.mark.parametrize("state", [READY, NoModel()])
def test_nobody_else_is_asked_to(qtbot: QtBot, stand: Stand, state: object) -> None:
    stand.engine.enter(state)  # type: ignore[arg-type]
    stand.drafts.add(png(), "a.png")
    settle(qtbot, stand)
    assert stand.states == [PictureState.READY]
    assert stand.engine.calls == []


def test_not_where_the_setting_is_off(qtbot: QtBot, stand: Stand) -> None:
    stand.settings.update(PictureSettings, encode_while_typing=False)
    stand.engine.enter(SEEING)
    stand.drafts.add(png(), "a.png")
    settle(qtbot, stand)
    assert stand.engine.calls == []
    stand.settings.update(PictureSettings, encode_while_typing=True)
    assert stand.states == [PictureState.ENCODING]


def test_removal_cancels(qtbot: QtBot, stand: Stand) -> None:
    stand.engine.enter(SEEING)
    stand.drafts.add(png(), "a.png")
    settle(qtbot, stand)
    stand.drafts.remove(stand.drafts.pictures[0].number)
    assert stand.engine.calls[-1] == ("cancel_encode", "a.png")
    stand.engine.end_encode(False)
    assert stand.names == []


def test_another_conversation_cancels_and_the_way_back_asks_again(qtbot: QtBot, stand: Stand) -> None:
    stand.engine.enter(SEEING)
    stand.drafts.add(png(), "a.png")
    settle(qtbot, stand)
    stand.drafts.show_conversation(3)
    assert stand.engine.calls[-1] == ("cancel_encode", "a.png")
    stand.engine.end_encode(False)
    stand.drafts.show_conversation(None)
    assert stand.engine.calls[-1] == ("encode", "a.png")
    assert stand.states == [PictureState.ENCODING]


def test_sending_lets_the_encoding_go_on_and_stopping_ends_it(qtbot: QtBot, stand: Stand) -> None:
    stand.engine.enter(SEEING)
    stand.drafts.add(png(), "a.png")
    settle(qtbot, stand)
    stand.drafts.take()
    assert stand.engine.calls == [("encode", "a.png")]
    stand.drafts.cancel_sent()
    assert stand.engine.calls[-1] == ("cancel_encode", "a.png")
    stand.drafts.cancel_sent()
    assert len(stand.engine.calls) == 2


def test_what_failed_is_not_tried_again_before_the_reply(qtbot: QtBot, stand: Stand) -> None:
    stand.engine.enter(SEEING)
    stand.drafts.add(png(), "a.png")
    settle(qtbot, stand)
    stand.engine.end_encode(UserError("It is gone."))
    assert stand.states == [PictureState.READY]
    stand.drafts.add(png(), "b.png")
    settle(qtbot, stand)
    assert stand.engine.calls == [("encode", "a.png"), ("encode", "b.png")]


def test_another_model_looks_anew(qtbot: QtBot, stand: Stand) -> None:
    stand.engine.enter(SEEING)
    stand.drafts.add(png(), "a.png")
    settle(qtbot, stand)
    stand.engine.end_encode()
    stand.engine.enter(NoModel())
    stand.engine.enter(SEEING)
    assert stand.engine.calls == [("encode", "a.png")] * 2
    stand.engine.enter(NoModel())
    assert stand.states == [PictureState.READY]


def test_what_stands_in_the_way(stand: Stand) -> None:
    assert stand.drafts.obstacle == ""
    stand.engine.enter(SEEING)
    assert stand.drafts.obstacle == ""
    stand.engine.enter(READY)
    assert stand.drafts.obstacle.startswith(f"{MODEL.name} can't see pictures: there is no mmproj file")
    stand.engine.enter(replace(READY, info=replace(MODEL, vision_problem="It is of another family.")))
    assert stand.drafts.obstacle == "It is of another family."


def test_no_thread_before_the_first_picture(stand: Stand) -> None:
    assert not stand.thread.is_running


def test_closing_drops_what_waits(qtbot: QtBot, stand: Stand) -> None:
    data = png(900, 900)
    for _ in range(10):
        stand.drafts.add(data)
    stand.drafts.close()
    stand.thread.close()
    stand.drafts.add(png())
    assert not stand.thread.is_running
    assert stand.sentences == []


def test_a_bug_is_told_in_a_sentence(qtbot: QtBot, stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(data: bytes) -> str:
        raise ZeroDivisionError

    monkeypatch.setattr(stand.store, "put", fail)
    stand.drafts.add(png(), "a.png")
    settle(qtbot, stand)
    assert stand.sentences == ["a.png could not be read because of a fault in Hearth. The log tells more."]
    monkeypatch.undo()
    stand.drafts.add(png(), "b.png")
    settle(qtbot, stand)
    assert stand.names == ["b.png"], "the thread lives on"


def test_parts_are_those_that_are_read(qtbot: QtBot, stand: Stand) -> None:
    stand.drafts.add(png(), "a.png")
    assert [part.name for part in stand.drafts.parts] == []
    settle(qtbot, stand)
    assert [part.name for part in stand.drafts.parts] == ["a.png"]


def test_what_is_still_being_read_stays_in_the_draft(qtbot: QtBot, stand: Stand) -> None:
    stand.drafts.add(png(40, 20), "read.png")
    settle(qtbot, stand)
    stand.drafts.add(png(20, 40), "unread.png")
    assert [each.name for each in stand.drafts.take().parts] == ["read.png"]
    assert stand.names == ["unread.png"]
    settle(qtbot, stand)
    assert [each.name for each in stand.drafts.take().parts] == ["unread.png"]
    assert not stand.names
