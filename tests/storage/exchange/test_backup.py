"""A backup holds everything, whatever is written meanwhile; what is damaged changes nothing."""

import json
import sqlite3
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest

from app.core.errors import UserError
from app.core.messages import ImagePart, Message, Role
from app.core.paths import Paths
from app.storage.attachments import AttachmentStore
from app.storage.conversations import ConversationStore
from app.storage.database import Database
from app.storage.exchange import restore
from app.storage.exchange.backup import write_backup
from app.storage.exchange.outfile import Stopped
from tests.storage.exchange.made import PNG


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    data = tmp_path / "data"
    data.mkdir()
    return Paths(data, data, data / "logs")


def fill(paths: Paths, *titles: str) -> None:
    with Database.open(paths.database) as database:
        store = ConversationStore(database)
        for title in titles:
            picture = ImagePart(AttachmentStore(paths.attachments).put(PNG + title.encode()), "p.png")
            store.append(store.create(title).id, None, Message(Role.USER, (picture,)))
    paths.settings.write_text(f'[interface]\nsystem_prompt = "{titles[0]}"\n')
    paths.collections.write_text(f'["{titles[0]}"]')


def titles(paths: Paths) -> set[str]:
    with Database.open(paths.database) as database:
        return {each.title for each in ConversationStore(database).all()}


def pictures(paths: Paths) -> set[bytes]:
    """Those that conversations show."""
    with Database.open(paths.database) as database:
        store = ConversationStore(database)
        messages = [each for talk in store.all() for each in store.path(talk.id)]
    files = AttachmentStore(paths.attachments)
    return {files.get(part.content_hash) or b"" for each in messages for part in each.message.pictures}


def test_a_restore_brings_everything_back(paths: Paths, tmp_path: Path) -> None:
    fill(paths, "One", "Two")
    write_backup(tmp_path / "all.hearth-backup", paths)
    fill(paths, "Three")
    other = Paths(tmp_path / "other", tmp_path / "other", tmp_path / "other")
    other.data.mkdir()
    found = restore.prepare(tmp_path / "all.hearth-backup", other)
    assert (found.n_conversations, found.n_messages) == (2, 2)
    assert not other.database.exists()
    assert restore.finish(other) == "The backup was restored."
    assert titles(other) == {"One", "Two"}
    assert pictures(other) == {PNG + b"One", PNG + b"Two"}
    assert "One" in other.settings.read_text()
    assert "One" in other.collections.read_text()
    assert not (other.data / "restore").exists()
    assert restore.finish(other) == ""


def test_what_was_there_is_kept_as_a_backup(paths: Paths, tmp_path: Path) -> None:
    fill(paths, "Old")
    write_backup(tmp_path / "old.hearth-backup", paths)
    fill(paths, "New")
    restore.prepare(tmp_path / "old.hearth-backup", paths)
    # Until the next start all goes on, and what comes then is kept too.
    fill(paths, "Newest")
    sentence = restore.finish(paths)
    assert titles(paths) == {"Old"} and "Old" in paths.settings.read_text()
    (kept,) = (paths.data / "backups").iterdir()
    assert str(kept) in sentence
    restore.prepare(kept, paths)
    restore.finish(paths)
    assert titles(paths) == {"Old", "New", "Newest"}
    assert pictures(paths) == {PNG + b"Old", PNG + b"New", PNG + b"Newest"}


def test_the_old_log_does_not_come_into_the_new_file(paths: Paths, tmp_path: Path) -> None:
    fill(paths, "Old")
    write_backup(tmp_path / "old.hearth-backup", paths)
    restore.prepare(tmp_path / "old.hearth-backup", paths)
    # As a crash leaves it: committed, and only in the log.
    crashed = sqlite3.connect(paths.database, isolation_level=None)
    crashed.execute("UPDATE conversation SET title = 'In the log'")
    log = paths.database.with_name(paths.database.name + "-wal").read_bytes()
    crashed.close()
    paths.database.with_name(paths.database.name + "-wal").write_bytes(log)
    restore.finish(paths)
    assert titles(paths) == {"Old"}


