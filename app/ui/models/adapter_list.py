"""The LoRA adapters of one model: files, each with a scale; in force at once where the model is in memory."""

from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QSlider, QWidget

from app.core.adapters import LARGEST_SCALE, Adapter
from app.core.model_ref import ModelRef
from app.core.setting import Declaration
from app.services.models.options import OptionsOfModels
from app.services.runtime.debounce import Debounce
from app.ui.formatting.sentences import translated
from app.ui.theme.appearance import Appearance
from app.ui.theme.fonts import scaled
from app.ui.widgets.buttons import IconButton, push_button
from app.ui.widgets.discard import discard
from app.ui.widgets.file_dialogs import ask_for_file
from app.ui.widgets.layouts import grid, lead, vbox
from app.ui.widgets.plain_text import plain_label, plain_tip, tell, told
from app.ui.widgets.setting_editors import NumberEdit

_CALM_MS = 500
"""After the last change of a scale, before it is in force: what the context holds has to be read again then."""
_STEPS = 20
"""Of the slider, for each whole number."""
_SLIDES_TO = 2


class AdapterRow(QWidget):
    """One file and its scale."""

    scale_changed = Signal()

    def __init__(self, appearance: Appearance, adapter: Adapter, parent: QWidget) -> None:
        super().__init__(parent)
        self.path = adapter.path
        name = adapter.path.stem
        self._name = plain_label("", self, name)
        self._name.setToolTip(plain_tip(str(adapter.path)))
        self._problem = plain_label("danger", self, wraps=True)
        self.slider = QSlider(Qt.Orientation.Horizontal, self)
        self.slider.setRange(0, _SLIDES_TO * _STEPS)
        self.slider.setPageStep(_STEPS // 4)
        self.slider.setMinimumHeight(scaled(22))
        bounds = Declaration("", "", minimum=-LARGEST_SCALE, maximum=LARGEST_SCALE)
        self.number = NumberEdit(float, bounds, "", self)
        self.number.setFixedWidth(scaled(70))
        self.remove_button = IconButton(
            appearance, "close", self.tr("Take {adapter} off").format(adapter=name), parent=self
        )
        for editor in (self.slider, self.number):
            editor.setAccessibleName(self.tr("Scale of {adapter}").format(adapter=name))
            editor.setToolTip(self.tr("1 is as it was trained, 0 is without it"))
        self._lay_out()
        self.show_scale(adapter.scale)
        self.slider.valueChanged.connect(self._slid)
        self.number.value_changed.connect(self._typed)

    @property
    def adapter(self) -> Adapter | None:
        """None while the number is none, or out of bounds."""
        try:
            scale = float(self.number.read())
        except ValueError:
            return None
        return Adapter(self.path, scale) if abs(scale) <= LARGEST_SCALE else None

    @property
    def problem(self) -> str:
        return told(self._problem)

    def show_scale(self, scale: float) -> None:
        with QSignalBlocker(self.number), QSignalBlocker(self.slider):
            self.number.write(scale)
            self.slider.setValue(round(scale * _STEPS))

    def show_problem(self, sentence: str) -> None:
        tell(self._problem, sentence)

    def _slid(self, steps: int) -> None:
        with QSignalBlocker(self.number):
            self.number.write(steps / _STEPS)
        self.scale_changed.emit()

    def _typed(self) -> None:
        if (adapter := self.adapter) is None:
            sentence = self.tr("Write a number between {least} and {most}.")
            self.show_problem(sentence.format(least=-int(LARGEST_SCALE), most=int(LARGEST_SCALE)))
            return
        self.show_problem("")
        with QSignalBlocker(self.slider):
            self.slider.setValue(round(adapter.scale * _STEPS))
        self.scale_changed.emit()

    def _lay_out(self) -> None:
        lines = grid(self, gaps=(8, 2))
        lines.setColumnStretch(0, 1)
        lines.addWidget(self._name, 0, 0, 1, 2)
        lines.addWidget(self.remove_button, 0, 2)
        lines.addWidget(self.slider, 1, 0)
        lines.addWidget(self.number, 1, 1, 1, 2)
        lines.addWidget(self._problem, 2, 0, 1, 3)


class AdapterList(QWidget):
    """All of one model's."""

    def __init__(self, appearance: Appearance, options: OptionsOfModels, parent: QWidget) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._options = options
        self._model: ModelRef | None = None
        self._architecture = ""
        self.rows: list[AdapterRow] = []
        self._told = plain_label("small", self, wraps=True)
        self._problem = plain_label("danger", self, wraps=True)
        made_for = self.tr("A GGUF file that was made from a LoRA adapter of this very model")
        self.add_button = push_button(self.tr("Add an adapter…"), self, self._ask, tip=made_for)
        self._box = vbox(gap=10)
        self._calm = Debounce(_CALM_MS, self._keep_scales, self)
        self._lay_out()
        options.adapter_read.connect(self._hear_read)

    @property
    def problem(self) -> str:
        """Why the file that was chosen last can't be used."""
        return told(self._problem)

    def show_model(self, model: ModelRef | None, architecture: str) -> None:
        self.keep()
        self._model, self._architecture = model, architecture
        tell(self._problem, "")
        if model is not None:
            self._options.look_for_adapters(model)
        self.refresh()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.keep()

    def keep(self) -> None:
        """Put the scales in force that were changed, now."""
        self._calm.flush()

    def _keep_scales(self) -> None:
        if self._model is not None:
            kept = {each.path: each for each in self._options.of(self._model).adapters}
            wanted = [row.adapter or kept.get(row.path, Adapter(row.path)) for row in self.rows]
            self._options.set_adapters(self._model, wanted)

    def refresh(self) -> None:
        """Something is set otherwise, or the engine does something else now."""
        adapters = self._options.of(self._model).adapters if self._model is not None else ()
        if [each.path for each in adapters] != [row.path for row in self.rows]:
            self._make_rows(adapters)
        for row, adapter in zip(self.rows, adapters, strict=True):
            if row.adapter is not None and not self._calm.isActive():
                if row.adapter != adapter:
                    row.show_scale(adapter.scale)
                row.show_problem(self._options.adapter_problem(self._model, adapter) if self._model else "")
        self._told.setVisible(not adapters)

    def add(self, path: Path) -> None:
        """Let a file work on the model."""
        if self._model is None:
            return
        self.keep()
        self._options.add_adapter(self._model, path, self._architecture)

    def _hear_read(self, model: ModelRef, problem: str) -> None:
        if model == self._model:
            tell(self._problem, translated(problem))
            self.refresh()

    def _remove(self, row: AdapterRow) -> None:
        self.keep()
        if self._model is None:
            return
        kept = [each for each in self._options.of(self._model).adapters if each.path != row.path]
        self.add_button.setFocus(Qt.FocusReason.OtherFocusReason)
        self._options.set_adapters(self._model, kept)
        self.refresh()

    def _ask(self) -> None:
        folder = str(self.rows[-1].path.parent if self.rows else self._model.file.parent if self._model else "")
        filters = (self.tr("Adapters (*.gguf)"), self.tr("All files (*)"))
        ask_for_file(self, self.tr("Add a LoRA adapter"), self.add, folder=folder, filters=filters)

    def _make_rows(self, adapters: tuple[Adapter, ...]) -> None:
        while self.rows:
            row = self.rows.pop()
            self._box.removeWidget(row)
            discard(row)
        for adapter in adapters:
            row = AdapterRow(self._appearance, adapter, self)
            row.scale_changed.connect(self._calm.start)
            row.remove_button.clicked.connect(lambda _=False, row=row: self._remove(row))
            self.rows.append(row)
            self._box.addWidget(row)

    def _lay_out(self) -> None:
        title = plain_label("section", self, self.tr("Adapters (LoRA)"))
        self._told.setText(self.tr("Small files that teach this model a style or a subject. None is in use."))
        self._problem.hide()
        vbox(title, self._told, self._box, self._problem, lead(self.add_button), on=self, gap=8)
