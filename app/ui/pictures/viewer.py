"""A picture of the conversation, enlarged."""

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QWidget

from app.core.messages import ImagePart
from app.services.pictures.preview_cache import PreviewCache
from app.services.pictures.states import KeptPicture
from app.ui.formatting.sentences import translated
from app.ui.pictures.canvas import PictureCanvas
from app.ui.pictures.view import PictureAction, PictureUse
from app.ui.theme.appearance import Appearance
from app.ui.widgets.buttons import IconButton
from app.ui.widgets.dialogs import Dialog
from app.ui.widgets.layouts import grow, hbox, vbox
from app.ui.widgets.plain_text import plain_label

_SHARE = 0.9
"""Of the screen, no more than this is taken."""
_BAR = 52
_LEAST = QSize(420, 320)


class PictureViewer(Dialog):
    """Shown by `open()`; Esc closes it. Deletes itself."""

    wanted = Signal(object)
    """PictureAction: COPY or SAVE"""

    def __init__(self, appearance: Appearance, previews: PreviewCache, part: ImagePart, parent: QWidget) -> None:
        name = part.name or self.tr("Picture")
        super().__init__(name, parent)
        self._previews = previews
        self._part = part
        self.setAccessibleName(self.tr("Picture: {name}").format(name=name))
        self.canvas = PictureCanvas(appearance, self)
        self.canvas.setAccessibleName(name)
        self.canvas.show_words(self.tr("Loading…"))
        self.copy_button = IconButton(appearance, "copy", self.tr("Copy the picture"), self._copy, parent=self)
        self.save_button = IconButton(appearance, "save", self.tr("Save as…"), self._save, parent=self)
        self.close_button = IconButton(appearance, "close", self.tr("Close"), self.reject, parent=self)
        self._lay_out(name)
        self._fit_to_screen()
        self._enable(on=False)
        self._work = previews.open(part, self._show)
        self.canvas.setFocus()

    def done(self, result: int) -> None:
        self._previews.cancel(self._work)
        super().done(result)

    def _show(self, kept: KeptPicture) -> None:
        if kept.image is not None:
            self.canvas.show_image(kept.image)
            self._enable(on=True)
        else:
            self.canvas.show_words(translated(kept.problem))

    def _enable(self, *, on: bool) -> None:
        self.copy_button.setEnabled(on)
        self.save_button.setEnabled(on)

    def _copy(self) -> None:
        self.wanted.emit(PictureAction(PictureUse.COPY, self._part))

    def _save(self) -> None:
        self.wanted.emit(PictureAction(PictureUse.SAVE, self._part))

    def _lay_out(self, name: str) -> None:
        size = f"   {self._part.width:,} × {self._part.height:,}" if self._part.width else ""
        shown = self.fontMetrics().elidedText(name, Qt.TextElideMode.ElideMiddle, 260) + size
        parts = (grow(plain_label("muted", self, shown)), self.copy_button, self.save_button, self.close_button)
        vbox(hbox(*parts, margins=(18, 6, 10, 6)), grow(self.canvas), on=self, gap=0)

    def _fit_to_screen(self) -> None:
        room = self.screen().availableSize() * _SHARE
        wanted = QSize(self._part.width, self._part.height) if self._part.width else QSize(800, 600)
        inside = room - QSize(0, _BAR)
        if wanted.width() > inside.width() or wanted.height() > inside.height():
            wanted = wanted.scaled(inside, Qt.AspectRatioMode.KeepAspectRatio)
        self.resize((wanted + QSize(0, _BAR)).expandedTo(_LEAST).boundedTo(room))
