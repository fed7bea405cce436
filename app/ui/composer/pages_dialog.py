"""Which pages of a long document go with the message."""

from collections.abc import Iterable
from itertools import accumulate

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from app.core.messages import DocumentPart
from app.engine.documents.document_pages import pages_of, parse_pages, told_pages
from app.services.engine.token_counts import TokenCount
from app.ui.formatting.numbers import count
from app.ui.widgets.plain_text import plain_label

_WIDTH = 420
_SHARE = 0.7
"""Of the room that is left, which the proposal takes: an answer needs some too."""


class PagesDialog(QDialog):
    """Proposes the first pages that fit. GUI thread; show it by `open()`."""

    chosen = Signal(object)
    """tuple[int, ...]: numbers from 1, in order"""

    def __init__(self, whole: DocumentPart, tokens: TokenCount, room: int | None, parent: QWidget) -> None:
        """`tokens` are those of `whole`, a document with pages; `room` is what of the context is free for it, and None
        while nobody knows.
        """
        super().__init__(parent)
        self.setWindowTitle(self.tr("Choose pages"))
        self.setAccessibleName(self.windowTitle())
        pages = pages_of(whole)
        self._room = room
        self._sizes = [tokens.n * len(page) / max(1, len(whole.text)) for page in pages]
        self._n_pages = len(pages)
        told = plain_label("", self, wraps=True)
        told.setMinimumWidth(_WIDTH)
        told.setText(
            self.tr("{name} has {n} pages. Only those that you name go with the message.").format(
                name=whole.name, n=count(self._n_pages)
            )
        )
        label = QLabel(self.tr("&Pages"), self)
        self.field = QLineEdit(self)
        self.field.setAccessibleName(self.tr("Pages"))
        self.field.setPlaceholderText(self.tr("1-20, 45"))
        self.field.setToolTip(self.tr("Numbers and ranges with commas between them, as in 1-20, 45"))
        label.setBuddy(self.field)
        self.status = plain_label("muted", self, wraps=True)
        self.cancel_button, self.take_button = QPushButton(self.tr("Cancel"), self), QPushButton(self.tr("Take"), self)
        for button in (self.cancel_button, self.take_button):
            button.setAccessibleName(button.text())
        self.cancel_button.setAutoDefault(False)
        self.take_button.setDefault(True)
        self.take_button.setToolTip(self.tr("Takes these pages instead of all"))
        self.cancel_button.setToolTip(self.tr("Leaves the document as it is"))
        self.cancel_button.clicked.connect(self.reject)
        self.take_button.clicked.connect(self._take)
        self.finished.connect(self.deleteLater)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addStretch(1)
        row.addWidget(self.cancel_button)
        row.addWidget(self.take_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 22, 24, 18)
        column.setSpacing(10)
        for each in (told, label, self.field, self.status):
            column.addWidget(each)
        column.addSpacing(6)
        column.addLayout(row)
        column.setSizeConstraint(QLayout.SizeConstraint.SetFixedSize)
        self.field.textChanged.connect(self._refresh)
        self.show_chosen(range(1, self._proposed() + 1))

    def show_chosen(self, numbers: Iterable[int]) -> None:
        """Propose these, in order."""
        self.field.setText(told_pages(numbers))
        self.field.selectAll()

    def _proposed(self) -> int:
        if self._room is None:
            return self._n_pages
        most = _SHARE * self._room
        return max(1, sum(taken <= most for taken in accumulate(self._sizes)))

    def _pages(self) -> tuple[int, ...] | None:
        try:
            return parse_pages(self.field.text(), self._n_pages)
        except ValueError:
            return None

    def _refresh(self) -> None:
        pages = self._pages()
        self.take_button.setEnabled(pages is not None)
        taken = round(sum(self._sizes[number - 1] for number in pages or ()))
        if pages is None:
            told = self.tr("Name pages from 1 to {n}, as in 1-20, 45.").format(n=count(self._n_pages))
        elif self._room is None:
            told = self.tr("About {n} tokens.").format(n=count(taken))
        elif taken < self._room:
            told = self.tr("About {n} tokens, and {room} are free.").format(n=count(taken), room=count(self._room))
        else:
            told = self.tr("About {n} tokens: too many, as {room} are free.").format(
                n=count(taken), room=count(self._room)
            )
        level = "danger" if pages and self._room is not None and taken >= self._room else "muted"
        if self.status.property("tone") != level:
            self.status.setProperty("tone", level)
            self.status.style().unpolish(self.status)
            self.status.style().polish(self.status)
        self.status.setText(told)
        self.status.setAccessibleName(told)

    def _take(self) -> None:
        pages = self._pages()
        if pages is not None:
            self.chosen.emit(pages)
            self.accept()
