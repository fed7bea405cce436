"""Files from outside: a model is loaded, pictures and documents are attached, and the rest is said."""

from pathlib import Path

from PySide6.QtCore import QCoreApplication, QUrl
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.messages import DocumentPart, ImagePart
from app.core.model_ref import ModelRef
from app.services.runtime.file_open_events import FileOpenEvents
from app.services.runtime.single_instance import OpenRequest
from tests.picture_files import png
from tests.ui.conftest import Stage


def loaded(stage: Stage) -> list[object]:
    return [call for call in stage.engine.calls if call[0] == "load"]


def told(stage: Stage) -> str:
    return " ".join(bar.sentence.text() for bar in stage.window.notices.bars)


def made(path: Path, data: bytes = b"words") -> Path:
    path.write_bytes(data)
    return path


def test_a_model_is_loaded(stage: Stage, tmp_path: Path) -> None:
    model = made(tmp_path / "a.GGUF")
    stage.window.files.open([model])
    assert [call[1] for call in stage.engine.calls if call[0] == "load"] == [ModelRef.of_file(model)]
    assert told(stage) == ""


def test_of_several_models_the_first_is_loaded_and_that_is_said(stage: Stage, tmp_path: Path) -> None:
    first, second = made(tmp_path / "a.gguf"), made(tmp_path / "b.gguf")
    stage.window.files.open([first, second])
    assert [call[1] for call in stage.engine.calls if call[0] == "load"] == [ModelRef.of_file(first)]
    assert "only a.gguf was opened" in told(stage)


def test_pictures_and_documents_are_attached(stage: Stage, tmp_path: Path, qtbot: QtBot) -> None:
    picture, text = made(tmp_path / "a.png", png(8, 8)), made(tmp_path / "b.txt")
    stage.window.files.open([picture, text])
    qtbot.waitUntil(lambda: len(stage.writing.attachments.parts) == 2)
    first, second = stage.writing.attachments.parts
    assert isinstance(first, ImagePart) and first.name == "a.png"
    assert isinstance(second, DocumentPart) and second.text == "words"
    assert not loaded(stage)


def test_what_can_not_be_opened_is_said(stage: Stage, tmp_path: Path) -> None:
    (tmp_path / "folder.gguf").mkdir()
    stage.window.files.open([tmp_path / "gone.gguf", tmp_path / "folder.gguf", tmp_path / ("x" * 300)])
    assert "gone.gguf is not there any more" in told(stage)
    assert "folder.gguf is a folder" in told(stage)
    assert "xxx" in told(stage)
    assert not loaded(stage)


def test_what_is_nothing_that_can_be_read_is_said(stage: Stage, tmp_path: Path, qtbot: QtBot) -> None:
    stage.window.files.open([made(tmp_path / "a.bin", bytes(range(256)) * 8)])
    qtbot.waitUntil(lambda: "a.bin" in told(stage))


def test_a_second_start_brings_the_window_back(stage: Stage, tmp_path: Path, qtbot: QtBot) -> None:
    model = made(tmp_path / "a.gguf")
    stage.window.showMinimized()
    qtbot.waitUntil(stage.window.isMinimized)
    stage.window.files.answer(OpenRequest((model,)))
    assert not stage.window.isMinimized()
    assert stage.window.isVisible()
    assert loaded(stage)


def test_macs_events_are_kept_until_somebody_wants_them(qapp: QApplication) -> None:
    events = FileOpenEvents(qapp)
    later: list[Path] = []
    try:
        for name in ("/a.gguf", "/b.txt"):
            assert QCoreApplication.sendEvent(qapp, QFileOpenEvent(QUrl.fromLocalFile(name)))
        QCoreApplication.sendEvent(qapp, QFileOpenEvent(QUrl("https://example.org/x.gguf")))
        assert events.take() == (Path("/a.gguf"), Path("/b.txt"))
        events.opened.connect(later.append)
        QCoreApplication.sendEvent(qapp, QFileOpenEvent(QUrl.fromLocalFile("/c.gguf")))
        assert later == [Path("/c.gguf")]
    finally:
        qapp.removeEventFilter(events)
        events.setParent(None)
