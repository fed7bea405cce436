"""What needs no server: the clock, the conversation's own texts, other chats, and files of chosen folders."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.core.errors import UserError
from app.core.messages import DocumentPart, PassagePart
from app.tools.built_in.clock import Clock
from app.tools.built_in.conversation import ChatDocuments, WholeResults
from app.tools.built_in.folders import Folders, difference
from app.tools.built_in.source import Here, Source
from app.tools.results import cut
from app.tools.schema import completed
from app.tools.tool import Capability, ToolResult
from tests.tools.built_in_sources import built_in
from tests.work import assert_quick

HERE = Here(
    1, (DocumentPart("", "notes.md", "old"), DocumentPart("", "notes.md", "Jam is sweet.")), whole={"abc": "x" * 9}.get
)


async def told(source: Source, name: str, here: Here = HERE, **arguments: object) -> str:
    return (await source.run(name, arguments, here)).text


async def test_the_time_comes_with_its_zone() -> None:
    clock = Clock(lambda: datetime(2026, 11, 24, 17, 5, tzinfo=UTC))
    text = await told(clock, "current_time")
    assert "2026-11-2" in text and "UTC" in text


class Found:
    """What a search of documents would tell, and what it was asked."""

    def __init__(self, *passages: PassagePart) -> None:
        self.passages = passages
        self.asked: list[tuple[str, int, tuple[int, ...]]] = []

    def find(
        self, question: str, documents: Sequence[DocumentPart], collections: Sequence[int]
    ) -> tuple[PassagePart, ...]:
        self.asked.append((question, len(documents), tuple(collections)))
        return self.passages

    def text_of(self, name: str, collections: Sequence[int]) -> str | None:
        return "Pumps want to be primed." if (name, tuple(collections)) == ("pumps.txt", (4,)) else None


async def test_documents_are_searched() -> None:
    part = PassagePart(0, "ab", "notes.md", "Jam is sweet.")
    found, here = Found(part), replace(HERE, collections=(4,))
    result = await ChatDocuments(found).run("search_documents", {"question": "jam"}, here)
    assert (result.passages, found.asked) == ((part,), [("jam", 2, (4,))])
    empty = await ChatDocuments(Found()).run("search_documents", {"question": "jam"}, HERE)
    assert empty == ToolResult("Nothing in the documents has words of this question.")


async def test_a_document_of_a_collection_is_read_by_its_name() -> None:
    documents, here = ChatDocuments(Found()), Here(1, collections=(4,))
    assert await told(documents, "read_document", here, document="pumps.txt") == "Pumps want to be primed."
    with pytest.raises(UserError, match="search_documents looks through"):
        await told(documents, "read_document", here, document="other.txt")


async def test_documents_are_listed_and_read() -> None:
    documents = ChatDocuments(Found())
    assert "notes.md (13 characters)" in await told(documents, "list_documents")
    assert await told(documents, "read_document", document="notes.md") == "Jam is sweet.", "the newest of a name"
    with pytest.raises(UserError, match="no such document"):
        await told(documents, "read_document", document="../notes.md")
    assert "no documents" in await told(documents, "read_document", Here(), document="notes.md")


async def test_what_was_cut_is_read_on() -> None:
    whole = WholeResults()
    assert await whole.run("read_result", {"id": "abc", "start": 4}, HERE) == ToolResult("x" * 9, start=4)
    for wrong in ({"id": "other", "start": 0}, {"id": "abc", "start": 9}, {"id": "abc", "start": -1}):
        with pytest.raises(UserError):
            await whole.run("read_result", wrong, HERE)


def test_a_page_says_where_the_next_one_begins() -> None:
    text = "abcdefghij"
    assert cut(text, 10) == text
    first = cut(text, 4, 0, lambda _: "k1")
    assert first == 'abcd\n[Cut here: characters 0 to 4 of 10. read_result with id "k1" and start 4 reads on.]'
    assert cut(text, 4, 8, lambda _: "k1") == "ij\n[Cut here: characters 8 to 10 of 10.]"
    assert cut(text, 4) == "abcd\n[Cut here: characters 0 to 4 of 10.]"


async def test_other_chats_are_found_and_this_one_is_not(tmp_path: Path) -> None:
    chats = next(each for each in built_in(tmp_path) if each.name == ":chats")
    assert await told(chats, "search_chats", query="marmalade") == "## Elsewhere\nMarmalade is in the cellar."


def test_they_are_declared_so_that_templates_can_print_them(tmp_path: Path) -> None:
    able = {}
    for source in built_in(tmp_path):
        for tool in source.tools:
            assert tool.nature is not None and source.name.startswith(":")
            assert all(each["description"] for each in completed(tool.schema)["properties"].values())
            able[tool.name] = (tool.nature.able - {Capability.LOOKS}, tool.nature.asks)
    acts = {name: told for name, told in able.items() if told != (frozenset(), False)}
    assert acts == {
        "python": ({Capability.RUNS}, False),
        "search_chats": (frozenset(), True),
        "write_file": ({Capability.WRITES}, True),
        "read_page": ({Capability.SENDS}, True),
    }


@pytest.fixture
def kept() -> dict[str, bytes]:
    return {}


@pytest.fixture
def folders(tmp_path: Path, kept: dict[str, bytes]) -> Folders:
    """One chosen folder with a note, beside files that are nobody's business."""
    inside = tmp_path / "notes"
    (inside / "deep").mkdir(parents=True)
    (inside / "jam.txt").write_text("Sugar\nStrawberries\n", "utf-8")
    (inside / "deep" / "more.md").write_text("more strawberries", "utf-8")
    (inside / ".env").write_text("KEY=1", "utf-8")
    (inside / "photo.bin").write_bytes(b"\0\1\2")
    (tmp_path / "secret.txt").write_text("secret strawberries", "utf-8")
    (tmp_path / "notes-too").mkdir()
    (tmp_path / "notes-too" / "x.txt").write_text("x", "utf-8")

    def keep(data: bytes) -> str:
        kept[str(len(kept))] = data
        return str(len(kept) - 1)

    return Folders(lambda: [str(inside)], keep)


