"""What people set and note for one model: a star, notes, settings of its own, adapters."""

from PySide6.QtCore import QDateTime, QSignalBlocker
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QWidget

from app.library.catalogue import LibraryModel
from app.services.models.options import OptionsOfModels
from app.services.runtime.debounce import Debounce
from app.ui.formatting.dates import short_date
from app.ui.models.adapter_list import AdapterList
from app.ui.models.settings_overrides import SettingsOverrides
from app.ui.theme.appearance import Appearance
from app.ui.widgets.buttons import IconButton
from app.ui.widgets.layouts import grow, hbox, vbox
from app.ui.widgets.plain_text import plain_label
from app.ui.widgets.setting_editors import TextEdit

_CALM_MS = 400


class ModelSettingsPanel(QWidget):
    """Everything that is edited is kept at once. GUI thread."""

    def __init__(self, appearance: Appearance, options: OptionsOfModels, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._options = options
        self._model: LibraryModel | None = None
        self.star = IconButton(appearance, "star", "", parent=self)
        self.star.setCheckable(True)
        self.used = plain_label("small", self)
        self.notes = TextEdit(self)
        self.settings = SettingsOverrides(appearance, options, self)
        self.adapters = AdapterList(appearance, options, self)
        self._calm = Debounce(_CALM_MS, self._keep_notes, self)
        self._lay_out()
        self.star.toggled.connect(self._starred)
        self.notes.value_changed.connect(self._calm.start)
        self.settings.reload_button.clicked.connect(options.reload)
        options.changed.connect(self.refresh)
        options.state_changed.connect(self.refresh)
        self.show_model(None)

    def show_model(self, model: LibraryModel | None) -> None:
        """None hides everything; what can't be chatted with has only a star and notes."""
        if model is not None and model == self._model:
            # What is being typed stays as it is.
            self.refresh()
            return
        self.keep()
        self._model = model
        usable = model is not None and model.is_usable
        facts = model.facts if model is not None and usable else None
        self.setVisible(model is not None)
        for part in (self.settings, self.adapters):
            part.setVisible(usable)
        self.settings.show_model(model.ref if model and usable else None, facts)
        self.adapters.show_model(model.ref if model and usable else None, facts.architecture if facts else "")
        with QSignalBlocker(self.notes):
            self.notes.write(self._options.of(model.ref).notes if model is not None else "")
        self.refresh()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.keep()

    def keep(self) -> None:
        """Keep the notes that were written, now."""
        self._calm.flush()

    def _keep_notes(self) -> None:
        if self._model is not None:
            self._options.set_notes(self._model.ref, self.notes.read())

    def refresh(self) -> None:
        """Something is set otherwise, or the engine does something else now."""
        if self._model is None:
            return
        own = self._options.of(self._model.ref)
        with QSignalBlocker(self.star):
            self.star.setChecked(own.favourite)
        self._draw_star()
        self.used.setText(self._when(own.used))
        self.settings.refresh()
        self.adapters.refresh()

    def _starred(self, starred: bool) -> None:
        if self._model is not None:
            self._options.set_favourite(self._model.ref, starred)
        self._draw_star()

    def _draw_star(self) -> None:
        starred = self.star.isChecked()
        self.star.show_icon("star-filled" if starred else "star")
        self.star.say(self.tr("Remove the star") if starred else self.tr("Give it a star: such models come first"))

    def _when(self, used: int) -> str:
        if not used:
            return self.tr("Not used yet")
        date = QDateTime.fromSecsSinceEpoch(used).date()
        return self.tr("Last used {date}").format(date=short_date(date))

    def _lay_out(self) -> None:
        title = plain_label("section", self, self.tr("Notes"))
        title.setBuddy(self.notes)
        self.notes.setAccessibleName(self.tr("Notes about this model"))
        self.notes.setToolTip(self.tr("For yourself: no model is shown them"))
        self.notes.setPlaceholderText(self.tr("What is it good for?"))
        head = hbox(self.star, grow(self.used), gap=6)
        vbox(head, title, self.notes, 6, self.settings, 6, self.adapters, on=self, gap=8)
