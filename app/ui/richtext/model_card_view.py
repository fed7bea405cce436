"""A model card below whatever stands above it, with widgets for what is in sight alone."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.ui.richtext.blocks_view import BlocksView
from app.ui.richtext.model_card_text import readable_card
from app.ui.theme.appearance import Appearance


class ModelCardView(QWidget):
    """As high as its text. Nothing is fetched for it, and links are only reported."""

    link_clicked = Signal(str)
    place_wanted = Signal(int)
    """A link leads to this height within it."""

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.blocks = BlocksView(appearance, self, name=self.tr("Model card"))
        self.blocks.link_clicked.connect(self.link_clicked)
        self.blocks.place_wanted.connect(self.place_wanted)
        self.blocks.resized.connect(self._place)
        self.show_range(0, 1000)

    def show_card(self, text: str) -> None:
        """Markdown, written by anybody."""
        self.blocks.set_text(readable_card(text))
        self._place()

    def show_range(self, top: int, bottom: int) -> None:
        """What of it is in sight, in pixels."""
        self.blocks.show_range(top, bottom)
        self._place()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def _place(self) -> None:
        height = self.blocks.place(self.width())
        self.blocks.setGeometry(0, 0, self.width(), height)
        if height != self.height():
            self.setFixedHeight(height)
