"""Files in folders that the user has chosen, and in none other."""

import difflib
import hashlib
import itertools
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from app.core.errors import UserError
from app.core.files import write_atomic
from app.tools.built_in.source import Here, Source, source_name, tool
from app.tools.daemon_call import daemon_call
from app.tools.tool import Capability, Nature, ToolResult, to_model

_LISTED, _FOUND, _SEARCHED = 500, 100, 20_000
"""The most that is told of a folder, of a search, and looked at in one."""
_LARGEST = 4 << 20
"""Bytes of a file that is read."""
_MOST_PAIRS = 10_000_000
"""Of lines that are compared: a model can write texts that keep `difflib` for minutes, and the window with it."""
_SEARCH_SECONDS = 10.0
_LINE = 200
_PATH = "Path that begins with the name of a folder, as list_files gives them"


class Folders(Source):
    """`roots` are asked at each call; `keep` stores what a file was before it was written, and returns its sha256."""

    name = source_name("files")
    tools = (
        tool(
            "list_files",
            to_model("What is in a folder; without a path, the folders that the user has chosen."),
            optional=["path"],
            path=_PATH,
        ),
        tool("read_file", to_model("The text of a file."), path=_PATH),
        tool(
            "search_files",
            to_model("Files whose names or lines hold a text, whatever the case."),
            optional=["path"],
            text="What to look for",
            path="Where; everywhere without it",
        ),
        tool(
            "write_file",
            to_model("Makes a text file, or replaces one. The user sees the difference first."),
            Nature(frozenset({Capability.LOOKS, Capability.WRITES}), asks=True, outside=False),
            path=_PATH,
            content="The whole new text of the file",
        ),
    )

    def __init__(self, roots: Callable[[], Sequence[str]], keep: Callable[[bytes], str]) -> None:
        self._roots = roots
        self._keep = keep

    async def run(self, name: str, arguments: Mapping[str, Any], here: Here) -> ToolResult:
        path = str(arguments.get("path", ""))
        match name:
            case "list_files":
                return ToolResult(await daemon_call(lambda: self._list(path)))
            case "read_file":
                return ToolResult(await daemon_call(lambda: _text(self._file(path))))
            case "search_files":
                return ToolResult(await daemon_call(lambda: self._search(str(arguments["text"]), path)))
            case _:
                return await daemon_call(lambda: self._write(path, str(arguments["content"])))

    async def preview(self, name: str, arguments: Mapping[str, Any]) -> str:
        if name != "write_file":
            return ""
        return await daemon_call(lambda: self._preview(str(arguments["path"]), str(arguments["content"])))

    async def undo(self, written: Mapping[str, object], kept: Callable[[str], bytes | None]) -> None:
        """Put back what `write_file` replaced: `written` are its figures. Raises UserError, and changes nothing then
        but what is as it was written.
        """
        await daemon_call(lambda: self._undo(written, kept))

    def _preview(self, path: str, content: str) -> str:
        try:
            file = self._target(path)
            before = _text(file) if file.exists() else ""
        except UserError as error:
            # The call will fail in the same words.
            return str(error.sentence)
        return difference(before, content, path)

    def _undo(self, written: Mapping[str, object], kept: Callable[[str], bytes | None]) -> None:
        file, before = Path(str(written["file"])), str(written["before"])
        if not any(_is_within(file.resolve(), root) for root in self._by_name().values()):
            raise UserError("{name} is in no folder that is chosen now.", name=file.name)
        data = kept(before) if before else None
        if before and data is None:
            raise UserError("What {name} was before is not kept any more.", name=file.name)
        try:
            if hashlib.sha256(file.read_bytes()).hexdigest() != written["after"]:
                raise UserError("{name} was changed since, and stays as it is.", name=file.name)
            if data is None:
                file.unlink()
            else:
                _replace(file, data)
        except OSError as error:
            raise _refused(file.name, error) from error

    def _by_name(self) -> dict[str, Path]:
        """The chosen folders under names that no other has."""
        found: dict[str, Path] = {}
        for root in map(Path, self._roots()):
            names = itertools.chain([root.name or "folder"], (f"{root.name}-{n}" for n in itertools.count(2)))
            found[next(name for name in names if name not in found)] = root.resolve()
        return found

    def _place(self, path: str) -> Path:
        """What a path leads to, all links followed. Raises UserError where that is in no chosen folder, or hidden."""
        first, *rest = [part for part in path.replace("\\", "/").split("/") if part not in ("", ".")] or [""]
        roots = self._by_name()
        root = roots.get(first)
        if root is None:
            raise UserError("There is no folder {name}. There are: {names}.", name=first, names=", ".join(roots))
        try:
            found = root.joinpath(*rest).resolve()
        except (OSError, ValueError, RuntimeError) as error:
            raise UserError("{path} is no path.", path=path) from error
        if not _is_within(found, root):
            raise UserError("{path} leads out of the folders that the user has chosen.", path=path)
        if any(part.startswith(".") for part in (*rest, *found.relative_to(root).parts)):
            raise UserError("{path} is hidden, and can't be used.", path=path)
        return found

    def _file(self, path: str) -> Path:
        found = self._place(path)
        # No pipes and devices either: they would be read for ever.
        if not found.is_file():
            raise UserError("There is no file {path}.", path=path)
        return found

    def _target(self, path: str) -> Path:
        found = self._place(path)
        if found.exists() and not found.is_file():
            raise UserError("{path} is no file.", path=path)
        return found

    def _list(self, path: str) -> str:
        if path.strip("/. ") == "":
            return "\n".join(f"{name}/" for name in self._by_name()) or to_model("The user has chosen no folder.")
        folder = self._place(path)
        if not folder.is_dir():
            raise UserError("There is no folder {path}.", path=path)
        try:
            entries = sorted(folder.iterdir())
        except OSError as error:
            raise _refused(path, error) from error
        shown = [each for each in entries if not each.name.startswith(".")]
        more = [to_model("… and {n} more", n=len(shown) - _LISTED)] if len(shown) > _LISTED else []
        return "\n".join([*map(_listed, shown[:_LISTED]), *more]) or to_model("It is empty.")

    def _search(self, text: str, path: str) -> str:
        wanted, until, found = text.casefold(), time.monotonic() + _SEARCH_SECONDS, list[str]()
        if not wanted.strip():
            raise UserError("There is nothing to look for.")
        roots = self._by_name()
        places = {path.strip("/"): self._place(path)} if path.strip("/. ") else roots
        files = itertools.chain.from_iterable(_files(name, place) for name, place in places.items())
        for name, file in itertools.islice(files, _SEARCHED):
            found += itertools.islice(_hits(wanted, name, file), _FOUND - len(found))
            if len(found) >= _FOUND or time.monotonic() > until:
                return "\n".join([*found, to_model("… There may be more.")])
        return "\n".join(found) or to_model("Nothing was found.")

    def _write(self, path: str, content: str) -> ToolResult:
        file, data = self._target(path), content.encode()
        try:
            before = self._keep(file.read_bytes()) if file.exists() else ""
            _replace(file, data)
        except OSError as error:
            raise _refused(path, error) from error
        written = {"file": str(file), "before": before, "after": hashlib.sha256(data).hexdigest()}
        told = to_model("{path} was written: {n} characters.", path=path, n=len(content))
        return ToolResult(told, figures={"written": written})


