"""Recordings are read in a thread, and played at their own speed to a device that nobody hears."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.core.errors import UserError
from app.core.messages import AudioPart
from app.services.recordings import service
from app.services.recordings.player import NO_DEVICE, Player, find_problem
from app.services.recordings.reader import N_BARS, read_and_keep
from app.services.recordings.service import RecordingService
from app.storage.attachments import AttachmentStore
from tests.audio_files import sound_file, tone
from tests.waits import WAIT


@pytest.fixture
def store(tmp_path: Path) -> AttachmentStore:
    return AttachmentStore(tmp_path / "kept")


@pytest.fixture
def recordings(qapp: object, store: AttachmentStore) -> Iterator[RecordingService]:
    made = RecordingService(store, Player(silent=True))
    yield made
    made.close()


def part_of(store: AttachmentStore, seconds: float, name: str = "bell.flac") -> AudioPart:
    return AudioPart(store.put(sound_file(tone(seconds), 44_100, "FLAC")), name, 16_000, round(seconds * 16_000))


def test_a_file_is_read_and_kept(store: AttachmentStore, tmp_path: Path) -> None:
    path = tmp_path / "bell.flac"
    path.write_bytes(sound_file(tone(0.5), 44_100, "FLAC"))
    read = read_and_keep(store, path)
    assert (read.part.name, read.part.seconds, len(read.part.digest), len(read.waveform)) == (
        "bell.flac",
        0.5,
        64,
        N_BARS,
    )
    assert store.get(read.part.content_hash) == path.read_bytes()


@pytest.mark.parametrize("name", ["none.wav", "folder.wav", "text.wav"])
def test_what_is_no_recording_is_a_sentence_and_not_kept(store: AttachmentStore, tmp_path: Path, name: str) -> None:
    (tmp_path / "folder.wav").mkdir()
    (tmp_path / "text.wav").write_bytes(b"The river runs.")
    with pytest.raises(UserError, match=name):
        read_and_keep(store, tmp_path / name)
    assert not (tmp_path / "kept").exists()


def test_a_waveform_is_read_once(qtbot: QtBot, recordings: RecordingService, store: AttachmentStore) -> None:
    part, gone = part_of(store, 0.3), AudioPart("0" * 64, "gone.wav")
    told: list[str] = []
    recordings.loaded.connect(told.append)
    assert recordings.waveform(part) is None and recordings.waveform(gone) is None
    qtbot.waitUntil(lambda: recordings.waveform(part) is not None, timeout=WAIT)
    assert told == [part.content_hash]
    assert recordings.waveform(gone) is None


def test_playing_goes_on_to_the_end(qtbot: QtBot, recordings: RecordingService, store: AttachmentStore) -> None:
    part, other = part_of(store, 1.5), part_of(store, 0.5)
    recordings.toggle(part)
    assert recordings.share_of(part) == 0.0 and recordings.share_of(other) is None
    qtbot.waitUntil(lambda: 0 < (recordings.share_of(part) or 0) < 1, timeout=WAIT)
    qtbot.waitUntil(lambda: recordings._player._device is None, timeout=WAIT)
    assert recordings.share_of(part) is None


def test_a_second_click_stops_and_another_recording_takes_over(
    qtbot: QtBot, recordings: RecordingService, store: AttachmentStore
) -> None:
    part, other = part_of(store, 60), part_of(store, 59)
    recordings.toggle(part)
    qtbot.waitUntil(lambda: (recordings.share_of(part) or 0) > 0, timeout=WAIT)
    recordings.toggle(other)
    assert recordings.share_of(part) is None
    qtbot.waitUntil(lambda: (recordings.share_of(other) or 0) > 0, timeout=WAIT)
    recordings.toggle(other)
    assert recordings.share_of(other) is None


def test_one_that_is_gone_is_told(qtbot: QtBot, recordings: RecordingService) -> None:
    with qtbot.waitSignal(recordings.noticed, timeout=WAIT) as told:
        recordings.toggle(AudioPart("0" * 64, "gone.wav"))
    assert "gone.wav is not there any more" in told.args[0]
    assert recordings.share_of(AudioPart("0" * 64, "gone.wav")) is None


def test_without_a_device_nothing_begins(qtbot: QtBot, store: AttachmentStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "find_problem", lambda: NO_DEVICE)
    recordings = RecordingService(store)
    with qtbot.waitSignal(recordings.played, timeout=WAIT):
        recordings.look_for_device()
    part = part_of(store, 0.3)
    recordings.toggle(part)
    assert recordings.problem == NO_DEVICE and recordings.share_of(part) is None
    recordings.close()


def test_whatever_this_machine_has_is_found_or_told() -> None:
    assert find_problem() in ("", NO_DEVICE)