@pytest.mark.parametrize("step", ["_keep_present", "_move_attachments", "write_atomic", "discard"])
def test_a_restore_that_is_cut_off_goes_on_at_the_next_start(
    paths: Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    fill(paths, "Old")
    write_backup(tmp_path / "old.hearth-backup", paths)
    fill(paths, "New")
    restore.prepare(tmp_path / "old.hearth-backup", paths)

    class Killed(BaseException):
        pass

    def die(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(restore, step, die)
        with pytest.raises(Killed):
            restore.finish(paths)
    restore.finish(paths)
    assert titles(paths) == {"Old"}
    assert pictures(paths) == {PNG + b"Old"}
    assert list((paths.data / "backups").iterdir())


def test_a_damaged_database_is_kept_as_it_is(paths: Paths, tmp_path: Path) -> None:
    fill(paths, "Old")
    write_backup(tmp_path / "old.hearth-backup", paths)
    restore.prepare(tmp_path / "old.hearth-backup", paths)
    paths.database.write_bytes(b"no database at all" * 500)
    restore.finish(paths)
    assert titles(paths) == {"Old"}
    (kept,) = (paths.data / "backups").iterdir()
    assert kept.read_bytes() == b"no database at all" * 500


def test_writing_goes_on_while_a_backup_is_made(paths: Paths, tmp_path: Path) -> None:
    with Database.open(paths.database) as database:
        store = ConversationStore(database)
        talk = store.create("Talk")
        head: int | None = None
        for number in range(40):
            head = store.append(talk.id, head, Message.of(Role.USER, f"{number} " + "x" * 40_000)).id
        before = len(store.path(talk.id))
        n_told = 0

        def write(share: float) -> None:
            nonlocal head, n_told
            n_told += 1
            if n_told < 5:
                head = store.append(talk.id, head, Message.of(Role.USER, "meanwhile" + "y" * 40_000)).id

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("app.storage.exchange.backup._PAGES", 20)
            write_backup(tmp_path / "a.hearth-backup", paths, write)
        assert len(store.path(talk.id)) > before
    other = Paths(tmp_path / "other", tmp_path / "other", tmp_path / "other")
    other.data.mkdir()
    assert restore.prepare(tmp_path / "a.hearth-backup", other).n_messages == before


def test_stopping_leaves_no_file(paths: Paths, tmp_path: Path) -> None:
    fill(paths, "One")

    def stop(_: float) -> None:
        raise Stopped

    folder = tmp_path / "target"
    folder.mkdir()
    with pytest.raises(Stopped):
        write_backup(folder / "a.hearth-backup", paths, stop)
    assert list(folder.iterdir()) == []
    assert not list(paths.data.glob(".backup-*"))
    write_backup(folder / "a.hearth-backup", paths)
    with pytest.raises(Stopped):
        restore.prepare(folder / "a.hearth-backup", paths, stop)
    assert not list(paths.data.glob("restore*"))
    assert restore.finish(paths) == ""


Damage = Callable[[bytes], bytes]


def _rewritten(data: bytes, change: Callable[[dict[str, bytes]], None]) -> bytes:
    with zipfile.ZipFile(BytesIO(data)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    change(files)
    made = BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return made.getvalue()


def _without(name: str) -> Callable[[dict[str, bytes]], None]:
    def change(files: dict[str, bytes]) -> None:
        del files[name]

    return change


def _attachment(files: dict[str, bytes]) -> None:
    name = next(each for each in files if each.startswith("attachments/"))
    files[name] = b"other"


def _strange_name(files: dict[str, bytes]) -> None:
    told = json.loads(files["manifest.json"])
    told["files"]["../evil"] = {"size": 1, "sha256": "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"}
    files["manifest.json"] = json.dumps(told).encode()
    files["../evil"] = b"x"


def _other_database(files: dict[str, bytes]) -> None:
    import hashlib

    files["hearth.sqlite3"] = b"not a database" * 100
    told = json.loads(files["manifest.json"])
    told["files"]["hearth.sqlite3"] = {
        "size": len(files["hearth.sqlite3"]),
        "sha256": hashlib.sha256(files["hearth.sqlite3"]).hexdigest(),
    }
    files["manifest.json"] = json.dumps(told).encode()


def _newer(files: dict[str, bytes]) -> None:
    files["manifest.json"] = files["manifest.json"].replace(b'"version": 2', b'"version": 3')


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (lambda data: data[:-30], "damaged"),
        (lambda data: data[: len(data) // 2], "damaged"),
        (lambda data: b"", "damaged"),
        (lambda data: b"text", "damaged"),
        (lambda data: _rewritten(data, _attachment), "damaged"),
        (lambda data: _rewritten(data, _strange_name), "damaged"),
        (lambda data: _rewritten(data, _other_database), "damaged"),
        (lambda data: _rewritten(data, _without("settings.toml")), "damaged"),
        (lambda data: _rewritten(data, _without("manifest.json")), "damaged"),
        (lambda data: _rewritten(data, lambda files: files.update({"manifest.json": b"[]"})), "damaged"),
        (lambda data: _rewritten(data, lambda files: files.update({"more.txt": b""})), "damaged"),
        (lambda data: _rewritten(data, _newer), "newer version"),
    ],
)
def test_a_damaged_backup_changes_nothing(paths: Paths, tmp_path: Path, damage: Damage, sentence: str) -> None:
    fill(paths, "One")
    path = tmp_path / "a.hearth-backup"
    write_backup(path, paths)
    path.write_bytes(damage(path.read_bytes()))
    # As on another machine, which has none of the attachments.
    other = Paths(tmp_path / "other", tmp_path / "other", tmp_path / "other")
    other.data.mkdir()
    fill(other, "Mine")
    with pytest.raises(UserError, match=sentence):
        restore.prepare(path, other)
    assert restore.finish(other) == ""
    assert titles(other) == {"Mine"}
    assert not (tmp_path / "evil").exists() and not (other.data / "evil").exists()


def test_every_flipped_byte_of_the_database_is_noticed(paths: Paths, tmp_path: Path) -> None:
    fill(paths, "One")
    path = tmp_path / "a.hearth-backup"
    write_backup(path, paths)
    data = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        start = archive.getinfo("hearth.sqlite3").header_offset + 30 + len("hearth.sqlite3") + 20
        size = archive.getinfo("hearth.sqlite3").compress_size
    places = range(start, start + size - 40, size // 7)
    noticed = 0
    for place in places:
        path.write_bytes(data[:place] + bytes([data[place] ^ 0xFF]) + data[place + 1 :])
        try:
            restore.prepare(path, paths)
        except UserError:
            noticed += 1
        else:
            # Zeros that deflate copies from another place are the same zeros: about one flip in 1,900 changes nothing.
            assert _database_in(path.read_bytes()) == _database_in(data)
    assert noticed >= len(places) - 1


def _database_in(data: bytes) -> bytes:
    with zipfile.ZipFile(BytesIO(data)) as archive:
        return archive.read("hearth.sqlite3")


def test_a_full_disk_is_told(paths: Paths, small_disk: Path) -> None:
    fill(paths, "One")
    AttachmentStore(paths.attachments).put(b"z" * 3_000_000)
    with pytest.raises(UserError, match="full"):
        write_backup(small_disk / "a.hearth-backup", paths)
    assert [each.name for each in small_disk.iterdir() if each.name != "lost+found"] == []


def test_it_is_the_users_alone(paths: Paths, tmp_path: Path, is_private: Callable[[Path], bool]) -> None:
    fill(paths, "One")
    write_backup(tmp_path / "a.hearth-backup", paths)
    assert is_private(tmp_path / "a.hearth-backup")


def test_what_is_restored_is_another_source_for_the_search(paths: Paths, tmp_path: Path) -> None:
    """An index that has seen later changes would otherwise believe that it is ahead."""

    def source() -> str:
        with Database.open(paths.database) as database:
            return str(database.query("SELECT name FROM search_source")[0][0])

    fill(paths, "One")
    before = source()
    write_backup(tmp_path / "a.hearth-backup", paths)
    restore.prepare(tmp_path / "a.hearth-backup", paths)
    restore.finish(paths)
    assert source() != before
