"""Room on the disk, before anything is fetched."""

from dataclasses import replace
from pathlib import Path

import pytest

from app.core.errors import UserError
from app.library.catalogue import LibraryModel
from app.library.disk_room import check_room, free_room
from app.library.hub import HubChoice
from app.library.hub_choice import find_here
from app.library.hub_layout import HubFile, Landing, land_in_cache
from app.library.model_sources import Source
from app.library.part_file import PartFile
from app.library.transfer import RemoteFile

BLOCK = 4 << 20
HASH = "a" * 64
FILE = HubFile("org/M", "c", "M-Q4_0.gguf", 3 * BLOCK, HASH)


def wanted(folder: Path, *files: HubFile) -> list[tuple[HubFile, Landing]]:
    return [(file, land_in_cache(file, folder)) for file in files]


def free(monkeypatch: pytest.MonkeyPatch, n: int, other: Path | None = None) -> None:
    monkeypatch.setattr(
        "app.library.disk_room._disk", lambda path: (2, 0) if other and path.is_relative_to(other) else (1, n)
    )


def test_what_fits_is_no_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    free(monkeypatch, 4 * BLOCK)
    check_room("M", wanted(tmp_path, FILE), tmp_path, BLOCK)
    with pytest.raises(UserError, match=r"not enough room for M on this disk: 17 MB are needed .* 17 MB are free"):
        free(monkeypatch, 4 * BLOCK - 1)
        check_room("M", wanted(tmp_path, FILE), tmp_path, BLOCK)


def test_all_that_is_still_to_come_counts_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    free(monkeypatch, 5 * BLOCK)
    other = HubFile("org/M", "c", "N-Q4_0.gguf", 3 * BLOCK, "b" * 64)
    check_room("M", wanted(tmp_path, FILE, FILE), tmp_path, 0)
    with pytest.raises(UserError, match="not enough room"):
        check_room("M", wanted(tmp_path, FILE, other), tmp_path, 0)
    free(monkeypatch, 5 * BLOCK, tmp_path / "elsewhere")
    check_room("M", [*wanted(tmp_path, FILE), *wanted(tmp_path / "elsewhere", other)], tmp_path, 0)


def test_what_is_there_does_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ((_, landing),) = pairs = wanted(tmp_path, FILE)
    landing.target.parent.mkdir(parents=True)
    part = PartFile(RemoteFile("u", FILE.size, HASH), landing.target)
    with part.opened():
        part.write(bytes(2 * BLOCK))
    free(monkeypatch, BLOCK)
    check_room("M", pairs, tmp_path, 0)
    with pytest.raises(UserError, match="not enough room"):
        free(monkeypatch, BLOCK - 1)
        check_room("M", pairs, tmp_path, 0)
    assert landing.link is not None
    landing.link.parent.mkdir(parents=True)
    landing.link.write_bytes(bytes(FILE.size))
    free(monkeypatch, 0)
    check_room("M", pairs, tmp_path, BLOCK)


def test_folders_that_are_not_there_yet_lie_on_a_disk(tmp_path: Path) -> None:
    assert free_room(tmp_path / "a" / "b" / "c") > 0


def found(path: str, size: int = FILE.size, problem: str = "") -> LibraryModel:
    return LibraryModel(Path(path), "M", Source.FOLDER, size, (Path(path),), 0, None, problem)


def test_a_file_that_is_here_under_its_name_or_its_hash_is_found() -> None:
    choice = HubChoice("M-Q4_0", (FILE,), "Q4_0")
    assert find_here(choice, [found("/lm/M-Q4_0.gguf")])
    assert find_here(choice, [found(f"/ollama/blobs/sha256-{HASH}")])
    assert not find_here(choice, [found("/lm/M-Q4_0.gguf", FILE.size - 1)])
    assert not find_here(choice, [found("/lm/Other-Q4_0.gguf")])
    assert not find_here(choice, [found("/lm/M-Q4_0.gguf", problem="damaged")])


def test_a_file_that_was_made_anew_is_another_one() -> None:
    """With the name that it had, and as long as it was."""
    choice = HubChoice("M-Q4_0", (FILE,))
    assert not find_here(choice, [replace(found("/hub/M-Q4_0.gguf"), sha256="b" * 64)])
    assert find_here(choice, [replace(found("/hub/Other.gguf"), sha256=HASH)])
