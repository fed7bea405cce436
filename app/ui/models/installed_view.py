"""A model of this computer, shown where the hub can't be reached."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from app.library.catalogue import LibraryModel
from app.ui.models.discover_rows import InstalledRow, line
from app.ui.widgets.plain_text import plain_label


class InstalledModelView(QWidget):
    chat_wanted = Signal(object)
    """ModelRef"""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._model: LibraryModel | None = None
        self.title = plain_label("title", self, wraps=True)
        self._line = plain_label("small", self, wraps=True)
        self._text = plain_label("muted", self, wraps=True)
        self._text.setText(self.tr("It is on this computer and works without a network."))
        self.chat_button = QPushButton(self.tr("Chat"), self)
        self.chat_button.setProperty("tone", "primary")
        self.chat_button.setAutoDefault(False)
        self.chat_button.setToolTip(self.tr("Load it and talk to it"))
        self.chat_button.clicked.connect(self._chat)
        column = QVBoxLayout(self)
        column.setContentsMargins(2, 0, 14, 8)
        column.setSpacing(8)
        for label in (self.title, self._line, self._text):
            column.addWidget(label)
        column.addWidget(self.chat_button, 0, Qt.AlignmentFlag.AlignLeading)
        column.addStretch(1)

    def show_model(self, model: LibraryModel) -> None:
        self._model = model
        self.title.setText(model.name)
        self._line.setText(line(InstalledRow(model)))
        self.chat_button.setAccessibleName(self.tr("Chat with {model}").format(model=model.name))

    def _chat(self) -> None:
        if self._model is not None:
            self.chat_wanted.emit(self._model.ref)