def difference(before: str, after: str, name: str) -> str:
    """As a unified diff; of texts that are too long to be compared, their lengths alone."""
    old, new = before.splitlines(), after.splitlines()
    if len(before) + len(after) > _LARGEST // 4 or _pairs(old, new) > _MOST_PAIRS:
        return f"--- {name}: {len(before):,}\n+++ {name}: {len(after):,}\n"
    return "".join(f"{line}\n" for line in difflib.unified_diff(old, new, name, name, lineterm=""))


def _pairs(before: list[str], after: list[str]) -> int:
    """Of lines between the equal beginnings and ends."""
    begin = _same(before, after)
    before, after = before[begin:], after[begin:]
    end = _same(reversed(before), reversed(after))
    return (len(before) - end) * (len(after) - end)


def _same(ones: Iterable[str], others: Iterable[str]) -> int:
    """How many are equal, from the first on."""
    pairs = zip(ones, others, strict=False)
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))


def _replace(file: Path, data: bytes) -> None:
    mode = file.stat().st_mode & 0o777 if file.exists() else 0o644
    write_atomic(file, data)
    file.chmod(mode)


def _is_within(path: Path, root: Path) -> bool:
    return path == root or path.is_relative_to(root)


def _text(file: Path) -> str:
    """Raises UserError for what is no text."""
    try:
        if file.stat().st_size > _LARGEST:
            raise UserError("{name} is larger than {most} MiB.", name=file.name, most=_LARGEST >> 20)
        data = file.read_bytes()
    except OSError as error:
        raise _refused(file.name, error) from error
    if b"\0" in data:
        raise UserError("{name} is no text.", name=file.name)
    return data.decode("utf-8", "replace")


def _files(name: str, place: Path) -> Iterator[tuple[str, Path]]:
    """All that is not hidden, without following links, under paths as the model writes them."""
    if place.is_file():
        yield name, place
    for folder, folders, files in os.walk(place):
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        for each in sorted(files):
            file = Path(folder, each)
            if not each.startswith(".") and not file.is_symlink() and file.is_file():
                yield f"{name}/{file.relative_to(place).as_posix()}", file


def _hits(wanted: str, name: str, file: Path) -> Iterator[str]:
    if wanted in file.name.casefold():
        yield name
    try:
        text = _text(file)
    except UserError:
        return
    for number, line in enumerate(text.splitlines(), 1):
        if wanted in line.casefold():
            yield f"{name}:{number}: {line.strip()[:_LINE]}"


def _listed(entry: Path) -> str:
    try:
        return f"{entry.name}/" if entry.is_dir() else f"{entry.name} ({entry.stat().st_size} bytes)"
    except OSError:
        return entry.name


def _refused(name: str, error: OSError) -> UserError:
    return UserError("{name}: {reason}.", name=name, reason=error.strerror or error)
