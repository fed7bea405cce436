from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from app.core.settings import Interface
from app.ui.presenters.window_state import WindowState
from app.ui.theme.appearance import Appearance
from app.ui.theme.measures import NARROW
from app.ui.theme.palette import DARK, LIGHT
from app.ui.window.frame import Frame
from tests.bench.window.startup import Run, run_ours
from tests.ui.conftest import Stage

HEAVY = (
    *("llama_cpp", "numpy", "PIL", "pi_heif", "jinja2", "aiohttp", "pygments", "markdown_it", "mdit_py_plugins"),
    *("linkify_it", "huggingface_hub", "keyring", "ziamath", "pypdfium2", "zstandard", "send2trash", "msgspec"),
    *("soundfile", "soxr", "miniaudio"),
)


@pytest.fixture
def frame(appearance: Appearance, tmp_path: Path) -> Iterator[Frame]:
    made = Frame(tmp_path / "frame")
    yield made
    made.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


PAINTED = {
    *("app", "app.start", "app.core", "app.core.errors", "app.core.paths", "app.core.sentence", "app.storage"),
    *("app.storage.folders", "app.ui", "app.ui.presenters", "app.ui.presenters.window_state", "app.ui.theme"),
    *("app.ui.theme.measures", "app.ui.theme.palette", "app.ui.widgets", "app.ui.widgets.window_geometry"),
    *("app.ui.window", "app.ui.window.application", "app.ui.window.frame"),
}
"""Ours that are there when the frame is painted."""
LATE = {
    *("app.ui.settings.dialog", "app.engine.documents.mail", "app.engine.documents.docx", "email.message"),
    *("app.services.runtime.single_instance", "PySide6.QtNetwork", "app.storage.exchange.importing"),
}
"""What the window begins without."""
MOST = 560
"""Of our modules that are there when keys reach the composer: each costs the start about a millisecond."""


@pytest.fixture(scope="module")
def first_start(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return run_ours(tmp_path_factory.mktemp("start"))


@pytest.mark.slow
def test_nothing_heavy_is_imported_before_the_window_is_painted(first_start: Run) -> None:
    modules = first_start.modules
    ours = {name for name in modules["painted"] if name.startswith("app.")}
    assert not {name for name in modules["painted"] if name.partition(".")[0] in {*HEAVY, "asyncio", "sqlite3"}}
    assert ours <= PAINTED, "the first paint needs little of the program"
    assert "app.ui.window.main_window" in modules["ready"]
    assert not {name for name in modules["ready"] if name.partition(".")[0] in {*HEAVY, "psutil"}}
    assert not LATE & modules["ready"]
    assert sum(name.startswith("app.") for name in modules["ready"]) <= MOST


@pytest.mark.slow
def test_the_start_reads_no_sources_and_looks_for_no_garbage(first_start: Run) -> None:
    """Shiboken reads each module's source unless it is told not to; Python looks through all that imports make."""
    assert first_start.counts["sources"] < 100
    assert first_start.counts["collections"] < 100
    assert first_start.counts["frozen"] > 50_000, "what lives as long as the program is looked through for ever"


def test_it_is_painted_as_the_window_will_be(frame: Frame, tmp_path: Path) -> None:
    for theme, tokens in (("dark", DARK), ("light", LIGHT), ("system", LIGHT)):
        WindowState(tmp_path / "frame").keep_theme(theme)
        made = Frame(tmp_path / "frame")
        made.resize(1000, 700)
        drawn = made.grab().toImage()
        assert drawn.pixelColor(100, 350) == QColor(tokens.sidebar)
        assert drawn.pixelColor(600, 350) == QColor(tokens.window)
        assert drawn.pixelColor(600, 640) == QColor(tokens.raised)
        made.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        assert made.grab().toImage().pixelColor(900, 350) == QColor(tokens.sidebar)
        made.deleteLater()


def test_a_narrow_one_has_no_sidebar_either(frame: Frame) -> None:
    frame.resize(NARROW, 500)
    assert frame.grab().toImage().pixelColor(100, 200) == QColor(LIGHT.sidebar)
    frame.resize(NARROW - 1, 500)
    assert frame.grab().toImage().pixelColor(100, 200) == QColor(LIGHT.window)


def test_it_comes_back_when_it_is_on_screen(frame: Frame) -> None:
    painted: list[bool] = []
    frame.painted.connect(lambda: painted.append(True))
    frame.open()
    assert frame.isVisible()
    assert painted


def test_it_holds_the_window_and_passes_on_what_is_asked(frame: Frame, stage: Stage, qtbot: QtBot) -> None:
    frame.show()
    frame.fill(stage.window)
    assert stage.window.window() is frame
    stage.window.setWindowTitle("Rain – Hearth")
    assert frame.windowTitle() == "Rain – Hearth"
    frame.resize(780, 640)
    qtbot.waitUntil(lambda: stage.window.width() == 780)
    with qtbot.waitSignal(stage.window.closing):
        frame.close()
    assert not frame.isVisible()
    again = Frame(stage.state_folder)
    assert (again.width(), again.height()) == (780, 640)
    again.deleteLater()
    stage.window.setParent(None)


def test_a_window_that_was_closed_while_it_loaded_closes(frame: Frame, stage: Stage, qtbot: QtBot) -> None:
    frame.show()
    frame.close()
    assert not frame.isVisible()
    with qtbot.waitSignal(stage.window.closing):
        frame.fill(stage.window)
    stage.window.setParent(None)


def test_the_theme_is_remembered_for_the_next_start(stage: Stage) -> None:
    stage.settings.update(Interface, theme="dark")
    assert WindowState(stage.state_folder).theme == "dark"


def test_it_is_never_smaller_than_what_it_holds(frame: Frame, stage: Stage, qtbot: QtBot) -> None:
    frame.show()
    frame.fill(stage.window)
    stage.window.setMinimumSize(700, 600)
    frame.resize(300, 200)
    qtbot.waitUntil(lambda: (frame.width(), frame.height()) == (700, 600))
    assert stage.window.geometry() == frame.rect()
