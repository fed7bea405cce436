"""All that is known of one model, what it would take, and what can be done with it."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QScrollArea, QWidget

from app.core.capabilities import Capabilities, MemoryKind
from app.core.sampling import Sampling
from app.library.model_facts import ModelFacts, ModelKind
from app.library.model_sources import Source
from app.ui.formatting.dates import day_and_time
from app.ui.formatting.line_breaks import BREAK, breakable
from app.ui.formatting.numbers import count, size_text
from app.ui.formatting.sentences import translated
from app.ui.models.rows import Row, params_text, place_text
from app.ui.settings.field import words_of
from app.ui.theme.appearance import Appearance
from app.ui.widgets.buttons import CopyButton, IconButton, push_button, rename
from app.ui.widgets.fit_panel import FitPanel
from app.ui.widgets.fuzzy_match import folded
from app.ui.widgets.layouts import FILL, clear, grid, hbox, lead, scroll, vbox
from app.ui.widgets.plain_text import plain_label, tell

_NANO = 10**9


class ModelDetails(QScrollArea):
    """Shows one row of the list, or nothing."""

    model_shown = Signal(object)
    """LibraryModel, or None: for what stands in `extras`"""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self.row: Row | None = None
        self._can: Capabilities | None = None
        self._inside = QWidget(self)
        self._inside.setObjectName("settings")
        self.title = plain_label("title", self._inside, wraps=True)
        self.problem = plain_label("danger", self._inside, wraps=True)
        loads = self.tr("Loads it for the conversation on screen, which stays")
        self.chat_button = push_button(self.tr("Chat with it"), self._inside, tip=loads, tone="primary")
        self.reveal_button = IconButton(appearance, "folder", self.tr("Show in the file manager"), parent=self._inside)
        self.copy_button = CopyButton(appearance, self.tr("Copy the path"), self._path, parent=self._inside)
        self.remove_button = IconButton(appearance, "trash", self.tr("Move to the trash…"), parent=self._inside)
        self.template_button = push_button(self.tr("Show the chat template"), self._inside, tone="link")
        self.template_button.setObjectName("flush")
        self.fit_panel = FitPanel(appearance, self.tr("Sets this and loads the model"), self._inside)
        self._facts = QWidget(self._inside)
        self._grid = grid(self._facts, gaps=(16, 5))
        self.extras = QWidget(self._inside)
        """Room for what people set and note for one model; `model_shown` tells which one."""
        self.extras_column = vbox(on=self.extras)
        self._actions = hbox(self.chat_button, FILL, self.reveal_button, self.copy_button, self.remove_button, gap=4)
        self._told: list[tuple[str, str]] = []
        self._lay_out()
        self.show_row(None)

    @property
    def facts(self) -> dict[str, str]:
        """As they are shown, by their names."""
        return {name: value.replace(BREAK, "") for name, value in self._told}

    def show_row(
        self,
        row: Row | None,
        *,
        loaded: bool = False,
        offloaded: tuple[int, int] = (0, 0),
        can: Capabilities | None = None,
    ) -> None:
        """Of the model in memory: how many of how many layers lie on graphics cards, and what it can do; of others that
        is what their headers say.
        """
        self._can = can
        before, self.row = self.row, row
        self._inside.setVisible(row is not None)
        if row is None:
            if before is not None:
                self.model_shown.emit(None)
            return
        model = row.model
        self.title.setText(model.name)
        self.setAccessibleDescription(model.name)
        tell(self.problem, translated(model.problem))
        self.chat_button.setVisible(model.is_usable)
        rename(self.chat_button, self.tr("Back to the chat") if loaded else self.tr("Chat with it"))
        self.template_button.setVisible(model.facts is not None and model.facts.has_template)
        self._fill(row, offloaded)
        if before is None or before.model != model:
            self.verticalScrollBar().setValue(0)
            self.model_shown.emit(model)

    def add_button(self, button: QWidget) -> None:
        """One more, beside those that show, copy and remove the file."""
        self._actions.insertWidget(self._actions.indexOf(self.reveal_button), button)

    def _path(self) -> str:
        return str(self.row.model.path) if self.row is not None else ""

    def _lay_out(self) -> None:
        self.setAccessibleName(self.tr("Details of the model"))
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._grid.setColumnStretch(1, 1)
        vbox(
            self.title, self.problem, self._actions, self.fit_panel, self._facts, lead(self.template_button),
            self.extras, FILL, on=self._inside, gap=12, margins=(14, 0, 14, 12),
        )  # fmt: skip
        scroll(self, self._inside)

    def _fill(self, row: Row, offloaded: tuple[int, int]) -> None:
        told = [(name, value) for name, value in self._lines(row) if value]
        if offloaded[1]:
            told.insert(0, (self.tr("Graphics card"), self._on_card(*offloaded)))
        if told == self._told:
            return
        self._told = told
        clear(self._grid)
        for number, (name, value) in enumerate(told):
            left = plain_label("small", self._inside, name)
            # Smaller letters, on the same line as the larger ones.
            left.setContentsMargins(0, 2, 0, 0)
            right = plain_label("", self._inside, value, wraps=True)
            if BREAK not in value:
                right.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            right.setAccessibleName(f"{name}: {value.replace(BREAK, '')}")
            self._grid.addWidget(left, number, 0, Qt.AlignmentFlag.AlignTop)
            self._grid.addWidget(right, number, 1)

    def _on_card(self, n: int, of: int) -> str:
        if not n:
            return self.tr("None of its {count} layers is there").format(count=count(of))
        if n == of:
            return self.tr("All {count} layers are there").format(count=count(of))
        return self.tr("{n} of its {count} layers are there").format(n=count(n), count=count(of))

    def _lines(self, row: Row) -> Iterator[tuple[str, str]]:
        model, facts = row.model, row.model.facts
        if facts is not None:
            yield from self._of_header(facts, row)
        size = size_text(model.size)
        if len(model.parts) > 1:
            size = self.tr("{size} in {count} files").format(size=size, count=count(len(model.parts)))
        yield self.tr("Size"), size
        own = model.source is Source.FOLDER
        yield self.tr("Kept by"), self.tr("you, in a folder of yours") if own else place_text(model)
        yield self.tr("Projector"), _names(model.projectors)
        yield self.tr("Draft"), _names(model.drafts)
        yield self.tr("File"), breakable(str(model.path))
        yield self.tr("Also in"), "\n".join(breakable(str(path.parent)) for path in model.also)
        yield self.tr("Changed"), day_and_time(model.modified / _NANO) if model.modified else ""

    def _of_header(self, facts: ModelFacts, row: Row) -> Iterator[tuple[str, str]]:
        yield self.tr("Called"), "" if folded(facts.name) in folded(row.model.name) else facts.name
        yield self.tr("Kind"), self._kind(facts)
        can = self._can
        of_file = Capabilities(
            sees=row.sees or facts.vision,
            hears=row.hears,
            tools=facts.tools,
            reasons=facts.reasoning,
            own_head=facts.mtp,
        )
        yield self.tr("Can"), ", ".join(self._abilities(can or of_file))
        yield self.tr("Memory"), self._memory(can.memory) if can is not None else ""
        yield self.tr("Architecture"), facts.architecture
        yield self.tr("Parameters"), params_text(facts.n_params)
        yield self.tr("Quantisation"), facts.quantisation
        if facts.n_ctx_train:
            yield self.tr("Trained with"), self.tr("{count} tokens of context").format(count=count(facts.n_ctx_train))
        yield self.tr("Licence"), facts.licence
        yield self.tr("Advised sampling"), ", ".join(_advice(facts))
        if facts.kind is ModelKind.MODEL and not facts.has_template:
            yield self.tr("Chat template"), self.tr("It has none; ChatML stands in.")

    def _abilities(self, can: Capabilities) -> Iterator[str]:
        if can.sees:
            yield self.tr("see pictures")
        if can.hears:
            yield self.tr("hear")
        if can.tools:
            yield self.tr("call tools")
        if can.reasons:
            yield self.tr("reason first")
        if can.own_head:
            yield self.tr("guess further words itself (MTP)")
        if can.fills:
            yield self.tr("fill gaps in texts")
        if can.embeddings:
            yield self.tr("make vectors of texts")

    def _memory(self, kind: MemoryKind) -> str:
        match kind:
            case MemoryKind.ATTENTION:
                return self.tr("Of every word: it can go back to any place")
            case MemoryKind.SLIDING_WINDOW:
                return self.tr("Of the last words in some layers (sliding window): it goes back to checkpoints")
            case MemoryKind.RECURRENT:
                return self.tr("A state that each word changes (recurrent): it goes back to checkpoints")
            case MemoryKind.HYBRID:
                return self.tr("Of every word in some layers, a state in others (hybrid): it goes back to checkpoints")

    def _kind(self, facts: ModelFacts) -> str:
        match facts.kind:
            case ModelKind.PROJECTOR if facts.audio and facts.vision:
                return self.tr("A projector (mmproj): it lets a model see and hear")
            case ModelKind.PROJECTOR if facts.audio:
                return self.tr("A projector (mmproj): it lets a model hear")
            case ModelKind.PROJECTOR:
                return self.tr("A projector (mmproj): it lets a model see")
            case ModelKind.DRAFT:
                return self.tr("A draft: it guesses ahead for another model")
            case ModelKind.ADAPTER:
                return self.tr("An adapter (LoRA): it changes another model")
            case ModelKind.EMBEDDER:
                return self.tr("It makes vectors of texts, and can't chat: it is for other programs")
            case ModelKind.RERANKER:
                return self.tr("It ranks documents by how well they answer, and can't chat: it is for other programs")
            case ModelKind.DIFFUSION:
                return self.tr("A diffusion model: it fills in a whole text at once, and Hearth writes word by word")
        return ""


def _advice(facts: ModelFacts) -> Iterator[str]:
    return (f"{label} {facts.sampling[name]}" for name, label, *_ in words_of(Sampling) if name in facts.sampling)


def _names(paths: Sequence[Path]) -> str:
    return "\n".join(breakable(path.name) for path in paths)
