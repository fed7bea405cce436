"""Below an answer: the passages that it cites, and those that were looked at."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QLabel, QToolButton, QWidget

from app.core.messages import PassagePart
from app.ui.richtext.citation_marks import source_line
from app.ui.theme.appearance import Appearance
from app.ui.widgets.buttons import blanks
from app.ui.widgets.discard import discard
from app.ui.widgets.flow import flow
from app.ui.widgets.plain_text import plain_label

_GAP = 6
_WIDEST = 260
_FEW = 3
"""That are shown of those that were looked at, until all are asked for."""


class SourceChips(QWidget):
    """As high as its rows for the width that `place` is told; a chip opens the page."""

    wanted = Signal(int)
    """The number of a passage."""
    resized = Signal()

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._parts: tuple[PassagePart, ...] = ()
        self._cited: frozenset[int] = frozenset()
        self._no_words = False
        self._shows_all = False
        self.label = plain_label("muted", self)
        self.chips: list[QToolButton] = []

    @property
    def is_empty(self) -> bool:
        return not self._parts and not self._no_words

    def show_sources(self, parts: Sequence[PassagePart], cited: frozenset[int], *, no_words: bool = False) -> None:
        """`cited` come first; with `no_words` it is said that nothing has words of the question."""
        if (tuple(parts), cited, no_words) != (self._parts, self._cited, self._no_words):
            self._parts, self._cited, self._no_words = tuple(parts), cited, no_words
            self._fill()

    def place(self, width: int) -> int:
        """Lay out in `width` pixels; returns the height."""
        items: list[QLabel | QToolButton] = [self.label, *self.chips]
        sizes = []
        for item in items:
            hint = item.sizeHint()
            blank = blanks(item) if isinstance(item, QToolButton) else 0
            widest = _WIDEST if isinstance(item, QToolButton) else width
            sizes.append(QSize(min(hint.width() - blank, width, widest), max(hint.height(), self._high())))
        places, height = flow(sizes, width, _GAP, to_right=self.isRightToLeft())
        for item, size, place in zip(items, sizes, places, strict=True):
            item.resize(size)
            item.move(place)
        self.resize(width, height)
        return height

    def _high(self) -> int:
        return self.chips[0].sizeHint().height() if self.chips else 0

    def _fill(self) -> None:
        cited = [each for each in self._parts if each.number in self._cited]
        others = [each for each in self._parts if each.number not in self._cited]
        self.label.setText(self._heading())
        shown = cited if cited and not self._shows_all else [*cited, *others]
        if not cited and not self._shows_all:
            shown = others[:_FEW]
        gone, self.chips = self.chips, [self._chip(each) for each in shown]
        discard(*gone)
        if hidden := len(self._parts) - len(shown):
            self.chips.append(self._more(hidden))
        self.label.show()
        self.resized.emit()

    def _heading(self) -> str:
        heading = self.tr("Sources:") if self._cited else self.tr("Looked at:")
        if not self._no_words:
            return heading
        told = self.tr("Nothing in your documents has words of this question.")
        return f"{told} {heading}" if self._parts else told

    def _chip(self, part: PassagePart) -> QToolButton:
        chip = self._button()
        told = f"{part.number}  {source_line(part)}"
        chip.setText(chip.fontMetrics().elidedText(told, Qt.TextElideMode.ElideMiddle, _WIDEST - 30).replace("&", "&&"))
        chip.setToolTip(source_line(part) + (f"\n{part.heading}" if part.heading else ""))
        chip.setAccessibleName(
            self.tr("Source {n}: {place}. Open the page").format(n=part.number, place=source_line(part))
        )
        chip.clicked.connect(lambda: self.wanted.emit(part.number))
        return chip

    def _more(self, n: int) -> QToolButton:
        chip = self._button()
        chip.setText(self.tr("Looked at %n more", "", n) if self._cited else self.tr("%n more", "", n))
        chip.clicked.connect(self._show_all)
        return chip

    def _button(self) -> QToolButton:
        chip = QToolButton(self)
        chip.setProperty("tone", "chip")
        chip.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        chip.setCursor(Qt.CursorShape.PointingHandCursor)
        chip.show()
        return chip

    def _show_all(self) -> None:
        self._shows_all = True
        self._fill()
        if self.chips:
            self.chips[0].setFocus()
