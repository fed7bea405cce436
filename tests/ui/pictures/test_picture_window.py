"""Pictures in the whole window: dropped, pasted, chosen, sent. Store, decoder and thread are real."""

from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray, QCoreApplication, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import (
    QAction,
    QColor,
    QDrag,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QGuiApplication,
    QImage,
    QKeySequence,
)
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from app.core.messages import ImagePart, Role
from app.services.drafts.offers import PictureBytes
from app.services.engine.states import Generating, Idle
from app.ui.pictures.view import PictureView
from app.ui.pictures.viewer import PictureViewer
from app.ui.transcript.message_view import UserView
from tests.picture_files import SVG, jpeg, png
from tests.ui.conftest import Stage
from tests.ui.fakes import READY, SEEING, opened, stored
from tests.waits import WAIT

_BUTTON, _SHIFT = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ShiftModifier
"""With Shift held a drag proposes to move."""
_MOVE = Qt.DropAction.MoveAction | Qt.DropAction.CopyAction


def mime_of(kind: str, data: bytes) -> QMimeData:
    mime = QMimeData()
    mime.setData(kind, QByteArray(data))
    return mime


def mime_of_files(*paths: Path) -> QMimeData:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    return mime


def drop(stage: Stage, mime: QMimeData, target: QWidget | None = None) -> QDropEvent:
    """What Qt does when something is dragged over `target` and dropped: it asks it and its parents in turn."""
    widget: QWidget | None = target or stage.window.area
    while widget is not None:
        place = QPoint(5, 5)
        entered = QDragEnterEvent(place, _MOVE, mime, _BUTTON, _SHIFT)
        QCoreApplication.sendEvent(widget, entered)
        if widget.acceptDrops() and entered.isAccepted():
            QCoreApplication.sendEvent(widget, QDragMoveEvent(place, _MOVE, mime, _BUTTON, _SHIFT))
            dropped = QDropEvent(QPointF(place), _MOVE, mime, _BUTTON, _SHIFT)
            QCoreApplication.sendEvent(widget, dropped)
            return dropped
        widget = widget.parentWidget()
    raise AssertionError("nobody took it")


def paste(stage: Stage, mime: QMimeData) -> None:
    QGuiApplication.clipboard().setMimeData(mime)
    stage.window.composer.focus_text()
    QTest.keySequence(stage.window.composer.edit, QKeySequence(QKeySequence.StandardKey.Paste))


def names(stage: Stage) -> list[str]:
    return [tile.pending.name for tile in stage.window.composer.pictures.items]


def settle(qtbot: QtBot, stage: Stage) -> None:
    qtbot.waitUntil(lambda: not stage.window.composer.pictures.is_reading, timeout=WAIT)


def sentences(stage: Stage) -> list[str]:
    return [bar.sentence.text() for bar in stage.window.notices.bars]


def sent(stage: Stage) -> list[tuple[object, ...]]:
    return [call for call in stage.controller.calls if call[0] == "send"]


def test_files_are_dropped_anywhere(qtbot: QtBot, stage: Stage, tmp_path: Path) -> None:
    paths = [tmp_path / "a.png", tmp_path / "b.jpg", tmp_path / "c.svg"]
    for path, data in zip(paths, (png(), jpeg(), SVG), strict=True):
        path.write_bytes(data)
    window = stage.window
    targets = (
        window.composer.edit.viewport(),
        window.sidebar.search_field,
        window.sidebar.list_view.viewport(),
        window.transcript,
        window.welcome,
    )
    for target in targets:
        event = drop(stage, mime_of_files(*paths), target)
        assert event.proposedAction() is Qt.DropAction.MoveAction
        assert event.dropAction() is Qt.DropAction.CopyAction, "a move would delete the originals"
    settle(qtbot, stage)
    assert names(stage) == ["a.png", "b.jpg", "c.png"] * len(targets)
    assert window.composer.edit.toPlainText() == ""
    assert window.sidebar.search_field.text() == ""


def test_bytes_and_pixels_are_dropped(qtbot: QtBot, stage: Stage) -> None:
    image = QImage(30, 20, QImage.Format.Format_RGB32)
    image.fill(QColor("blue"))
    pixels = QMimeData()
    pixels.setImageData(image)
    drop(stage, mime_of("image/jpeg", jpeg()))
    drop(stage, pixels)
    settle(qtbot, stage)
    assert len(names(stage)) == 2
    first, second = stage.writing.attachments.parts
    assert isinstance(first, ImagePart)
    assert stage.pictures.previews.original(first) == jpeg(), "the browser's own file is kept"
    assert isinstance(second, ImagePart) and (second.width, second.height) == (30, 20)


