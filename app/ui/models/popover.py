"""The models to choose from: type to find one, Enter to take it."""

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QModelIndex, QPoint, QRect, Qt, Signal
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from app.core.fit import Free, Verdict
from app.core.model_ref import GUIDE_REF, ModelRef
from app.library.catalogue import LibraryModel, readable_name
from app.library.model_sources import Source
from app.ui.models.list_model import ModelPainter, ModelsList
from app.ui.models.rows import Row, ServerRow, place_text, rows_of, starred_first
from app.ui.models.server_rows import server_rows
from app.ui.theme.appearance import Appearance
from app.ui.theme.fonts import scaled
from app.ui.widgets.buttons import push_button
from app.ui.widgets.fuzzy_match import folded
from app.ui.widgets.layouts import vbox
from app.ui.widgets.list_keys import ListKeys
from app.ui.widgets.plain_text import plain_label
from app.ui.widgets.rows_view import RowsView
from app.ui.widgets.search_field import SearchField

if TYPE_CHECKING:
    from app.services.models.models import Models

Refs = Callable[[], Sequence[ModelRef]]
_WIDTH, _MARGIN, _GAP = 460, 12, 4
_MOST_ROWS = 7


class ModelPopover(QFrame):
    """Closes by Esc and by a click elsewhere. `recent` and `installed` are asked each time it opens, and the library,
    where there is one, what it knows of them."""

    chosen = Signal(object)
    """ModelRef"""
    get_clicked = Signal()
    """A model is to be downloaded"""

    def __init__(
        self, appearance: Appearance, recent: Refs, installed: Refs, library: "Models | None", parent: QWidget
    ) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_NoMouseReplay)
        self.setObjectName("popover")
        self.setAccessibleName(self.tr("Models"))
        self._recent, self._installed, self._library = recent, installed, library
        self._rows: tuple[Row | ServerRow, ...] = ()
        self._loaded: ModelRef | None = None
        self._free = Free(0)
        """When the rows were made."""
        self.search = SearchField(self.tr("Find a model"), self)
        self.list: ModelsList[Row | ServerRow] = ModelsList(self._judge, self)
        self.view = RowsView(self)
        self.empty = plain_label("muted", self, wraps=True)
        self.get_button = self._button(self.tr("Get a model"), self.get_clicked.emit)
        self.get_button.setProperty("tone", "primary")
        parts = (self.search, self.view, self.empty, self.get_button)
        self._column = vbox(*parts, on=self, gap=6, margins=(10, 10, 10, 8))
        self._set_up(ModelPainter(appearance, self))
        keys = ListKeys(self.search, self.view)
        keys.entered.connect(self._choose)
        self.search.textChanged.connect(self._filter)
        self.view.entered.connect(self.view.setCurrentIndex)
        self.view.clicked.connect(self._choose)
        if library is not None:
            library.library.changed.connect(self._refill)
            library.changed.connect(self._refill)
            if library.servers is not None:
                library.servers.changed.connect(self._refill)

    def ask_for(self, what: str) -> None:
        """What the model is for, in the field's place for a hint."""
        self.search.setPlaceholderText(what)
        self.search.setAccessibleName(what)
        self.setAccessibleName(what)

    def add_button(self, text: str, act: Callable[[], object]) -> QPushButton:
        """One more below the list; the popover closes before it acts."""
        button = self._button(text, act)
        button.setProperty("tone", "flat")
        self._column.addWidget(button)
        return button

    def open_at(self, anchor: QWidget, loaded: ModelRef | None) -> None:
        """Below `anchor`, or above it where there is no room. `loaded` is the model in memory."""
        self._loaded = loaded
        if self._library is not None and self._library.servers is not None:
            # Whoever opens this wants to know what there is by now.
            self._library.servers.refresh_all()
        self.search.setText("")
        self._fill()
        for child in self.findChildren(QWidget):
            # Heights are known only with the style.
            child.ensurePolished()
        self.view.setCurrentIndex(self._start())
        self._place(anchor)
        self.show()
        # Some platforms give even a popup a frame, which is known only now.
        self._place(anchor)
        self.view.scrollTo(self.view.currentIndex())
        self.search.setFocus(Qt.FocusReason.PopupFocusReason)

    def _refill(self) -> None:
        if self.isVisible():
            self._fill()

    def _fill(self) -> None:
        """What was typed stays."""
        library = self._library
        known = rows_of(library.library.models) if library is not None else ()
        starred = library.options.favourites() if library is not None and library.options is not None else frozenset()
        self._free = library.fit.free() if library is not None else Free(0)
        servers = server_rows(library.servers.models()) if library is not None and library.servers is not None else ()
        self._rows = picker_rows(known, self._recent(), self._installed(), starred, servers)
        self.list.show_loaded(self._loaded)
        self.get_button.setHidden(any(not row.ref.is_guide for row in self._rows))
        self._filter(self.search.text())

    def _judge(self, model: LibraryModel) -> Verdict | None:
        return self._library.fit.verdict(model, self._free) if self._library is not None else None

    def _start(self) -> QModelIndex:
        """The first that is not loaded already: who opens this wants another."""
        rows = range(self.list.rowCount())
        return next(
            (each for row in rows if not self.list.is_loaded(each := self.list.index(row, 0))), self.list.index(0, 0)
        )

    def _filter(self, text: str) -> None:
        words = folded(text).split()
        found: Sequence[Row | ServerRow] = [row for row in self._rows if all(word in row.index for word in words)]
        self.list.show_rows(found)
        self.view.setHidden(not found)
        self.empty.setHidden(bool(found) and not self.get_button.isVisibleTo(self))
        if found:
            self.empty.setText(self.tr("There is no other model on this computer yet."))
        elif self._rows:
            self.empty.setText(self.tr("No model here is like that."))
        else:
            self.empty.setText(self.tr("There is no model on this computer yet."))
        if not found:
            # The list is hidden, and would tell nobody.
            self.search.setAccessibleDescription(self.empty.text())
        self.view.setCurrentIndex(self.list.index(0, 0))
        self._fit()

    def _choose(self) -> None:
        row = self.list.row_at(self.view.currentIndex())
        if row is not None:
            self.close()
            self.chosen.emit(row.ref)

    def _button(self, text: str, act: Callable[[], object]) -> QPushButton:
        button = push_button(text, self, self.close)
        button.clicked.connect(lambda: act())  # noqa: PLW0108 - Qt would tell it whether the button is checked
        return button

    def _fit(self) -> None:
        rows = min(_MOST_ROWS, self.list.rowCount())
        self.view.setFixedHeight(rows * max(1, self.view.sizeHintForRow(0)) + 2)
        if self.isVisible():
            self.adjustSize()

    def _place(self, anchor: QWidget) -> None:
        """Inside the window, whose width may be less."""
        window = anchor.window()
        room = QRect(window.mapToGlobal(QPoint(0, 0)), window.size()).adjusted(_MARGIN, 0, -_MARGIN, 0)
        self.setFixedWidth(min(scaled(_WIDTH), room.width()))
        self._fit()
        self.adjustSize()
        corner = anchor.mapToGlobal(QPoint(0, anchor.height() + _GAP))
        screen = anchor.screen().availableGeometry()
        y = corner.y()
        if y + self.height() > screen.bottom():
            y = max(screen.top(), corner.y() - anchor.height() - 2 * _GAP - self.height())
        left = (
            corner.x()
            if self.layoutDirection() == Qt.LayoutDirection.LeftToRight
            else corner.x() + anchor.width() - self.width()
        )
        self.move(max(room.left(), min(left, room.right() - self.width())), y)

    def _set_up(self, painter: ModelPainter) -> None:
        self.search.setToolTip(self.tr("Name, architecture, quantisation, program, server or ability"))
        self.view.setObjectName("models")
        self.view.setAccessibleName(self.tr("Models"))
        self.view.setToolTip(self.tr("Models"))
        self.view.setModel(self.list)
        self.view.setItemDelegate(painter)
        self.view.setUniformItemSizes(True)


