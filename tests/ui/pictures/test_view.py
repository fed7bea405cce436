from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, QSize, Qt
from PySide6.QtGui import QColor, QContextMenuEvent, QImage, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

from app.core.messages import ImagePart, Role
from app.core.settings import Theme
from app.services.pictures.preview_cache import PreviewCache
from app.services.runtime.worker_thread import WorkerThread
from app.storage.attachments import AttachmentStore
from app.ui.pictures.canvas import PictureCanvas
from app.ui.pictures.view import MANY_HIGH, ONE_HIGH, PictureAction, PictureUse, PictureView, shown_size
from app.ui.pictures.viewer import PictureViewer
from app.ui.theme.appearance import Appearance
from app.ui.transcript.message_view import UserView
from app.ui.transcript.transcript import Transcript
from app.ui.widgets.flow import flow
from tests.picture_files import png
from tests.ui.fakes import opened, stored
from tests.waits import WAIT


@pytest.fixture
def store(tmp_path: Path) -> AttachmentStore:
    return AttachmentStore(tmp_path / "kept")


@pytest.fixture
def previews(qapp: object, store: AttachmentStore) -> Iterator[PreviewCache]:
    thread = WorkerThread()
    yield PreviewCache(store, thread)
    thread.close()


@pytest.fixture
def transcript(qtbot: QtBot, appearance: Appearance, previews: PreviewCache) -> Transcript:
    made = Transcript(appearance, QWidget(), previews=previews)
    qtbot.addWidget(made)
    made.resize(900, 600)
    made.show()
    qtbot.waitUntil(made.isVisible, timeout=WAIT)
    return made


def part_of(store: AttachmentStore, width: int, height: int, colour: str = "red") -> ImagePart:
    return ImagePart(store.put(png(width, height, colour)), f"{colour}.png", width, height)


def views(transcript: Transcript, place: int = 0) -> tuple[PictureView, ...]:
    view = transcript.views[place]
    assert isinstance(view, UserView)
    return view.pictures


def middle(view: QWidget) -> QColor:
    return view.grab().toImage().pixelColor(view.rect().center())


@pytest.mark.parametrize(
    ("size", "shown"),
    [
        ((100, 80), (100, 80)),
        ((4000, 3000), (293, 220)),
        ((4000, 400), (360, 64)),
        ((300, 15_000), (64, 220)),
        ((5, 5), (64, 64)),
        ((0, 0), (200, 150)),
    ],
)
def test_sizes(size: tuple[int, int], shown: tuple[int, int]) -> None:
    assert shown_size(ImagePart("", "", *size), ONE_HIGH) == QSize(*shown)


def test_rows_break_and_stand_at_their_side() -> None:
    sizes = [QSize(100, 50), QSize(60, 80), QSize(300, 10)]
    places, height = flow(sizes, 200, 10)
    assert places == [QPoint(0, 0), QPoint(110, 0), QPoint(0, 90)]
    assert height == 100
    places, _ = flow(sizes, 200, 10, to_right=True)
    assert places == [QPoint(30, 0), QPoint(140, 0), QPoint(0, 90)]
    assert flow([], 200, 10) == ([], 0)


def test_pictures_stand_above_the_words(qtbot: QtBot, transcript: Transcript, store: AttachmentStore) -> None:
    parts = tuple(part_of(store, 800, 600, colour) for colour in ("red", "green", "blue", "white"))
    transcript.show_conversation(opened("A", stored(Role.USER, "what are these?", pictures=parts)))
    qtbot.waitUntil(lambda: transcript.views[0].width() > 400, timeout=WAIT)
    view = transcript.views[0]
    assert isinstance(view, UserView)
    assert len({picture.y() for picture in view.pictures}) == 2
    assert all(picture.height() == MANY_HIGH for picture in view.pictures)
    lowest = max(picture.mapTo(view, picture.rect().bottomRight()).y() for picture in view.pictures)
    assert lowest < view.bubble.y() < view.bubble.geometry().bottom() < view.height()
    qtbot.waitUntil(
        lambda: [middle(each).name() for each in view.pictures] == [*("#ff0000", "#008000", "#0000ff", "#ffffff")]
    )


