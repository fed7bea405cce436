"""What stands where no model is listed: why, and what to do about it."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from app.ui.widgets.buttons import push_button
from app.ui.widgets.layouts import Part, Placed, middle, vbox
from app.ui.widgets.plain_text import plain_label


class ModelsEmptyState(QWidget):
    """Whoever owns it connects its buttons."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._headline = plain_label("brand", self, wraps=True)
        self._text = plain_label("muted", self, wraps=True)
        for label in (self._headline, self._text):
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.discover_button = push_button(self.tr("Find a model to download"), self, tone="primary")
        self.folder_button = push_button(self.tr("Add a folder with models…"), self)
        self.open_button = push_button(self.tr("Open a model file…"), self)
        self.all_button = push_button(self.tr("Show all files"), self)
        buttons = (self.discover_button, self.folder_button, self.open_button, self.all_button)
        parts: tuple[Part, ...] = (
            Placed(share=2),
            self._headline,
            self._text,
            6,
            *map(middle, buttons),
            Placed(share=3),
        )
        vbox(*parts, on=self, gap=8, margins=(12, 12, 12, 12))

    @property
    def text(self) -> str:
        return f"{self._headline.text()} {self._text.text()}"

    def show_reason(self, *, hidden: bool, files: bool, scanning: bool) -> None:
        """`hidden`: there are models, and the search or the filter hides them. `files`: there are some to list."""
        if hidden:
            self._headline.setText(self.tr("Nothing here is like that."))
            self._text.setText(self.tr("Search for another word, or list all files."))
        elif scanning:
            self._headline.setText(self.tr("Looking for models…"))
            self._text.setText(self.tr("In Hearth's own folder and in those of other programs."))
        else:
            self._headline.setText(self.tr("No model was found on this computer but the guide."))
            self._text.setText(
                self.tr(
                    "Hearth looks where LM Studio, Ollama, Jan, GPT4All, llama.cpp and Hugging Face keep theirs, "
                    "and in folders that you name. A file that is there already is never copied."
                )
            )
        for button in (self.discover_button, self.folder_button, self.open_button):
            button.setHidden(hidden or scanning)
        self.all_button.setVisible(hidden or (files and not scanning))
