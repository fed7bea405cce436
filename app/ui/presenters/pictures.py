"""How pictures come into the window and leave it: drops, pastes, file dialogs, the viewer, drags."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import QMimeData, QObject, Qt, QUrl, Slot
from PySide6.QtGui import QDrag, QGuiApplication, QPixmap
from PySide6.QtWidgets import QFileDialog

from app.core.errors import UserError
from app.core.messages import ImagePart
from app.services.engine.service import EngineService
from app.services.engine.states import ModelReady
from app.services.pictures.names import file_name, kind_of
from app.services.pictures.service import PictureService
from app.services.pictures.states import KeptPicture
from app.ui.composer.composer import Composer
from app.ui.composer.drop_area import DropArea
from app.ui.composer.mime_content import FILE_PATTERNS, MimeContent, PictureBytes, PictureFile, PicturePixels
from app.ui.pictures.actions import PictureAction, PictureUse
from app.ui.pictures.viewer import PictureViewer
from app.ui.theme.appearance import Appearance
from app.ui.transcript.transcript import Transcript
from app.ui.widgets.notices import Notices
from app.ui.widgets.usual_folders import pictures_folder

_DRAGGED = 120
"""Pixels of the picture that hangs on the mouse."""


class PicturesPresenter(QObject):
    """Joins the widgets to the services. `area` is the parent of what is opened, and of this."""

    def __init__(
        self,
        appearance: Appearance,
        pictures: PictureService,
        engine: EngineService,
        area: DropArea,
        composer: Composer,
        transcript: Transcript,
        notices: Notices,
    ) -> None:
        super().__init__(area)
        self._appearance = appearance
        self._drafts = pictures.drafts
        self._previews = pictures.previews
        self._exports = pictures.exports
        self._engine = engine
        self._area = area
        self._composer = composer
        self._notices = notices
        self._folder = pictures_folder()
        area.offered.connect(self.take)
        composer.offered.connect(self.take)
        composer.add_picture_clicked.connect(self.ask)
        composer.remove_picture_wanted.connect(self._drafts.remove)
        composer.picture_opened.connect(self._open)
        composer.find_clicked.connect(self.find_projector)
        transcript.picture_wanted.connect(self._do)
        self._drafts.changed.connect(composer.show_pictures)
        self._drafts.noticed.connect(notices.show_notice)
        self._previews.noticed.connect(notices.show_notice)
        engine.state_changed.connect(self._show_obstacle)
        composer.show_pictures(self._drafts.pictures)
        self._show_obstacle()

    def take(self, offer: MimeContent) -> None:
        """Add what was dropped or pasted, and say what of it is no picture."""
        for sentence in offer.sentences:
            self._notices.show_notice(sentence)
        for each in offer.pictures:
            match each:
                case PictureFile(path):
                    self._drafts.add_file(path)
                case PictureBytes(data, name):
                    self._drafts.add(data, name)
                case PicturePixels(image, name):
                    self._drafts.add_image(image, name)
        if offer.pictures:
            self._area.window().activateWindow()
            self._composer.focus_text()

    def ask(self) -> None:
        """Let the user pick picture files."""
        dialog = self._dialog(self.tr("Add pictures"), self._folder)
        dialog.setNameFilters(
            [self.tr("Pictures ({patterns})").format(patterns=FILE_PATTERNS), self.tr("All files (*)")]
        )
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.filesSelected.connect(self._files_chosen)
        dialog.open()

    def find_projector(self) -> None:
        """Let the user pick the mmproj file of the model that is loaded, and load both."""
        state = self._engine.state
        if not isinstance(state, ModelReady):
            return
        model = state.info.ref
        dialog = self._dialog(
            self.tr("Open the mmproj file of {model}").format(model=state.info.name), str(model.file.parent)
        )
        dialog.setNameFilters([self.tr("mmproj files (*mmproj*.gguf)"), self.tr("Models (*.gguf)")])
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(lambda name: self._engine.load(model, mmproj=Path(name)))
        dialog.open()

    def _do(self, wish: PictureAction) -> None:
        match wish.use:
            case PictureUse.OPEN:
                self._open(wish.part)
            case PictureUse.COPY:
                self._previews.open(wish.part, self._copy)
            case PictureUse.SAVE:
                self._ask_where(wish.part)
            case PictureUse.DRAG:
                self._drag(wish.part)

    def _open(self, part: ImagePart) -> None:
        viewer = PictureViewer(self._appearance, self._previews, part, self._area.window())
        viewer.wanted.connect(self._do)
        viewer.open()

    def _copy(self, kept: KeptPicture) -> None:
        if kept.image is None:
            self._notices.show_notice(kept.problem)
        else:
            QGuiApplication.clipboard().setImage(kept.image)
            self._notices.show_notice(self.tr("The picture was copied."))

    def _ask_where(self, part: ImagePart) -> None:
        data = self._original(part)
        if data is None:
            return
        dialog = self._dialog(self.tr("Save the picture"), self._folder)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.selectFile(file_name(part.name, data))
        dialog.fileSelected.connect(partial(self._save, part))
        dialog.open()

    def _save(self, part: ImagePart, name: str) -> None:
        self._folder = str(Path(name).parent)
        self._previews.save(part, Path(name))

    def _drag(self, part: ImagePart) -> None:
        data = self._original(part)
        if data is None:
            return
        try:
            path = self._exports.put(part, data)
        except UserError as error:
            self._notices.show_error(error)
            return
        mime = QMimeData()
        mime.setUrls([QUrl.fromLocalFile(str(path))])
        mime.setData(f"image/{kind_of(data)}", data)
        drag = QDrag(self._area)
        drag.setMimeData(mime)
        kept = self._previews.preview(part)
        if kept is not None and kept.image is not None:
            small = kept.image.scaled(
                _DRAGGED, _DRAGGED, Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
            )
            drag.setPixmap(QPixmap.fromImage(small))
        # A drag runs a loop of its own, as on every system; it is begun by the mouse, never from a coroutine.
        drag.exec(Qt.DropAction.CopyAction)

    def _original(self, part: ImagePart) -> bytes | None:
        try:
            data = self._previews.original(part)
        except UserError as error:
            self._notices.show_error(error)
            return None
        if data is None:
            self._notices.show_notice(self.tr("The picture is missing: its file is gone from Hearth's folder."))
        return data

    def _files_chosen(self, names: list[str]) -> None:
        self._folder = str(Path(names[0]).parent)
        for name in names:
            self._drafts.add_file(Path(name))
        self._composer.focus_text()

    @Slot()
    def _show_obstacle(self) -> None:
        self._composer.show_obstacle(self._drafts.obstacle)

    def _dialog(self, title: str, folder: str) -> QFileDialog:
        dialog = QFileDialog(self._area, title, folder)
        dialog.finished.connect(dialog.deleteLater)
        return dialog