def test_a_picture_without_words_has_no_bubble(qtbot: QtBot, transcript: Transcript, store: AttachmentStore) -> None:
    transcript.show_conversation(opened("A", stored(Role.USER, "", pictures=(part_of(store, 800, 600),))))
    qtbot.waitUntil(lambda: transcript.views[0].width() > 400, timeout=WAIT)
    view = transcript.views[0]
    assert isinstance(view, UserView)
    assert not view.bubble.isVisible()
    assert view.pictures[0].height() == ONE_HIGH
    assert view.tools.geometry().top() - ONE_HIGH < 4


def test_only_what_is_seen_is_loaded(
    qtbot: QtBot, transcript: Transcript, store: AttachmentStore, previews: PreviewCache
) -> None:
    messages = [stored(Role.USER, "", pictures=(part_of(store, 300, 200 + number),)) for number in range(20)]
    told: list[str] = []
    previews.loaded.connect(lambda kept: told.append(kept.content_hash))
    transcript.show_conversation(opened("A", *messages))
    bar = transcript.scroll_area.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.value() > 0 and bool(told), timeout=WAIT)
    qtbot.waitUntil(lambda: middle(views(transcript, -1)[0]).name() == "#ff0000", timeout=WAIT)
    assert len(told) < 10
    first = messages[0].message.pictures[0].content_hash
    assert first not in told
    bar.setValue(0)
    qtbot.waitUntil(lambda: first in told, timeout=WAIT)


def test_names_and_a_missing_picture(qtbot: QtBot, transcript: Transcript, store: AttachmentStore) -> None:
    lost = ImagePart("0" * 64, "lost.png")
    transcript.show_conversation(opened("A", stored(Role.USER, "q", pictures=(part_of(store, 80, 60), lost))))
    first, second = views(transcript)
    assert first.accessibleName() == "Picture: red.png, 80 × 60"
    assert second.accessibleName() == "Picture: lost.png"
    qtbot.waitUntil(lambda: bool(second.problem), timeout=WAIT)
    assert "missing" in second.accessibleDescription()
    assert first.problem == ""


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space])
def test_keys_open(qtbot: QtBot, transcript: Transcript, store: AttachmentStore, key: Qt.Key) -> None:
    part = part_of(store, 80, 60)
    transcript.show_conversation(opened("A", stored(Role.USER, "q", pictures=(part,))))
    with qtbot.waitSignal(transcript.picture_wanted) as wanted:
        QTest.keyClick(views(transcript)[0], key)
    assert wanted.args == [PictureAction(PictureUse.OPEN, part)]


def test_the_menu_opens_without_waiting(qtbot: QtBot, transcript: Transcript, store: AttachmentStore) -> None:
    transcript.show_conversation(opened("A", stored(Role.USER, "q", pictures=(part_of(store, 80, 60),))))
    (view,) = views(transcript)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, QPoint(5, 5), view.mapToGlobal(QPoint(5, 5)))
    QApplication.sendEvent(view, event)
    (menu,) = view.findChildren(QMenu)
    assert menu.isVisible()
    menu.close()
    qtbot.waitUntil(lambda: view.findChildren(QMenu) == [], timeout=WAIT)


def test_a_message_that_changes_keeps_its_pictures(transcript: Transcript, store: AttachmentStore) -> None:
    message = stored(Role.USER, "q", pictures=(part_of(store, 80, 60),))
    transcript.show_conversation(opened("A", message))
    before = views(transcript)
    transcript.change_message(message)
    assert views(transcript) == before


@pytest.fixture
def canvas(qtbot: QtBot, appearance: Appearance) -> PictureCanvas:
    made = PictureCanvas(appearance)
    qtbot.addWidget(made)
    made.resize(400, 300)
    made.show()
    return made