def picker_rows(
    known: Sequence[Row],
    recent: Sequence[ModelRef],
    installed: Sequence[ModelRef],
    starred: Collection[str] = (),
    servers: Sequence[ServerRow] = (),
) -> tuple[Row | ServerRow, ...]:
    """Each once. `known` is what the library tells, by name; what it calls damaged, or no model, is left out, and so is
    what a server has no more.
    """
    described: dict[ModelRef, Row | ServerRow] = {ref: row for row in known for ref in row.model.refs}
    described |= {row.ref: row for row in servers}
    found: dict[ModelRef, Row | ServerRow] = {}
    for ref in (*recent, *(row.ref for row in known), *installed, *(row.ref for row in servers)):
        row = described.get(ref) or (_plain_row(ref) if ref.is_file else None)
        if row is not None and not ref.is_guide and (_can_be_chosen(row) or ref not in described):
            found.setdefault(row.ref, row)
    if GUIDE_REF.is_there:
        found[GUIDE_REF] = _plain_row(GUIDE_REF)
    return starred_first(tuple(found.values()), starred)


def _can_be_chosen(row: Row | ServerRow) -> bool:
    return isinstance(row, ServerRow) or row.model.is_usable


def _plain_row(ref: ModelRef) -> Row:
    """Of a model that the library has not described."""
    model = LibraryModel(ref.file, readable_name(ref.title), Source.FOLDER, 0, (ref.file,), 0, None)
    line = QCoreApplication.translate("models", "Comes with Hearth") if ref.is_guide else place_text(model)
    return Row(model, line, (), index=folded(f"{model.name} {line} {ref.name}"))
