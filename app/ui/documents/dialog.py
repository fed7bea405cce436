"""Documents: the collections at the left, what is in one of them and what is found there at the right."""

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal, Slot
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QListWidgetItem, QWidget

from app.library.catalogue import LibraryModel
from app.services.documents.document_collections import CollectionFiles
from app.services.documents.documents import Documents
from app.services.documents.index_states import FoundPassages
from app.storage.passages.passage import Collection, Hit
from app.ui.documents.collection_page import CollectionPage
from app.ui.documents.models_dialog import CollectionModelsDialog
from app.ui.documents.remove_dialog import RemoveCollectionDialog
from app.ui.documents.rows import Row
from app.ui.formatting.sentences import translated
from app.ui.theme.appearance import Appearance
from app.ui.theme.fonts import scaled
from app.ui.widgets.buttons import IconButton, push_button
from app.ui.widgets.layouts import FILL, grow, hbox, middle, vbox
from app.ui.widgets.plain_list import plain_list
from app.ui.widgets.plain_text import plain_label
from app.ui.widgets.tab_order import TabOrderDialog
from app.ui.widgets.window_geometry import size_dialog

_LIST_WIDTH = 200


class DocumentsDialog(TabOrderDialog):
    """GUI thread; show it by `open()`."""

    passages_chosen = Signal(object, int)
    """What was found, a sequence of Hit, and at which of them people want to look"""
    file_chosen = Signal(object)
    """Path"""
    embedder_wanted = Signal(int)
    """The number of a collection that is to be searched with the recommended embedding model"""

    def __init__(
        self,
        appearance: Appearance,
        documents: Documents,
        models: Callable[[], Sequence[LibraryModel]],
        parent: QWidget,
    ) -> None:
        """`models` are those of this computer."""
        title = self.tr("Documents")
        super().__init__(title, parent)
        self._documents = documents
        self._models = models
        self._collections: Sequence[Collection] = ()
        self._wanted = ""
        """Name of the collection that is to be shown once it is there."""
        self.list = plain_list(self.tr("Collections"), self)
        self.list.setFixedWidth(scaled(_LIST_WIDTH))
        self.new_button = IconButton(appearance, "plus", self.tr("New collection"), self._new, parent=self)
        self.rename_button = IconButton(appearance, "edit", self.tr("Rename"), self._rename, parent=self)
        self.delete_button = IconButton(appearance, "trash", self.tr("Delete"), self._ask_removal, parent=self)
        self.page = CollectionPage(appearance, self)
        self._left, self._nothing = QWidget(self), QWidget(self)
        self.first_button = push_button(
            self.tr("Choose a folder…"), self, self.page.folder_button.click, tone="primary"
        )
        self.told = plain_label("danger", self, wraps=True)
        self.close_button = push_button(self.tr("Close"), self, self.reject)
        self.setAcceptDrops(True)
        self._lay_out()
        self._connect()
        self._take(documents.collections.collections)
        (self.page.search if self.current is not None else self.first_button).setFocus()
        self.page.progress.show_progress(documents.collections.progress)

    @property
    def collections(self) -> Sequence[Collection]:
        """As they are listed."""
        return self._collections

    @property
    def current(self) -> Collection | None:
        row = self.list.currentRow()
        return self._collections[row] if 0 <= row < len(self._collections) else None

    def add_paths(self, paths: Sequence[Path]) -> None:
        """To the collection that is shown, or to a new one that is called as the first of them."""
        if not paths:
            return
        self.told.clear()
        if (current := self.current) is not None:
            self._documents.collections.add_paths(current.id, paths)
        else:
            self._wanted = paths[0].stem or str(paths[0])
            self._documents.collections.add(self._wanted, paths)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            # A file manager that proposes to move would delete the original.
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()

    def dropEvent(self, event: QDropEvent) -> None:
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()
        self.add_paths([Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()])

    def _new(self) -> None:
        names = {each.name for each in self._collections}
        base = self.tr("New collection")
        numbered = (base if n == 1 else f"{base} {n}" for n in range(1, len(names) + 2))
        self._wanted = next(name for name in numbered if name not in names)
        self._documents.collections.add(self._wanted)

    def _rename(self) -> None:
        if self.current is not None and self.list.state() is not self.list.State.EditingState:
            self.list.editItem(self.list.currentItem())

    def _take_name(self, item: QListWidgetItem) -> None:
        row, name = self.list.row(item), item.text().strip()
        if name and name != self._collections[row].name:
            self._wanted = name
            self._documents.collections.rename(self._collections[row].id, name)
        else:
            item.setText(self._collections[row].name)

    def _ask_models(self) -> None:
        if (current := self.current) is not None:
            dialog = CollectionModelsDialog(current, self._models(), self)
            set_models = self._documents.collections.set_models
            dialog.accepted.connect(lambda: set_models(current.id, dialog.embedder, dialog.reranker))
            dialog.fetch_wanted.connect(lambda: self.embedder_wanted.emit(current.id))
            dialog.open()

    def _fetch_again(self) -> None:
        if (current := self.current) is not None:
            self.embedder_wanted.emit(current.id)

    def _ask_removal(self) -> None:
        if (current := self.current) is not None:
            dialog = RemoveCollectionDialog(current, self)
            dialog.accepted.connect(lambda: self._documents.collections.remove(current.id))
            dialog.open()

    def _take(self, collections: Sequence[Collection]) -> None:
        """Collections come, go, and are read further all the time: the one that is shown stays."""
        before = self.current
        self._collections = collections
        at = next((n for n, each in enumerate(collections) if each.name == self._wanted), -1)
        is_new, self._wanted = at >= 0 and bool(self._wanted), "" if at >= 0 else self._wanted
        if at < 0:
            at = next((n for n, each in enumerate(collections) if before is not None and each.id == before.id), 0)
        if self.list.state() is not self.list.State.EditingState:
            self._fill(at)
        self._show_any(bool(collections))
        self._show_current()
        if is_new and self._is_unnamed():
            self._rename()

    def _show_any(self, any_there: bool) -> None:
        """The collections, or what one is; the keyboard would otherwise be left at "Close"."""
        turned = any_there is self.page.isHidden()
        for each in (self._left, self.page):
            each.setVisible(any_there)
        self._nothing.setVisible(not any_there)
        if turned:
            (self.page.search if any_there else self.first_button).setFocus()

    def _is_unnamed(self) -> bool:
        current = self.current
        return current is not None and current.name.startswith(self.tr("New collection")) and not current.n_files

    def _fill(self, at: int) -> None:
        with QSignalBlocker(self.list):
            names = [each.name for each in self._collections]
            if [self.list.item(n).text() for n in range(self.list.count())] != names:
                self.list.clear()
                for name in names:
                    item = QListWidgetItem(name, self.list)
                    item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
            self.list.setCurrentRow(at if self._collections else -1)

    def _show_current(self) -> None:
        if (current := self.current) is not None:
            self.page.show_collection(current)
            self._documents.collections.ask_files(current.id)

    @Slot(object)
    def _show_files(self, told: CollectionFiles) -> None:
        if self.current is not None and self.current.id == told.collection:
            self.page.show_files(told.sources, told.files)

    def _change_current(self) -> None:
        self.page.search.setText("")
        self.page.show_found(FoundPassages(""))
        self._show_current()

    def _search(self, question: str) -> None:
        if (current := self.current) is not None:
            self._documents.search.search(question, current.id)

    def _open(self, row: Row) -> None:
        if isinstance(row.of, Hit):
            hits = [each.of for each in self.page.hits.list.rows if isinstance(each.of, Hit)]
            self.passages_chosen.emit(hits, hits.index(row.of))
        else:
            self.file_chosen.emit(Path(row.path))

    def _tell_failure(self, sentence: str) -> None:
        self.told.setText(translated(sentence))

    def _lay_out(self) -> None:
        headline = plain_label("brand", self, self.tr("Ask your own files"), wraps=True)
        about = plain_label("muted", self, wraps=True)
        about.setText(
            self.tr(
                "A collection is folders and files that Hearth reads in the background, so that you can search them by "
                "what they say and models can look things up in them. The files stay where they are, and nothing "
                "leaves this computer. Choose a folder, or drop folders and files here."
            )
        )
        for label in (headline, about):
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        vbox(FILL, headline, about, 6, middle(self.first_button), FILL, on=self._nothing, gap=8, margins=(40, 9, 40, 9))
        tools = hbox(self.new_button, self.rename_button, self.delete_button, FILL, gap=2)
        vbox(grow(self.list), tools, on=self._left, gap=8)
        both = hbox(self._left, grow(self.page), grow(self._nothing), gap=20)
        vbox(grow(both), hbox(grow(self.told), self.close_button, gap=8), on=self, gap=14, margins=(16, 18, 18, 16))
        size_dialog(self, QSize(640, 460), QSize(scaled(920), scaled(660)))

    def _connect(self) -> None:
        collections = self._documents.collections
        collections.changed.connect(self._take)
        collections.progressed.connect(self.page.progress.show_progress)
        collections.failed.connect(self._tell_failure)
        collections.files_told.connect(self._show_files)
        self._documents.search.found.connect(self.page.show_found)
        self.list.currentRowChanged.connect(self._change_current)
        self.list.itemChanged.connect(self._take_name)
        self.page.fetching.again_clicked.connect(self._fetch_again)
        self.page.progress.pause_clicked.connect(collections.pause)
        self.page.models_button.clicked.connect(self._ask_models)
        self.page.paths_chosen.connect(self.add_paths)
        self.page.question_typed.connect(self._search)
        self.page.row_chosen.connect(self._open)
        self.page.removal_wanted.connect(lambda source: collections.remove_source(source.id))
        self.page.again_wanted.connect(lambda file: collections.read_again(file.id))