def test_dropping_while_a_reply_streams(qtbot: QtBot, stage: Stage) -> None:
    stage.engine.enter(SEEING)
    stage.controller.replies.activity_changed.emit(Generating(1.0, 2))
    drop(stage, mime_of("image/png", png()))
    settle(qtbot, stage)
    assert stage.window.composer.pictures.items[0].pending.is_encoding
    stage.engine.end_encode()
    assert not stage.window.composer.pictures.items[0].pending.is_busy
    assert stage.window.composer.send_button.accessibleName() == "Stop"


def test_addresses_get_a_sentence(stage: Stage) -> None:
    web = QMimeData()
    web.setUrls([QUrl("https://example.org/a.png")])
    drop(stage, web)
    assert sentences(stage) == ["Hearth fetches nothing from the net: save the picture first, then add its file."]


def test_the_window_shows_that_it_would_take_it(stage: Stage) -> None:
    area = stage.window.area
    assert not area.overlay.isVisible()
    mime = mime_of("image/png", png())
    QCoreApplication.sendEvent(area, QDragEnterEvent(QPoint(5, 5), _MOVE, mime, _BUTTON, _SHIFT))
    assert area.overlay.isVisible()
    assert area.overlay.geometry() == area.rect()
    assert area.childAt(area.rect().center()) is not area.overlay, "the drag goes on to what lies below"
    QCoreApplication.sendEvent(area, QDragLeaveEvent())
    assert not area.overlay.isVisible()
    drop(stage, mime)
    assert not area.overlay.isVisible()


def test_text_is_dropped_into_the_field_wherever_it_falls(stage: Stage) -> None:
    mime = QMimeData()
    mime.setText("some words")
    drop(stage, mime, stage.window.composer.edit.viewport())
    assert stage.window.composer.edit.toPlainText() == "some words"
    drop(stage, mime, stage.window.area)
    assert stage.window.composer.edit.toPlainText() == "some wordssome words"


