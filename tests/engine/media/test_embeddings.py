import hashlib
import logging
import os
import stat
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from app.core.files import write_atomic
from app.engine.media import embedding_files
from app.engine.media.embeddings import EmbeddingCache

MIB = 1 << 20


def key(number: int) -> bytes:
    return bytes([number]) * 32


def array(number: int, n_values: int = 1000) -> NDArray[np.float32]:
    return np.random.default_rng(number).standard_normal((n_values // 10, 10)).astype(np.float32)


def files(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.exists() else []


def stored(folder: Path, *numbers: int, n_values: int = 1000) -> None:
    """Files of these arrays, written in this order; each a second younger than the one before."""
    for position, number in enumerate(numbers):
        cache = EmbeddingCache(MIB, folder, MIB)
        cache.put(key(number), array(number, n_values))
        cache.close()
        os.utime(folder / f"{key(number).hex()}.embedding", (1_000_000 + position, 1_000_000 + position))


def test_gives_back_what_was_put() -> None:
    cache = EmbeddingCache(MIB, None, 0)
    assert cache.get(key(1)) is None
    cache.put(key(1), array(1))
    found = cache.get(key(1))
    assert found is not None
    np.testing.assert_array_equal(found, array(1))
    assert (cache.memory_bytes, cache.disk_bytes) == (4000, 0)
    assert cache.has(key(1)) and not cache.has(key(2))


def test_what_it_hands_out_cannot_be_changed(tmp_path: Path) -> None:
    cache = EmbeddingCache(MIB, tmp_path / "kept", MIB)
    cache.put(key(1), array(1))
    cache.close()
    from_disk = EmbeddingCache(MIB, tmp_path / "kept", MIB)
    for each in (cache.get(key(1)), from_disk.get(key(1))):
        assert each is not None
        with pytest.raises(ValueError, match="read-only"):
            each[0, 0] = 1


def test_the_array_longest_unused_leaves_memory_first() -> None:
    cache = EmbeddingCache(3 * 4000, None, 0)
    for number in (1, 2, 3):
        cache.put(key(number), array(number))
    cache.get(key(1))
    cache.put(key(4), array(4))
    assert [cache.has(key(number)) for number in (1, 2, 3, 4)] == [True, False, True, True]
    assert cache.memory_bytes == 3 * 4000
    cache.set_budgets(4000, 0)
    assert [cache.has(key(number)) for number in (1, 2, 3, 4)] == [False, False, False, True]
    assert cache.memory_bytes == 4000


def test_an_array_larger_than_memory_drives_nothing_out() -> None:
    cache = EmbeddingCache(5000, None, 0)
    cache.put(key(1), array(1))
    cache.put(key(2), array(2, 2000))
    assert cache.has(key(1)) and not cache.has(key(2))
    assert cache.memory_bytes == 4000


def test_putting_twice_counts_the_bytes_once(tmp_path: Path) -> None:
    cache = EmbeddingCache(MIB, tmp_path, MIB)
    for _ in range(2):
        cache.put(key(1), array(1))
    cache.close()
    assert cache.memory_bytes == 4000
    assert cache.disk_bytes == sum(each.stat().st_size for each in files(tmp_path))


def test_a_later_start_reads_from_disk(tmp_path: Path) -> None:
    shapes = [array(1), array(2).reshape(2, 5, 100), array(3)[:0], array(4)[::2]]
    first = EmbeddingCache(MIB, tmp_path / "a" / "kept", MIB)
    for number, each in enumerate(shapes):
        first.put(key(number), each)
    first.close()
    later = EmbeddingCache(MIB, tmp_path / "a" / "kept", MIB)
    for number, each in enumerate(shapes):
        assert later.has(key(number))
        found = later.get(key(number))
        assert found is not None and found.dtype == np.float32
        np.testing.assert_array_equal(found, each)
    assert later.memory_bytes == first.memory_bytes


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such permissions")
def test_only_the_user_can_read_the_files(tmp_path: Path) -> None:
    stored(tmp_path / "kept", 1)
    assert stat.S_IMODE((tmp_path / "kept").stat().st_mode) == 0o700
    assert [stat.S_IMODE(each.stat().st_mode) for each in files(tmp_path / "kept")] == [0o600]


@pytest.mark.parametrize("damage", ["cut", "empty", "header", "value", "digest", "longer", "other key", "version"])
def test_a_damaged_file_is_not_used_and_goes(tmp_path: Path, damage: str) -> None:
    stored(tmp_path, 1)
    (path,) = files(tmp_path)
    data = bytearray(path.read_bytes())
    match damage:
        case "cut":
            del data[2000:]
        case "empty":
            data.clear()
        case "longer":
            data += b"\0"
        case "header" | "value" | "digest":
            data[{"header": 60, "value": 2000, "digest": -1}[damage]] ^= 1
        case "other key":
            path.unlink()
            path = path.with_name(f"{key(2).hex()}.embedding")
        case "version":
            data[8] = 99
            data[-32:] = hashlib.sha256(data[:-32]).digest()
    path.write_bytes(data)
    wanted = key(2) if damage == "other key" else key(1)
    cache = EmbeddingCache(MIB, tmp_path, MIB)
    assert cache.has(wanted)
    assert cache.get(wanted) is None
    assert files(tmp_path) == []
    assert (cache.disk_bytes, cache.has(wanted)) == (0, False)


def test_a_shape_that_claims_more_than_there_is_is_no_array(tmp_path: Path) -> None:
    stored(tmp_path, 1)
    (path,) = files(tmp_path)
    data = bytearray(path.read_bytes())
    data[48:64] = (1 << 62).to_bytes(8, "little") + (4).to_bytes(8, "little")
    data[-32:] = hashlib.sha256(data[:-32]).digest()
    path.write_bytes(data)
    assert EmbeddingCache(MIB, tmp_path, MIB).get(key(1)) is None


def test_the_disk_never_holds_more_than_its_quota(tmp_path: Path) -> None:
    stored(tmp_path, 1, 2, 3)
    size = files(tmp_path)[0].stat().st_size
    cache = EmbeddingCache(0, tmp_path, 3 * size)
    assert cache.get(key(1)) is not None
    cache.put(key(4), array(4))
    cache.close()
    assert [cache.has(key(number)) for number in (1, 2, 3, 4)] == [True, False, True, True]
    assert cache.disk_bytes == 3 * size == sum(each.stat().st_size for each in files(tmp_path))
    cache.set_budgets(0, 2 * size)
    assert [cache.has(key(number)) for number in (1, 3, 4)] == [True, False, True]
    assert sum(each.stat().st_size for each in files(tmp_path)) == 2 * size


def test_what_is_somebody_elses_stays_in_memory(tmp_path: Path) -> None:
    cache = EmbeddingCache(1 << 20, tmp_path, 1 << 20)
    cache.put(key(1), array(1), on_disk=False)
    assert cache.get(key(1)) is not None
    cache.close()
    assert not [each for each in tmp_path.rglob("*") if each.is_file()]


def test_use_is_remembered_over_a_restart(tmp_path: Path) -> None:
    stored(tmp_path, 1, 2)
    EmbeddingCache(MIB, tmp_path, MIB).get(key(1))
    size = files(tmp_path)[0].stat().st_size
    assert EmbeddingCache(MIB, tmp_path, size).get(key(1)) is not None
    assert len(files(tmp_path)) == 1


def test_what_is_larger_than_the_quota_drives_nothing_out(tmp_path: Path) -> None:
    stored(tmp_path, 1)
    cache = EmbeddingCache(MIB, tmp_path, 6000)
    cache.put(key(2), array(2, 2000))
    cache.close()
    assert [each.name for each in files(tmp_path)] == [f"{key(1).hex()}.embedding"]


def test_what_a_crash_left_goes_and_other_files_stay(tmp_path: Path) -> None:
    stored(tmp_path, 1)
    (tmp_path / f".{key(2).hex()}.embedding.abc123").write_bytes(bytes(5000))
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / f"{'x' * 64}.embedding").write_text("mine")
    cache = EmbeddingCache(MIB, tmp_path, MIB)
    assert cache.get(key(1)) is not None
    cache.clear()
    assert sorted(each.name for each in files(tmp_path)) == ["notes.txt", f"{'x' * 64}.embedding"]


def test_clear_forgets_memory_and_disk(tmp_path: Path) -> None:
    cache = EmbeddingCache(MIB, tmp_path, MIB)
    for number in range(5):
        cache.put(key(number), array(number))
    cache.clear()
    cache.close()
    assert files(tmp_path) == []
    assert (cache.memory_bytes, cache.disk_bytes, cache.get(key(1))) == (0, 0, None)


class SlowDisk:
    """Holds writes until it is told to go on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun = threading.Event()
        self.go_on = threading.Event()
        self._write = write_atomic
        monkeypatch.setattr(embedding_files, "write_atomic", self._slow)

    def _slow(self, path: Path, data: bytes) -> None:
        self.begun.set()
        assert self.go_on.wait(20)
        self._write(path, data)


def test_a_slow_disk_delays_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stored(tmp_path, 9)
    disk = SlowDisk(monkeypatch)
    cache = EmbeddingCache(0, tmp_path, MIB)
    cache.put(key(1), array(1))
    assert disk.begun.wait(20)
    cache.put(key(2), array(2))
    # Neither is in memory or on disk yet.
    assert cache.get(key(1)) is not None and cache.get(key(2)) is not None and cache.get(key(9)) is not None
    assert [each.name for each in files(tmp_path)] == [f"{key(9).hex()}.embedding"]
    disk.go_on.set()
    cache.close()
    assert len(files(tmp_path)) == 3


def test_a_clear_overtakes_a_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = SlowDisk(monkeypatch)
    cache = EmbeddingCache(MIB, tmp_path, MIB)
    cache.put(key(1), array(1))
    assert disk.begun.wait(20)
    cache.clear()
    disk.go_on.set()
    cache.close()
    assert files(tmp_path) == []
    assert cache.disk_bytes == 0


def test_more_than_may_wait_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.engine.media.embeddings._MAX_PENDING_BYTES", 8000)
    disk = SlowDisk(monkeypatch)
    cache = EmbeddingCache(MIB, tmp_path, MIB)
    for number in range(4):
        cache.put(key(number), array(number))
    disk.go_on.set()
    cache.close()
    assert len(files(tmp_path)) == 2
    assert all(cache.has(key(number)) for number in range(4))


def test_closing_leaves_no_thread_and_memory_goes_on(tmp_path: Path) -> None:
    cache = EmbeddingCache(MIB, tmp_path, MIB)
    before = threading.active_count()
    cache.put(key(1), array(1))
    cache.close()
    cache.close()
    assert threading.active_count() == before
    cache.put(key(2), array(2))
    assert cache.get(key(2)) is not None
    assert len(files(tmp_path)) == 1


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), PermissionError(13, "Permission denied")])
def test_a_disk_that_refuses_costs_only_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, error: OSError
) -> None:
    def refuse(path: Path, data: bytes) -> None:
        raise error

    monkeypatch.setattr(embedding_files, "write_atomic", refuse)
    cache = EmbeddingCache(MIB, tmp_path, MIB)
    with caplog.at_level(logging.WARNING):
        for number in range(3):
            cache.put(key(number), array(number))
        cache.close()
    assert cache.get(key(1)) is not None
    assert cache.disk_bytes == 0
    assert len(caplog.records) == 1 and str(error.strerror) in caplog.text


def test_a_folder_that_is_a_file_costs_only_the_cache(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "kept").write_text("in the way")
    cache = EmbeddingCache(MIB, tmp_path / "kept", MIB)
    assert cache.get(key(1)) is None
    cache.put(key(1), array(1))
    cache.close()
    cache.clear()
    assert len(caplog.records) == 1


def test_a_file_that_another_program_removed_is_a_miss(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    stored(tmp_path, 1)
    cache = EmbeddingCache(MIB, tmp_path, MIB)
    assert cache.has(key(1))
    files(tmp_path)[0].unlink()
    assert cache.get(key(1)) is None
    assert (cache.disk_bytes, caplog.records) == (0, [])


def test_a_key_has_32_bytes() -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        EmbeddingCache(MIB, None, 0).put(b"short", array(1))


def test_many_threads_may_use_it_at_once(tmp_path: Path) -> None:
    cache = EmbeddingCache(10 * 4000, tmp_path, 20 * 4200)
    wrong: list[int] = []

    def use(seed: int) -> None:
        for number in np.random.default_rng(seed).integers(0, 40, 60):
            found = cache.get(key(int(number)))
            if found is None:
                cache.put(key(int(number)), array(int(number)))
            elif not np.array_equal(found, array(int(number))):
                wrong.append(int(number))

    threads = [threading.Thread(target=use, args=(seed,)) for seed in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    cache.close()
    assert not wrong
    assert cache.memory_bytes <= 10 * 4000
    assert cache.disk_bytes == sum(each.stat().st_size for each in files(tmp_path)) <= 20 * 4200
