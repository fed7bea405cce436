"""What is found in folders, and why some of it is not read."""

import os
import sys
from pathlib import Path

import pytest

from app.engine.documents.documents import MAX_TEXT_BYTES
from app.services.documents.folder_scan import look
from app.services.documents.folder_watch import FolderWatch


def looked(path: Path) -> dict[str, str]:
    return {Path(each.path).name: str(each.sentence) for each in look(path, [])}


def test_hidden_large_and_binary_files_get_a_sentence_each(tmp_path: Path) -> None:
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "deep" / "er" / "a.txt").write_text("a")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config").write_text("never seen")
    for name, data in ((".hidden", b"a"), ("~$a.docx", b"a"), ("a.PNG", b"a"), ("empty", b"")):
        (tmp_path / name).write_bytes(data)
    for name in ("large.txt", "large.pdf"):
        (tmp_path / name).touch()
        os.truncate(tmp_path / name, MAX_TEXT_BYTES + 1)
    assert looked(tmp_path) == {
        "a.txt": "",
        ".git": "This folder is hidden, so nothing in it is read.",
        ".hidden": "This file is hidden, so it is not read.",
        "~$a.docx": "This file is hidden, so it is not read.",
        "a.PNG": "Files of this kind hold no text that can be read.",
        "empty": "This file is empty.",
        "large.txt": "This file has 17 MiB, and Hearth reads up to 16.",
        "large.pdf": "",
    }
    assert looked(tmp_path / "deep" / "er" / "a.txt") == {"a.txt": ""}
    assert looked(tmp_path / "nowhere") == {}


@pytest.mark.skipif(sys.platform == "win32", reason="links want a right that few have there")
def test_links_in_circles_and_to_nowhere_end(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    (tmp_path / "circle").symlink_to(tmp_path)
    (tmp_path / "nowhere").symlink_to(tmp_path / "gone")
    (tmp_path / "link.txt").symlink_to(tmp_path / "a.txt")
    assert looked(tmp_path) == {"a.txt": "", "link.txt": ""}


def test_a_folder_rests_before_it_is_looked_at_again(tmp_path: Path) -> None:
    now = 0.0
    folders: list[str] = []
    assert list(look(tmp_path, folders)) == []
    watch = FolderWatch(lambda: now)
    watch.begin(folders)
    assert not watch.is_due()
    (tmp_path / "a.txt").write_text("a")
    os.utime(tmp_path, ns=(1, 1))
    assert [watch.is_due(), watch.is_due()] == [False, True]
    watch.begin(folders)
    assert not watch.is_due()
    now = 60.0  # what is written in place
    assert watch.is_due()
