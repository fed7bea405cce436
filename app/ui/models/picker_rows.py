"""Which models the picker offers, in which order: with a star, then those used last, then by name, then the guide."""

from collections.abc import Collection, Sequence
from pathlib import Path

from PySide6.QtCore import QCoreApplication

from app.core.resources import GUIDE
from app.library.catalogue import LibraryModel
from app.library.model_sources import Source
from app.ui.formatting.numbers import file_title
from app.ui.models.rows import Row, place_text, starred_first
from app.ui.widgets.fuzzy_match import folded


def picker_rows(
    known: Sequence[Row], recent: Sequence[Path], installed: Sequence[Path], starred: Collection[str] = ()
) -> tuple[Row, ...]:
    """Each once. `known` is what the library tells, by name; what it calls damaged, or no model, is left out."""
    by_path = {path: row for row in known for path in (row.model.path, *row.model.also, *row.model.parts)}
    found: dict[Path, Row] = {}
    for path in (*recent, *(row.model.path for row in known), *installed):
        row = by_path.get(path) or _plain_row(path)
        if path != GUIDE and (row.model.is_usable or path not in by_path):
            found.setdefault(row.model.path, row)
    if GUIDE.is_file():
        found[GUIDE] = _plain_row(GUIDE)
    return starred_first(tuple(found.values()), starred)


def _plain_row(path: Path) -> Row:
    """Of a file that the library has not described."""
    model = LibraryModel(path, file_title(path), Source.FOLDER, 0, (path,), 0, None)
    line = QCoreApplication.translate("models", "Comes with Hearth") if path == GUIDE else place_text(model)
    return Row(model, line, (), index=folded(f"{model.name} {line} {path.name}"))
