"""The pictures of one message, side by side."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.core.messages import ImagePart
from app.services.pictures.preview_cache import PreviewCache
from app.ui.pictures.view import MANY_HIGH, ONE_HIGH, PictureView, shown_size
from app.ui.theme.appearance import Appearance
from app.ui.widgets.discard import discard
from app.ui.widgets.flow import flow

_GAP = 8


class PictureFlow(QWidget):
    """As high as its rows for the width that `place` is told; at the side of the user's words, or of the model's."""

    wanted = Signal(object)
    """PictureAction"""

    def __init__(
        self, appearance: Appearance, previews: PreviewCache, parent: QWidget | None = None, *, of_user: bool = True
    ) -> None:
        super().__init__(parent)
        self._of_user = of_user
        self._appearance = appearance
        self._previews = previews
        self._views: list[PictureView] = []

    @property
    def views(self) -> tuple[PictureView, ...]:
        return tuple(self._views)

    def show_pictures(self, parts: tuple[ImagePart, ...]) -> None:
        if parts == tuple(view.part for view in self._views):
            return
        gone, self._views = self._views, [PictureView(self._appearance, self._previews, part, self) for part in parts]
        discard(*gone)
        for view in self._views:
            view.wanted.connect(self.wanted)
            view.show()

    def place(self, width: int) -> int:
        """Lay the pictures out in `width` pixels; returns the height."""
        highest = ONE_HIGH if len(self._views) == 1 else MANY_HIGH
        sizes = [shown_size(view.part, highest, width) for view in self._views]
        to_right = self._of_user is not self.isRightToLeft()
        places, height = flow(sizes, width, _GAP, to_right=to_right)
        for view, size, place in zip(self._views, sizes, places, strict=True):
            view.resize(size)
            view.move(place)
        self.resize(width, height)
        return height
