"""What is written where: exports in all their formats, called in the exchange thread."""

import re
import shutil
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from app.core.files import write_atomic
from app.core.messages import AudioPart, ImagePart, MediaPart
from app.services.exchange.without_citations import without_citations
from app.storage.attachments import AttachmentStore
from app.storage.database import Database
from app.storage.exchange.connections import reading
from app.storage.exchange.export_json import write_json
from app.storage.exchange.export_markdown import markdown
from app.storage.exchange.outfile import Progress, out_file, out_path, safe_name, unused
from app.storage.exchange.reader import conversation_ids, records
from app.storage.exchange.records import ConversationRecord
from app.storage.file_errors import about_file

Bytes = Callable[[str], bytes | None]
"""The file of a picture by its hash; None where it is lost."""


class ExportFormat(StrEnum):
    MARKDOWN = "markdown"
    HTML = "html"
    PDF = "pdf"
    JSON = "json"


@dataclass(frozen=True, slots=True)
class ExportPlan:
    format: ExportFormat
    path: Path
    conversation_ids: tuple[int, ...] | None
    """None for all."""
    reasoning: bool = True
    """Whether what models thought is in it; JSON always has it."""
    citations: bool = True
    """Whether the numbers of passages, and what they stand for, are in it; JSON always has them."""
    letter: bool = False
    """Of a PDF: pages of the size Letter instead of A4."""

    @property
    def is_one(self) -> bool:
        return self.conversation_ids is not None and len(self.conversation_ids) == 1


class Pages(Protocol):
    """Writes conversations as web pages. For one thread."""

    def page(self, record: ConversationRecord, picture: Bytes, *, reasoning: bool = True) -> bytes: ...

    def index(self, pages: list[tuple[str, ConversationRecord]]) -> bytes: ...


PdfWriter = Callable[[Path, Iterator[ConversationRecord], Bytes, bool, bool, Callable[[], None]], None]
"""Called with the file, conversations, pictures, whether with reasoning, whether on Letter, and what to call after
each page."""


@dataclass(frozen=True, slots=True)
class Writers:
    """What only the window can draw."""

    pages: Callable[[], Pages]
    pdf: Callable[[], PdfWriter]


def suffix(format: ExportFormat, *, is_one: bool) -> str:
    """The ending of the file: many Markdown files or pages come as one archive."""
    match format:
        case ExportFormat.MARKDOWN:
            return ".md" if is_one else ".zip"
        case ExportFormat.HTML:
            return ".html" if is_one else ".zip"
        case ExportFormat.PDF:
            return ".pdf"
        case ExportFormat.JSON:
            return ".json"


def export(
    plan: ExportPlan, database_path: Path, attachments: AttachmentStore, writers: Writers, progress: Progress
) -> int:
    """Write the file, whole or not at all; returns how many conversations. Raises UserError."""
    with reading(database_path) as database:
        return _Export(plan, database, attachments, writers, progress).run()


