"""Exports, imports and backups in their thread, judged by the files and by the database."""

import json
import threading
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.core.errors import UserError
from app.core.messages import ImagePart, Message, Role, TextPart
from app.core.paths import Paths
from app.services.exchange.exchange import Exchange, Exported, Imported, Job, Printed
from app.services.exchange.export_plans import Bytes, ExportFormat, ExportPlan, Writers, media_name, suffix
from app.storage.attachments import AttachmentStore
from app.storage.conversations import ConversationStore
from app.storage.database import Database
from app.storage.exchange import restore
from app.storage.exchange.backup import Backup
from app.storage.exchange.outfile import Stopped, safe_name, unused
from app.storage.exchange.records import ConversationRecord
from app.storage.exchange.restore import Restorable
from app.storage.exchange.stage import Found
from tests.picture_files import png
from tests.waits import WAIT


class FakePages:
    def page(self, record: ConversationRecord, picture: Bytes, *, reasoning: bool = True) -> bytes:
        if record.title == "Broken":
            raise UserError("cannot")
        return f"{record.title} {reasoning}".encode()

    def index(self, pages: list[tuple[str, ConversationRecord]]) -> bytes:
        return json.dumps([name for name, _ in pages]).encode()


def fake_pdf(
    path: Path, records: Iterator[ConversationRecord], picture: Bytes, reasoning: bool, letter: bool,
    done: Callable[[], None],
) -> None:  # fmt: skip
    path.write_text(" ".join(record.title for record in records))
    done()


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    data = tmp_path / "data"
    data.mkdir()
    return Paths(data, data, data / "logs")


@pytest.fixture
def database(paths: Paths) -> Iterator[Database]:
    with Database.open(paths.database) as opened:
        yield opened


@pytest.fixture
def store(database: Database) -> ConversationStore:
    return ConversationStore(database)


@pytest.fixture
def exchange(paths: Paths, store: ConversationStore, qapp: object) -> Iterator[Exchange]:
    made = Exchange(paths, Writers(FakePages, lambda: fake_pdf))
    yield made
    made.close()
    assert not list(paths.data.glob(".import-*"))


@pytest.fixture
def talk(store: ConversationStore, paths: Paths) -> int:
    """A conversation with a picture; its id."""
    made = store.create("Cats: a/b?")
    data = png(5, 4)
    part = ImagePart(AttachmentStore(paths.attachments).put(data), "my cat (1).png")
    first = store.append(made.id, None, Message(Role.USER, (part, TextPart("What is it?"))))
    answer = Message(Role.ASSISTANT, (TextPart("A **cat**."),), reasoning="Whiskers.")
    store.append(made.id, first.id, answer)
    return made.id


