import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from app.core.files import fingerprint, write_atomic

HEAD = 4 << 20
MIB = 1 << 20


def names(folder: Path) -> list[str]:
    return [each.name for each in folder.iterdir()]


def test_a_file_is_written_and_replaced(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "file.txt"
    write_atomic(path, b"one")
    assert path.read_bytes() == b"one"
    write_atomic(path, b"two")
    assert path.read_bytes() == b"two"
    assert names(path.parent) == ["file.txt"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such permissions")
def test_only_the_user_may_read_it(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    path.touch(0o644)
    write_atomic(path, b"private")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file.txt"
    write_atomic(path, b"old")

    def fail(_descriptor: int) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="full"):
        write_atomic(path, b"new")
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["file.txt"]


def test_a_target_that_cannot_be_replaced_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "file.txt").mkdir()
    with pytest.raises(OSError, match=r"file\.txt"):
        write_atomic(tmp_path / "file.txt", b"new")
    assert names(tmp_path) == ["file.txt"]


@pytest.fixture
def sparse(tmp_path: Path) -> Callable[[int], Path]:
    """A file of zeros of the size that is asked for."""

    def make(size: int) -> Path:
        path = tmp_path / "model.gguf"
        with path.open("wb") as file:
            file.truncate(size)
        return path

    return make


def change(path: Path, offset: int) -> None:
    with path.open("r+b") as file:
        file.seek(offset)
        file.write(b"x")


def test_the_fingerprint_stays_for_equal_content(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_bytes(b"GGUF" * 100)
    two.write_bytes(b"GGUF" * 100)
    assert fingerprint(one) == fingerprint(two)
    assert len(fingerprint(one)) == 64


@pytest.mark.parametrize("size", [1, 1000, HEAD, HEAD + 1, HEAD + 40_000, HEAD + 70_000, 5 * MIB, 300 * MIB])
def test_the_first_and_the_last_byte_count(sparse: Callable[[int], Path], size: int) -> None:
    path = sparse(size)
    before = fingerprint(path)
    change(path, size - 1)
    at_the_end = fingerprint(path)
    assert at_the_end != before
    if size > 1:
        change(path, 0)
        assert fingerprint(path) != at_the_end


def test_the_size_counts(sparse: Callable[[int], Path]) -> None:
    assert fingerprint(sparse(300 * MIB)) != fingerprint(sparse(300 * MIB - 1))


def test_samples_lie_all_over_the_file(sparse: Callable[[int], Path]) -> None:
    size = 160 * MIB
    path = sparse(size)
    seen = {fingerprint(path)}
    for index in range(1, 17):
        change(path, (size - (64 << 10)) * index // 16)
        seen.add(fingerprint(path))
    assert len(seen) == 17


def test_a_missing_file_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        fingerprint(tmp_path / "nothing")
