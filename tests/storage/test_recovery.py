import random
import shutil
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.core.errors import UserError
from app.core.messages import Message, Role
from app.storage.conversations import ConversationStore
from app.storage.database import Database
from app.storage.file_errors import DamagedError
from app.storage.recovery import Opened, open_or_recover
from tests.storage.conftest import Fill

PAGE = 4096
ROWS_ON_A_PAGE = 25
"""At most; a short message of `fill` takes more than 200 bytes."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("whole") / "hearth.sqlite3"


@pytest.fixture
def texts(whole: Path, path: Path, fill: Fill) -> dict[int, str]:
    """What the file at `path` holds: it was closed properly, and nothing is wrong with it yet."""
    if not whole.exists():
        with Database.open(whole) as database:
            KNOWN.update(fill(ConversationStore(database)))
    shutil.copy(whole, path)
    return KNOWN


KNOWN: dict[int, str] = {}


def damage(path: Path, offset: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(offset)
        file.write(data)


def noise(seed: int, size: int = PAGE) -> bytes:
    return random.Random(seed).randbytes(size)


def spoil(path: Path, *pages: int) -> None:
    for page in pages:
        damage(path, page * PAGE, noise(page))


def survivors(opened: Opened) -> dict[int, str]:
    """Every message that a person can get to, by id."""
    with opened.database as database:
        store = ConversationStore(database)
        return {
            stored.id: stored.message.text for conversation in store.all() for stored in store.path(conversation.id)
        }


def backups(path: Path) -> list[Path]:
    return sorted(path.parent.glob("hearth.damaged-*.sqlite3"))


def n_pages(path: Path) -> int:
    return path.stat().st_size // PAGE


def test_a_sound_file_is_opened_without_a_word(path: Path, texts: dict[int, str]) -> None:
    opened = open_or_recover(path)
    assert survivors(opened) == texts
    assert opened.notes == ()
    assert backups(path) == []


@pytest.mark.parametrize("share", [number / 12 for number in range(12)])
def test_one_bad_page_loses_its_rows_and_no_others(path: Path, texts: dict[int, str], share: float) -> None:
    page = int(share * n_pages(path))
    spoil(path, page)
    damaged = path.read_bytes()
    opened = open_or_recover(path)
    left = survivors(opened)
    assert len(opened.notes) == 1
    # Where the page held the end of a long message, that message has noise in it.
    assert len(left.items() - texts.items()) <= 1
    assert len(texts.items() - left.items()) <= ROWS_ON_A_PAGE
    assert f"12 conversations and {len(left)} messages were recovered" in opened.notes[0]
    (backup,) = backups(path)
    assert str(backup) in opened.notes[0]
    assert backup.read_bytes() == damaged
    again = open_or_recover(path)
    assert again.notes == ()
    assert survivors(again) == left


def test_the_first_page_lost_loses_no_message(path: Path, texts: dict[int, str]) -> None:
    spoil(path, 0)
    assert survivors(open_or_recover(path)) == texts


def test_conversations_whose_titles_are_lost_are_still_listed(path: Path, texts: dict[int, str]) -> None:
    with Database.open(path) as database:
        (root,) = database.query("SELECT rootpage FROM sqlite_master WHERE name = 'conversation'")[0]
    damage(path, (root - 1) * PAGE, noise(2))
    with open_or_recover(path).database as database:
        conversations = ConversationStore(database).all()
    assert [each.title for each in conversations] == ["Recovered conversation"] * 12
    assert survivors(open_or_recover(path)) == texts
    assert len(list(path.parent.iterdir())) == 2


def test_a_number_out_of_bounds_is_not_carried_over(path: Path, texts: dict[int, str]) -> None:
    with Database.open(path) as database:
        database.execute("UPDATE conversation SET head_id = NULL WHERE id = 12")
        database.execute("UPDATE message SET id = ? WHERE id = 240", (2**63 - 1,))
    spoil(path, 0)
    with open_or_recover(path).database as database:
        stored = ConversationStore(database).append(12, None, Message.of(Role.USER, "next"))
    assert stored.id == 240


def test_many_bad_pages(path: Path, texts: dict[int, str]) -> None:
    pages = random.Random(5).sample(range(n_pages(path)), 8)
    spoil(path, *pages)
    left = survivors(open_or_recover(path))
    assert len(left.items() - texts.items()) <= 8
    assert len(texts.items() - left.items()) <= 8 * ROWS_ON_A_PAGE


@pytest.mark.parametrize("size", [PAGE // 2, PAGE, 3 * PAGE + 100, 30 * PAGE, 60 * PAGE - 1])
def test_a_file_that_was_cut_off(path: Path, texts: dict[int, str], size: int) -> None:
    path.write_bytes(path.read_bytes()[:size])
    opened = open_or_recover(path)
    assert "damaged" in opened.notes[0]
    assert survivors(opened).items() <= texts.items()
    assert backups(path)[0].stat().st_size == size


def test_more_of_the_file_gives_more_of_the_messages(path: Path, texts: dict[int, str]) -> None:
    path.write_bytes(path.read_bytes()[: 3 * n_pages(path) // 4 * PAGE])
    assert len(survivors(open_or_recover(path))) > len(texts) // 2


@pytest.mark.parametrize("content", [b"", b"Dear diary, today", b"SQLite format 3\0", b"\0" * 9000, noise(3, 9000)])
def test_what_never_was_a_database_is_kept_and_told(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    opened = open_or_recover(path)
    assert survivors(opened) == {}
    assert "none could be read" in opened.notes[0]
    assert [backup.read_bytes() for backup in backups(path)] == [content]


def test_the_log_of_a_crash_is_saved_too(path: Path, tmp_path: Path, fill: Fill) -> None:
    crashed = tmp_path / "crashed" / "hearth.sqlite3"
    crashed.parent.mkdir()
    with Database.open(path) as database:
        texts = fill(ConversationStore(database))
        for name in ("hearth.sqlite3", "hearth.sqlite3-wal"):
            shutil.copy(tmp_path / name, crashed.parent / name)
    damage(crashed, 0, noise(1, 2 * PAGE))
    opened = open_or_recover(crashed)
    assert survivors(opened) == texts


def test_the_log_of_the_damaged_file_is_not_played_back(path: Path, tmp_path: Path, fill: Fill) -> None:
    crashed = tmp_path / "crashed" / "hearth.sqlite3"
    crashed.parent.mkdir()
    with Database.open(path) as database:
        texts = fill(ConversationStore(database))
        shutil.copy(tmp_path / "hearth.sqlite3-wal", crashed.parent)
    crashed.touch()
    opened = open_or_recover(crashed)
    left = survivors(opened)
    assert 0 < len(left) < len(texts)
    again = open_or_recover(crashed)
    assert again.notes == ()
    assert survivors(again) == left
    (backup,) = backups(crashed)
    assert backup.with_name(backup.name + "-wal").stat().st_size > 0


def test_an_emptied_file_is_rebuilt_from_its_log(path: Path, tmp_path: Path) -> None:
    crashed = tmp_path / "crashed" / "hearth.sqlite3"
    crashed.parent.mkdir()
    with Database.open(path) as database:
        store = ConversationStore(database)
        store.append(store.create("fresh").id, None, Message.of(Role.USER, "only in the log"))
        shutil.copy(tmp_path / "hearth.sqlite3-wal", crashed.parent)
    crashed.touch()
    opened = open_or_recover(crashed)
    assert list(survivors(opened).values()) == ["only in the log"]
    assert "1 conversation and 1 message were recovered" in opened.notes[0]


def test_damage_that_is_met_later_is_repaired_at_the_next_start(
    path: Path, texts: dict[int, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # As for a large file, which isn't checked after a clean close.
    monkeypatch.setattr("app.storage.database._ALWAYS_CHECKED", 0)
    spoil(path, *range(30, n_pages(path)))
    with Database.open(path) as database:
        store = ConversationStore(database)
        with pytest.raises(DamagedError, match="start Hearth again"):
            for conversation in store.all():
                store.path(conversation.id)
    opened = open_or_recover(path)
    assert len(opened.notes) == 1
    left = survivors(opened)
    assert left
    assert len(left.items() - texts.items()) <= 1
    monkeypatch.undo()
    assert open_or_recover(path).notes == ()


def test_what_was_deleted_stays_deleted(path: Path, texts: dict[int, str]) -> None:
    with Database.open(path) as database:
        store = ConversationStore(database)
        purged, hidden = store.all()[:2]
        store.delete(purged.id)
        assert store.purge_deleted(older_than=-1) == 1
        store.delete(hidden.id)
    assert purged.title.encode() not in path.read_bytes()
    spoil(path, 0)
    opened = open_or_recover(path)
    assert "10 conversations and 200 messages were recovered" in opened.notes[0]
    left = survivors(opened)
    assert not any(text.startswith((purged.title + ",", hidden.title + ",")) for text in left.values())


def test_versions_survive_where_their_parents_do(path: Path, texts: dict[int, str]) -> None:
    with Database.open(path) as database:
        store = ConversationStore(database)
        conversation = store.all()[0]
        first, second = store.path(conversation.id)[:2]
        version = store.append(conversation.id, first.id, Message.of(Role.ASSISTANT, "another answer"))
    spoil(path, 0)
    with open_or_recover(path).database as database:
        store = ConversationStore(database)
        assert store.children(first.id, conversation.id) == (second.id, version.id)
        found = store.get(conversation.id)
        assert found is not None
        assert (found.head_id, found.title) == (version.id, conversation.title)


def test_backups_are_never_overwritten(path: Path) -> None:
    for content in (b"one", b"two", b"three"):
        path.write_bytes(content)
        open_or_recover(path).database.close()
    assert sorted(backup.read_bytes() for backup in backups(path)) == [b"one", b"three", b"two"]


def test_a_full_disk_leaves_the_damaged_file_as_it_was(small_disk: Path) -> None:
    crowded = small_disk / "hearth.sqlite3"
    with Database.open(crowded) as database:
        ConversationStore(database).create("small")
    spoil(crowded, 0)
    before = crowded.read_bytes()
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"x" * (shutil.disk_usage(small_disk).free - 2 * PAGE))
    with pytest.raises(UserError, match=r"full|space"):
        open_or_recover(crowded)
    assert crowded.read_bytes() == before
    ballast.unlink()
    with open_or_recover(crowded).database as database:
        assert [each.title for each in ConversationStore(database).all()] == ["small"]


def try_everything(path: Path) -> None:
    """Open, read and write; whatever the file holds, only a sentence may come of it."""
    opened = None
    known = backups(path)
    try:
        opened = open_or_recover(path)
        store = ConversationStore(opened.database)
        store.mark_interrupted()
        for conversation in store.all():
            store.path(conversation.id)
            store.children(None, conversation.id)
        conversation = store.create("new")
        store.append(conversation.id, None, Message.of(Role.USER, "hello"))
        assert store.all()[0].title == "new" or store.all()[0].updated_at > conversation.updated_at
    except UserError as error:
        assert str(path.parent) in error.sentence
    finally:
        if opened is not None:
            opened.database.close()
            assert bool(opened.notes) == (backups(path) != known)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Folders with the files of one conversation, as a crash leaves them and as closing does."""
    folder = tmp_path_factory.mktemp("small")
    path = folder / "open" / "hearth.sqlite3"
    path.parent.mkdir()
    with Database.open(path) as database:
        store = ConversationStore(database)
        conversation = store.create("Talk")
        parent = None
        for number in range(30):
            text = f"{number} " * (3000 if number == 9 else 30)
            parent = store.append(conversation.id, parent, Message.of(Role.USER, text)).id
        shutil.copytree(path.parent, folder / "crashed", ignore=shutil.ignore_patterns("*-shm"))
    shutil.copytree(path.parent, folder / "closed")
    return {"crashed": folder / "crashed", "closed": folder / "closed"}


