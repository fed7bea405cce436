"""The window over stand-ins for the services, on a screen that nobody sees unless `--onscreen` is asked for."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, cast

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QUrl, Signal, Slot
from PySide6.QtGui import QCursor, QDesktopServices
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.core.fit import Free
from app.core.model_ref import ModelRef
from app.core.paths import Paths
from app.core.program import own_command
from app.library.model_sources import HostFolders
from app.services.chat.chat_controller import ChatController
from app.services.documents.documents import Documents
from app.services.documents.page_reader import PageReader
from app.services.drafts.composing import Composing
from app.services.engine.service import EngineService
from app.services.models.models import Models, library_of
from app.services.pictures.service import PictureService
from app.services.recordings.player import Player
from app.services.recordings.service import RecordingService
from app.services.remote.model_servers import ModelServers
from app.services.runtime.settings_service import SettingsService
from app.storage.attachments import AttachmentStore
from app.storage.database import Database
from app.ui.richtext.svg_picture import paint_svg
from app.ui.theme.appearance import Appearance
from app.ui.window.main_window import MainWindow
from tests.ui.fakes import FakeController, FakeEngine, FakeSettings
from tests.ui.model_home import ModelHome, model_home


class Stage(NamedTuple):
    window: MainWindow
    controller: FakeController
    engine: FakeEngine
    settings: FakeSettings
    appearance: Appearance
    state_folder: Path
    pictures: PictureService
    writing: Composing
    database: Database
    models: Models
    recordings: RecordingService
    documents: Documents

    def press_notice(self) -> str:
        """What the only notice offers; and what it says."""
        (bar,) = self.window.notices.bars
        sentence = bar.sentence.text()
        assert bar.action_button is not None
        bar.action_button.click()
        return sentence


class Browser(QObject):
    """Opens web pages: it says which."""

    visited = Signal(str)

    @Slot(QUrl)
    def visit(self, url: QUrl) -> None:
        self.visited.emit(url.toString())


@pytest.fixture
def browser() -> Iterator[Browser]:
    made = Browser()
    for scheme in ("http", "https"):
        # The stub asks for bytes, which the binding refuses.
        QDesktopServices.setUrlHandler(scheme, made, "visit")  # type: ignore[arg-type]
    yield made
    for scheme in ("http", "https"):
        QDesktopServices.unsetUrlHandler(scheme)


@pytest.fixture
def appearance(qapp: QApplication) -> Iterator[Appearance]:
    made = Appearance(qapp)
    yield made
    qapp.styleHints().colorSchemeChanged.disconnect(made.refresh)
    for widget in qapp.topLevelWidgets():
        widget.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    assert not qapp.topLevelWidgets()


@pytest.fixture
def parent(qtbot: QtBot, appearance: Appearance) -> QWidget:
    """Something to show widgets and dialogs in."""
    made = QWidget()
    qtbot.addWidget(made)
    made.resize(1000, 800)
    made.show()
    return made


@pytest.fixture
def mirrored(qapp: QApplication) -> Iterator[None]:
    """A window that runs from right to left."""
    qapp.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    yield
    qapp.setLayoutDirection(Qt.LayoutDirection.LeftToRight)


@pytest.fixture
def recent_models() -> list[ModelRef]:
    return []


@pytest.fixture
def stage(
    qtbot: QtBot, appearance: Appearance, recent_models: list[ModelRef], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Stage]:
    # Nobody is there: the hub is asked in its own tests.
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    controller, engine, settings = FakeController(), FakeEngine(), FakeSettings()
    pictures = PictureService(AttachmentStore(tmp_path / "attachments"))
    recordings = RecordingService(AttachmentStore(tmp_path / "attachments"), Player(silent=True))
    database = Database.open(tmp_path / "hearth.sqlite3")
    writing = Composing(
        database,
        AttachmentStore(tmp_path / "attachments"),
        cast(EngineService, engine),
        cast(SettingsService, settings),
        cast(ChatController, controller),
        paint_svg,
    )
    paths, machine = Paths(tmp_path, tmp_path, tmp_path / "logs"), HostFolders("linux", tmp_path / "nobody", {})
    servers = ModelServers(paths.model_servers, AttachmentStore(tmp_path / "attachments"))
    models = Models(
        paths,
        cast(SettingsService, settings),
        cast(EngineService, engine),
        library_of(paths, settings.settings, machine),
        lambda: Free(8 << 30),
        machine,
        servers=servers,
    )
    documents = Documents(paths.documents, own_command())
    pages = PageReader(paths.documents, AttachmentStore(tmp_path / "attachments"), own_command())
    window = MainWindow(
        appearance,
        cast(ChatController, controller),
        cast(EngineService, engine),
        cast(SettingsService, settings),
        recent_models=lambda: recent_models,
        installed_models=lambda: [ModelRef.of_file(Path("/models/Gemma-3-4b-it-Q4_0.gguf"))],
        state_folder=tmp_path,
        pictures=pictures,
        recordings=recordings,
        writing=writing,
        models=models,
        documents=documents,
        pages=pages,
    )
    qtbot.addWidget(window)
    window.resize(1000, 700)
    # Where the test before left the pointer, a message may stand now.
    QCursor.setPos(window.screen().geometry().bottomRight())
    window.show()
    qtbot.waitUntil(window.isVisible)
    yield Stage(
        *(window, controller, engine, settings, appearance, tmp_path),
        *(pictures, writing, database, models, recordings, documents),
    )
    pages.close()
    documents.close()
    models.close()
    # Here and now: what the collector of garbage would find late, it might find in another thread.
    for each in (models, servers):
        each.deleteLater()
        QCoreApplication.sendPostedEvents(each, QEvent.Type.DeferredDelete.value)
    writing.close()
    pictures.close()
    recordings.close()
    database.close()


@pytest.fixture
def host(tmp_path: Path, tiny_models: dict[str, Path], qtbot: QtBot) -> Iterator[ModelHome]:
    """A machine with models of several programs."""
    with model_home(tmp_path, tiny_models, qtbot) as made:
        yield made