class _Export:
    def __init__(
        self, plan: ExportPlan, database: Database, attachments: AttachmentStore, writers: Writers, progress: Progress
    ) -> None:
        self._plan = plan
        self._ids = conversation_ids(database) if plan.conversation_ids is None else plan.conversation_ids
        self._database = database
        self._attachments = attachments
        self._writers = writers
        self._progress = progress
        self._n_done = 0

    def run(self) -> int:
        match self._plan.format:
            case ExportFormat.JSON:
                with out_file(self._plan.path) as file:
                    write_json(file, self._records(), self._attachments, self._look)
            case ExportFormat.PDF:
                self._pdf()
            case ExportFormat.MARKDOWN if self._plan.is_one:
                self._one_markdown()
            case ExportFormat.MARKDOWN:
                self._many_markdown()
            case ExportFormat.HTML if self._plan.is_one:
                pages = self._writers.pages()
                for record in self._records():
                    page = pages.page(record, self._attachments.get, reasoning=self._plan.reasoning)
                    with out_file(self._plan.path) as file:
                        file.write(page)
            case ExportFormat.HTML:
                self._many_pages()
        return self._n_done

    def _records(self) -> Iterator[ConversationRecord]:
        plain = not self._plan.citations and self._plan.format is not ExportFormat.JSON
        for record in records(self._database, self._ids):
            self._look()
            yield without_citations(record) if plain else record
            self._n_done += 1
        self._look()

    def _look(self) -> None:
        self._progress(self._n_done / max(1, len(self._ids)))

    def _pdf(self) -> None:
        with out_path(self._plan.path) as unfinished:
            picture, plan = self._attachments.get, self._plan
            self._writers.pdf()(unfinished, self._records(), picture, plan.reasoning, plan.letter, self._look)

    def _one_markdown(self) -> None:
        """Pictures lie in a folder beside the file."""
        path = self._plan.path
        folder = path.with_name(f"{path.stem} files")
        written: list[Path] = []
        was_there = folder.exists()

        def placed(part: MediaPart) -> str:
            data = self._attachments.get(part.content_hash)
            if data is None:
                return ""
            target = folder / media_name(part, data)
            try:
                if not target.exists():
                    written.append(target)
                    write_atomic(target, data)
            except OSError as error:
                raise about_file(target, error) from error
            return f"{folder.name}/{target.name}"

        try:
            for record in self._records():
                text = markdown(record, placed, reasoning=self._plan.reasoning)
                with out_file(path) as file:
                    file.write(_utf8(text))
        except BaseException:
            with suppress(OSError):
                for each in written:
                    each.unlink(missing_ok=True)
                if not was_there:
                    shutil.rmtree(folder, ignore_errors=True)
            raise

    def _many_markdown(self) -> None:
        taken: set[str] = set()
        with out_file(self._plan.path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            packed: set[str] = set()

            def placed(part: MediaPart) -> str:
                data = self._attachments.get(part.content_hash)
                if data is None:
                    return ""
                name = f"{_FOLDERS[type(part)]}/{media_name(part, data)}"
                if name not in packed:
                    packed.add(name)
                    archive.writestr(name, data, zipfile.ZIP_STORED)
                return name

            for record in self._records():
                name = unused(safe_name(record.title, "Conversation"), taken)
                archive.writestr(f"{name}.md", _utf8(markdown(record, placed, reasoning=self._plan.reasoning)))

    def _many_pages(self) -> None:
        pages, taken = self._writers.pages(), {"index"}
        listed: list[tuple[str, ConversationRecord]] = []
        with out_file(self._plan.path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for record in self._records():
                name = f"{unused(safe_name(record.title, 'Conversation'), taken)}.html"
                archive.writestr(name, pages.page(record, self._attachments.get, reasoning=self._plan.reasoning))
                # Of what is listed only the head is needed.
                head = ConversationRecord(record.title, record.created_at, record.updated_at)
                listed.append((name, head))
            archive.writestr("index.html", pages.index(listed))


_ENDINGS = (
    (b"\x89PNG", ".png"),
    (b"\xff\xd8\xff", ".jpg"),
    (b"GIF8", ".gif"),
    (b"BM", ".bmp"),
    (b"RIFF", ".webp"),
    (b"II*\0", ".tif"),
    (b"MM\0*", ".tif"),
)
_FOLDERS: dict[type[MediaPart], str] = {ImagePart: "pictures", AudioPart: "recordings"}
_SPACE = re.compile(r"[\s()\[\]]+")


def media_name(part: MediaPart, data: bytes) -> str:
    """A file's name that tells files apart and needs no escapes in Markdown."""
    nameless = "recording" if isinstance(part, AudioPart) else "picture"
    stem = _SPACE.sub("-", safe_name(Path(part.name).stem, nameless)).strip("-") or nameless
    endings = _ENDINGS if not isinstance(part, AudioPart) else ()
    ending = next((ending for start, ending in endings if data.startswith(start)), Path(part.name).suffix[:8])
    return f"{stem}-{part.content_hash[:12]}{ending}"


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "replace")
