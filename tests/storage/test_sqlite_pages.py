import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.storage.sqlite_pages import PageFile, Value

values = (
    st.none()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.text(max_size=300)
    | st.builds(lambda text, times: text * times, st.text(min_size=1, max_size=3), st.integers(0, 9000))
    | st.binary(max_size=3000)
)
table_rows = st.dictionaries(st.integers(-(2**63), 2**63 - 1), st.tuples(values, values), max_size=25)


def read(path: Path) -> dict[int, tuple[Value, ...]]:
    """The rows of the table with three columns; SQLite's own have two or five."""
    with PageFile.open(path) as pages:
        return {rowid: row[1:] for rowid, row in pages.rows() if len(row) == 3}


def insert(connection: sqlite3.Connection, rows: dict[int, tuple[Value, Value]]) -> None:
    with connection:
        connection.executemany("INSERT INTO thing VALUES (?, ?, ?)", [(rowid, *row) for rowid, row in rows.items()])


@settings(max_examples=40, deadline=None)
@given(st.sampled_from([512, 1024, 4096, 65536]), table_rows)
def test_the_rows_are_those_that_sqlite_wrote(
    tmp_path_factory: pytest.TempPathFactory, page_size: int, rows: dict[int, tuple[Value, Value]]
) -> None:
    path = tmp_path_factory.mktemp("pages") / "any.sqlite3"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA page_size = {page_size}")
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("CREATE TABLE thing (id INTEGER PRIMARY KEY, a, b)")
        insert(connection, rows)
    assert read(path) == rows
    with PageFile.open(path) as pages:
        assert [row[1] for _, row in pages.rows() if row[0] == "table"] == ["thing"]


@pytest.fixture
def logged(path: Path) -> Sequence[Path]:
    """A file and its log as a crash leaves them: some rows in each, and one that was never committed."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE thing (id INTEGER PRIMARY KEY, a, b)")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        insert(connection, dict.fromkeys(range(500), ("old", b"")))
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        insert(connection, dict.fromkeys(range(500, 520), ("newer", b"x" * 5000)))
        with connection:
            connection.execute("UPDATE thing SET a = 'changed' WHERE id = 3")
        connection.execute("PRAGMA cache_size = 1")
        insert_and_leave_open = [(number, "never", b"y" * 9000) for number in range(600, 640)]
        connection.executemany("INSERT INTO thing VALUES (?, ?, ?)", insert_and_leave_open)
        copy = path.with_name("crashed.sqlite3")
        log = path.with_name("crashed.sqlite3-wal")
        copy.write_bytes(path.read_bytes())
        log.write_bytes(path.with_name(path.name + "-wal").read_bytes())
    return copy, log


def test_the_log_is_read_up_to_its_last_commit(logged: Sequence[Path]) -> None:
    rows = read(logged[0])
    assert len(rows) == 520
    assert rows[3][0] == "changed"
    assert rows[519] == ("newer", b"x" * 5000)


def test_without_its_file_the_log_alone_is_read(logged: Sequence[Path]) -> None:
    logged[0].unlink()
    assert set(range(500, 520)) <= set(read(logged[0]))


def test_a_log_of_another_round_is_not_read(logged: Sequence[Path]) -> None:
    data = bytearray(logged[1].read_bytes())
    data[16] ^= 1
    logged[1].write_bytes(data)
    assert len(read(logged[0])) == 500


def test_the_version_is_told_where_it_can_be_read(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 7")
        connection.execute("CREATE TABLE thing (id)")
    with PageFile.open(path) as pages:
        assert pages.user_version == 7
    path.write_bytes(b"x" + path.read_bytes()[1:])
    with PageFile.open(path) as pages:
        assert pages.user_version is None


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=600), st.sampled_from([b"", b"SQLite format 3\0\x02\x00"]))
def test_any_bytes_at_all_are_read_without_failing(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, head: bytes
) -> None:
    path = tmp_path_factory.mktemp("pages") / "any.sqlite3"
    path.write_bytes((head.ljust(100, b"\0") + b"\x0d" + data).ljust(1024, b"\x0d"))
    assert read(path) is not None
