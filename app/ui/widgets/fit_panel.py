"""Whether a model fits now: a sentence, a bar for each memory, the numbers, and what could be changed."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from app.core.fit import Change, Fit, Proposal, Room, Verdict
from app.core.fit_needs import Needs
from app.core.loading import FlashAttention
from app.ui.formatting.numbers import compact, size_text
from app.ui.theme.appearance import Appearance
from app.ui.widgets.buttons import push_button, rename
from app.ui.widgets.dynamic_property import set_property
from app.ui.widgets.layouts import clear, grid, lead, vbox
from app.ui.widgets.memory_bar import MemoryLegend, Part, StackedBar
from app.ui.widgets.plain_text import plain_label

_ROLES: Mapping[str, Callable[[Needs], int]] = {
    "part_weights": lambda needs: needs.weights + needs.projector + needs.draft,
    "part_kv": lambda needs: needs.kv + needs.state,
    "part_compute": lambda needs: needs.compute,
    "part_checkpoints": lambda needs: needs.checkpoints,
}
"""The parts of a bar: the colour, and how many bytes."""


class FitPanel(QWidget):
    """Shows a `Fit`; what is chosen of the proposals is reported."""

    proposal_clicked = Signal(object)
    """Proposal"""

    def __init__(self, appearance: Appearance, tip: str, parent: QWidget | None = None) -> None:
        """`tip` says what a click on a proposal does."""
        super().__init__(parent)
        self._appearance = appearance
        self._fit: Fit | None = None
        self._ways: tuple[Proposal, ...] = ()
        self._tip = tip
        self.sentence = plain_label("", self, wraps=True)
        self._bars = QWidget(self)
        self._bar_column = vbox(on=self._bars, gap=4)
        self.legend = MemoryLegend(appearance, _ROLES, self)
        self._offer = plain_label("muted", self, wraps=True)
        self._buttons = QWidget(self)
        self._button_column = vbox(on=self._buttons, gap=6)
        self.proposals: list[QPushButton] = []
        self.numbers_button = push_button(self.tr("Show the numbers"), self, tone="link")
        self.numbers_button.setObjectName("flush")
        self.numbers_button.setCheckable(True)
        self.numbers_button.toggled.connect(self._show_table)
        self._table = QWidget(self)
        self._table.setAccessibleName(self.tr("Memory in numbers"))
        self._grid = grid(self._table, gaps=(18, 3))
        self._rows: list[list[QLabel]] = []
        self._table.hide()
        vbox(
            self.sentence, self._bars, self.legend, self._offer, self._buttons, lead(self.numbers_button),
            self._table, on=self, gap=8,
        )  # fmt: skip
        self.setAccessibleName(self.tr("Memory"))
        # Until something is known.
        self.hide()

    @property
    def is_too_large(self) -> bool:
        return self._fit is not None and self._fit.verdict is Verdict.TOO_LARGE

    @property
    def numbers(self) -> tuple[tuple[str, ...], ...]:
        """The table's rows as they are shown."""
        return tuple(tuple(label.text() for label in row) for row in self._rows)

    def show_fit(self, fit: Fit | None, ways: Sequence[Proposal]) -> None:
        """`fit` is None where nothing is known."""
        if (fit, tuple(ways)) == (self._fit, self._ways):
            return
        changed = tuple(ways) != self._ways
        self._fit, self._ways = fit, tuple(ways)
        self.setVisible(fit is not None)
        if fit is None:
            return
        self._fill_bars(fit)
        self.legend.show_texts(dict(self._part_texts(fit)))
        self._say(fit)
        self._fill_table(fit)
        if changed:
            self._fill_ways()
        self._buttons.setVisible(bool(ways))
        self._offer.setVisible(fit.verdict is not Verdict.FITS)
        self._offer.setText(self.tr("This would fit:") if ways else self.tr("No other setting here makes it fit."))

    def _say(self, fit: Fit) -> None:
        self.sentence.setText(self._told(fit))
        tone = {Verdict.FITS: "", Verdict.TIGHT: "warning", Verdict.TOO_LARGE: "danger"}[fit.verdict]
        set_property(self.sentence, "tone", tone)
        self.setAccessibleDescription(" ".join((self.sentence.text(), *self.legend.texts)))

    def _told(self, fit: Fit) -> str:
        """About the memory that is shortest."""
        used = [room for room in fit.rooms if room.needs.total]
        room = next(each for each in used if each.verdict is fit.verdict)
        sizes = {
            "wanted": size_text(room.needs.total),
            "free": size_text(room.free),
            "context": compact(fit.n_ctx),
            "where": _name(room),
        }
        match fit.verdict:
            case Verdict.FITS:
                told = self.tr(
                    "Fits: with a context of {context} it takes about {wanted} of the {free} that is free in {where}."
                )
            case Verdict.TIGHT:
                told = self.tr(
                    "Tight: with a context of {context} it takes about {wanted} of the {free} that is free in {where}. "
                    "It fits if nothing else wants memory."
                )
            case _:
                told = self.tr(
                    "Too large: with a context of {context} it takes about {wanted}, and {free} is free in {where}."
                )
        return told.format(**sizes)

    def _fill_bars(self, fit: Fit) -> None:
        clear(self._bar_column)
        used = [room for room in fit.rooms if room.needs.total]
        for room in used:
            if len(used) > 1:
                self._bar_column.addWidget(plain_label("small", self._bars, _name(room)))
            bar = StackedBar(self._appearance, self._bars)
            bar.show_parts(tuple(Part(role, size(room.needs)) for role, size in _ROLES.items()), room.free)
            self._bar_column.addWidget(bar)

    def _part_texts(self, fit: Fit) -> Iterator[tuple[str, str]]:
        """Of all memories together."""
        names = (self.tr("Weights"), self.tr("KV cache"), self.tr("Computing"), self.tr("Checkpoints"))
        for name, (role, size) in zip(names, _ROLES.items(), strict=True):
            if whole := sum(size(room.needs) for room in fit.rooms):
                yield role, self.tr("{part}: {size}").format(part=name, size=self._size_told(fit, role, whole))

    def _size_told(self, fit: Fit, role: str, whole: int) -> str:
        told, draft = "{size}", sum(room.needs.draft for room in fit.rooms)
        if role == "part_weights" and draft:
            told = self.tr("{size}, with {draft} for drafts")
        elif role == "part_compute" and fit.flash_attn is FlashAttention.OFF:
            told = self.tr("{size}, without flash attention")
        elif role == "part_checkpoints" or (role == "part_kv" and not fit.exact):
            told = self.tr("at most {size}")
        return told.format(size=size_text(whole), draft=size_text(draft))

    def _fill_table(self, fit: Fit) -> None:
        clear(self._grid)
        self._rows.clear()
        rooms = [room for room in fit.rooms if room.needs.total]
        self._put_row("", tuple(map(_name, rooms)))
        for name, sizes in self._lines(rooms):
            self._put_row(name, sizes)
        if fit.more_answers:
            self._put_row(self.tr("More, with several answers at once"), (size_text(fit.more_answers),))
        self._grid.setColumnStretch(len(rooms) + 1, 1)

    def _lines(self, rooms: Sequence[Room]) -> Iterator[tuple[str, tuple[str, ...]]]:
        parts = (
            ("weights", self.tr("Weights")),
            ("kv", self.tr("KV cache")),
            ("state", self.tr("Recurrent state")),
            ("compute", self.tr("Computing")),
            ("projector", self.tr("Projector (mmproj)")),
            ("draft", self.tr("Draft")),
            ("checkpoints", self.tr("Checkpoints, at most")),
        )
        for part, name in parts:
            sizes = [getattr(room.needs, part) for room in rooms]
            if any(sizes):
                yield name, tuple(size_text(size) if size else "–" for size in sizes)
        yield self.tr("All together"), tuple(size_text(room.needs.total) for room in rooms)
        yield self.tr("Free now"), tuple(size_text(room.free) for room in rooms)

    def _put_row(self, name: str, sizes: tuple[str, ...]) -> None:
        labels = [plain_label("small", self._table, text) for text in (name, *sizes)]
        for column, label in enumerate(labels):
            side = Qt.AlignmentFlag.AlignTrailing if column else Qt.AlignmentFlag.AlignLeading
            self._grid.addWidget(label, len(self._rows), column, side)
            # What is made while the table is shown is not shown by itself.
            label.show()
        self._rows.append(labels)

    def _fill_ways(self) -> None:
        self.proposals = []
        clear(self._button_column)
        for way in self._ways:
            button = push_button(self._way_text(way), self._buttons, tip=self._tip)
            button.setAccessibleDescription(self._tip)
            button.clicked.connect(lambda _=False, chosen=way: self.proposal_clicked.emit(chosen))
            self._button_column.addWidget(button, 0, Qt.AlignmentFlag.AlignLeading)
            self.proposals.append(button)

    def _way_text(self, way: Proposal) -> str:
        parts = []
        for change in way.changes:
            match change:
                case Change.CONTEXT:
                    parts.append(self.tr("context of {context}").format(context=compact(way.n_ctx)))
                case Change.KV_TYPES:
                    parts.append(self.tr("KV cache as {type}").format(type=way.loading.cache_type_k))
                case Change.LAYERS if way.loading.gpu_layers == 0:
                    parts.append(self.tr("no layers on the graphics card"))
                case Change.LAYERS:
                    parts.append(self.tr("{count} layers on the graphics card").format(count=way.loading.gpu_layers))
        text = ", ".join(parts)
        return text[:1].upper() + text[1:]

    def _show_table(self, shown: bool) -> None:
        self._table.setVisible(shown)
        rename(self.numbers_button, self.tr("Hide the numbers") if shown else self.tr("Show the numbers"))


def _name(room: Room) -> str:
    return room.name or QCoreApplication.translate("models", "main memory")
