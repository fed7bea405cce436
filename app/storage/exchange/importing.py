"""Finds out what a file is, and reads it into a stage; then writes what waits there into the database."""

import json
import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import Any, BinaryIO

from app.core.errors import UserError
from app.storage.attachments import AttachmentStore
from app.storage.database import Database
from app.storage.exchange import import_chatgpt, import_hearth, import_lmstudio
from app.storage.exchange.json_stream import JsonStream
from app.storage.exchange.outfile import Check, Progress
from app.storage.exchange.reader import IMPORTED, records
from app.storage.exchange.records import digest
from app.storage.exchange.stage import LARGEST_FILE, Found, Stage
from app.storage.exchange.writer import write
from app.storage.file_errors import about_file

_CHATGPT_FILES = re.compile(r"(.*/)?conversations(-\d+)?\.json")
_LMSTUDIO_ENDING = ".conversation.json"
HEARTH, CHATGPT, LMSTUDIO = "Hearth", "ChatGPT", "LM Studio"


def read_files(paths: Sequence[Path], stage: Stage, progress: Progress = lambda share: None) -> Found:
    """What the files would bring, now in `stage`. Raises UserError for the first that is damaged or foreign."""
    sources: dict[str, None] = {}
    for number, path in enumerate(paths):

        def told(share: float, number: int = number) -> None:
            progress((number + min(share, 1.0)) / len(paths))

        with _told(path):
            sources.update(dict.fromkeys(_FileReader(path, stage, told).read()))
    return stage.found(" / ".join(sources))


def commit(
    stage: Stage, database: Database, attachments: AttachmentStore, check: Check, *, with_known: bool
) -> tuple[int, ...]:
    """Write what was staged, all or nothing; returns the conversations that came. Raises UserError."""
    stage.move_attachments(attachments)
    return write(database, stage.records(with_known=with_known), check)


