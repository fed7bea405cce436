"""The documents of a question: a row of names, each of which shows its text."""

from PySide6.QtCore import QCoreApplication, QSize, Qt, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QToolButton, QWidget

from app.core.document_form import PAGE_HEAD
from app.core.messages import DocumentPart
from app.ui.formatting.numbers import line_of, size_text
from app.ui.theme.appearance import Appearance
from app.ui.theme.icons import icon_size
from app.ui.widgets.buttons import CopyButton, blanks, push_button
from app.ui.widgets.dialogs import SmallDialog
from app.ui.widgets.discard import discard
from app.ui.widgets.find_bar import FindBar
from app.ui.widgets.flow import flow
from app.ui.widgets.plain_find import PlainFind

_GAP = 6
_WIDEST = 300


class DocumentChips(QWidget):
    """As high as its rows for the width that `place` is told."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._parts: tuple[DocumentPart, ...] = ()
        self.chips: list[QToolButton] = []
        appearance.changed.connect(self._tint)

    def show_documents(self, parts: tuple[DocumentPart, ...]) -> None:
        if parts == self._parts:
            return
        self._parts = parts
        gone, self.chips = self.chips, [self._make(part) for part in parts]
        discard(*gone)
        self._tint()

    def place(self, width: int) -> int:
        """Lay out in `width` pixels, at the side where the user's words stand; returns the height."""
        hints = [(chip.sizeHint(), blanks(chip)) for chip in self.chips]
        sizes = [QSize(min(hint.width() - blank, width, _WIDEST), hint.height()) for hint, blank in hints]
        places, height = flow(sizes, width, _GAP, to_right=not self.isRightToLeft())
        for chip, size, place in zip(self.chips, sizes, places, strict=True):
            chip.resize(size)
            chip.move(place)
        self.resize(width, height)
        return height

    def _make(self, part: DocumentPart) -> QToolButton:
        chip = QToolButton(self)
        chip.setProperty("tone", "chip")
        chip.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        chip.setIconSize(icon_size(16))
        name = part.name or self.tr("Pasted text")
        size = size_text(len(part.text.encode("utf-8", "surrogatepass")))
        metrics = chip.fontMetrics()
        shown = metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, _WIDEST - 120)
        chip.setText(line_of((shown, size)).replace("&", "&&"))
        chip.setToolTip(self.tr("Show the text"))
        chip.setAccessibleName(self.tr("{name}, {size}: show the text").format(name=name, size=size))
        chip.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        chip.setCursor(Qt.CursorShape.PointingHandCursor)
        chip.clicked.connect(lambda: DocumentDialog(self._appearance, part, self.window()).open())
        chip.show()
        return chip

    def _tint(self) -> None:
        for chip in self.chips:
            chip.setIcon(self._appearance.icon("document", "muted"))


class DocumentDialog(SmallDialog):
    """The text that the model reads of a document."""

    def __init__(self, appearance: Appearance, part: DocumentPart, parent: QWidget) -> None:
        super().__init__(part.name or QCoreApplication.translate("DocumentChips", "Pasted text"), parent)
        self.told = self.say(self.tr("This is what the model reads of it."), "muted", width=0)
        self.bar = FindBar(appearance, self)
        self.body.addWidget(self.bar)
        self.text = self.show_text(part.text, self.tr("Text of the document"))
        self.bar.field.setPlaceholderText(self.tr("Find in this text"))
        self.bar.field.setAccessibleName(self.tr("Find in this text"))
        if (line := self.bar.layout()) is not None:
            line.setContentsMargins(0, 0, 0, 10)
        self.bar.hide()
        self._whole = part.text
        finding = PlainFind(self.bar, self.text, part.text)
        finding.moved.connect(self._tell_page)
        QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self, self._find)
        find = push_button(self.tr("Find…"), self, self._find, tip=self.tr("Look for words in this text (Ctrl+F)"))
        copy = CopyButton(appearance, self.tr("Copy the text"), lambda: part.text, label=self.tr("Copy"), parent=self)
        self.finish_layout(push_button(self.tr("Close"), self, self.accept), before=(copy, find))
        self.resize(min(760, parent.width() - 60), min(640, parent.height() - 60))

    @Slot()
    def _find(self) -> None:
        self.bar.open()

    @Slot(int)
    def _tell_page(self, place: int) -> None:
        """Under which head the hit stands: that is the number by which pages are chosen."""
        heads = PAGE_HEAD.findall(self._whole, 0, place)
        if heads:
            self.told.setText(self.tr("Page {n}").format(n=heads[-1]))
