"""What is gone on with of a download, whatever ended the run before."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from app.library.part_file import PartFile, part_paths
from app.library.transfer import RemoteFile

SYNC = 1000
DATA = bytes(range(1, 251)) * 12
REMOTE = RemoteFile("u", len(DATA), "0" * 64)


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.library.part_file.SYNC", SYNC)


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "a"


def fetched(target: Path, n: int) -> None:
    """A run that ended as it should, with so many bytes."""
    part = PartFile(REMOTE, target)
    with part.opened():
        part.write(DATA[part.there : n])


@pytest.mark.parametrize(
    ("came", "there"), [(0, 0), (1, 0), (SYNC, 0), (SYNC + 1, SYNC), (2 * SYNC, SYNC), (2 * SYNC + 500, 2 * SYNC)]
)
@pytest.mark.parametrize("zeros", [0, 300, 700])
def test_after_a_power_cut_it_goes_on_from_what_the_disk_surely_has(
    target: Path, came: int, there: int, zeros: int
) -> None:
    """Of what was still on its way the file system made zeros, or as much as was to come."""
    fetched(target, 0)
    size = max(0, min(came + zeros, -(-came // SYNC) * SYNC))
    part_paths(target)[0].write_bytes(DATA[:there].ljust(size, b"\0"))
    assert PartFile(REMOTE, target).there == there


def test_the_disk_has_what_is_before_before_anything_is_written_behind(
    target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, fsync, synced = part_paths(target)[0], os.fsync, list[int]()

    def note(handle: int) -> None:
        fsync(handle)
        if os.path.samestat(os.fstat(handle), path.stat()):
            synced.append(path.stat().st_size)

    monkeypatch.setattr("os.fsync", note)
    part = PartFile(REMOTE, target)
    with part.opened():
        part.write(DATA[:300])
        part.write(DATA[300:2500])
    assert synced == [0, SYNC, 2 * SYNC, 2500]
    assert path.read_bytes() == DATA[:2500]


def test_a_run_that_ended_as_it_should_loses_nothing(target: Path) -> None:
    for n in (SYNC, 2345, 2346):
        fetched(target, n)
        assert PartFile(REMOTE, target).there == n
    assert part_paths(target)[0].read_bytes() == DATA[:2346]


def test_what_was_cut_off_is_not_counted_in_the_next_run(target: Path) -> None:
    fetched(target, 2500)
    part = PartFile(REMOTE, target)
    with part.opened():
        part.cut(0)
        part.write(DATA[:900])
        assert PartFile(REMOTE, target).there == 0, "the process may be killed here"


def test_a_part_that_became_shorter_is_gone_on_with(target: Path) -> None:
    fetched(target, 2500)
    os.truncate(part_paths(target)[0], 2200)
    assert PartFile(REMOTE, target).there == 2200


def test_what_is_of_another_file_is_not_gone_on_with(target: Path) -> None:
    fetched(target, 2500)
    assert PartFile(replace(REMOTE, url="a mirror"), target).there == 2500
    for other in (replace(REMOTE, sha256="1" * 64), replace(REMOTE, size=9999), replace(REMOTE, sha256="")):
        assert PartFile(other, target).there == 0
