"""The documents of the message that is being written, as chips above the text."""

from functools import partial

from PySide6.QtCore import QPoint, QSize, Qt, Signal, Slot
from PySide6.QtGui import QContextMenuEvent, QKeyEvent
from PySide6.QtWidgets import QMenu, QWidget

from app.services.drafts.pending import PendingDocument
from app.ui.composer.attachment_chip import AttachmentChip
from app.ui.composer.attachment_tray import BUTTON, AttachmentTray
from app.ui.formatting.numbers import count, duration, line_of, size_text
from app.ui.theme.appearance import Appearance
from app.ui.widgets.buttons import IconButton


class DocumentChip(AttachmentChip[PendingDocument]):
    """A click or Enter shows its text."""

    ICON = "document"

    unfolded = Signal(int)
    """Its text is wanted in the field; its number, as with the other"""
    passages_wanted = Signal(int, bool)
    """Only the best passages of it are to go, or all of it."""
    pages_wanted = Signal(int)
    """Only some of its pages may be."""

    def __init__(self, appearance: Appearance, pending: PendingDocument, parent: QWidget) -> None:
        super().__init__(appearance, pending, parent)
        self.setAccessibleDescription(
            self.tr("Enter shows the text, P changes between all of it and its best passages, Delete removes the file.")
        )
        self.choice_button = IconButton(appearance, "swap", "", self._change_choice, size=14, parent=self)
        self.choice_button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.choice_button.setFixedSize(BUTTON, BUTTON)

    @property
    def told(self) -> str:
        """The second line: size and tokens, or how far the reading has come."""
        document = self._pending
        if document.is_busy:
            if document.progress is None:
                return self.tr("Reading…")
            return self.tr("Reading, {percent} %").format(percent=round(document.progress * 100))
        if document.most_passages:
            return self._told_passages(document)
        size = self.tr("all %n page(s)", "", document.n_pages) if document.n_pages else size_text(document.size)
        if document.tokens is None:
            return size
        tokens = self.tr("{n} tokens") if document.tokens.exact else self.tr("≈ {n} tokens")
        once = self.tr("about {time} once").format(time=duration(document.seconds)) if document.seconds >= 1 else ""
        return line_of(filter(None, (size, tokens.format(n=count(document.tokens.n)), once)))

    def _told_passages(self, document: PendingDocument) -> str:
        if not document.n_passages:
            return self.tr("best passages; counting…")
        if document.n_passages <= document.most_passages:
            return self.tr("its %n passage(s)", "", document.n_passages)
        told = self.tr("the {most} best passages of {n}")
        return told.format(most=document.most_passages, n=count(document.n_passages))

    def show_pending(self, pending: PendingDocument, place: int, of: int) -> None:
        super().show_pending(pending, place, of)
        self.choice_button.setVisible(pending.part is not None and not pending.is_busy)
        self.choice_button.say(
            self.tr("Hand over all of it instead")
            if pending.most_passages
            else self.tr("Hand over only the best passages for each question instead")
        )

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_P and self._pending.part is not None:
            self._change_choice()
        else:
            super().keyPressEvent(event)

    def sizeHint(self) -> QSize:
        hint = super().sizeHint()
        return QSize(hint.width() + self._beside(), hint.height())

    def _place_button(self) -> None:
        super()._place_button()
        place = self.remove_button.pos()
        by = -BUTTON if self.layoutDirection() == Qt.LayoutDirection.LeftToRight else BUTTON
        self.choice_button.move(place.x() + by, place.y())

    def _beside(self) -> int:
        return BUTTON

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
            menu.addSeparator()
            for told, by_passages in (
                (self.tr("Hand over all of it"), False),
                (self.tr("Only the best passages"), True),
            ):
                chosen = menu.addAction(told, partial(self._choose, by_passages=by_passages))
                chosen.setCheckable(True)
                chosen.setChecked(self._pending.part.by_passages is by_passages)
            menu.addSeparator()
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

    def _choose(self, *, by_passages: bool) -> None:
        self.passages_wanted.emit(self._pending.number, by_passages)

    @Slot()
    def _change_choice(self) -> None:
        self._choose(by_passages=not self._pending.most_passages)

    def _choose_pages(self) -> None:
        self.pages_wanted.emit(self._pending.number)

    def _unfold(self) -> None:
        self.unfolded.emit(self._pending.number)


class DocumentTray(AttachmentTray[DocumentChip, PendingDocument]):
    unfolded = Signal(int)
    pages_wanted = Signal(int)
    passages_wanted = Signal(int, bool)

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
        chip.passages_wanted.connect(self.passages_wanted)
        return chip
