"""The button of the composer that asks what should be attached."""

from PySide6.QtCore import QPoint, Signal
from PySide6.QtWidgets import QMenu, QWidget

from app.ui.theme.appearance import Appearance
from app.ui.widgets.buttons import IconButton


class AttachButton(IconButton):
    picture_clicked = Signal()
    file_clicked = Signal()

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(appearance, "plus", self.tr("Add pictures or files"), size=20, parent=parent)
        self.choices = QMenu(self)
        self._picture = self.choices.addAction(self.tr("Add a picture…"))
        self._picture.triggered.connect(self.picture_clicked)
        self._file = self.choices.addAction(self.tr("Attach a file…"))
        self._file.triggered.connect(self.file_clicked)
        self.clicked.connect(self._ask)
        appearance.changed.connect(self._tint_choices)
        self._tint_choices()

    def _ask(self) -> None:
        """Above the button, for the composer stands at the lower end of the window."""
        corner = self.mapToGlobal(QPoint(0, -4))
        self.choices.popup(corner - QPoint(0, self.choices.sizeHint().height()))
        self.choices.setActiveAction(self._picture)

    def _tint_choices(self) -> None:
        self._picture.setIcon(self._appearance.icon("picture", "muted"))
        self._file.setIcon(self._appearance.icon("document", "muted"))
