"""What other programs open: files, and the folders that they lie in; and what is offered where there is no program."""

import shutil
import sys
from functools import partial
from pathlib import Path

from PySide6.QtCore import QMimeDatabase, QObject, QProcess, QUrl, Slot
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QApplication, QWidget

from app.engine.documents.documents import file_label
from app.services.runtime.detached_thread import DetachedThread
from app.ui.widgets.buttons import push_button
from app.ui.widgets.dialogs import SmallDialog
from app.ui.widgets.file_dialogs import ask_where_to_save, documents_folder


def open_file(path: Path, parent: QWidget) -> None:
    """With the program that the system has for such files."""
    if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(path))):
        NoProgramDialog(path, parent).open()
    elif asking := shutil.which("xdg-mime"):
        # Where that is, opening goes by xdg-open, which says nothing where it knows no program.
        _ProgramQuery(asking, path, parent)


def reveal(path: Path, parent: QWidget) -> None:
    """Selected in its folder where the system knows a way, otherwise the folder."""
    if sys.platform == "win32":
        # The comma is a part of the option; explorer wants both in one.
        QProcess.startDetached("explorer", [f"/select,{path}"])
    elif sys.platform == "darwin":
        QProcess.startDetached("open", ["-R", str(path)])
    else:
        open_folder(path.parent, parent)


def open_folder(path: Path, parent: QWidget) -> None:
    """In the file manager."""
    if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(path))):
        NoProgramDialog(path, parent, is_folder=True).open()


class NoProgramDialog(SmallDialog):
    """Says that nothing opens `path`, and offers what can be done with it all the same."""

    def __init__(self, path: Path, parent: QWidget, *, is_folder: bool = False) -> None:
        super().__init__(self.tr("No program for it"), parent)
        self._path = path
        self._copying = DetachedThread(self, name="copy of a file")
        self.finished.connect(self._copying.leave)
        told = (
            self.tr("This computer has no program that shows folders. This is where it lies:")
            if is_folder
            else self.tr("This computer has no program for files like {name}. Save a copy, or go to where it lies:")
        )
        self.told = self.say(told.format(name=file_label(path.name)), width=460)
        self.show_text(str(path), self.tr("Where it lies")).setFixedHeight(64)
        self.copy_button = push_button(self.tr("Copy the path"), self, self._copy_path)
        self.save_button = push_button(self.tr("Save a copy…"), self, self._ask_where)
        self.folder_button = push_button(self.tr("Show in the file manager"), self, lambda: reveal(path, self))
        for each in (self.save_button, self.folder_button):
            each.setHidden(is_folder)
        buttons = (self.copy_button, self.save_button, self.folder_button)
        self.finish_layout(*buttons, push_button(self.tr("Close"), self, self.accept))

    def save_copy(self, to: Path) -> None:
        self.save_button.setEnabled(False)
        self.told.setText(self.tr("A copy is being saved…"))
        self._copying.submit(partial(shutil.copyfile, self._path, to), self._tell_saved)

    def _copy_path(self) -> None:
        QGuiApplication.clipboard().setText(str(self._path))
        self.told.setText(self.tr("The path is in the clipboard."))

    def _ask_where(self) -> None:
        ask_where_to_save(self, self.tr("Save a copy"), self.save_copy, self._path.name, folder=documents_folder())

    def _tell_saved(self, done: object) -> None:
        self.save_button.setEnabled(True)
        if isinstance(done, Exception):
            why = (done.strerror if isinstance(done, OSError) else "") or str(done)
            self.told.setText(self.tr("The copy could not be saved: {why}. Choose another folder.").format(why=why))
        else:
            self.told.setText(self.tr("The copy is saved."))


class _ProgramQuery(QObject):
    """Asks whether there is a program for such files, and says so where there is none."""

    def __init__(self, command: str, path: Path, parent: QWidget) -> None:
        # A dialog may close before the answer; the window that everything belongs to stays.
        root = parent
        while (above := root.parentWidget()) is not None:
            root = above
        super().__init__(root)
        self._path, self._root = path, root
        self._process = QProcess(self)
        self._process.finished.connect(self._hear)
        self._process.errorOccurred.connect(self.deleteLater)
        kind = QMimeDatabase().mimeTypeForFile(str(path), QMimeDatabase.MatchMode.MatchExtension).name()
        self._process.start(command, ["query", "default", kind])

    @Slot(int, QProcess.ExitStatus)
    def _hear(self, code: int, _how: QProcess.ExitStatus) -> None:
        if not code and not bytes(self._process.readAllStandardOutput().data()).strip():
            NoProgramDialog(self._path, QApplication.activeModalWidget() or self._root).open()
        self.deleteLater()
