"""What a head's drafter keeps with the slot's states, and the files that hold it."""

import io
import json
from typing import Any

import numpy as np
import pytest

from app.engine.drafting.hidden_rows import HiddenRows
from app.engine.drafting.mtp_state import MtpState
from app.engine.drafting.shifts import Shifts
from app.engine.memory import snapshot_format
from app.engine.memory.checkpoints import Checkpoint
from app.engine.memory.snapshots import Snapshot
from app.engine.prompt.prompt_tokens import PromptTokens

ROW = np.arange(8, dtype=np.float32)


@pytest.mark.parametrize("row", [ROW, None])
@pytest.mark.parametrize("data", [b"", b"cells" * 100])
def test_a_state_comes_back_as_it_was(row: "np.ndarray[Any, np.dtype[np.float32]] | None", data: bytes) -> None:
    state = MtpState(b"mine", 90, 40, ((0, 0), (12, -5)), row, data)
    back = MtpState.from_bytes(state.to_bytes(), b"mine", 8)
    assert back is not None
    assert (back.n, back.start, back.shifts, back.data) == (90, 40, ((0, 0), (12, -5)), data)
    assert back.row is None if row is None else np.array_equal(back.row, row)  # type: ignore[arg-type]


def test_a_state_of_another_head_width_or_length_is_none() -> None:
    data = MtpState(b"mine", 90, 40, ((0, 0),), ROW, b"").to_bytes()
    assert MtpState.from_bytes(data, b"other", 8) is None
    assert MtpState.from_bytes(data, b"mine", 16) is None
    assert MtpState.from_bytes(data[:-1], b"mine", 8) is None
    assert MtpState.from_bytes(data[:20], b"mine", 8) is None
    assert MtpState.from_bytes(MtpState(b"mine", 40, 90, (), ROW, b"").to_bytes(), b"mine", 8) is None


def snapshot(extra: bytes, *extras: bytes) -> Snapshot:
    checkpoints = tuple(Checkpoint(20 + n, b"partial" * (n + 1), each) for n, each in enumerate(extras))
    return Snapshot(PromptTokens(range(50)), b"state" * 30, checkpoints, "talk", extra=extra)


def written(kept: Snapshot) -> bytes:
    file = io.BytesIO()
    assert snapshot_format.write(file, kept, b"id", lambda _: True) is not None
    return file.getvalue()


def read(data: bytes) -> Snapshot:
    stored = snapshot_format.read_head(io.BytesIO(data), "name")
    found = snapshot_format.read(io.BytesIO(data), stored)
    assert stored.n_bytes == found.n_bytes
    return found


@pytest.mark.parametrize("state", [b"state" * 30, np.random.default_rng(1).bytes(3000)])
def test_files_keep_it_with_the_state_and_with_each_checkpoint(state: bytes) -> None:
    kept = Snapshot(PromptTokens(range(50)), state, snapshot(b"", b"", b"row" * 9).checkpoints, "talk", extra=b"head")
    found = read(written(kept))
    assert (found.data, found.extra) == (state, b"head")
    assert [(each.n, each.data, each.extra) for each in found.checkpoints] == [
        (20, b"partial", b""),
        (21, b"partialpartial", b"row" * 9),
    ]


def test_a_file_from_before_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    dumps = json.dumps

    def as_before(facts: dict[str, object]) -> str:
        assert facts.pop("extras") == ()
        return dumps(facts)

    with monkeypatch.context() as patch:
        patch.setattr("app.engine.memory.snapshot_format.json.dumps", as_before)
        data = written(snapshot(b"", b"", b""))
    found = read(data)
    assert (found.extra, [each.extra for each in found.checkpoints]) == (b"", [b"", b""])
    assert len(found.checkpoints) == 2


def test_a_byte_that_was_altered_in_it_is_noticed() -> None:
    data = bytearray(written(snapshot(b"head" * 50, b"row" * 50)))
    data[-60] ^= 1
    with pytest.raises(snapshot_format.DamagedError):
        read(bytes(data))


def test_rows_are_known_by_position_as_long_as_there_is_room() -> None:
    rows = HiddenRows(8, 2)
    told = np.arange(24, dtype=np.float32).reshape(12, 2)
    rows.put(100, [1, 2, 3, 4, 5, 6], told[:6])
    rows.put(106, [7, 8, 9], told[6:9])
    assert rows.row(100) is None
    assert np.array_equal(rows.row(101), told[1])  # type: ignore[arg-type]
    assert rows.tokens(102, 109) == [3, 4, 5, 6, 7, 8, 9]
    assert np.array_equal(rows.rows_before(101, 104), [[0, 0], told[1], told[2]])
    rows.cut(105)
    assert (rows.token(104), rows.token(105), rows.row(105)) == (5, None, None)
    with pytest.raises(ValueError, match="not all"):
        rows.tokens(104, 106)
    rows.put_token(105, 77)
    assert (rows.token(105), rows.row(105)) == (77, None)
    assert np.array_equal(HiddenRows(8, 2).rows_before(0, 1), [[0, 0]])


def test_positions_follow_what_was_told() -> None:
    shifts = Shifts()
    shifts.note(0, 0)
    shifts.note(40, 40)
    shifts.note(110, 60)
    shifts.note(200, 150)
    shifts.note(260, 180)
    assert [shifts.position(n) for n in (0, 39, 110, 250, 260, 300)] == [0, 39, 60, 200, 180, 220]
    assert [n for n in range(300) if shifts.begins(n)] == [110, 260]
    assert shifts.pairs(200) == ((0, 0), (110, -50))
    shifts.note(258, 208)
    assert shifts.position(300) == 250, "what was behind it is gone"
    shifts.note(259, 180)
    shifts.truncate(259)
    assert (shifts.position(259), shifts.begins(259)) == (180, True)
    shifts.note(259, 209)
    assert shifts.position(300) == 250
    shifts.note(120, 120 - 50)
    shifts.truncate(109)
    assert shifts.position(300) == 300
    assert Shifts(((0, 0), (12, -5))).position(20) == 15


def test_it_counts_in_budgets() -> None:
    assert snapshot(b"x" * 100, b"y" * 50).n_bytes == snapshot(b"", b"").n_bytes + 150
