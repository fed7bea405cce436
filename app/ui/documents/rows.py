"""What a row says: of a folder or file that people named, of a file that was found there, and of a passage."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from PySide6.QtCore import QCoreApplication

from app.services.documents.index_states import FoundPassages
from app.storage.passages.passage import FileState, Hit, IndexedFile, Source
from app.storage.passages.questions import words_of
from app.ui.formatting.numbers import count, line_of
from app.ui.formatting.sentences import translated

_BEFORE = 60
"""Characters of a passage that are shown before the first word that was looked for."""
_SHOWN = 300
_BLANKS = re.compile(r"\s+")


def _tr(text: str, n: int = -1) -> str:
    return QCoreApplication.translate("documents", text, None, n)


@dataclass(frozen=True, slots=True)
class Row:
    """Two lines with an icon."""

    of: Source | IndexedFile | Hit
    icon: str
    name: str
    line: str
    path: str
    """Of the file or folder; empty where it is not there."""
    tone: str = "muted"
    """The token that colours the second line."""
    source: Source | None = None
    """What it is in the collection by, if people named it itself."""

    @property
    def opens(self) -> bool:
        """What was read of a passage can be shown without its file."""
        return bool(self.path) or isinstance(self.of, Hit)

    @property
    def said(self) -> str:
        """By a screen reader."""
        return f"{self.name}, {self.line}" if self.line else self.name


def rows_of(sources: Sequence[Source], files: Sequence[IndexedFile]) -> tuple[Row, ...]:
    """Folders first, then files; what people named and nobody has looked at yet is listed as well."""
    named = {each.path: each for each in sources if not each.is_folder}
    folders = [each.path for each in sources if each.is_folder]
    listed = [file_row(each, _within(each.path, folders), named.pop(each.path, None)) for each in files]
    return (*(_source_row(each) for each in sources if each.is_folder), *map(_source_row, named.values()), *listed)


def _source_row(source: Source) -> Row:
    name = PurePath(source.path).name or source.path
    icon, kind = ("folder", _tr("Folder")) if source.is_folder else ("document", _tr("File"))
    return Row(source, icon, name, line_of((kind, source.path)), source.path, source=source)


def file_row(file: IndexedFile, name: str, source: Source | None = None) -> Row:
    path, tone, told = file.path, "muted", ""
    match file.state:
        case FileState.FAILED:
            told, tone = translated(file.sentence), "warning"
        case FileState.GONE:
            told, tone, path = _tr("Not there now; nothing of it is found until it is back"), "warning", ""
        case FileState.WAITS:
            told = _tr("Waits to be read")
        case FileState.READS:
            told = _tr("Is read now")
        case FileState.DONE:
            pages = _tr("%n page(s)", file.n_pages) if file.n_pages else ""
            told = line_of((pages, _tr("%n passage(s)", file.n_passages), translated(file.sentence)))
    return Row(file, "document", name, told, path, tone, source)


def _within(path: str, folders: Sequence[str]) -> str:
    """As it is called from the folder that people named: there may be many of one name."""
    whole = PurePath(path)
    found = next((each for each in folders if whole.is_relative_to(each)), None)
    return str(whole.relative_to(found)) if found is not None and found != path else whole.name


def hit_row(hit: Hit, found: FoundPassages) -> Row:
    passage = hit.passage
    page = _tr("page {number}").format(number=count(passage.page)) if passage.page is not None else ""
    name = line_of((passage.name, page, passage.heading))
    return Row(hit, "search", name, _piece(passage.body, found.question), found.paths.get(passage.content_hash, ""))


def _piece(body: str, question: str) -> str:
    """One line of a passage, around the first word that was looked for."""
    line = _BLANKS.sub(" ", body).strip()
    lower = line.lower()
    places = [at for word in words_of(question) if (at := lower.find(word)) >= 0]
    start = max(0, min(places, default=0) - _BEFORE)
    if start:
        start = line.find(" ", start) + 1
    return ("… " if start else "") + line[start : start + _SHOWN]
