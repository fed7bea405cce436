"""Dialogs in which people choose a file or a folder. All delete themselves when they close."""

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QWidget

Take = Callable[[Path], object]
"""Is told what was chosen."""


def ask_for_file(
    parent: QWidget, title: str, take: Take, *, folder: str = "", filters: Sequence[str] = ()
) -> QFileDialog:
    """One that is there. `filters` are Qt's name filters, the first of which is in force."""
    dialog = _dialog(parent, title, folder, QFileDialog.FileMode.ExistingFile, take)
    dialog.setNameFilters(filters)
    dialog.open()
    return dialog


def ask_for_folder(parent: QWidget, title: str, take: Take, *, folder: str = "") -> QFileDialog:
    """Begins in the user's own folder, unless another is named."""
    dialog = _dialog(parent, title, folder or str(Path.home()), QFileDialog.FileMode.Directory, take)
    dialog.setOption(QFileDialog.Option.ShowDirsOnly)
    dialog.open()
    return dialog


def ask_where_to_save(
    parent: QWidget, title: str, take: Take, name: str, *, folder: str = "", ending: str = ""
) -> QFileDialog:
    """`name` is proposed; `ending`, such as ".pdf", is added to what is typed without one."""
    dialog = _dialog(parent, title, folder, QFileDialog.FileMode.AnyFile, take)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    if ending:
        dialog.setNameFilters([f"*{ending}"])
        dialog.setDefaultSuffix(ending.removeprefix("."))
    dialog.selectFile(name)
    dialog.open()
    return dialog


def _dialog(parent: QWidget, title: str, folder: str, mode: QFileDialog.FileMode, take: Take) -> QFileDialog:
    dialog = QFileDialog(parent, title, folder)
    dialog.setFileMode(mode)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.fileSelected.connect(lambda name: take(Path(name)))
    return dialog