def test_pictures_are_pasted(qtbot: QtBot, stage: Stage, tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(png())
    image = QImage(30, 20, QImage.Format.Format_RGB32)
    image.fill(QColor("blue"))
    pixels = QMimeData()
    pixels.setImageData(image)
    for mime in (mime_of("image/png", png()), pixels, mime_of_files(tmp_path / "a.png")):
        paste(stage, mime)
    settle(qtbot, stage)
    assert names(stage) == ["", "", "a.png"]
    assert stage.window.composer.edit.toPlainText() == ""
    assert stage.window.composer.edit.canPaste()


def test_text_is_pasted_as_ever(stage: Stage) -> None:
    mime = mime_of("image/png", png())
    mime.setText("1\t2")
    paste(stage, mime)
    assert stage.window.composer.edit.toPlainText() == "1\t2"
    assert names(stage) == []


def test_a_dialog_adds_pictures(qtbot: QtBot, stage: Stage, tmp_path: Path) -> None:
    paths = [tmp_path / "a.png", tmp_path / "b.jpg"]
    paths[0].write_bytes(png())
    paths[1].write_bytes(jpeg())
    QTest.keySequence(stage.window, QKeySequence("Ctrl+Shift+A"))
    _choose(*paths)
    stage.window.composer.attach_button.choices.actions()[0].trigger()
    _choose(paths[0])
    settle(qtbot, stage)
    assert names(stage) == ["a.png", "b.jpg", "a.png"]
    assert stage.window.focusWidget() is stage.window.composer.edit


def _choose(*paths: Path) -> None:
    (dialog,) = [each for each in QApplication.topLevelWidgets() if isinstance(each, QFileDialog) and each.isVisible()]
    dialog.filesSelected.emit([str(path) for path in paths])
    dialog.fileSelected.emit(str(paths[0]))
    dialog.close()


def test_pictures_go_with_the_text_and_without(qtbot: QtBot, stage: Stage) -> None:
    stage.engine.enter(SEEING)
    for text in ("what is it?", ""):
        drop(stage, mime_of("image/png", png()))
        settle(qtbot, stage)
        QTest.keyClicks(stage.window.composer.edit, text)
        (part,) = stage.writing.attachments.parts
        assert stage.window.composer.send_button.isEnabled()
        QTest.mouseClick(stage.window.composer.send_button, _BUTTON)
        assert sent(stage)[-1] == ("send", text, (part,))
        assert names(stage) == []
        assert not stage.window.composer.send_button.isEnabled()


def test_enter_waits_for_what_is_being_read(qtbot: QtBot, stage: Stage) -> None:
    stage.engine.enter(SEEING)
    drop(stage, mime_of("image/png", png()))
    composer = stage.window.composer
    QTest.keyClicks(composer.edit, "what is it?")
    assert not composer.send_button.isEnabled()
    QTest.keyClick(composer.edit, Qt.Key.Key_Return)
    assert composer.is_waiting
    assert composer.line.sentence.text() == "The message goes as soon as its pictures are read…"
    assert sent(stage) == []
    qtbot.waitUntil(lambda: len(sent(stage)) == 1, timeout=WAIT)
    assert sent(stage)[0][1] == "what is it?"
    assert composer.line.isHidden()


def test_the_peek_knows_of_pictures(qtbot: QtBot, stage: Stage) -> None:
    stage.engine.enter(SEEING)
    drop(stage, mime_of("image/png", png()))
    settle(qtbot, stage)
    stage.window.menu_actions.show_context.trigger()
    assert stage.controller.calls[-1] == ("peek", "", stage.writing.attachments.parts)


def test_stopping_ends_the_encoding_of_what_was_sent(qtbot: QtBot, stage: Stage) -> None:
    stage.engine.enter(SEEING)
    drop(stage, mime_of("image/png", png()))
    settle(qtbot, stage)
    QTest.keyClick(stage.window.composer.edit, Qt.Key.Key_Return)
    assert stage.engine.calls == [("encode", "")]
    stage.controller.replies.activity_changed.emit(Generating(1.0, 2))
    QTest.mouseClick(stage.window.composer.send_button, _BUTTON)
    assert stage.engine.calls[-1] == ("cancel_encode", "")
    stage.controller.replies.activity_changed.emit(Idle())


def test_tab_reaches_the_pictures_and_delete_removes_them(qtbot: QtBot, stage: Stage) -> None:
    for _ in range(2):
        drop(stage, mime_of("image/png", png()))
    settle(qtbot, stage)
    composer = stage.window.composer
    composer.focus_text()
    QTest.keyClick(composer.edit, Qt.Key.Key_Backtab)
    assert _focused(stage).accessibleName() == "Picture 2 of 2: picture without a name, remove"
    QTest.keyClick(_focused(stage), Qt.Key.Key_Backtab)
    assert _focused(stage).accessibleName() == "Picture 1 of 2: picture without a name, remove"
    QTest.keyClick(_focused(stage), Qt.Key.Key_Delete)
    assert _focused(stage).accessibleName() == "Picture 1 of 1: picture without a name, remove"
    QTest.keyClick(_focused(stage), Qt.Key.Key_Delete)
    assert names(stage) == []
    assert composer.edit.hasFocus()


def _focused(stage: Stage) -> QWidget:
    return stage.window.focusWidget()


def test_a_blind_model_is_told_before_sending(qtbot: QtBot, stage: Stage, tmp_path: Path) -> None:
    stage.engine.enter(READY)
    composer = stage.window.composer
    assert composer.line.isHidden()
    drop(stage, mime_of("image/png", png()))
    assert composer.line.isVisible()
    assert "there is no mmproj file with it" in composer.line.sentence.text()
    QTest.keyClicks(composer.edit, "hello")
    settle(qtbot, stage)
    QTest.keyClick(composer.edit, Qt.Key.Key_Return)
    assert sent(stage) == []
    assert sentences(stage) == [], "the line says it, and now stands out"
    assert composer.line.property("insists")
    assert composer.edit.toPlainText() == "hello"
    assert len(names(stage)) == 1
    QTest.mouseClick(composer.line.button, _BUTTON)
    _choose(tmp_path / "mmproj-a.gguf")
    assert stage.engine.calls == [("load", READY.info.ref, tmp_path / "mmproj-a.gguf")]
    stage.engine.enter(SEEING)
    assert composer.line.isHidden()
    assert len(stage.engine.encoding) == 1


def test_removing_the_pictures_lets_the_text_go(qtbot: QtBot, stage: Stage) -> None:
    stage.engine.enter(READY)
    drop(stage, mime_of("image/png", png()))
    settle(qtbot, stage)
    QTest.keyClicks(stage.window.composer.edit, "hello")
    QTest.mouseClick(stage.window.composer.pictures.items[0].remove_button, _BUTTON)
    assert stage.window.composer.line.isHidden()
    QTest.keyClick(stage.window.composer.edit, Qt.Key.Key_Return)
    assert sent(stage) == [("send", "hello")]


@pytest.fixture
def kept(qtbot: QtBot, stage: Stage) -> ImagePart:
    stage.writing.attachments.add(PictureBytes(jpeg(800, 400), "cat.jpg"))
    settle(qtbot, stage)
    (taken,) = stage.writing.attachments.take()
    assert isinstance(taken.part, ImagePart)
    return taken.part


def picture_view(stage: Stage, part: ImagePart) -> PictureView:
    stage.controller.active.open(opened("A", stored(Role.USER, "q", pictures=(part,))))
    view = stage.window.transcript.views[0]
    assert isinstance(view, UserView)
    return view.pictures[0]


def test_a_click_enlarges_and_escape_closes(qtbot: QtBot, stage: Stage, kept: ImagePart) -> None:
    QTest.mouseClick(picture_view(stage, kept), _BUTTON)
    _close_viewer(qtbot, stage, "cat.jpg")
    drop(stage, mime_of("image/png", png()))
    settle(qtbot, stage)
    QTest.mouseClick(stage.window.composer.pictures.items[0], _BUTTON, pos=QPoint(20, 50))
    _close_viewer(qtbot, stage, "Picture")


def _close_viewer(qtbot: QtBot, stage: Stage, title: str) -> None:
    (viewer,) = stage.window.findChildren(PictureViewer)
    assert viewer.windowTitle() == title
    QTest.keyClick(viewer, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: stage.window.findChildren(PictureViewer) == [])


def test_it_is_copied(qtbot: QtBot, stage: Stage, kept: ImagePart) -> None:
    _menu_action(picture_view(stage, kept), "Copy the picture").trigger()
    qtbot.waitUntil(lambda: "The picture was copied." in sentences(stage), timeout=WAIT)
    image = QGuiApplication.clipboard().image()
    assert (image.width(), image.height()) == (800, 400)


def test_it_is_saved_as_it_was_added(qtbot: QtBot, stage: Stage, kept: ImagePart, tmp_path: Path) -> None:
    _menu_action(picture_view(stage, kept), "Save as…").trigger()
    _choose(tmp_path / "saved.jpg")
    qtbot.waitUntil((tmp_path / "saved.jpg").exists, timeout=WAIT)
    assert (tmp_path / "saved.jpg").read_bytes() == jpeg(800, 400)
    _menu_action(picture_view(stage, kept), "Save as…").trigger()
    _choose(tmp_path / "saved.jpg" / "under a file.jpg")
    qtbot.waitUntil(lambda: len(sentences(stage)) == 1, timeout=WAIT)
    assert sentences(stage)[0].startswith("Hearth cannot use")


def _menu_action(view: PictureView, text: str) -> QAction:
    return next(action for action in view.make_menu().actions() if action.text().replace("&", "") == text)


def test_it_is_dragged_out_under_its_own_name(
    qtbot: QtBot, stage: Stage, kept: ImagePart, monkeypatch: pytest.MonkeyPatch
) -> None:
    dragged: list[tuple[QUrl, bytes, Qt.DropAction]] = []

    def begin(drag: QDrag, actions: Qt.DropAction) -> None:
        mime = drag.mimeData()
        dragged.append((mime.urls()[0], bytes(mime.data("image/jpeg").data()), actions))

    # A real drag belongs to the window system; everything up to it is ours.
    monkeypatch.setattr(QDrag, "exec", begin)
    view = picture_view(stage, kept)
    with qtbot.assertNotEmitted(view.clicked):
        QTest.mousePress(view, _BUTTON, pos=QPoint(10, 10))
        QTest.mouseMove(view, QPoint(60, 60))
        QTest.mouseRelease(view, _BUTTON, pos=QPoint(60, 60))
    ((url, data, actions),) = dragged
    assert data == jpeg(800, 400)
    assert actions == Qt.DropAction.CopyAction
    path = Path(url.toLocalFile())
    assert path.name == "cat.jpg"
    assert path.read_bytes() == data
    stage.pictures.close()
    assert not path.exists()


def test_what_is_gone_says_so(qtbot: QtBot, stage: Stage) -> None:
    view = picture_view(stage, ImagePart("0" * 64, "lost.png", 100, 80))
    qtbot.waitUntil(lambda: bool(view.problem), timeout=WAIT)
    assert not any(action.isEnabled() for action in view.make_menu().actions())
    QTest.mouseClick(view, _BUTTON)
    assert stage.window.findChildren(PictureViewer) == []
