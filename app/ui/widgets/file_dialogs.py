"""Dialogs in which people choose a file or a folder, and where they begin. All delete themselves when they close."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QStandardPaths, Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFileDialog, QHeaderView, QToolButton, QTreeView, QWidget

from app.ui.theme.icons import tinted

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


def ask_for_files(
    parent: QWidget, title: str, take: Callable[[list[Path]], object], *, folder: str, filters: Sequence[str]
) -> None:
    """As `ask_for_file`, for several at once."""
    dialog = _dialog(parent, title, folder, QFileDialog.FileMode.ExistingFiles)
    dialog.setNameFilters(filters)
    dialog.filesSelected.connect(lambda names: take([Path(name) for name in names]))
    dialog.open()


def ask_for_folder(parent: QWidget, title: str, take: Take, *, folder: str = "") -> QFileDialog:
    """Begins in the user's own folder, unless another is named."""
    dialog = _dialog(parent, title, folder or str(Path.home()), QFileDialog.FileMode.Directory, take)
    dialog.setOption(QFileDialog.Option.ShowDirsOnly)
    dialog.open()
    return dialog


def ask_where_to_save(
    parent: QWidget, title: str, take: Take, name: str, *, folder: str = "", ending: str = "", kind: str = ""
) -> QFileDialog:
    """`name` is proposed; `ending`, such as ".pdf", is added to what is typed without one. `kind` is a name filter that
    says more than the ending.
    """
    dialog = _dialog(parent, title, folder, QFileDialog.FileMode.AnyFile, take)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    if ending:
        dialog.setNameFilters([kind or f"*{ending}"])
        dialog.setDefaultSuffix(ending.removeprefix("."))
    dialog.selectFile(name)
    dialog.open()
    return dialog


def documents_folder() -> str:
    return _there(QStandardPaths.StandardLocation.DocumentsLocation)


def pictures_folder() -> str:
    return _there(QStandardPaths.StandardLocation.PicturesLocation)


def _there(location: QStandardPaths.StandardLocation) -> str:
    """Of a folder that is not there, Qt's dialog would write the name where the file's belongs, and open nothing."""
    folder = QStandardPaths.writableLocation(location)
    # Path.is_dir raises where the folder can't be read.
    return folder if os.path.isdir(folder) else str(Path.home())  # noqa: PTH112


def _dialog(
    parent: QWidget, title: str, folder: str, mode: QFileDialog.FileMode, take: Take | None = None
) -> QFileDialog:
    dialog = QFileDialog(parent, title, folder)
    dialog.setFileMode(mode)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    # "Pictures", where a dozen patterns would be cut off in the middle of one.
    dialog.setOption(QFileDialog.Option.HideNameFilterDetails)
    if take is not None:
        dialog.fileSelected.connect(lambda name: take(Path(name)))
    _make_readable(dialog)
    return dialog


_ARROWS = {"backButton": "chevron-left", "forwardButton": "chevron-right", "toParentButton": "chevron-up"}
"""Qt's names of the buttons whose own icons are black, whatever is behind them."""


def _make_readable(dialog: QFileDialog) -> None:
    """Qt's own dialog, which is shown where the system has none."""
    colours, role = dialog.palette(), QPalette.ColorRole.ButtonText
    usual, disabled = (
        colours.color(group, role).name() for group in (QPalette.ColorGroup.Active, QPalette.ColorGroup.Disabled)
    )
    for name, icon in _ARROWS.items():
        if (button := dialog.findChild(QToolButton, name)) is not None:
            button.setIcon(tinted(icon, usual, disabled))
    if (table := dialog.findChild(QTreeView, "treeView")) is not None:
        header = table.header()
        # Whole dates; what is left is the names'.
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