@pytest.fixture
def stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every job finds itself stopped when it first looks, however fast it is."""

    def check(_: Job) -> None:
        raise Stopped

    monkeypatch.setattr(Job, "check", check)


Ends = Callable[[Job], object]


@pytest.fixture
def end(qtbot: QtBot) -> Ends:
    """What a job ended with."""

    def end(job: Job) -> object:
        with qtbot.waitSignal(job.ended, timeout=WAIT) as blocker:
            pass
        assert blocker.args is not None
        return blocker.args[0]

    return end


def test_one_markdown_has_its_pictures_beside(exchange: Exchange, talk: int, tmp_path: Path, end: Ends) -> None:
    path = tmp_path / "cat.md"
    assert end(exchange.export(ExportPlan(ExportFormat.MARKDOWN, path, (talk,)))) == Exported(path, 1)
    text = path.read_text(encoding="utf-8")
    assert "# Cats: a/b?" in text and "A **cat**." in text and "> Whiskers." in text and "## You" in text
    (picture,) = (tmp_path / "cat files").iterdir()
    assert f"](<cat files/{picture.name}>)" in text and picture.read_bytes() == png(5, 4)
    end(exchange.export(ExportPlan(ExportFormat.MARKDOWN, path, (talk,), reasoning=False)))
    assert "Whiskers" not in path.read_text(encoding="utf-8")


def test_all_come_in_one_zip(
    exchange: Exchange, talk: int, store: ConversationStore, tmp_path: Path, end: Ends
) -> None:
    store.append(store.create("CATS A B").id, None, Message.of(Role.USER, "Two"))
    path = tmp_path / "all.zip"
    end(exchange.export(ExportPlan(ExportFormat.MARKDOWN, path, None)))
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        assert {name for name in names if name.endswith(".md")} == {"Cats a b.md", "CATS A B (2).md"}
        (picture,) = (name for name in names if name.startswith("pictures/"))
        assert picture in archive.read("Cats a b.md").decode()
    end(exchange.export(ExportPlan(ExportFormat.HTML, path, None)))
    with zipfile.ZipFile(path) as archive:
        assert json.loads(archive.read("index.html")) == ["Cats a b.html", "CATS A B (2).html"]
        assert archive.read("Cats a b.html") == b"Cats: a/b? True"


def test_a_page_and_a_pdf(exchange: Exchange, talk: int, tmp_path: Path, end: Ends) -> None:
    end(exchange.export(ExportPlan(ExportFormat.HTML, tmp_path / "a.html", (talk,), reasoning=False)))
    assert (tmp_path / "a.html").read_bytes() == b"Cats: a/b? False"
    end(exchange.export(ExportPlan(ExportFormat.PDF, tmp_path / "a.pdf", (talk,))))
    assert (tmp_path / "a.pdf").read_text() == "Cats: a/b?"


@pytest.mark.parametrize("format", list(ExportFormat))
def test_stopping_leaves_no_file_and_the_old_one_as_it_was(
    exchange: Exchange, talk: int, stopped: None, tmp_path: Path, end: Ends, format: ExportFormat
) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "old").write_text("old")
    for name in ("old", "new"):
        assert isinstance(end(exchange.export(ExportPlan(format, folder / name, (talk,)))), Stopped)
    assert [each.name for each in folder.iterdir()] == ["old"]
    assert (folder / "old").read_text() == "old"


def test_a_failure_takes_the_pictures_away_too(
    exchange: Exchange, talk: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: Ends
) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    seen: list[str] = []

    def fail(*_: object) -> None:
        seen.extend(each.name for each in folder.iterdir())
        raise UserError("full")

    monkeypatch.setattr("app.services.exchange.export_plans.out_file", fail)
    assert isinstance(end(exchange.export(ExportPlan(ExportFormat.MARKDOWN, folder / "a.md", (talk,)))), UserError)
    assert seen == ["a files"]
    assert list(folder.iterdir()) == []


def test_a_failure_leaves_no_file(exchange: Exchange, store: ConversationStore, tmp_path: Path, end: Ends) -> None:
    store.create("Broken")
    folder = tmp_path / "out"
    folder.mkdir()
    assert isinstance(end(exchange.export(ExportPlan(ExportFormat.HTML, folder / "a.zip", None))), UserError)
    assert list(folder.iterdir()) == []
    lost = ExportPlan(ExportFormat.JSON, tmp_path / "none" / "a.json", None)
    assert isinstance(end(exchange.export(lost)), UserError)


def test_out_and_in_again(
    exchange: Exchange, talk: int, store: ConversationStore, paths: Paths, tmp_path: Path, qtbot: QtBot, end: Ends
) -> None:
    path = tmp_path / "all.json"
    end(exchange.export(ExportPlan(ExportFormat.JSON, path, None)))
    found = end(exchange.read([path]))
    assert isinstance(found, Found) and (found.n_conversations, found.n_known) == (1, 1)
    assert end(exchange.take(with_known=False)) == Imported(())
    store.delete(talk)
    assert end(exchange.read([path])) == Found("Hearth", 1, 2, 0, ())
    assert store.all() == ()
    with qtbot.waitSignal(exchange.imported, timeout=WAIT):
        job = exchange.take(with_known=False)
    del job
    (made,) = store.all()
    assert [each.message.text for each in store.path(made.id)] == ["What is it?", "A **cat**."]


def test_pictures_are_decoded_on_the_way_in(
    exchange: Exchange, store: ConversationStore, tmp_path: Path, end: Ends
) -> None:
    pointer = {"content_type": "image_asset_pointer", "asset_pointer": "sediment://file_1"}
    content = {"content_type": "multimodal_text", "parts": [pointer, "See"]}
    message = {"author": {"role": "user"}, "content": content, "create_time": 5.0}
    told = [{"title": "T", "mapping": {"a": {"parent": None, "message": message}}, "create_time": 5.0}]
    path = tmp_path / "chatgpt.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("conversations.json", json.dumps(told))
        archive.writestr("file_1-x.png", png(7, 3))
    end(exchange.read([path]))
    end(exchange.take(with_known=False))
    (picture,) = store.path(store.all()[0].id)[0].message.pictures
    assert (picture.width, picture.height, len(picture.digest)) == (7, 3, 64)


def test_what_is_not_taken_is_forgotten(exchange: Exchange, talk: int, paths: Paths, tmp_path: Path, end: Ends) -> None:
    path = tmp_path / "all.json"
    end(exchange.export(ExportPlan(ExportFormat.JSON, path, None)))
    end(exchange.read([path]))
    assert list(paths.data.glob(".import-*"))
    exchange.forget()
    assert not list(paths.data.glob(".import-*"))


def test_reading_can_be_stopped(exchange: Exchange, stopped: None, tmp_path: Path, end: Ends) -> None:
    path = tmp_path / "all.json"
    path.write_text("[]")
    assert isinstance(end(exchange.read([path])), Stopped)


def test_stop_is_seen_by_the_job(exchange: Exchange) -> None:
    job = Job(exchange)
    job.tell(0.5)
    job.stop()
    with pytest.raises(Stopped):
        job.tell(0.6)


def test_backup_and_restore(
    exchange: Exchange, talk: int, store: ConversationStore, paths: Paths, tmp_path: Path, end: Ends
) -> None:
    path = tmp_path / "a.hearth-backup"
    assert isinstance(end(exchange.back_up(path)), Backup)
    assert isinstance(end(exchange.prepare_restore(path)), Restorable)
    assert (paths.data / "restore").is_dir()
    exchange.discard_restore()
    assert restore.finish(paths) == ""
    path.write_bytes(b"x")
    assert isinstance(end(exchange.prepare_restore(path)), UserError)


def test_pages_for_a_printer(exchange: Exchange, talk: int, end: Ends) -> None:
    seen: list[str] = []

    def paint(records: Iterator[ConversationRecord], picture: Bytes, done: Callable[[], None]) -> None:
        for record in records:
            seen.append(record.title)
            done()

    assert end(exchange.paint(talk, paint)) == Printed()
    assert seen == ["Cats: a/b?"]


def test_progress_is_told(
    exchange: Exchange, store: ConversationStore, tmp_path: Path, end: Ends, gate: threading.Event
) -> None:
    for number in range(50):
        store.append(store.create(f"{number}").id, None, Message.of(Role.USER, "x"))

    def wait(*_: object) -> None:
        gate.wait()

    exchange.paint(1, wait)  # and what comes behind it in the thread begins when somebody listens
    job = exchange.export(ExportPlan(ExportFormat.JSON, tmp_path / "a.json", None))
    told: list[float] = []
    job.progressed.connect(told.append)
    gate.set()
    end(job)
    assert told and told == sorted(told) and all(0 <= share <= 1 for share in told)


def test_closing_stops_what_runs(paths: Paths, store: ConversationStore, qapp: object, tmp_path: Path) -> None:
    made = Exchange(paths, Writers(FakePages, lambda: fake_pdf))
    made.export(ExportPlan(ExportFormat.JSON, tmp_path / "a.json", None))
    made.close()
    assert not [each for each in tmp_path.iterdir() if each.name.startswith(".")]


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("a/b\\c:d", "a b c d"),
        ("  ..", "none"),
        ("CON", "none"),
        ("con.txt", "none"),
        ("x" * 300, "x" * 80),
        ("京都 ⛩️", "京都 ⛩️"),
        ("a\0b\n", "a b"),
        ("a\ud800b", "a b"),
    ],
)
def test_names_that_every_system_takes(title: str, name: str) -> None:
    assert safe_name(title, "none") == name


def test_names_are_told_apart_whatever_their_case() -> None:
    taken: set[str] = set()
    assert [unused(name, taken) for name in ("a", "A", "a", "b")] == ["a", "A (2)", "a (3)", "b"]


def test_pictures_have_names_that_markdown_takes() -> None:
    name = media_name(ImagePart("ab" * 32, "my [cat] (1).JPG"), b"\x89PNG...")
    assert name == "my-cat-1-abababababab.png"


def test_endings() -> None:
    assert [suffix(each, is_one=True) for each in ExportFormat] == [".md", ".html", ".pdf", ".json"]
    assert [suffix(each, is_one=False) for each in ExportFormat] == [".zip", ".zip", ".pdf", ".json"]
