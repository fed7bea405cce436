"""One collection: what is in it, how far it is read, and a field to search it with."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QStackedWidget, QWidget

from app.services.documents.index_states import FoundPassages
from app.storage.passages.passage import Collection, FileState, IndexedFile, Source
from app.ui.documents.embedder_line import EmbedderLine
from app.ui.documents.progress_line import IndexProgressLine
from app.ui.documents.row_list import RowListView
from app.ui.documents.rows import Row, hit_row, rows_of
from app.ui.formatting.numbers import count, line_of
from app.ui.formatting.sentences import translated
from app.ui.theme.appearance import Appearance
from app.ui.widgets.buttons import push_button
from app.ui.widgets.file_dialogs import ask_for_files, ask_for_folder, documents_folder
from app.ui.widgets.flow_row import FlowRow
from app.ui.widgets.layouts import grow, vbox
from app.ui.widgets.menus import add_action, passing_menu
from app.ui.widgets.plain_text import plain_label, tell
from app.ui.widgets.search_field import SearchField

_MOST = 3000
"""Files that are listed; those with a problem come first."""


class CollectionPage(QWidget):
    """Shows what it is given, and says what is wanted."""

    paths_chosen = Signal(object)
    """list[Path]: to be put into the collection"""
    question_typed = Signal(str)
    row_chosen = Signal(object)
    """Row: a file or a passage to look at"""
    reveal_wanted = Signal(object)
    """Path: to be shown in the file manager"""
    removal_wanted = Signal(object)
    """Source: its files are to be forgotten"""
    again_wanted = Signal(object)
    """IndexedFile: to be read again"""

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self.heading = plain_label("title", self)
        self.state = plain_label("small", self, wraps=True)
        self.progress = IndexProgressLine(self)
        self.fetching = EmbedderLine(self)
        self.search = SearchField(self.tr("Search these documents"), self, appearance)
        self.search.setToolTip(self.tr("Ask as you would ask a person: any of the words may be there"))
        self.files = RowListView(appearance, self.tr("Folders and files"), self)
        self.hits = RowListView(appearance, self.tr("Passages found"), self)
        self.nothing = plain_label("muted", self, wraps=True)
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.told = plain_label("warning", self, wraps=True)
        self._lists = QStackedWidget(self)
        for each in (self.files, self.hits, self.nothing):
            self._lists.addWidget(each)
        self.folder_button = push_button(self.tr("Add a folder…"), self, self.ask_folder)
        self.files_button = push_button(self.tr("Add files…"), self, self._ask_files)
        self.remove_button = push_button(
            self.tr("Take out"), self, self._remove, tip=self.tr("Hearth forgets it; the files stay where they are")
        )
        self.models_button = push_button(
            self.tr("Search by meaning…"), self, tip=self.tr("Choose models that help to find passages")
        )
        self.open_button = push_button(self.tr("Open"), self, self._open)
        self._found = FoundPassages("")
        self._lay_out()
        self._connect()
        self.show_found(self._found)

    def show_collection(self, collection: Collection) -> None:
        self.heading.setText(collection.name)
        failed = self.tr("{count} of them not read: a better copy in its place is read by itself")
        parts = (
            self.tr("%n file(s)", None, collection.n_files),
            failed.format(count=count(collection.n_failed)) if collection.n_failed else "",
            self.tr("%n passage(s)", None, collection.n_passages),
            "" if collection.embedder else self.tr("found by words alone"),
        )
        self.state.setText(line_of(parts))

    def show_files(self, sources: Sequence[Source], files: Sequence[IndexedFile]) -> None:
        self.files.show_rows(rows_of(sources, files[:_MOST]))
        self._show_list()

    def show_found(self, found: FoundPassages) -> None:
        self._found = found
        self.hits.show_rows(tuple(hit_row(each, found) for each in found.hits))
        self.hits.setCurrentIndex(self.hits.list.index(0, 0))
        self._show_list()

    def _show_list(self) -> None:
        """What was found while something is looked for, otherwise what there is; or why there is nothing."""
        looks = bool(self._found.question.strip())
        view = self.hits if looks else self.files
        self._lists.setCurrentWidget(view if view.list.rows else self.nothing)
        self.nothing.setText(self._why_nothing(looks=looks))
        tell(self.told, translated(self._found.problem))
        self._show_buttons()

    def _why_nothing(self, *, looks: bool) -> str:
        if not looks:
            return self.tr(
                "There is nothing in this collection yet. Add a folder, or drop files here: PDF and office files, "
                "books, web pages, mail, notes and source code. They stay where they are."
            )
        return self.tr("Nothing in these documents has any of these words.")

    @property
    def _row(self) -> Row | None:
        view = self._lists.currentWidget()
        return view.current if isinstance(view, RowListView) else None

    def _show_buttons(self) -> None:
        row = self._row
        self.open_button.setEnabled(row is not None and row.opens)
        self.remove_button.setEnabled(row is not None and row.source is not None)

    def _open(self) -> None:
        if (row := self._row) is not None and row.opens:
            self.row_chosen.emit(row)

    def _remove(self) -> None:
        if (row := self._row) is not None and row.source is not None:
            self.removal_wanted.emit(row.source)

    def _open_menu(self, index: QModelIndex, place: QPoint) -> None:
        row = self._row
        if row is None or not index.isValid():
            return
        menu = passing_menu(self)
        if row.opens:
            add_action(menu, self.tr("Open"), self._open)
        if row.path:
            add_action(menu, self.tr("Show in the file manager"), lambda: self.reveal_wanted.emit(Path(row.path)))
        if isinstance(row.of, IndexedFile) and row.of.state is FileState.FAILED:
            file = row.of
            add_action(menu, self.tr("Try to read it again"), lambda: self.again_wanted.emit(file))
        if row.source is not None:
            add_action(menu, self.tr("Take out"), self._remove)
        view = self._lists.currentWidget()
        if isinstance(view, RowListView):
            menu.popup(view.viewport().mapToGlobal(place))

    def ask_folder(self) -> None:
        ask_for_folder(self, self.tr("Add a folder"), lambda path: self.paths_chosen.emit([path]))

    def _ask_files(self) -> None:
        ask_for_files(
            self, self.tr("Add files"), self.paths_chosen.emit, folder=documents_folder(),
            filters=(self.tr("All files (*)"),),
        )  # fmt: skip

    def _lay_out(self) -> None:
        head = vbox(self.heading, self.state, gap=2)
        buttons = (self.folder_button, self.files_button, self.remove_button, self.open_button, self.models_button)
        foot = FlowRow(buttons, self)
        vbox(head, self.fetching, self.progress, self.search, grow(self._lists), self.told, foot, on=self, gap=10)

    def _connect(self) -> None:
        self.search.textChanged.connect(self.question_typed)
        self.search.left_downwards.connect(self._go_down)
        for view in (self.files, self.hits):
            view.chosen.connect(self._open)
            view.removal_wanted.connect(self._remove)
            view.menu_wanted.connect(self._open_menu)
            view.selectionModel().currentChanged.connect(self._show_buttons)
        find = QShortcut(QKeySequence.StandardKey.Find, self)
        find.activated.connect(self.search.setFocus)

    def _go_down(self) -> None:
        view = self._lists.currentWidget()
        if isinstance(view, RowListView):
            view.setFocus(Qt.FocusReason.TabFocusReason)
