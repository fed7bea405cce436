"""Program text in a card of its own: language, copying, saving, wrapping, and a scroll bar for long lines."""

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from app.services.runtime.debounce import Debounce
from app.ui.richtext.code_colours import CodeColours
from app.ui.richtext.code_file import ask_where_to_save_code
from app.ui.richtext.code_text import CodeText
from app.ui.richtext.markdown_blocks import Code
from app.ui.richtext.selectable_text import Selector
from app.ui.theme.appearance import Appearance
from app.ui.theme.fonts import half_scaled
from app.ui.widgets.buttons import CopyButton, IconButton
from app.ui.widgets.plain_text import plain_label

_OPEN_MS = 120
_ABOVE, _BELOW = 2, 16
"""Free pixels outside the card."""
_HEAD = 36
_LEFT, _RIGHT, _BOTTOM = 15, 15, 3
_BUTTON_GAP = 2


class CodeBlock(QFrame):
    """Grows by `show_code` without laying out again what it holds. Colours come a little later than the text."""

    resized = Signal()
    """It needs another height at the same width."""

    def __init__(
        self, appearance: Appearance, parent: QWidget | None = None, *, selector: Selector | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("code")
        self.code = Code("", "")
        self._coloured: Code | None = None
        self._language: QLabel = plain_label("small", self)
        self._wrap = IconButton(appearance, "wrap", self.tr("Wrap long lines"), size=16, parent=self)
        self._wrap.setCheckable(True)
        self._wrap.toggled.connect(self._set_wraps)
        self.save_button = IconButton(appearance, "save", self.tr("Save the code as a file…"), size=16, parent=self)
        self.save_button.clicked.connect(lambda: ask_where_to_save_code(self.code, self))
        self._copy = CopyButton(appearance, self.tr("Copy code"), self._source, label=self.tr("Copy"), parent=self)
        self.text_view = CodeText(appearance, selector, self)
        self.colours = CodeColours(appearance, self.text_view.document(), self)
        self._later = Debounce(_OPEN_MS, self._colour_end, self)

    def show_code(self, code: Code, *, growing: bool) -> None:
        """`growing` code is coloured near its end only; finished code exactly, in small steps."""
        if code != self.code:
            self._write(code)
        if growing:
            if not self._later.isActive():
                self._later.start()
        elif code != self._coloured:
            self._later.stop()
            self._coloured = code
            self.colours.colour_all(code.language, code.text)

    def wrap(self) -> None:
        """Show long lines whole, until somebody wishes otherwise."""
        self._wrap.setChecked(True)

    def height_for(self, width: int) -> int:
        """Pixels; whoever places the widget asks."""
        return _ABOVE + half_scaled(_HEAD) + self.text_view.height_for(width - _LEFT - _RIGHT) + _BOTTOM + _BELOW

    def longest_line(self) -> int:
        """Pixels that the code would take without being wrapped, or its head where that is wider."""
        head = sum(each.sizeHint().width() + _BUTTON_GAP for each in (self._copy, self.save_button, self._wrap))
        head += self._language.sizeHint().width()
        return _LEFT + _RIGHT + max(head, self.text_view.longest_line())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def sizeHint(self) -> QSize:
        return QSize(200, self.height_for(self.width()))

    def _place(self) -> None:
        head, to_right = half_scaled(_HEAD), not self.isRightToLeft()
        left = self.width() - _RIGHT + 12
        for button in (self._copy, self.save_button, self._wrap):
            size = button.sizeHint()
            left -= size.width() + _BUTTON_GAP
            x = left if to_right else self.width() - left - size.width()
            button.setGeometry(x, _ABOVE + (head - size.height()) // 2 + 1, size.width(), size.height())
        size = self._language.sizeHint()
        wide = max(0, min(size.width(), left - _LEFT))
        x = _LEFT if to_right else self.width() - _LEFT - wide
        self._language.setGeometry(x, _ABOVE + (head - size.height()) // 2, wide, size.height())
        high = self.height() - _ABOVE - head - _BOTTOM - _BELOW
        self.text_view.setGeometry(_LEFT, _ABOVE + head, self.width() - _LEFT - _RIGHT, max(0, high))

    def _write(self, code: Code) -> None:
        shown = self.code.text
        if shown and code.text.startswith(shown):
            self.text_view.append_text(code.text[len(shown) :])
        else:
            self.text_view.write(code.text)
        if self._language.text() != (code.language or self.tr("text")):
            self._language.setText(code.language or self.tr("text"))
            self._place()
        self.code = code

    def _set_wraps(self, wraps: bool) -> None:
        self.text_view.set_wraps(wraps)
        self.resized.emit()

    def _colour_end(self) -> None:
        self.colours.colour_end(self.code.language, self.code.text)

    def _source(self) -> str:
        return self.code.text
