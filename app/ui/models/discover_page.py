"""The hub: good models for this computer, search, and one repository at a time."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QKeySequence, QResizeEvent, QShortcut, QShowEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from app.library.catalogue import LibraryModel
from app.library.hub import HubChoice, HubModel, HubRepo, Wanted
from app.services.models.download_states import Download
from app.services.models.hub_files import FileState, file_states, judge
from app.services.models.hub_search import HubCard, HubProblem, HubResults
from app.services.models.hub_shapes import HubShape
from app.services.models.models import Models
from app.services.runtime.debounce import Debounce
from app.services.runtime.worker_thread import told
from app.ui.formatting.sentences import translated
from app.ui.models.discover_filters import DiscoverFilters
from app.ui.models.discover_list import DiscoverList
from app.ui.models.discover_rows import GoodRow, Heading, HubRow, InstalledRow, Row, good_rows, here_rows, line
from app.ui.models.hub_problem import HubProblemBox
from app.ui.models.repo_view import RepoView
from app.ui.models.token_dialog import TokenDialog
from app.ui.theme.appearance import Appearance
from app.ui.theme.fonts import scaled
from app.ui.widgets.buttons import push_button
from app.ui.widgets.layouts import FILL, grow, hbox, lead, vbox
from app.ui.widgets.links import ask_link
from app.ui.widgets.plain_text import plain_label

_LIST_WIDTH = 360
_NARROW = 760
"""Pixels; below, the list and the repository take turns."""
_CALM_MS = 250
"""After a row was chosen, before the hub is asked for it: arrows pass over many."""


class DiscoverPage(QWidget):
    chosen = Signal(object)
    """ModelRef: a model to chat with"""

    def __init__(self, appearance: Appearance, models: Models, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._models = models
        self._results: HubResults | None = None
        self._problem: HubProblem | None = None
        self._asked = False
        self._name = ""
        """The repository that was asked for last."""
        self._wish = ""
        self._is_reading = False
        self._states: dict[HubChoice, FileState] = {}
        """Of the repository that is shown"""
        self.filters = DiscoverFilters(appearance, self)
        self.problem = HubProblemBox(self)
        self.list = DiscoverList(appearance, self)
        self.list.setAccessibleName(self.tr("Models on Hugging Face"))
        self.note = plain_label("small", self, wraps=True)
        self.update_button = push_button(
            self.tr("Update the list of good models"), self, models.good.update,
            tip=self.tr("Downloads it from the address in the settings"), tone="link",
        )  # fmt: skip
        self.repo = RepoView(appearance, self)
        self.here = InstalledModelView(self)
        self.side = QStackedWidget(self)
        self.back_button = push_button(
            self.tr("‹ Back to the list"), self, self._go_back,
            name=self.tr("Back to the list"), tip=self.tr("Back to the list (Alt+Left)"), tone="link",
        )  # fmt: skip
        self._calm = Debounce(_CALM_MS, self._open, self)
        self._lay_out()
        self._connect()
        self._show_rows()

    def focus_search(self) -> None:
        self.filters.field.setFocus()
        self.filters.field.selectAll()

    def _lay_out(self) -> None:
        self._left = QWidget(self)
        vbox(self.note, grow(self.list), lead(self.update_button), on=self._left, gap=6)
        self.side.addWidget(self.repo)
        self.side.addWidget(self.here)
        self._right = QWidget(self)
        vbox(lead(self.back_button), grow(self.side), on=self._right, gap=6)
        both = hbox(self._left, grow(self._right), gap=18)
        vbox(self.filters, self.problem, grow(both), on=self, gap=10)

    def _connect(self) -> None:
        hub, models = self._models.hub, self._models
        self.filters.changed.connect(self._search)
        self.filters.field.returnPressed.connect(self._search_now)
        self.filters.field.left_downwards.connect(self.list.setFocus)
        self.problem.try_again.connect(self._search_now)
        self.problem.token_button.clicked.connect(self._ask_token)
        self.list.selectionModel().currentChanged.connect(self._choose)
        self.list.activated.connect(self._go_in)
        self.list.clicked.connect(self._go_in)
        self.repo.download_wanted.connect(self._fetch)
        self._models.disks.checked.connect(self._hear_disk)
        self.repo.files.chat_clicked.connect(self.chosen)
        self.repo.token_link.clicked.connect(self._ask_token)
        self.repo.problem.token_button.clicked.connect(self._ask_token)
        self.repo.problem.try_again.connect(self._open_again)
        self.repo.link_clicked.connect(lambda address: ask_link(address, self))
        self.repo.sight.toggled.connect(self._show_states)
        self.here.chat_wanted.connect(self.chosen)
        back = QShortcut(QKeySequence("Alt+Left"), self)
        back.activated.connect(self._go_back)
        hub.found.connect(self._take_results)
        hub.opened.connect(self._take_repo)
        hub.card_read.connect(self._take_card)
        hub.failed.connect(self._take_problem)
        hub.busy.connect(self._show_busy)
        hub.token_changed.connect(self._open_again)
        models.shapes.found.connect(self._take_shape)
        models.good.changed.connect(self._show_rows)
        models.good.failed.connect(self._tell)
        models.downloads.changed.connect(self._hear_download)
        models.downloads.removed.connect(self._show_states)
        models.library.changed.connect(self._show_states)
        models.changed.connect(self._show_states)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._asked:
            self._asked = True
            self._search_now()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._divide()

    def _divide(self) -> None:
        """Both beside each other where there is room."""
        narrow = self.width() < scaled(_NARROW)
        self.back_button.setVisible(narrow)
        self._left.setMaximumWidth(16_777_215 if narrow else scaled(_LIST_WIDTH))
        self._left.setMinimumWidth(0 if narrow else scaled(_LIST_WIDTH))
        self._left.setVisible(not narrow or not self._is_reading)
        self._right.setVisible(not narrow or self._is_reading)
        self.filters.setVisible(not narrow or not self._is_reading)

    def _search(self) -> None:
        self._models.hub.search(self.filters.wanted)

    def _search_now(self) -> None:
        self.problem.clear()
        self._models.hub.search(self.filters.wanted, at_once=True)

    def _take_results(self, results: HubResults) -> None:
        self._results, self._problem = results, None
        self.problem.clear()
        self._show_rows()
        if not self._name and self.list.chosen() is None and self._right.isVisible():
            # The hub answers, so the first one can be shown with what it needs.
            self.list.choose_first()

    def _take_problem(self, problem: HubProblem) -> None:
        if not problem.repo:
            self._results, self._problem = None, problem
            more = self.tr("Show what is here") if problem.offline else ""
            self.problem.show_problem(problem, more=more)
            self._show_rows()
        elif problem.repo == self._name and not problem.card:
            self.repo.show_problem(problem.repo, problem)

    def _show_busy(self, busy: bool) -> None:
        self.note.setVisible(busy or (not self.list.rows.rows and self._problem is None))
        self.note.setText(self.tr("Searching…") if busy else self.tr("Nothing was found. Try fewer words or filters."))

    def _show_rows(self) -> None:
        rows: list[Row] = []
        wanted, results = self.filters.wanted, self._results
        is_start = wanted == Wanted()
        if self._problem is not None and self._problem.offline:
            rows += here_rows(self._models.library.usable(), wanted.text)
        if is_start:
            free = self._models.fit.free().ram
            rows += good_rows(self._models.good.suggestions, lambda each: judge(self._models, each), free)
        if results is not None and results.models:
            if is_start and results.wanted == Wanted():
                rows.append(Heading(self.tr("Popular on Hugging Face")))
            if not is_start or results.wanted == Wanted():
                rows += [HubRow(model) for model in results.models]
        self.list.show_rows(rows)
        self.update_button.setVisible(is_start and self._models.good.can_update)
        self._show_busy(False)
        if self.list.chosen() is None:
            self._show_nothing()

    def _show_nothing(self) -> None:
        """What was chosen is no longer in the list."""
        self._calm.stop()
        self._models.shapes.stop()
        self._name, self._wish, self._states = "", "", {}
        self.side.setCurrentWidget(self.repo)
        self.repo.clear()

    def _tell(self, sentence: str) -> None:
        self.problem.show_problem(HubProblem(sentence), can_retry=False)

    def _choose(self) -> None:
        row = self.list.chosen()
        if isinstance(row, InstalledRow):
            self._calm.stop()
            self.here.show_model(row.model)
            self.side.setCurrentWidget(self.here)
        elif row is not None:
            self._calm.start()

    def _open(self) -> None:
        match self.list.chosen():
            case GoodRow(suggestion):
                self._name, self._wish = suggestion.repo, suggestion.quantisation
            case HubRow(HubModel(repo)):
                self._name, self._wish = repo, ""
            case _:
                return
        self.side.setCurrentWidget(self.repo)
        self.repo.show_opening(self._name)
        self._models.shapes.stop()
        self._models.hub.open(self._name)

    def _open_again(self) -> None:
        if self._name:
            self.repo.show_opening(self._name)
            self._models.hub.open(self._name)
        if self._problem is not None:
            self._search_now()

    def _take_repo(self, repo: HubRepo) -> None:
        if repo.model.repo == self._name:
            self.repo.show_repo(repo, self._reckon(repo))
            self._models.shapes.want(repo)

    def _take_card(self, card: HubCard) -> None:
        if card.repo == self._name and card.text.strip():
            self.repo.show_card(card.text)

    def _take_shape(self, found: HubShape) -> None:
        if found.repo == self._name:
            self._show_states()

    def _reckon(self, repo: HubRepo) -> Mapping[HubChoice, FileState]:
        takes = self.repo.takes_projector
        self._states = dict(file_states(self._models, repo, with_projector=takes, wish=self._wish))
        return self._states

    def _show_states(self) -> None:
        if self.repo.repo is not None:
            self.repo.show_states(self._reckon(self.repo.repo))

    def _hear_download(self, download: Download) -> None:
        """Ten times a second for each, so what fits is not reckoned again."""
        for choice, state in self._states.items():
            if choice.files[0] == download.files[0]:
                self._states[choice] = replace(state, download=download)
                self.repo.show_states(self._states)

    def _go_in(self) -> None:
        """Where the list takes turns with what was chosen."""
        self._is_reading = self.list.chosen() is not None
        self._divide()
        if self.back_button.isVisible():
            self.back_button.setFocus()

    def _go_back(self) -> None:
        self._is_reading = False
        self._divide()
        self.list.setFocus()

    def _fetch(self, choice: HubChoice) -> None:
        """As soon as the disk has said that there is room."""
        self._models.disks.check(choice, self._models.download_folder)

    @Slot(object, object, object)
    def _hear_disk(self, choice: HubChoice, folder: Path | None, against: Exception | None) -> None:
        if against is None:
            self._models.downloads.fetch(choice, folder)
        else:
            otherwise = self.tr(
                "Because of a fault in Hearth it isn't known whether there is room. The log tells more."
            )
            self.repo.show_message(translated(told(against, otherwise)))

    def _ask_token(self) -> None:
        TokenDialog(self._models.hub, self).open()


class InstalledModelView(QWidget):
    """A model of this computer, shown where the hub can't be reached."""

    chat_wanted = Signal(object)
    """ModelRef"""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._model: LibraryModel | None = None
        self.title = plain_label("title", self, wraps=True)
        self._line = plain_label("small", self, wraps=True)
        text = plain_label("muted", self, self.tr("It is on this computer and works without a network."), wraps=True)
        self.chat_button = push_button(
            self.tr("Chat"), self, self._chat, tip=self.tr("Load it and talk to it"), tone="primary"
        )
        parts = (self.title, self._line, text, lead(self.chat_button), FILL)
        vbox(*parts, on=self, gap=8, margins=(2, 0, 14, 8))

    def show_model(self, model: LibraryModel) -> None:
        self._model = model
        self.title.setText(model.name)
        self._line.setText(line(InstalledRow(model)))
        self.chat_button.setAccessibleName(self.tr("Chat with {model}").format(model=model.name))

    def _chat(self) -> None:
        if self._model is not None:
            self.chat_wanted.emit(self._model.ref)
