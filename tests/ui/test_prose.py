"""No text makes the program open a file."""

from pathlib import Path

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QColor, QImage, QTextDocument
from PySide6.QtWidgets import QTextBrowser, QWidget
from pytestqt.qtbot import QtBot

from app.core.settings import Theme
from app.ui.prose import ProseView, SafeDocument
from app.ui.theme import Look
from app.ui.tokens import DARK, LIGHT

RED = QColor("#ff0000")


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    image = QImage(40, 40, QImage.Format.Format_RGB32)
    image.fill(RED)
    path = tmp_path / "secret.png"
    assert image.save(str(path))
    return path


def test_a_local_picture_is_never_drawn(
    qtbot: QtBot, look: Look, picture: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(picture.parent)
    url = QUrl.fromLocalFile(str(picture)).toString()
    for source in (url, str(picture), "secret.png", f"/{picture}"):
        html = f'<p>x <img src="{source}"> <span style="background-image: url({source})">y</span></p>'
        ours = ProseView(look, "Answer")
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


def test_height_follows_width(qtbot: QtBot, look: Look) -> None:
    view = ProseView(look, "Answer")
    qtbot.addWidget(view)
    view.show_html("<p>" + "word " * 200 + "</p>")
    assert view.height_for(300) > 1.8 * view.height_for(700)


def test_a_wide_table_gets_a_scroll_bar_of_its_own(qtbot: QtBot, look: Look) -> None:
    view = ProseView(look, "Answer")
    qtbot.addWidget(view)
    cells = "".join(f"<td>{'wide' * 8}</td>" for _ in range(12))
    view.show_html(f'<table class="grid"><tr>{cells}</tr></table>')
    view.resize(300, view.height_for(300))
    view.show()
    assert view.horizontalScrollBar().maximum() > 0
    assert view.verticalScrollBar().maximum() == 0


def test_colours_follow_the_theme(qtbot: QtBot, look: Look) -> None:
    look.choose(Theme.LIGHT)
    view = ProseView(look, "Answer")
    qtbot.addWidget(view)
    view.show_html('<p><a href="https://example.org">there</a></p>')
    assert LIGHT.link in view.toHtml()
    look.choose(Theme.DARK)
    assert DARK.link in view.toHtml()


def test_a_link_is_reported_and_not_followed(qtbot: QtBot, look: Look) -> None:
    view = ProseView(look, "Answer")
    qtbot.addWidget(view)
    view.show_html('<p><a href="https://example.org/a%20b?q=1">there</a></p>')
    with qtbot.waitSignal(view.link_clicked) as caught:
        view.anchorClicked.emit(QUrl("https://example.org/a%20b?q=1"))
    assert caught.args == ["https://example.org/a%20b?q=1"]
    assert view.toPlainText() == "there"


def test_plain_text_is_not_read_as_html(qtbot: QtBot, look: Look) -> None:
    view = ProseView(look, "You")
    qtbot.addWidget(view)
    view.show_plain("<b>not bold</b>\n  indented")
    assert view.toPlainText() == "<b>not bold</b>\n  indented"


def _shows_red(qtbot: QtBot, view: QWidget) -> bool:
    qtbot.addWidget(view)
    view.resize(200, 120)
    view.show()
    qtbot.waitExposed(view)
    image = view.grab().toImage()
    return any(image.pixelColor(x, y) == RED for x in range(image.width()) for y in range(image.height()))