async def test_folders_are_listed_read_and_searched(folders: Folders) -> None:
    assert await told(folders, "list_files") == "notes/"
    assert await told(folders, "list_files", path="notes") == "deep/\njam.txt (19 bytes)\nphoto.bin (3 bytes)"
    assert await told(folders, "read_file", path="notes/jam.txt") == "Sugar\nStrawberries\n"
    found = await told(folders, "search_files", text="STRAWBERRIES")
    assert found == "notes/jam.txt:2: Strawberries\nnotes/deep/more.md:1: more strawberries"
    assert await told(folders, "search_files", text="jam", path="notes/jam.txt") == "notes/jam.txt"
    with pytest.raises(UserError, match="no text"):
        await told(folders, "read_file", path="notes/photo.bin")


@pytest.mark.parametrize(
    "path",
    [
        "notes/../secret.txt", "../secret.txt", "/etc/passwd", "notes/link.txt", "notes/out/secret.txt", "notes/.env",
        "notes/deep/../../secret.txt", "notes\\..\\secret.txt", "notes-too/x.txt", "notes/to-hidden", "notes/jam\0.txt",
        "notes/pipe", "", "~/x", "notes/loop/x",
    ],
)  # fmt: skip
async def test_no_path_leads_out(folders: Folders, tmp_path: Path, path: str) -> None:
    inside = tmp_path / "notes"
    make_links(inside)
    before = (tmp_path / "secret.txt").read_bytes()
    with pytest.raises(UserError):
        await told(folders, "read_file", path=path)
    with pytest.raises(UserError):
        await told(folders, "write_file", path=path, content="hacked")
    assert (tmp_path / "secret.txt").read_bytes() == before and (inside / ".env").read_text() == "KEY=1"
    assert "secret" not in await told(folders, "search_files", text="secret")


def make_links(inside: Path) -> None:
    try:
        (inside / "link.txt").symlink_to(inside.parent / "secret.txt")
        (inside / "out").symlink_to(inside.parent)
        (inside / "to-hidden").symlink_to(inside / ".env")
        (inside / "loop").symlink_to(inside / "loop")
    except OSError:
        pytest.skip("This system makes no links.")
    if hasattr(os, "mkfifo"):
        os.mkfifo(inside / "pipe")


Written = Callable[[str, str], Mapping[str, object]]


async def written(folders: Folders, path: str, content: str) -> Mapping[str, object]:
    result = await folders.run("write_file", {"path": path, "content": content}, HERE)
    found = result.figures["written"]
    assert isinstance(found, dict)
    return found


async def test_what_is_written_is_shown_before_and_undone(
    folders: Folders, kept: dict[str, bytes], tmp_path: Path
) -> None:
    file = tmp_path / "notes" / "jam.txt"
    file.chmod(0o640)
    new = {"path": "notes/jam.txt", "content": "Sugar\nCherries\n"}
    shown = await folders.preview("write_file", new)
    assert shown.splitlines()[-2:] == ["-Strawberries", "+Cherries"] and not await folders.preview("read_file", new)
    figures = await written(folders, **new)
    assert file.read_text() == "Sugar\nCherries\n" and file.stat().st_mode & 0o777 == 0o640
    await folders.undo(figures, kept.get)
    assert file.read_text() == "Sugar\nStrawberries\n"
    made = await written(folders, "notes/new/plan.md", "eat")
    assert (tmp_path / "notes" / "new" / "plan.md").read_text() == "eat"
    await folders.undo(made, kept.get)
    assert not (tmp_path / "notes" / "new" / "plan.md").exists()


async def test_what_was_changed_since_stays(folders: Folders, kept: dict[str, bytes], tmp_path: Path) -> None:
    figures = await written(folders, "notes/jam.txt", "Cherries")
    (tmp_path / "notes" / "jam.txt").write_text("by hand")
    with pytest.raises(UserError, match="changed since"):
        await folders.undo(figures, kept.get)
    with pytest.raises(UserError, match="no folder that is chosen"):
        await folders.undo({**figures, "file": str(tmp_path / "secret.txt")}, kept.get)
    assert (tmp_path / "notes" / "jam.txt").read_text() == "by hand"


async def test_folders_of_one_name_are_told_apart(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name / "work").mkdir(parents=True)
        (tmp_path / name / "work" / f"{name}.txt").write_text(name)
    folders = Folders(lambda: [str(tmp_path / "a" / "work"), str(tmp_path / "b" / "work")], str)
    assert await told(folders, "list_files") == "work/\nwork-2/"
    assert await told(folders, "read_file", path="work-2/b.txt") == "b"


def test_a_difference_takes_no_minutes() -> None:
    old = [f"{number}\n" for number in range(20_000)]
    new = [f"{number * 7 % 20_000}\n" for number in range(20_000)]
    # One line of many is found, wherever it is.
    changed = [*old[:10_000], "other\n", *old[10_001:]]

    def compare() -> None:
        assert difference("".join(old), "".join(new), "a").startswith("--- a: 1")
        assert "-10000\n+other\n" in difference("".join(old), "".join(changed), "a")

    assert_quick(5.0, compare)
