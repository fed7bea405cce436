"""The window fits the screens that there are."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QMargins, QRect, QSize
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QDialog
from pytestqt.qtbot import QtBot

from app.ui.presenters.window_state import WindowState
from app.ui.theme.appearance import Appearance
from app.ui.widgets.window_geometry import USUAL, bounded, fitting
from app.ui.window.frame import Frame
from tests.ui.conftest import Stage
from tests.ui.gallery import settle

FRAME = QMargins(1, 30, 1, 1)
SCREENS = [QSize(1024, 600), QSize(1366, 768), QSize(1920, 1080), QSize(3840, 2160)]


@pytest.mark.parametrize("scale", [1.0, 1.25, 1.5, 2.0])
@pytest.mark.parametrize("size", SCREENS)
@pytest.mark.parametrize("place", [(0, 0), (-400, -300), (5000, 5000)])
def test_it_fits_every_screen_at_every_scale(size: QSize, scale: float, place: tuple[int, int]) -> None:
    screen = QRect(0, 0, int(size.width() / scale), int(size.height() / scale))
    found = fitting(QRect(*place, USUAL.width(), USUAL.height()), [screen], FRAME)
    assert screen.contains(found.marginsAdded(FRAME))
    assert found.width() == min(USUAL.width(), screen.width() - 2)
    assert found.height() == min(USUAL.height(), screen.height() - 31)


def test_what_fits_stays_where_it_is() -> None:
    left, right = QRect(0, 0, 1920, 1080), QRect(1920, 0, 1366, 768)
    for wanted in (QRect(100, 100, 800, 600), QRect(2000, 60, 800, 600)):
        assert fitting(wanted, [left, right], FRAME) == wanted


def test_it_goes_to_the_screen_that_has_most_of_it_and_to_the_first_where_none_has() -> None:
    left, right = QRect(0, 0, 1920, 1080), QRect(1920, 0, 1366, 768)
    assert right.contains(fitting(QRect(1700, 100, 1180, 700), [left, right], FRAME))
    assert left.contains(fitting(QRect(4000, 100, 1180, 700), [left, right], FRAME))


@pytest.fixture
def kept(appearance: Appearance, tmp_path: Path) -> Iterator[WindowState]:
    """As the window was closed on a screen that is gone."""
    far = Frame(tmp_path)
    far.setMinimumSize(0, 0)
    far.setGeometry(5000, 4000, 2400, 1600)
    state = WindowState(tmp_path)
    state.keep(far.saveGeometry(), sidebar_shown=True)
    far.deleteLater()
    yield state
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


def is_inside(frame: Frame) -> bool:
    return QGuiApplication.primaryScreen().availableGeometry().contains(frame.frameGeometry())


@pytest.mark.usefixtures("kept")
def test_the_first_start_and_a_screen_that_is_gone(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "new"):
        frame = Frame(folder)
        assert is_inside(frame)
        assert frame.width() > 600 and frame.height() > 400
        frame.deleteLater()


def test_it_comes_back_when_a_screen_changes(appearance: Appearance, tmp_path: Path, qtbot: QtBot) -> None:
    frame = Frame(tmp_path)
    frame.show()
    screen = QGuiApplication.primaryScreen()
    frame.setGeometry(3000, 2000, 700, 500)
    screen.availableGeometryChanged.emit(screen.availableGeometry())
    qtbot.waitUntil(lambda: is_inside(frame))
    frame.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


def test_the_least_size_fits_too(stage: Stage) -> None:
    stage.appearance.set_text_size(200)
    screen = QGuiApplication.primaryScreen().availableGeometry()
    least = stage.window.minimumSize()
    assert least.width() <= screen.width() and least.height() <= screen.height()
    assert bounded(QSize(9000, 20), stage.window).width() < screen.width()
    stage.appearance.set_text_size(100)


@pytest.mark.parametrize("name", ["settings", "models", "edit_presets"])
def test_dialogs_fit_a_small_screen_too(stage: Stage, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """As if the system left 512 by 300 pixels of the screen: 1024 by 600 at 200 percent."""
    screen = QGuiApplication.primaryScreen().availableGeometry()
    frame = QMargins(0, screen.height() - 300, screen.width() - 512, 0)
    monkeypatch.setattr("app.ui.widgets.window_geometry._FRAME", frame)
    stage.window.menu_actions.named()[name].trigger()
    settle()
    (dialog,) = (each for each in QApplication.topLevelWidgets() if isinstance(each, QDialog) and each.isVisible())
    assert dialog.width() <= 512 and dialog.height() <= 300
    dialog.close()
    settle()
