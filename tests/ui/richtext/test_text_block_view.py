"""No text makes the program open a file."""

from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QColor, QGuiApplication, QImage, QKeySequence, QMouseEvent, QTextDocument
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QTextBrowser, QWidget
from pytestqt.qtbot import QtBot

from app.core.settings import Theme
from app.ui.richtext.markdown import Prose, parse
from app.ui.richtext.safe_document import SafeDocument
from app.ui.richtext.text_block_view import TextBlockView
from app.ui.theme.appearance import Appearance
from app.ui.theme.palette import DARK, LIGHT

RED = QColor("#ff0000")
FIRST = "https://example.org/a%20b?q=1"
SECOND = "mailto:somebody@example.org"


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    image = QImage(40, 40, QImage.Format.Format_RGB32)
    image.fill(RED)
    path = tmp_path / "secret.png"
    assert image.save(str(path))
    return path


def test_a_local_picture_is_never_drawn(
    qtbot: QtBot, appearance: Appearance, picture: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(picture.parent)
    url = QUrl.fromLocalFile(str(picture)).toString()
    for source in (url, str(picture), "secret.png", f"/{picture}"):
        html = f'<p>x <img src="{source}"> <span style="background-image: url({source})">y</span></p>'
        ours = TextBlockView(appearance, "Answer")
        ours.show_html(html)
        assert not _shows_red(qtbot, ours), source
        loaded = ours.document().resource(QTextDocument.ResourceType.ImageResource.value, QUrl(source))
        assert isinstance(loaded, QImage)
        assert loaded.width() == 1
    # The probe itself works: Qt's own browser does draw it.
    theirs = QTextBrowser()
    theirs.setHtml(f'<img src="{url}">')
    assert _shows_red(qtbot, theirs)


def test_a_local_style_sheet_is_never_read(qtbot: QtBot, tmp_path: Path) -> None:
    sheet = tmp_path / "evil.css"
    sheet.write_text("p { color: #ff0000; }")
    html = f'<style>@import url("{QUrl.fromLocalFile(str(sheet)).toString()}");</style><p>text</p>'
    ours, theirs = SafeDocument(), QTextDocument()
    ours.setHtml(html)
    theirs.setHtml(html)
    assert "#ff0000" not in ours.toHtml()
    # The probe itself works: Qt's own document does read it.
    assert "#ff0000" in theirs.toHtml()


def test_height_follows_width(qtbot: QtBot, appearance: Appearance) -> None:
    view = TextBlockView(appearance, "Answer")
    qtbot.addWidget(view)
    view.show_html("<p>" + "word " * 200 + "</p>")
    assert view.height_for(300) > 1.8 * view.height_for(700)


def test_a_wide_table_gets_a_scroll_bar_of_its_own(qtbot: QtBot, appearance: Appearance) -> None:
    view = TextBlockView(appearance, "Answer")
    qtbot.addWidget(view)
    cells = "".join(f"<td>{'wide' * 8}</td>" for _ in range(12))
    view.show_html(f'<table class="grid"><tr>{cells}</tr></table>')
    view.resize(300, view.height_for(300))
    view.show()
    bar = view.scroll_bar
    assert bar is not None
    before = view.grab().toImage()
    bar.setValue(bar.maximum())
    assert view.grab().toImage() != before
    view.show_html("<p>narrow</p>")
    view.resize(301, view.height_for(301))
    assert view.scroll_bar is None


def test_colours_follow_the_theme(qtbot: QtBot, appearance: Appearance) -> None:
    appearance.choose(Theme.LIGHT)
    view = linked(qtbot, appearance)
    assert LIGHT.link in view.document().toHtml()
    appearance.choose(Theme.DARK)
    assert DARK.link in view.document().toHtml()


def test_a_click_on_a_link_reports_it(qtbot: QtBot, appearance: Appearance) -> None:
    view = linked(qtbot, appearance)
    with qtbot.waitSignal(view.link_clicked) as caught:
        QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=QPoint(5, 8))
    assert caught.args == [FIRST]
    assert view.plain_text() == "one and two"
    with qtbot.assertNotEmitted(view.link_clicked):
        QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=QPoint(45, 8))


