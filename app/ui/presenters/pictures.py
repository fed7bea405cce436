"""How pictures are looked at, and leave the window: the viewer, the clipboard, files, drags."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import QMimeData, QObject, Qt, QUrl, Slot
from PySide6.QtGui import QDrag, QGuiApplication, QPixmap

from app.core.errors import UserError
from app.core.messages import ImagePart
from app.services.drafts.draft_attachments import DraftAttachments
from app.services.pictures.names import file_name, kind_of
from app.services.pictures.service import PictureService
from app.services.pictures.states import KeptPicture
from app.ui.composer.drop_area import DropArea
from app.ui.composer.picture_tray import PictureTray
from app.ui.pictures.view import PictureAction, PictureUse
from app.ui.pictures.viewer import PictureViewer
from app.ui.theme.appearance import Appearance
from app.ui.transcript.transcript import Transcript
from app.ui.widgets.file_dialogs import ask_where_to_save, pictures_folder
from app.ui.widgets.notices import Notices

_DRAGGED = 120
"""Pixels of the picture that hangs on the mouse."""


class PicturesPresenter(QObject):
    """Joins the widgets to the services. `area` is the parent of what is opened, and of this."""

    def __init__(
        self,
        appearance: Appearance,
        pictures: PictureService,
        attached: DraftAttachments,
        area: DropArea,
        tray: PictureTray,
        transcript: Transcript,
        notices: Notices,
    ) -> None:
        super().__init__(area)
        self._appearance = appearance
        self._attached = attached
        self._previews = pictures.previews
        self._exports = pictures.exports
        self._area = area
        self._notices = notices
        self._folder = pictures_folder()
        tray.opened.connect(self._open_draft)
        transcript.picture_wanted.connect(self._do)
        self._previews.noticed.connect(notices.show_notice)

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

    @Slot(int)
    def _open_draft(self, number: int) -> None:
        picture = self._attached.find(number)
        if picture is not None and isinstance(picture.part, ImagePart):
            self._open(picture.part)

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
        if (data := self._original(part)) is not None:
            title, name = self.tr("Save the picture"), file_name(part.name, data)
            ask_where_to_save(self._area, title, partial(self._save, part), name, folder=self._folder)

    def _save(self, part: ImagePart, path: Path) -> None:
        self._folder = str(path.parent)
        self._previews.save(part, path)

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
