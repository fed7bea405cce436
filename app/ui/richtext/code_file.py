"""Program text as a file of its own."""

from functools import cache
from pathlib import Path

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QMessageBox, QWidget

from app.ui.richtext.markdown_blocks import Code
from app.ui.widgets.file_dialogs import ask_where_to_save

_ENDINGS = {"": "txt", "text": "txt", "python": "py", "bash": "sh", "shell": "sh", "json": "json", "c++": "cpp"}
"""Where the highlighter's first pattern is not what people call such a file."""
_NAMES = {"dockerfile": "Dockerfile", "docker": "Dockerfile", "makefile": "Makefile", "make": "Makefile"}


def file_name(language: str) -> str:
    """A name for code of this language, as its fence calls it."""
    language = language.lower()
    return _NAMES.get(language) or f"code.{_ending(language)}"


@cache
def _ending(language: str) -> str:
    if language in _ENDINGS:
        return _ENDINGS[language]
    # Slow to import, and only needed here.
    from pygments.lexers import find_lexer_class_by_name
    from pygments.util import ClassNotFound

    try:
        patterns = find_lexer_class_by_name(language).filenames
    except ClassNotFound:
        return "txt"
    endings = [each.removeprefix("*.") for each in patterns if each.startswith("*.")]
    return next((each for each in endings if each.isalnum()), "txt")


def ask_where_to_save_code(code: Code, parent: QWidget) -> None:
    """Let people choose the place, then write the file."""
    title = QCoreApplication.translate("code", "Save the code")
    ask_where_to_save(parent, title, lambda path: save(code, path, parent), file_name(code.language))


def save(code: Code, path: Path, parent: QWidget) -> None:
    """Write the code with a last line's end; a disk that refuses is told."""
    try:
        path.write_text(code.text + "\n", encoding="utf-8", newline="\n")
    except OSError as error:
        told = QCoreApplication.translate("code", "{path} could not be written: {reason}. Choose another place.")
        box = QMessageBox(parent.window())
        box.setTextFormat(box.textFormat().PlainText)
        box.setText(told.format(path=path, reason=error.strerror or error))
        box.finished.connect(box.deleteLater)
        box.open()
