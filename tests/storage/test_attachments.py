import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from app.core.errors import UserError
from app.storage.attachments import AttachmentStore


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "attachments"


@pytest.mark.parametrize("data", [b"", b"a picture" * 1000])
def test_what_is_put_is_got(folder: Path, data: bytes) -> None:
    store = AttachmentStore(folder)
    content_hash = store.put(data)
    assert content_hash == hashlib.sha256(data).hexdigest()
    assert AttachmentStore(folder).get(content_hash) == data


def test_the_same_bytes_are_kept_once_and_for_the_user_alone(folder: Path, is_private: Callable[[Path], bool]) -> None:
    store = AttachmentStore(folder)
    content_hash = store.put(b"twice")
    (file,) = (each for each in folder.rglob("*") if each.is_file())
    written = file.stat().st_ino
    assert store.put(b"twice") == content_hash
    assert file.relative_to(folder).as_posix() == f"{content_hash[:2]}/{content_hash[2:4]}/{content_hash}"
    assert file.stat().st_ino == written
    for each in (folder, *folder.rglob("*")):
        assert is_private(each)


def test_a_file_that_was_cut_off_is_written_again(folder: Path) -> None:
    store = AttachmentStore(folder)
    content_hash = store.put(b"whole")
    (file,) = (each for each in folder.rglob("*") if each.is_file())
    file.write_bytes(b"wh")
    store.put(b"whole")
    assert store.get(content_hash) == b"whole"


@pytest.mark.parametrize("wrong", ["", "abc", "../../etc/passwd", "A" * 64, "a" * 64 + "\n", "a" * 65])
def test_what_is_no_hash_names_no_file(folder: Path, wrong: str) -> None:
    assert AttachmentStore(folder).get(wrong) is None


def test_a_hash_with_more_behind_it_is_no_hash(folder: Path) -> None:
    store = AttachmentStore(folder)
    content_hash = store.put(b"data")
    assert store.get(f"{content_hash}/../{content_hash}") is None


def test_what_was_never_put_is_not_there(folder: Path) -> None:
    assert AttachmentStore(folder).get("a" * 64) is None


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path, read_only: Callable[[Path], None]) -> None:
    folder = tmp_path / "attachments"
    folder.mkdir()
    read_only(folder)
    with pytest.raises(UserError, match="yours to write"):
        AttachmentStore(folder).put(b"data")