class Known:
    """Which conversations are here already: by what they came from, or by what they are. For one thread."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._sources = frozenset(_sources(database))
        self._by_time: dict[float, list[int]] = {}
        for number, created_at in database.query("SELECT id, created_at FROM conversation WHERE deleted_at IS NULL"):
            self._by_time.setdefault(created_at, []).append(number)

    def has(self, created_at: float, found: str) -> bool:
        if found in self._sources:
            return True
        # To read all conversations would take long; one that is the same was made at the same time.
        alike = self._by_time.get(created_at, [])
        return any(digest(record) == found for record in records(self._database, alike))


def _sources(database: Database) -> Iterator[str]:
    """The digests of the records that conversations came from, if they came from any."""
    rows = database.query(
        "SELECT options.value FROM options JOIN conversation ON conversation.id = CAST(options.name AS INTEGER)"
        " WHERE options.scope = 'conversation' AND conversation.deleted_at IS NULL AND instr(options.value, ?)",
        (f'"{IMPORTED}"',),
    )
    for (text,) in rows:
        try:
            options = json.loads(text)
        except ValueError:
            continue
        if isinstance(options, dict) and isinstance(options.get(IMPORTED), str):
            yield options[IMPORTED]


class _FileReader:
    def __init__(self, path: Path, stage: Stage, progress: Progress) -> None:
        self._path = path
        self._stage = stage
        self._progress = progress
        found = path.stat()
        self._now = found.st_mtime
        """The time of what has none of its own."""
        self._size = found.st_size
        self._before = 0
        """Bytes that were read before the stream that is open."""

    def read(self) -> Iterator[str]:
        """The programs that wrote it."""
        with self._path.open("rb") as file:
            if zipfile.is_zipfile(file):
                file.seek(0)
                yield from self._read_zip(file)
            else:
                file.seek(0)
                yield self._read_json(file, lambda number: None, self._beside)

    def _read_zip(self, file: BinaryIO) -> Iterator[str]:
        with zipfile.ZipFile(file) as archive:
            names = [each for each in archive.namelist() if not each.endswith("/")]
            if "manifest.json" in names:
                raise UserError(
                    "{name} is a backup; use “Restore a backup” to bring back everything in it.", name=self._path.name
                )
            chatgpt = sorted(name for name in names if _CHATGPT_FILES.fullmatch(name))
            wanted = chatgpt or sorted(name for name in names if name.endswith(_LMSTUDIO_ENDING))
            wanted = wanted or sorted(name for name in names if name.endswith(".json"))
            if not wanted:
                raise ValueError("no conversations in it")
            by_number = {
                found.group(): name
                for name in names
                if (found := import_chatgpt.FILE_NUMBER.search(name.rpartition("/")[2]))
            }
            by_name = {name.rpartition("/")[2]: name for name in names}
            self._size = sum(archive.getinfo(name).file_size for name in wanted)
            for name in wanted:
                with archive.open(name) as inside:
                    yield self._read_json(
                        inside,
                        lambda number: _inside(archive, by_number.get(number)),
                        lambda number: (_inside(archive, by_name.get(number)) or (None,))[0],
                    )
                self._before += archive.getinfo(name).file_size

    def _read_json(self, file: Any, by_number: import_chatgpt.Attached, by_name: import_lmstudio.Attached) -> str:
        text = TextIOWrapper(file, encoding="utf-8-sig")
        try:
            stream = JsonStream(text, self._told)
            match stream.peek():
                case "[":
                    source = self._read_list(stream, by_number)
                case "{":
                    source = self._read_object(stream, by_number, by_name)
                case _:
                    raise ValueError("no JSON")
            stream.end()
        finally:
            text.detach()
        return source

    def _told(self, n_read: int) -> None:
        self._progress((self._before + n_read) / max(1, self._size))

    def _read_list(self, stream: JsonStream, attached: import_chatgpt.Attached) -> str:
        """ChatGPT's. A conversation in it that is none is skipped; a list without any is another program's."""
        n_good = n_bad = 0
        for value in stream.items():
            if import_chatgpt.is_conversation(value):
                import_chatgpt.read_conversation(value, self._stage, attached, self._now)
                n_good += 1
            else:
                n_bad += 1
                self._stage.skip("it is damaged")
        if n_bad and not n_good:
            raise ValueError("a list of other things")
        return CHATGPT

    def _read_object(
        self, stream: JsonStream, by_number: import_chatgpt.Attached, by_name: import_lmstudio.Attached
    ) -> str:
        members: dict[str, Any] = {}
        is_ours = False
        for name in stream.members():
            match name:
                case "conversations" if stream.peek() == "[":
                    is_ours = True
                    import_hearth.read_conversations(stream, self._stage)
                case "attachments" if stream.peek() == "{":
                    import_hearth.read_attachments(stream, self._stage)
                case _:
                    members[name] = stream.value()
                    if name == "version" and "format" in members:
                        import_hearth.check_head(members)
        if is_ours:
            import_hearth.check_head(members)
            return HEARTH
        if import_chatgpt.is_conversation(members):
            import_chatgpt.read_conversation(members, self._stage, by_number, self._now)
            return CHATGPT
        if import_lmstudio.is_conversation(members):
            import_lmstudio.read_conversation(members, self._stage, by_name, self._now)
            return LMSTUDIO
        raise ValueError("an object of another kind")

    def _beside(self, name: str) -> bytes | None:
        """A file of an LM Studio that is installed here: its folder of conversations has one of files beside it."""
        if name != Path(name).name or name in ("", ".", ".."):
            return None
        for folder in self._path.absolute().parents:
            if folder.name == "conversations":
                path = folder.parent / "user-files" / name
                if path.is_file() and path.stat().st_size <= LARGEST_FILE:
                    return path.read_bytes()
        return None


def _inside(archive: zipfile.ZipFile, name: str | None) -> tuple[bytes, str] | None:
    """A file's bytes and its own name."""
    if name is None or archive.getinfo(name).file_size > LARGEST_FILE:
        return None
    own = import_chatgpt.FILE_NUMBER.sub("", name.rpartition("/")[2], count=1).lstrip("-_") or name.rpartition("/")[2]
    return archive.read(name), own


@contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except (ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError) as error:
        # zipfile's words for what is encrypted or packed in another way are RuntimeError and NotImplementedError.
        raise UserError(
            "{name} is damaged, or no export of Hearth, ChatGPT or LM Studio; nothing was imported.",
            name=path.name,
            detail=f"{type(error).__name__}: {error}",
        ) from error
    except OSError as error:
        raise about_file(path, error) from error