def halves(width: int, height: int) -> QImage:
    """Red at the left, blue at the right."""
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(QColor("red"))
    for x in range(width // 2, width):
        for y in range(height):
            image.setPixelColor(x, y, QColor("blue"))
    return image


def at(canvas: PictureCanvas, x: int, y: int) -> str:
    return canvas.grab().toImage().pixelColor(x, y).name()


def test_it_fits_and_stays_in_the_middle(canvas: PictureCanvas) -> None:
    canvas.show_image(halves(800, 600))
    assert canvas.scale == 0.5
    assert (at(canvas, 5, 150), at(canvas, 395, 150)) == ("#ff0000", "#0000ff")
    canvas.resize(200, 300)
    assert canvas.scale == 0.25
    assert at(canvas, 100, 20) not in ("#ff0000", "#0000ff"), "there is nothing above it"
    canvas.show_image(halves(40, 40))
    assert canvas.scale == 1.0, "a small one is not blown up"


@pytest.mark.parametrize("theme", [Theme.LIGHT, Theme.DARK])
def test_a_page_as_white_as_the_window_has_an_edge(theme: Theme, canvas: PictureCanvas, appearance: Appearance) -> None:
    appearance.choose(theme)
    page = QImage(100, 60, QImage.Format.Format_RGB32)
    page.fill(QColor(appearance.tokens.window))
    canvas.show_image(page)
    left, top = (canvas.width() - 100) // 2, (canvas.height() - 60) // 2
    inside, edge, outside = (at(canvas, left + place, top + 30) for place in (0, -1, -2))
    assert edge == appearance.tokens.border
    assert inside == outside == appearance.tokens.window


def test_the_wheel_zooms_about_the_mouse(canvas: PictureCanvas) -> None:
    canvas.show_image(halves(800, 600))
    for _ in range(4):
        _turn(canvas, QPointF(0, 150), 120)
    assert canvas.scale > 1
    assert at(canvas, 0, 150) == "#ff0000"
    assert at(canvas, 399, 150) == "#ff0000", "the right half has moved out"
    for _ in range(20):
        _turn(canvas, QPointF(200, 150), -120)
    assert canvas.scale == 0.5
    assert canvas.fits


def _turn(canvas: PictureCanvas, place: QPointF, angle: int) -> None:
    event = QWheelEvent(
        *(place, canvas.mapToGlobal(place), QPoint(), QPoint(0, angle)),
        *(Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False),
    )
    QApplication.sendEvent(canvas, event)


def test_keys_zoom_and_move(canvas: PictureCanvas) -> None:
    canvas.show_image(halves(800, 600))
    QTest.keyClick(canvas, Qt.Key.Key_Plus)
    assert canvas.scale == 0.625
    for _ in range(10):
        QTest.keyClick(canvas, Qt.Key.Key_Plus)
    for _ in range(100):
        QTest.keyClick(canvas, Qt.Key.Key_Right)
    assert at(canvas, 1, 150) == "#0000ff"
    assert at(canvas, 398, 150) == "#0000ff", "it stops at its edge"
    QTest.keyClick(canvas, Qt.Key.Key_0)
    assert canvas.fits
    QTest.keyClick(canvas, Qt.Key.Key_Minus)
    assert canvas.scale == 0.5, "never smaller than it fits"


def test_a_double_click_shows_pixel_for_pixel(canvas: PictureCanvas) -> None:
    canvas.show_image(halves(800, 600))
    QTest.mouseDClick(canvas, Qt.MouseButton.LeftButton, pos=QPoint(10, 10))
    assert canvas.scale == 1.0
    QTest.mouseDClick(canvas, Qt.MouseButton.LeftButton, pos=QPoint(10, 10))
    assert canvas.fits


def test_the_viewer_loads_shows_and_reports(
    qtbot: QtBot, appearance: Appearance, previews: PreviewCache, store: AttachmentStore
) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    part = part_of(store, 9000, 300)
    viewer = PictureViewer(appearance, previews, part, parent)
    viewer.open()
    assert viewer.screen().availableSize().width() >= viewer.width()
    assert not viewer.save_button.isEnabled()
    qtbot.waitUntil(viewer.save_button.isEnabled, timeout=WAIT)
    assert at(viewer.canvas, viewer.canvas.width() // 2, viewer.canvas.height() // 2) == "#ff0000"
    for button, use in ((viewer.copy_button, PictureUse.COPY), (viewer.save_button, PictureUse.SAVE)):
        with qtbot.waitSignal(viewer.wanted) as wanted:
            QTest.mouseClick(button, Qt.MouseButton.LeftButton)
        assert wanted.args == [PictureAction(use, part)]
    viewer.close_button.click()
    qtbot.waitUntil(lambda: parent.findChildren(PictureViewer) == [], timeout=WAIT)


def test_a_viewer_that_closes_early_hears_nothing(
    qtbot: QtBot, appearance: Appearance, previews: PreviewCache, store: AttachmentStore
) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    viewer = PictureViewer(appearance, previews, part_of(store, 2000, 1500), parent)
    viewer.open()
    viewer.reject()
    qtbot.waitUntil(lambda: parent.findChildren(PictureViewer) == [], timeout=WAIT)
    other = part_of(store, 30, 20)
    previews.preview(other)
    qtbot.waitUntil(lambda: previews.preview(other) is not None, timeout=WAIT)
