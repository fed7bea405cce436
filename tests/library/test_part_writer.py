"""What of a block is kept, and how often."""

import hashlib
from pathlib import Path

import pytest

from app.library.part_writer import PartWriter
from app.library.transfer_state import RemoteFile, TransferState

BLOCK = 1000
DATA = bytes(range(250)) * 10
SIZE = len(DATA)


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("app.library.transfer_state.BLOCK", BLOCK)
    monkeypatch.setattr("app.library.part_writer.monotonic", clock)
    return clock


def opened(folder: Path) -> TransferState:
    """As it lies on the disk."""
    return TransferState.open(RemoteFile("u", SIZE, "0" * 64), folder / "a.part")


@pytest.fixture
def state(tmp_path: Path) -> TransferState:
    (tmp_path / "a.part").write_bytes(bytes(SIZE))
    state = opened(tmp_path)
    state.save()
    return state


def test_what_came_of_a_block_is_noted_once_a_second(state: TransferState, tmp_path: Path, clock: Clock) -> None:
    writer = PartWriter(state, 1.0)
    with writer.at(0) as at:
        for start in range(at, 900, 100):
            clock.now += 0.3
            writer.write(DATA[start : start + 100])
        assert PartWriter(opened(tmp_path), 1.0).there == 800, "within the process as well: it may end here"
        assert len(state.path.read_bytes().splitlines()) == 3
        assert writer.there == 900


def test_a_link_that_is_fast_costs_a_line_for_each_block(state: TransferState, tmp_path: Path, clock: Clock) -> None:
    writer = PartWriter(state, 1.0)
    with writer.at(0):
        for start in range(0, SIZE, 100):
            clock.now += 0.05
            writer.write(DATA[start : start + 100])
    assert len(state.path.read_bytes().splitlines()) == 1 + 3
    assert (tmp_path / "a.part").read_bytes() == DATA
    hashes = [hashlib.sha256(DATA[at : at + BLOCK]).hexdigest() for at in range(0, SIZE, BLOCK)]
    assert opened(tmp_path).blocks == dict(enumerate(hashes))


def test_pieces_over_several_blocks_are_cut(state: TransferState, tmp_path: Path) -> None:
    writer = PartWriter(state, 1.0)
    with writer.at(0):
        writer.write(DATA[:2300])
    writer.note()
    again = PartWriter(opened(tmp_path), 1.0)
    assert again.there == 2300
    with again.at(2) as at:
        assert at == 2300
        again.write(DATA[2300:])
    assert (tmp_path / "a.part").read_bytes() == DATA
    state = opened(tmp_path)
    assert list(state.gaps()) == []
    assert state.blocks[2] == hashlib.sha256(DATA[2000:]).hexdigest()


@pytest.mark.parametrize("cut", [1, 3, 5, 40])
def test_a_note_that_was_torn_costs_what_came_since_the_one_before(
    state: TransferState, tmp_path: Path, cut: int
) -> None:
    writer = PartWriter(state, 0.0)
    with writer.at(0):
        writer.write(DATA[:300])
        writer.write(DATA[300:456])
    state.path.write_bytes(state.path.read_bytes()[:-cut])
    again = opened(tmp_path)
    assert again.done == 0, "half a note of a beginning is no note of a whole block"
    assert PartWriter(again, 0.0).there == 300


def test_nothing_new_is_not_noted_again(state: TransferState) -> None:
    writer = PartWriter(state, 1.0)
    with writer.at(0):
        writer.write(DATA[:10])
    writer.note()
    journal = state.path.read_bytes()
    writer.note()
    assert state.path.read_bytes() == journal


def test_what_was_dropped_is_not_gone_on_with(state: TransferState) -> None:
    writer = PartWriter(state, 1.0)
    with writer.at(1):
        writer.write(DATA[:10])
    writer.drop()
    with writer.at(1) as at:
        assert at == BLOCK
