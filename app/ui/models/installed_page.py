"""The models of this computer: a list to search, the details of one, and what can be done with it."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QHideEvent, QKeySequence, QResizeEvent, QShortcut, QShowEvent
from PySide6.QtWidgets import QSplitter, QWidget

from app.core.fit import Free, Proposal, Verdict
from app.core.model_ref import ModelRef
from app.library.catalogue import LibraryModel
from app.services.models.library import Template
from app.services.models.models import Models
from app.services.runtime.debounce import Debounce, Ticker
from app.ui.formatting.line_breaks import breakable
from app.ui.formatting.numbers import count, size_text
from app.ui.formatting.sentences import translated
from app.ui.models.details import ModelDetails
from app.ui.models.dialogs import RemoveDialog, TemplateDialog
from app.ui.models.empty_state import ModelsEmptyState
from app.ui.models.folders_button import FoldersButton
from app.ui.models.list_model import ModelPainter, ModelsList, ModelsListView
from app.ui.models.rows import DOT, Order, Row, Show, chosen, rows_of, starred_first
from app.ui.models.settings_panel import ModelSettingsPanel
from app.ui.theme.appearance import Appearance
from app.ui.theme.fonts import scaled
from app.ui.widgets.buttons import IconButton
from app.ui.widgets.chevron_box import ChevronBox
from app.ui.widgets.dynamic_property import set_property
from app.ui.widgets.layouts import grow, hbox, turn, vbox
from app.ui.widgets.menus import add_action, passing_menu
from app.ui.widgets.open_outside import reveal
from app.ui.widgets.plain_text import plain_label
from app.ui.widgets.search_field import SearchField

_ASK_MS = 2000
"""Between two questions how much memory is free."""
_NOTICEABLE = 0.02
"""Share of the free memory; less than that changes nothing on screen."""
_TOLD_MS, _FAILED_MS = 10_000, 30_000
"""For so long what was done, or did not work, stands in the line below; looking again follows it at once."""
_NARROW = 760
"""Pixels; below that the details stand under the list."""


class InstalledPage(QWidget):
    """GUI thread. It asks for free memory only while it is in sight."""

    chosen = Signal(object)
    """ModelRef: a model to load"""
    open_file_wanted = Signal()

    def __init__(
        self,
        appearance: Appearance,
        models: Models,
        parent: QWidget | None = None,
        *,
        show_file: Callable[[Path, QWidget], None] = reveal,
    ) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._models = models
        self._show_file = show_file
        self._rows: tuple[Row, ...] = ()
        self._free = Free(0)
        self.search = SearchField(self.tr("Search"), self, appearance)
        self.show_box = ChevronBox(self)
        self.order_box = ChevronBox(self)
        self.folders_button = FoldersButton(appearance, models, self)
        self.scan_button = IconButton(appearance, "refresh", self.tr("Look again"), parent=self)
        self.list: ModelsList[Row] = ModelsList(self._judge, self)
        self.view = ModelsListView(self.list, ModelPainter(appearance, self), self)
        self.empty = ModelsEmptyState(self)
        self.details = ModelDetails(appearance, self)
        self.extras: ModelSettingsPanel | None = None
        """What people set and note for the model that is shown."""
        self._starred: frozenset[str] = frozenset()
        # What goes wrong may name a long path, and must not make the window wider.
        self.status = plain_label("small", self, wraps=True)
        self.splitter = QSplitter(self)
        self._timer = Ticker(_ASK_MS, self._weigh, self)
        self._told = Debounce(_TOLD_MS, self._tell_state, self)
        """Runs while the line below says what was done."""
        self._set_up()
        self._lay_out()
        self._connect()
        self._take(models.library.models)

    @property
    def selected(self) -> Row | None:
        return self.list.row_at(self.view.currentIndex())

    def select(self, model: ModelRef) -> None:
        """Show a model's details, if it is listed."""
        if (index := self.list.index_of(model)).isValid():
            self.view.setCurrentIndex(index)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._weigh()
        self._timer.start()
        self.search.setFocus()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._timer.stop()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        narrow = self.width() < scaled(_NARROW)
        self.splitter.setOrientation(Qt.Orientation.Vertical if narrow else Qt.Orientation.Horizontal)
        turn(self._head, beside=not narrow)

    def _set_up(self) -> None:
        shows = {
            Show.CHAT: self.tr("All models"),
            Show.FITTING: self.tr("That fit now"),
            Show.SEEING: self.tr("That see pictures"),
            Show.TOOLS: self.tr("That call tools"),
            Show.REASONING: self.tr("That reason"),
            Show.DAMAGED: self.tr("Damaged files"),
            Show.COMPANIONS: self.tr("Companions"),
            Show.ALL: self.tr("All files"),
        }
        orders = {
            Order.NAME: self.tr("By name"),
            Order.NEWEST: self.tr("Newest first"),
            Order.SIZE: self.tr("Largest first"),
            Order.PARAMETERS: self.tr("Most parameters"),
            Order.FIT: self.tr("What fits first"),
        }
        for box, entries, name in (
            (self.show_box, shows, self.tr("Which models are listed")),
            (self.order_box, orders, self.tr("Order")),
        ):
            for key, text in entries.items():
                box.addItem(text, key)
            box.setAccessibleName(name)
            box.setToolTip(name)
        self.search.setPlaceholderText(self.tr("Search models"))
        self.search.setToolTip(self.tr("Name, architecture, quantisation, program or ability"))
        self.status.setAccessibleName(self.tr("State of the list"))

    def _lay_out(self) -> None:
        tools = hbox(self.show_box, self.order_box, self.folders_button, self.scan_button, gap=6)
        self._head = hbox(grow(self.search), tools, gap=6)
        left = QWidget(self.splitter)
        vbox(grow(self.view), grow(self.empty), on=left)
        self.splitter.addWidget(left)
        self.splitter.addWidget(self.details)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.setStretchFactor(0, 5)
        self.splitter.setStretchFactor(1, 6)
        self.splitter.setHandleWidth(9)
        left.setMinimumSize(240, 120)
        self.details.setMinimumSize(260, 150)
        vbox(self._head, grow(self.splitter), self.status, on=self, gap=10)

    def _connect(self) -> None:
        library = self._models.library
        library.changed.connect(self._take)
        library.scanning.connect(self._show_scanning)
        library.progressed.connect(self._show_progress)
        library.template_read.connect(self._show_template)
        library.removed.connect(self._tell_removed)
        library.failed.connect(self._tell_failure)
        self._models.changed.connect(self._weigh_anew)
        for moved_on in (
            self.search.textChanged, self.show_box.currentIndexChanged, self.order_box.currentIndexChanged,
            self.scan_button.clicked,
        ):  # fmt: skip
            moved_on.connect(self._told.stop)
        self.search.textChanged.connect(self._fill)
        self.search.left_downwards.connect(self.view.setFocus)
        self.show_box.currentIndexChanged.connect(self._fill)
        self.order_box.currentIndexChanged.connect(self._fill)
        self.scan_button.clicked.connect(library.scan)
        self.folders_button.open_file_wanted.connect(self.open_file_wanted)
        self.view.selectionModel().currentChanged.connect(self._show_selected)
        self.view.chosen.connect(self._chat)
        self.view.menu_wanted.connect(self._open_menu)
        self.view.removal_wanted.connect(self.ask_removal)
        self.empty.open_button.clicked.connect(self.open_file_wanted)
        self.empty.folder_button.clicked.connect(self.folders_button.ask)
        self.empty.all_button.clicked.connect(self._show_all)
        details = self.details
        details.chat_button.clicked.connect(self._chat)
        details.reveal_button.clicked.connect(self._reveal)
        details.remove_button.clicked.connect(self.ask_removal)
        details.template_button.clicked.connect(self._ask_template)
        details.fit_panel.proposal_clicked.connect(self._apply)
        if (options := self._models.options) is not None:
            self.extras = ModelSettingsPanel(self._appearance, options, details.extras)
            details.extras_column.addWidget(self.extras)
            details.add_button(self.extras.star)
            details.model_shown.connect(self.extras.show_model)
            options.changed.connect(self._look_for_stars)
            self._starred = options.favourites()
        find = QShortcut(QKeySequence.StandardKey.Find, self)
        find.activated.connect(self.search.setFocus)

    def _take(self, models: tuple[LibraryModel, ...]) -> None:
        self._rows = rows_of(models)
        self._fill()

    def _fill(self) -> None:
        before = self.selected
        show, order = Show(self.show_box.currentData()), Order(self.order_box.currentData())
        rows = chosen(self._rows, self.search.text(), show, order, self._judge)
        self.list.show_rows(starred_first(rows, self._starred))
        self.view.setHidden(not self.list.rows)
        self.details.setHidden(not self.list.rows)
        self.empty.setHidden(bool(self.list.rows))
        models = chosen(self._rows, "", Show.CHAT, order, self._judge)
        files, scanning = bool(self._rows), self._models.library.is_scanning
        # Files that are no models hide nothing, unless somebody looked for them.
        hidden = bool(models) or (files and (show is not Show.CHAT or bool(self.search.text().strip())))
        self.empty.show_reason(hidden=hidden, files=files, scanning=scanning)
        self._select_again(before)
        self._tell_state()

    def _select_again(self, before: Row | None) -> None:
        """What was shown stays so; otherwise the model in memory, or the first one."""
        wanted = [before.model.ref] if before is not None else []
        if (loaded := self._models.loaded) is not None:
            wanted.append(loaded)
        found = (self.list.index_of(each) for each in wanted)
        index = next((each for each in found if each.isValid()), self.list.index(0, 0))
        self.view.setCurrentIndex(index)
        self._show_selected()

    def _look_for_stars(self) -> None:
        assert self._models.options is not None
        starred = self._models.options.favourites()
        if starred != self._starred:
            self._starred = starred
            self._fill()

    def _judge(self, model: LibraryModel) -> Verdict | None:
        return self._models.fit.verdict(model, self._free)

    def _weigh(self) -> None:
        """Memory comes and goes while the page is open."""
        free = self._models.fit.free()
        if abs(free.ram - self._free.ram) > self._free.ram * _NOTICEABLE or free.gpus != self._free.gpus:
            self._free = free
            self._weigh_anew()

    def _weigh_anew(self) -> None:
        self.list.show_loaded(self._models.loaded)
        self.list.refresh()
        self._show_selected()
        self._tell_state()

    def _show_selected(self) -> None:
        row = self.selected
        loaded = row is not None and self._models.loads(row.model)
        layers = self._models.offloaded if loaded else (0, 0)
        can = self._models.capabilities if loaded else None
        self.details.show_row(row, loaded=loaded, offloaded=layers, can=can)
        if row is not None:
            fit, model = self._models.fit, row.model
            found = fit.of(model, self._free) if model.is_usable else None
            fits = found is None or found.verdict is Verdict.FITS
            ways = () if fits else fit.ways(model, self._free)
            self.details.fit_panel.show_fit(found, ways)

    def _show_all(self) -> None:
        self.search.setText("")
        self.show_box.setCurrentIndex(self.show_box.findData(Show.ALL))

    def _tell_state(self) -> None:
        if self._told.isActive():
            return
        if self._models.library.is_scanning and not self._rows:
            self._say(self.tr("Looking for models…"))
            return
        shown = self.list.rows
        size = sum(row.model.size for row in shown)
        parts = []
        if shown:
            parts.append(self.tr("{count} shown, {size}").format(count=count(len(shown)), size=size_text(size)))
        if self._free.ram:
            parts.append(self.tr("{size} of memory free").format(size=size_text(self._free.ram)))
        parts += [f"{gpu.name}: {size_text(gpu.free)}" for gpu in self._free.gpus]
        self._say(DOT.join(parts))

    def _say(self, text: str, tone: str = "small") -> None:
        self.status.setText(" ".join(map(breakable, text.split(" "))))
        set_property(self.status, "tone", tone)

    def _show_scanning(self, scanning: bool) -> None:
        self.scan_button.setEnabled(not scanning)
        if not scanning:
            self._fill()

    def _show_progress(self, done: int, whole: int) -> None:
        if not self._told.isActive():
            self._say(self.tr("Looking: {done} of {count} files").format(done=count(done), count=count(whole)))

    def _tell_removed(self, model: LibraryModel) -> None:
        self._say(self.tr("{name} is in the trash.").format(name=model.name))
        self._told.start(_TOLD_MS)

    def _tell_failure(self, sentence: str) -> None:
        self._say(translated(sentence), "danger")
        self._told.start(_FAILED_MS)

    def _chat(self) -> None:
        row = self.selected
        if row is not None and row.model.is_usable:
            self.chosen.emit(row.model.ref)

    def _apply(self, proposal: Proposal) -> None:
        row = self.selected
        if row is not None:
            self._models.set_loading(row.model, proposal.loading)
            self.chosen.emit(row.model.ref)

    def _reveal(self) -> None:
        if (row := self.selected) is not None:
            self._show_file(row.model.path, self)

    def ask_removal(self) -> "RemoveDialog | None":
        """Say what it means, and remove the selected model when that is confirmed."""
        row = self.selected
        if row is None:
            return None
        plan = self._models.library.plan_removal(row.model)
        dialog = RemoveDialog(row.model, plan, self, loaded=self._models.loads(row.model))
        dialog.accepted.connect(partial(self._models.remove, row.model))
        dialog.open()
        return dialog

    def _ask_template(self) -> None:
        if (row := self.selected) is not None:
            self._models.library.read_template(row.model)

    def _show_template(self, template: Template) -> None:
        if self.isVisible():
            TemplateDialog(template.model.name, template.text, self).open()

    def _open_menu(self, index: QModelIndex, place: QPoint) -> None:
        if self.list.row_at(index) is None:
            return
        self.view.setCurrentIndex(index)
        menu = passing_menu(self, self.tr("Model"))
        row = self.selected
        assert row is not None
        if row.model.is_usable:
            add_action(menu, self.details.chat_button.text(), self._chat)
        add_action(menu, self.tr("Show in the file manager"), self._reveal)
        add_action(menu, self.tr("Copy the path"), self.details.copy_button.click)
        menu.addSeparator()
        add_action(menu, self.tr("Move to the trash…"), self.ask_removal)
        menu.popup(self.view.viewport().mapToGlobal(place))
