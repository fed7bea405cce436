"""Recordings in the whole window: dropped, chosen, sent, played. Store, decoder and thread are real."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from app.core.capabilities import Capabilities
from app.core.events import Looking
from app.core.messages import AudioPart, Role
from app.services.engine.states import Encoding
from app.ui.composer.audio_tray import AudioChip
from app.ui.formatting.numbers import looking_at, play_time
from app.ui.transcript.message_view import UserView
from tests.audio_files import sound_file, tone
from tests.ui.conftest import Stage
from tests.ui.fakes import HEARING, READY, opened, stored
from tests.ui.pictures.test_picture_window import drop, mime_of_files, paste, sent, sentences
from tests.waits import WAIT

_BUTTON = Qt.MouseButton.LeftButton


@pytest.fixture
def bell(tmp_path: Path) -> Path:
    path = tmp_path / "bell.mp3"
    path.write_bytes(sound_file(tone(12), 44_100, "MP3", "MPEG_LAYER_III"))
    return path


def chips(stage: Stage) -> tuple[AudioChip, ...]:
    return stage.window.composer.recordings.items


def settle(qtbot: QtBot, stage: Stage) -> None:
    qtbot.waitUntil(lambda: not stage.window.composer.recordings.is_reading, timeout=WAIT)


def test_a_dropped_recording_is_a_chip_and_is_sent(qtbot: QtBot, stage: Stage, bell: Path) -> None:
    stage.engine.enter(HEARING)
    event = drop(stage, mime_of_files(bell))
    assert event.dropAction() is Qt.DropAction.CopyAction
    settle(qtbot, stage)
    (chip,) = chips(stage)
    assert (chip.pending.name, chip.told.split(" ")[0]) == ("bell.mp3", "0:12")
    assert max(chip.pending.waveform) == 1
    assert chip.accessibleName().startswith("Recording 1 of 1: bell.mp3, 0:12")
    assert len(stage.engine.encoding) == 1, "it is listened to while people write"
    QTest.keyClicks(stage.window.composer.edit, "what is it?")
    QTest.keyClick(stage.window.composer.edit, Qt.Key.Key_Return)
    ((_, text, parts),) = sent(stage)
    assert text == "what is it?" and isinstance(parts, tuple)
    (part,) = parts
    assert isinstance(part, AudioPart)
    assert (part.name, round(part.seconds), len(part.digest)) == ("bell.mp3", 12, 64)
    assert not chips(stage)


def test_pasted_and_chosen_ones_too(qtbot: QtBot, stage: Stage, bell: Path, tmp_path: Path) -> None:
    nameless = tmp_path / "voice"
    nameless.write_bytes(bell.read_bytes())
    paste(stage, mime_of_files(bell, nameless))
    # What is Python's must not lie there when Python is gone.
    QGuiApplication.clipboard().clear()
    stage.window.menu_actions.add_recording.trigger()
    [dialog] = [each for each in QApplication.topLevelWidgets() if isinstance(each, QFileDialog) and each.isVisible()]
    assert "*.flac" in dialog.nameFilters()[0] and "*.m4a" not in dialog.nameFilters()[0]
    dialog.filesSelected.emit([str(bell)])
    dialog.close()
    settle(qtbot, stage)
    qtbot.waitUntil(lambda: len(chips(stage)) == 3, timeout=WAIT)
    assert sorted(chip.pending.name for chip in chips(stage)) == ["bell.mp3", "bell.mp3", "voice"]


def test_what_can_not_be_heard_is_told_and_gone(qtbot: QtBot, stage: Stage, tmp_path: Path) -> None:
    path = tmp_path / "voice.m4a"
    path.write_bytes(b"\0\0\0 ftypM4A " + bytes(99))
    drop(stage, mime_of_files(path))
    qtbot.waitUntil(lambda: bool(sentences(stage)), timeout=WAIT)
    assert "voice.m4a is an M4A or MP4 file" in sentences(stage)[0]
    assert not chips(stage)


def test_a_deaf_model_is_told_before_sending(qtbot: QtBot, stage: Stage, bell: Path) -> None:
    stage.engine.enter(READY)
    drop(stage, mime_of_files(bell))
    composer = stage.window.composer
    assert composer.line.sentence.text() == f"{READY.info.name} can't hear: there is no mmproj file with it that does."
    settle(qtbot, stage)
    QTest.keyClick(composer.edit, Qt.Key.Key_Return)
    assert sent(stage) == []
    stage.engine.enter(HEARING)
    assert composer.line.isHidden()


def test_one_that_is_too_long_for_the_model_is_told_before_sending(qtbot: QtBot, stage: Stage, bell: Path) -> None:
    short = replace(HEARING.info, capabilities=Capabilities(hears=True, hears_seconds=8))
    stage.engine.enter(replace(HEARING, info=short))
    drop(stage, mime_of_files(bell))
    settle(qtbot, stage)
    composer = stage.window.composer
    assert composer.line.sentence.text() == "Voxtral-3B hears at most 8 seconds at once, and bell.mp3 lasts 12."
    assert not composer.line.button.isVisible(), "no other file would help"


def test_a_click_plays_and_another_one_stops(qtbot: QtBot, stage: Stage, bell: Path) -> None:
    drop(stage, mime_of_files(bell))
    settle(qtbot, stage)
    (chip,) = chips(stage)
    assert chip.icon_name == "play"
    QTest.mouseClick(chip, _BUTTON)
    qtbot.waitUntil(lambda: (chip.share or 0) > 0, timeout=WAIT)
    assert chip.icon_name == "stop"
    QTest.keyClick(chip, Qt.Key.Key_Return)
    assert chip.share is None and chip.icon_name == "play"


def test_without_a_device_the_chips_say_why(qtbot: QtBot, stage: Stage, bell: Path) -> None:
    stage.recordings._problem = "This computer has no sound device."
    drop(stage, mime_of_files(bell))
    settle(qtbot, stage)
    (chip,) = chips(stage)
    assert chip.icon_name == "audio"
    part = chip.pending.part
    assert part is not None
    stage.controller.active.open(opened("Bells", stored(Role.USER, "what?", pictures=(part,))))
    view = stage.window.transcript.views[0]
    assert isinstance(view, UserView)
    (shown,) = view.recordings
    assert not shown.isEnabled() and "no sound device" in shown.toolTip()


def test_the_transcript_shows_and_plays_it(qtbot: QtBot, stage: Stage, bell: Path) -> None:
    content_hash = stage.recordings._store.put(bell.read_bytes())
    part = AudioPart(content_hash, "bell.mp3", 16_000, 192_000, "0" * 64)
    stage.controller.active.open(opened("Bells", stored(Role.USER, "what?", pictures=(part, part))))
    view = stage.window.transcript.views[0]
    assert isinstance(view, UserView) and len(view.recordings) == 2
    shown = view.recordings[0]
    assert shown.isVisible() and shown.accessibleName() == "bell.mp3, 0:12: Play"
    shown.grab()
    qtbot.waitUntil(lambda: stage.recordings.waveform(part) is not None, timeout=WAIT)
    QTest.mouseClick(shown, _BUTTON)
    qtbot.waitUntil(lambda: (shown.share or 0) > 0, timeout=WAIT)
    assert shown.accessibleName().endswith(": Stop")
    shown.grab()
    QTest.mouseClick(shown, _BUTTON)
    assert shown.share is None


def test_a_draft_comes_back_with_its_recordings(qtbot: QtBot, stage: Stage, bell: Path) -> None:
    drop(stage, mime_of_files(bell))
    settle(qtbot, stage)
    parts = stage.writing.attachments.parts
    stage.writing.attachments.take()
    assert not chips(stage)
    stage.writing.attachments.restore(parts)
    (chip,) = chips(stage)
    qtbot.waitUntil(lambda: bool(chip.pending.waveform), timeout=WAIT)
    assert chip.pending.part == parts[0]


@pytest.mark.parametrize(
    ("looking", "told"),
    [(Looking(1, 1, listens=True), "Listening…"), (Looking(2, 3, listens=True), "Listening, 2 of 3…")],
)
def test_listening_has_its_own_word(stage: Stage, looking: Looking, told: str) -> None:
    assert looking_at(looking) == told
    stage.controller.replies.enter(Encoding(looking))
    assert stage.window.status.text() == told


@pytest.mark.parametrize(("seconds", "shown"), [(0.2, "0:01"), (12.4, "0:12"), (61, "1:01"), (600, "10:00")])
def test_times_are_minutes_and_seconds(seconds: float, shown: str) -> None:
    assert play_time(seconds) == shown
