"""The text of a document, put together while it is walked through."""

from app.engine.documents.documents import MAX_CHARS

_BULLET = "- "


class TooLongError(ValueError):
    """More text than Hearth takes."""


class Blocks:
    """Paragraphs; a table becomes lines of cells. A table in a cell is a part of that cell's text."""

    def __init__(self) -> None:
        self._done: list[str] = []
        self._run: list[str] = []
        self._cells: list[str] = []
        self._rows: list[str] = []
        self._cell: list[str] = []
        self._depth = 0
        """Of tables."""
        self._length = 0

    def add(self, text: str) -> None:
        """To the paragraph at hand."""
        self._length += len(text)
        if self._length > MAX_CHARS:
            raise TooLongError
        self._run.append(text)

    def end_paragraph(self, prefix: str = "") -> None:
        """`prefix` stands before its first line: a heading's marks, a list's."""
        text = "".join(self._run).strip()
        self._run.clear()
        if text and self._depth:
            self._cell.append(text)
        elif text:
            self._put(prefix + text)

    def end_item(self) -> None:
        """The paragraph is one of a list."""
        self.end_paragraph(_BULLET)

    def end_heading(self, level: int) -> None:
        self.end_paragraph("#" * min(max(level, 1), 6) + " ")

    def begin_table(self) -> None:
        if not self._depth:
            self.end_paragraph()
        self._depth += 1

    def end_cell(self, times: int = 1) -> None:
        self.end_paragraph()
        if self._depth == 1:
            self._cells += [" ".join(self._cell).replace("\n", " ")] * times
            self._cell.clear()

    def end_row(self) -> None:
        if self._depth == 1:
            if any(self._cells):
                self._rows.append(" | ".join(self._cells).rstrip(" |"))
            self._cells.clear()

    def end_table(self) -> None:
        self._depth = max(0, self._depth - 1)
        if not self._depth and self._rows:
            self._put("\n".join(self._rows))
            self._rows.clear()

    def text(self) -> str:
        self.end_paragraph()
        return "".join(self._done)

    def _put(self, block: str) -> None:
        if self._done:
            together = block.startswith(_BULLET) and self._done[-1].startswith(_BULLET)
            self._done.append("\n" if together else "\n\n")
        self._done.append(block)