patches = st.lists(
    st.tuples(st.floats(0, 1, exclude_max=True), st.binary(min_size=1, max_size=64)), min_size=1, max_size=8
)


@example([(0.22265625, b"\0\0\0\5")], "closed", True)  # an unknown schema format
@example([(0.0625, b"\x80")], "closed", False)  # a table's name that is no text
@example([(0.3, b"\0\0\0\0")], "closed", True)  # no version
@example([(0.3, b"\xff\0\0\0")], "closed", True)  # a version before the first
@settings(max_examples=40, deadline=None)
@given(patches, st.sampled_from(["crashed", "closed"]), st.booleans())
def test_any_damage_ends_in_a_sentence_at_worst(
    tmp_path_factory: pytest.TempPathFactory,
    small: dict[str, Path],
    patches: list[tuple[float, bytes]],
    left_by: str,
    near_the_start: bool,
) -> None:
    folder = tmp_path_factory.mktemp("damage")
    shutil.copytree(small[left_by], folder, dirs_exist_ok=True)
    target = folder / ("hearth.sqlite3-wal" if left_by == "crashed" else "hearth.sqlite3")
    size = 200 if near_the_start else target.stat().st_size
    for place, data in patches:
        damage(target, int(place * size), data)
    try_everything(folder / "hearth.sqlite3")
    try_everything(folder / "hearth.sqlite3")
