"""The documents of the message that is being written, as chips above the text."""

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QMenu, QWidget

from app.services.drafts.pending import PendingDocument
from app.ui.composer.attachment_chip import AttachmentChip
from app.ui.composer.attachment_tray import AttachmentTray
from app.ui.formatting.numbers import count, line_of, size_text
from app.ui.theme.appearance import Appearance


class DocumentChip(AttachmentChip[PendingDocument]):
    """A click or Enter shows its text."""

    ICON = "document"

    unfolded = Signal(int)
    """Its text is wanted in the field; its number, as with the other"""
    pages_wanted = Signal(int)
    """Only some of its pages may be."""

    def __init__(self, appearance: Appearance, pending: PendingDocument, parent: QWidget) -> None:
        super().__init__(appearance, pending, parent)
        self.setAccessibleDescription(self.tr("Enter shows the text, Delete removes the file."))

    @property
    def told(self) -> str:
        """The second line: size and tokens, or how far the reading has come."""
        document = self._pending
        if document.is_busy:
            if document.progress is None:
                return self.tr("Reading…")
            return self.tr("Reading, {percent} %").format(percent=round(document.progress * 100))
        size = size_text(document.size)
        if document.tokens is None:
            return size
        tokens = self.tr("{n} tokens") if document.tokens.exact else self.tr("≈ {n} tokens")
        return line_of((size, tokens.format(n=count(document.tokens.n))))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu().popup(
            event.globalPos() if not event.globalPos().isNull() else self.mapToGlobal(QPoint(8, self.height()))
        )

    def menu(self) -> QMenu:
        """What can be done with it."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if self._pending.part is not None:
            menu.addAction(self.tr("Show the text"), self._open)
            menu.addAction(self.tr("Put it into the field"), self._unfold)
            if self._pending.has_pages and not self._pending.is_busy:
                menu.addAction(self.tr("Choose pages…"), self._choose_pages)
        menu.addAction(self.tr("Remove"), self._remove)
        return menu

    def _said(self, place: int, of: int) -> str:
        return self.tr("File {place} of {count}: {name}").format(place=place, count=of, name=self._pending.name)

    def _progress(self) -> float | None:
        return self._pending.progress

    def _tip(self) -> list[str]:
        lines = [self._pending.name, self.told]
        if self._pending.tokens is not None and not self._pending.tokens.exact:
            lines.append(self.tr("No model has counted the tokens yet: the number is reckoned."))
        return lines

    def _choose_pages(self) -> None:
        self.pages_wanted.emit(self._pending.number)

    def _unfold(self) -> None:
        self.unfolded.emit(self._pending.number)


class DocumentTray(AttachmentTray[DocumentChip, PendingDocument]):
    unfolded = Signal(int)
    pages_wanted = Signal(int)

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(appearance, PendingDocument, parent)
        self.setAccessibleName(self.tr("Files of this message"))

    @property
    def longest_paged(self) -> int | None:
        """The number of the document that takes most of the context, if pages of it can be chosen."""
        documents = [chip.pending for chip in self.items]
        found = max(documents, key=lambda each: each.tokens.n if each.tokens is not None else 0, default=None)
        return found.number if found is not None and found.has_pages else None

    @property
    def waiting(self) -> str:
        return self.tr("The message goes as soon as its files are read…")

    def _make(self, pending: PendingDocument) -> DocumentChip:
        chip = DocumentChip(self._appearance, pending, self)
        chip.unfolded.connect(self.unfolded)
        chip.pages_wanted.connect(self.pages_wanted)
        return chip