def test_keys_reach_every_link(qtbot: QtBot, appearance: Appearance) -> None:
    view = linked(qtbot, appearance)
    assert [link.address for link in view.links] == [FIRST, SECOND]
    view.activateWindow()
    qtbot.waitUntil(view.isActiveWindow)
    view.clearFocus()
    view.setFocus(Qt.FocusReason.TabFocusReason)
    visited: list[str] = []
    view.link_clicked.connect(visited.append)
    QTest.keyClick(view, Qt.Key.Key_Return)
    assert view.focusNextPrevChild(True)
    QTest.keyClick(view, Qt.Key.Key_Enter)
    assert visited == [FIRST, SECOND]


def test_text_is_selected_and_copied(qtbot: QtBot, appearance: Appearance) -> None:
    view = linked(qtbot, appearance)
    view.setFocus()
    QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=QPoint(0, 8))
    drag = QMouseEvent(
        QEvent.Type.MouseMove,
        QPointF(390, 8),
        view.mapToGlobal(QPointF(390, 8)),
        Qt.MouseButton.NoButton,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    QCoreApplication.sendEvent(view, drag)
    with qtbot.assertNotEmitted(view.link_clicked):
        QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=QPoint(390, 8))
    assert view.selected_text == "one and two"
    QTest.keySequence(view, QKeySequence(QKeySequence.StandardKey.Copy))
    assert QGuiApplication.clipboard().text() == "one and two"
    QTest.mouseDClick(view, Qt.MouseButton.LeftButton, pos=QPoint(5, 8))
    assert view.selected_text == "one"


def test_the_menu_copies(qtbot: QtBot, appearance: Appearance) -> None:
    view = linked(qtbot, appearance)
    menu = view.menu_at(QPoint(5, 8))
    copy, address, everything = menu.actions()
    assert not copy.isEnabled()
    address.trigger()
    assert QGuiApplication.clipboard().text() == FIRST
    everything.trigger()
    view.copy()
    assert QGuiApplication.clipboard().text() == "one and two"
    assert len(view.menu_at(QPoint(45, 8)).actions()) == 2


def linked(qtbot: QtBot, appearance: Appearance) -> TextBlockView:
    view = TextBlockView(appearance, "Answer")
    qtbot.addWidget(view)
    view.show_html(f'<p><a href="{FIRST}">one</a> and <a href="{SECOND}">two</a></p>')
    view.resize(400, view.height_for(400))
    view.show()
    return view


def _shows_red(qtbot: QtBot, view: QWidget) -> bool:
    qtbot.addWidget(view)
    view.resize(200, 120)
    view.show()
    qtbot.waitUntil(view.isVisible)
    image = view.grab().toImage()
    return any(image.pixelColor(x, y) == RED for x in range(image.width()) for y in range(image.height()))


def test_a_number_and_its_unit_stay_on_one_line(qtbot: QtBot, appearance: Appearance) -> None:
    def height(unit: str) -> int:
        row = "|" + f" 639{unit} |" * 9
        (block,) = parse(f"{row}\n|{'---|' * 9}\n{row}\n")
        view = TextBlockView(appearance, "answer")
        qtbot.addWidget(view)
        view.show_html(block.html if isinstance(block, Prose) else "")
        return view.height_for(200)

    assert height(" tokens/s") == height("")


def test_short_cells_are_told_from_long_ones() -> None:
    (block,) = parse("| a | b |\n|---|---|\n| 639 MB | a sentence of several words |\n")
    assert isinstance(block, Prose)
    assert '<td class="short">639 MB' in block.html
    assert "<td>a sentence" in block.html


def test_what_is_selected_stays_so_when_the_look_changes(appearance: Appearance) -> None:
    view = TextBlockView(appearance, "Answer")
    view.show_html("<p>one and two</p>")
    view.select(0, 3)
    appearance.choose(Theme.DARK if appearance.tokens is LIGHT else Theme.LIGHT)
    assert view.selected_text == "one"
