"""From the menu to the documents: opens the dialog, and what is chosen there."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QAbstractButton, QWidget

from app.core.errors import UserError
from app.core.messages import PassagePart
from app.core.model_ref import ModelRef
from app.ui.commands.actions import Actions, tell_key
from app.ui.passages.citation_list import CitationList, ShownCitation
from app.ui.theme.appearance import Appearance
from app.ui.widgets.notices import Notices

if TYPE_CHECKING:
    from app.library.catalogue import LibraryModel
    from app.services.documents.documents import Documents
    from app.storage.passages.passage import Hit, Passage
    from app.ui.documents.dialog import DocumentsDialog
    from app.ui.presenters.models import ModelsPresenter


class DocumentsPresenter(QObject):
    """GUI thread. `window` owns it."""

    passage_wanted = Signal(object)
    """CitationList: the dialog has made room for the page beside the chat."""

    def __init__(
        self,
        appearance: Appearance,
        documents: "Documents | None",
        models: "ModelsPresenter | None",
        actions: Actions,
        button: QAbstractButton,
        notices: Notices,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._appearance = appearance
        self._documents = documents
        self._models = models
        self._notices = notices
        self._window = window
        self._dialog: DocumentsDialog | None = None
        actions.documents.triggered.connect(self.open)
        button.clicked.connect(actions.documents.trigger)
        tell_key(actions.documents, button)
        for each in (actions.documents, button):
            each.setEnabled(documents is not None)
        if documents is not None:
            documents.collections.failed.connect(self._tell_failure)
        if models is not None:
            models.embedder.come.connect(self._use_embedder)

    @Slot()
    def open(self) -> None:
        """The one that is open already comes to the front."""
        # Imported here: the window's start need not wait for it.
        from app.ui.documents.dialog import DocumentsDialog

        if self._dialog is None and self._documents is not None:
            self._dialog = DocumentsDialog(self._appearance, self._documents, self._installed, self._window)
            self._follow_embedder(self._dialog)
            self._dialog.passages_chosen.connect(self._show_passages)
            self._dialog.file_chosen.connect(self._show_file)
            self._dialog.page.reveal_wanted.connect(self._reveal)
            self._dialog.finished.connect(self._forget)
            self._dialog.open()

    def _installed(self) -> "Sequence[LibraryModel]":
        return self._models.installed if self._models is not None else ()

    def _follow_embedder(self, dialog: "DocumentsDialog") -> None:
        if self._models is not None:
            line, embedder = dialog.page.fetching, self._models.embedder
            dialog.embedder_wanted.connect(self._models.fetch_embedder)
            line.stop_clicked.connect(embedder.stop)
            embedder.changed.connect(line.show_progress)
            line.show_progress(embedder.progress)

    @Slot(object, object)
    def _use_embedder(self, wished: tuple[int, ...], path: Path) -> None:
        """Passages are worked through with it from now on."""
        if self._documents is not None:
            for each in self._documents.collections.collections:
                if each.id in wished:
                    self._documents.collections.set_models(each.id, ModelRef.of_file(path), each.reranker)

    def _show_passages(self, hits: "Sequence[Hit]", at: int) -> None:
        if self._dialog is not None:
            self._dialog.accept()
        parts = (_part(number, each.passage) for number, each in enumerate(hits, 1))
        self.passage_wanted.emit(CitationList(tuple(map(ShownCitation, parts)), at))

    def _show_file(self, path: Path) -> None:
        # Imported here: what needs it is seldom wished, and the window is ready sooner.
        from app.ui.widgets.open_outside import open_file

        open_file(path, self._dialog or self._window)

    def _reveal(self, path: Path) -> None:
        from app.ui.widgets.open_outside import reveal

        reveal(path, self._dialog or self._window)

    def _forget(self) -> None:
        self._dialog = None

    def _tell_failure(self, sentence: str) -> None:
        if self._dialog is None:
            self._notices.show_error(UserError(sentence))


def _part(number: int, passage: "Passage") -> PassagePart:
    place = passage.page, passage.start, passage.end, passage.heading
    return PassagePart(number, passage.content_hash, passage.name, passage.body, *place)
