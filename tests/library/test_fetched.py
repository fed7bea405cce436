"""Which version of a file lies where."""

import hashlib
import os
from pathlib import Path

import pytest

from app.library.fetched import FetchedFiles
from app.library.hub_layout import HubFile, finish, land_in_cache, land_in_folder
from app.library.transfer import PausedError

OLD, NEW = b"one version", b"the next one"[:11]


def file(data: bytes) -> HubFile:
    return HubFile("org/M", "c" * 40, "a.gguf", len(data), hashlib.sha256(data).hexdigest())


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """The old version, in a folder of the user's."""
    path = land_in_folder(file(OLD), tmp_path).path
    path.parent.mkdir(parents=True)
    path.write_bytes(OLD)
    return path


def test_another_version_of_the_same_length_is_not_there(tmp_path: Path, here: Path) -> None:
    known = FetchedFiles(tmp_path / "fetched.json")
    assert known.is_there(file(OLD), land_in_folder(file(OLD), tmp_path))
    assert not known.is_there(file(NEW), land_in_folder(file(NEW), tmp_path))


def test_a_file_is_read_once(tmp_path: Path, here: Path) -> None:
    path, landing = tmp_path / "fetched.json", land_in_folder(file(OLD), tmp_path)
    reads: list[int] = []
    assert FetchedFiles(path).is_there(file(OLD), landing, lambda: reads.append(1))
    assert len(reads) == 1
    assert FetchedFiles(path).is_there(file(OLD), landing, lambda: reads.append(1)), "also after a restart"
    assert len(reads) == 1
    here.write_bytes(NEW)
    os.utime(here, ns=(1, 1))
    assert not FetchedFiles(path).is_there(file(OLD), landing, lambda: reads.append(1))
    assert len(reads) == 2


def test_what_came_is_known_without_reading(tmp_path: Path, here: Path) -> None:
    known = FetchedFiles(tmp_path / "fetched.json")
    known.note(here, file(OLD).sha256)

    def refuse() -> None:
        raise AssertionError("it was read")

    assert known.is_there(file(OLD), land_in_folder(file(OLD), tmp_path), refuse)


def test_a_pause_is_heard_while_a_file_is_read(tmp_path: Path, here: Path) -> None:
    def pause() -> None:
        raise PausedError

    with pytest.raises(PausedError):
        FetchedFiles(tmp_path / "fetched.json").is_there(file(OLD), land_in_folder(file(OLD), tmp_path), pause)


def test_a_blob_of_the_shared_cache_is_known_by_its_name(tmp_path: Path) -> None:
    landing = land_in_cache(file(OLD), tmp_path)
    landing.target.parent.mkdir(parents=True)
    landing.target.write_bytes(OLD)
    finish(landing, file(OLD), tmp_path)

    def refuse() -> None:
        raise AssertionError("it was read")

    assert FetchedFiles(tmp_path / "fetched.json").is_there(file(OLD), landing, refuse)


def test_a_file_in_place_of_a_link_is_read(tmp_path: Path) -> None:
    """As on Windows, where links are for some people only."""
    landing = land_in_cache(file(NEW), tmp_path)
    landing.path.parent.mkdir(parents=True)
    landing.path.write_bytes(OLD)
    known = FetchedFiles(tmp_path / "fetched.json")
    assert not known.is_there(file(NEW), landing)
    landing.path.write_bytes(NEW)
    os.utime(landing.path, ns=(1, 1))
    assert known.is_there(file(NEW), landing)


@pytest.mark.parametrize("links", [True, False])
def test_what_came_takes_the_place_of_a_damaged_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    """In the shared cache a file may lie where a link belongs, and may have been cut off."""

    def refuse(*_: object) -> None:
        raise OSError("links are for some people only")

    if not links:
        monkeypatch.setattr(Path, "symlink_to", refuse)
    landing = land_in_cache(file(NEW), tmp_path)
    for path, data in ((landing.path, NEW[:3]), (landing.target, NEW)):
        path.parent.mkdir(parents=True)
        path.write_bytes(data)
    finish(landing, file(NEW), tmp_path)
    assert landing.path.read_bytes() == NEW
    assert FetchedFiles(tmp_path / "fetched.json").is_there(file(NEW), landing)


@pytest.mark.parametrize("left", [b"", b"{", b'{"format": 1, "files": {"a": [1]}}', b'{"format": 9}', b"[]",
                                  b'{"format": 1, "files": {"a": [1e999, 1, "b"]}}'])  # fmt: skip
def test_a_damaged_list_is_made_anew(tmp_path: Path, here: Path, left: bytes) -> None:
    path = tmp_path / "fetched.json"
    path.write_bytes(left)
    assert FetchedFiles(path).is_there(file(OLD), land_in_folder(file(OLD), tmp_path))
    assert b'"format":1' in path.read_bytes()
