"""Which pages of a long document go with the message."""

from collections.abc import Iterable
from itertools import accumulate

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QLayout, QLineEdit, QWidget

from app.core.messages import DocumentPart
from app.engine.documents.document_pages import pages_of, parse_pages, told_pages
from app.services.engine.token_counts import TokenCount
from app.ui.formatting.numbers import count
from app.ui.widgets.buttons import push_button
from app.ui.widgets.dialogs import SmallDialog
from app.ui.widgets.dynamic_property import set_property
from app.ui.widgets.plain_text import plain_label

_WIDTH = 420
_SHARE = 0.7
"""Of the room that is left, which the proposal takes: an answer needs some too."""


class PagesDialog(SmallDialog):
    """Proposes the first pages that fit. GUI thread; show it by `open()`."""

    chosen = Signal(object)
    """tuple[int, ...]: numbers from 1, in order"""

    def __init__(self, whole: DocumentPart, tokens: TokenCount, room: int | None, parent: QWidget) -> None:
        """`tokens` are those of `whole`, a document with pages; `room` is what of the context is free for it, and None
        while nobody knows.
        """
        super().__init__(self.tr("Choose pages"), parent)
        pages = pages_of(whole)
        self._room = room
        self._sizes = [tokens.n * len(page) / max(1, len(whole.text)) for page in pages]
        self._n_pages = len(pages)
        told = self.tr("{name} has {n} pages. Only those that you name go with the message.")
        self.say(told.format(name=whole.name, n=count(self._n_pages)), width=_WIDTH)
        label = QLabel(self.tr("&Pages"), self)
        self.field = QLineEdit(self)
        self.field.setAccessibleName(self.tr("Pages"))
        self.field.setPlaceholderText(self.tr("1-20, 45"))
        self.field.setToolTip(self.tr("Numbers and ranges with commas between them, as in 1-20, 45"))
        label.setBuddy(self.field)
        self.status = plain_label("muted", self, wraps=True)
        self.cancel_button = push_button(
            self.tr("Cancel"), self, self.reject, tip=self.tr("Leaves the document as it is")
        )
        self.take_button = push_button(
            self.tr("Take"), self, self._take, tip=self.tr("Takes these pages instead of all")
        )
        for each in (label, self.field, self.status):
            self.body.addWidget(each)
        self.finish_layout(self.cancel_button, self.take_button)
        self.body.setSizeConstraint(QLayout.SizeConstraint.SetFixedSize)
        self.field.setFocus()
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
        set_property(self.status, "tone", level)
        self.status.setText(told)
        self.status.setAccessibleName(told)

    def _take(self) -> None:
        pages = self._pages()
        if pages is not None:
            self.chosen.emit(pages)
            self.accept()
