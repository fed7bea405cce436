import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.core.messages import ImagePart
from app.services.pictures.names import file_name, kind_of
from app.services.pictures.preview_cache import PreviewCache
from app.services.pictures.service import PictureExports
from app.services.pictures.states import PREVIEW_HEIGHT, KeptPicture
from app.services.runtime.worker_thread import WorkerThread
from app.storage.attachments import AttachmentStore
from tests.picture_files import jpeg, png
from tests.waits import WAIT


@pytest.fixture
def store(tmp_path: Path) -> AttachmentStore:
    return AttachmentStore(tmp_path / "kept")


@pytest.fixture
def thread(qapp: object) -> Iterator[WorkerThread]:
    made = WorkerThread()
    yield made
    made.close()


@pytest.fixture
def previews(store: AttachmentStore, thread: WorkerThread) -> PreviewCache:
    return PreviewCache(store, thread)


def part_of(store: AttachmentStore, data: bytes, name: str = "a.png") -> ImagePart:
    return ImagePart(store.put(data), name)


def loaded(qtbot: QtBot, previews: PreviewCache, part: ImagePart) -> KeptPicture:
    qtbot.waitUntil(lambda: previews.preview(part) is not None, timeout=WAIT)
    kept = previews.preview(part)
    assert kept is not None
    return kept


def test_a_preview_comes_later_and_once(qtbot: QtBot, previews: PreviewCache, store: AttachmentStore) -> None:
    part = part_of(store, png(1000, 2000))
    with qtbot.waitSignal(previews.loaded) as told:
        assert previews.preview(part) is None
        assert previews.preview(part) is None
    assert told.args == [KeptPicture(part.content_hash, None)], "images do not count in comparisons"
    image = loaded(qtbot, previews, part).image
    assert image is not None
    assert (image.width(), image.height()) == (PREVIEW_HEIGHT // 2, PREVIEW_HEIGHT)
    with qtbot.assertNotEmitted(previews.loaded, wait=50):
        assert previews.preview(part) is not None


@pytest.mark.parametrize("part", [ImagePart("0" * 64, "a.png"), ImagePart("../../etc/passwd", "a.png")])
def test_what_is_gone_is_told(qtbot: QtBot, previews: PreviewCache, part: ImagePart) -> None:
    kept = loaded(qtbot, previews, part)
    assert kept.image is None
    assert kept.problem == "The picture is missing: its file is gone from Hearth's folder."


def test_what_the_disk_spoiled_is_told(qtbot: QtBot, previews: PreviewCache, store: AttachmentStore) -> None:
    kept = loaded(qtbot, previews, part_of(store, png()[:50]))
    assert kept.image is None
    assert "damaged" in kept.problem


def test_previews_stay_within_the_budget(qtbot: QtBot, store: AttachmentStore, thread: WorkerThread) -> None:
    one = 100 * 100 * 4
    previews = PreviewCache(store, thread, budget=2 * one)
    parts = [part_of(store, png(100, 100, colour)) for colour in ("red", "green", "blue")]
    for part in parts[:2]:
        loaded(qtbot, previews, part)
    assert previews.size == 2 * one
    previews.preview(parts[0])
    loaded(qtbot, previews, parts[2])
    assert previews.size == 2 * one
    assert previews.preview(parts[0]) is not None
    assert previews.preview(parts[1]) is None, "it was used longest ago"


def test_what_nobody_waits_for_is_not_loaded(qtbot: QtBot, previews: PreviewCache, store: AttachmentStore) -> None:
    first, second = part_of(store, png()), part_of(store, jpeg())
    told: list[str] = []
    previews.loaded.connect(lambda kept: told.append(kept.content_hash))
    previews.preview(first)
    previews.forget_waiting()
    previews.preview(second)
    qtbot.waitUntil(lambda: bool(told), timeout=WAIT)
    assert told == [second.content_hash]
    loaded(qtbot, previews, first)


def test_the_whole_picture(qtbot: QtBot, previews: PreviewCache, store: AttachmentStore) -> None:
    came: list[KeptPicture] = []
    previews.open(part_of(store, png(1500, 1000)), came.append)
    cancelled = previews.open(part_of(store, png(20, 20)), came.append)
    previews.cancel(cancelled)
    previews.open(ImagePart("", "b.png", data=png(30, 20)), came.append)
    qtbot.waitUntil(lambda: len(came) == 2, timeout=WAIT)
    sizes = [(kept.image.width(), kept.image.height()) for kept in came if kept.image is not None]
    assert sizes == [(1500, 1000), (30, 20)]


def test_saving_writes_the_file_as_it_was(
    qtbot: QtBot, previews: PreviewCache, store: AttachmentStore, tmp_path: Path
) -> None:
    data = jpeg()
    part = part_of(store, data)
    previews.save(part, tmp_path / "out.jpg")
    qtbot.waitUntil((tmp_path / "out.jpg").exists, timeout=WAIT)
    assert (tmp_path / "out.jpg").read_bytes() == data
    with qtbot.waitSignal(previews.noticed) as told:
        previews.save(part, tmp_path / "out.jpg" / "x.jpg")
    assert "Hearth cannot use" in told.args[0]
    with qtbot.waitSignal(previews.noticed) as told:
        previews.save(ImagePart("0" * 64), tmp_path / "none.jpg")
    assert "missing" in told.args[0]


def test_exports_have_their_names_and_go(store: AttachmentStore) -> None:
    exports = PictureExports()
    first = exports.put(part_of(store, png(), "../cat.png"), png())
    second = exports.put(part_of(store, jpeg(), "cat.png"), jpeg())
    assert (first.name, second.name) == ("cat.png", "cat.jpg")
    assert first.read_bytes() == png()
    folder = first.parent.parent
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    exports.close()
    assert not folder.exists()
    exports.close()


@pytest.mark.parametrize(
    ("name", "data", "wanted"),
    [
        ("a cat.png", png(), "a cat.png"),
        ("a.JPG", jpeg(), "a.JPG"),
        ("a.png", jpeg(), "a.jpg"),
        ("", png(), "picture.png"),
        ("..", png(), "picture.png"),
        ("/etc/passwd", png(), "passwd.png"),
        ("c:\\x\\a.png", png(), "a.png"),
        ("a\n<b>:c?.png", png(), "a  b  c .png"),
        ("con.png", png(), "picture.png"),
        ("x" * 300 + ".png", png(), "x" * 120 + ".png"),
        (".hidden.png", png(), "hidden.png"),
    ],
)
def test_names_that_every_system_takes(name: str, data: bytes, wanted: str) -> None:
    assert file_name(name, data) == wanted


def test_kinds() -> None:
    assert [kind_of(data) for data in (png(), jpeg(), b"RIFF....WEBP", b"?")] == ["png", "jpeg", "webp", "png"]
