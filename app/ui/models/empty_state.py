"""What stands where no model is listed: why, and what to do about it."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget


class ModelsEmptyState(QWidget):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._headline = self._label("brand")
        self._text = self._label("muted")
        self.discover_button = self._button(self.tr("Find a model to download"))
        self.discover_button.setProperty("tone", "primary")
        self.folder_button = self._button(self.tr("Add a folder with models…"))
        self.open_button = self._button(self.tr("Open a model file…"))
        self.all_button = self._button(self.tr("Show all files"))
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 12, 12, 12)
        column.setSpacing(8)
        column.addStretch(2)
        column.addWidget(self._headline)
        column.addWidget(self._text)
        column.addSpacing(6)
        for button in (self.discover_button, self.folder_button, self.open_button, self.all_button):
            column.addWidget(button, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(3)

    @property
    def text(self) -> str:
        return f"{self._headline.text()} {self._text.text()}"

    def show_reason(self, *, anything: bool, scanning: bool) -> None:
        """`anything`: there are models, and the search or the filter hides them."""
        if anything:
            self._headline.setText(self.tr("Nothing here is like that."))
            self._text.setText(self.tr("Search for another word, or list all files."))
        elif scanning:
            self._headline.setText(self.tr("Looking for models…"))
            self._text.setText(self.tr("In Hearth's own folder and in those of other programs."))
        else:
            self._headline.setText(self.tr("There is no model on this computer yet but the guide."))
            self._text.setText(
                self.tr(
                    "Hearth looks where LM Studio, Ollama, Jan, GPT4All, llama.cpp and Hugging Face keep theirs, "
                    "and in folders that you name. A file that is there already is never copied."
                )
            )
        for button in (self.discover_button, self.folder_button, self.open_button):
            button.setHidden(anything or scanning)
        self.all_button.setVisible(anything)

    def _label(self, tone: str) -> QLabel:
        label = QLabel(self)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setWordWrap(True)
        label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        label.setProperty("tone", tone)
        return label

    def _button(self, text: str) -> QPushButton:
        button = QPushButton(text, self)
        button.setAutoDefault(False)
        button.setAccessibleName(text)
        return button
