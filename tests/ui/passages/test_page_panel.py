"""The page beside the chat: it walks through citations and pages, and marks what is cited."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage, QPalette
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.core.messages import PassagePart
from app.engine.output.support import checked
from app.services.documents.page_reader import ShownPage
from app.ui.passages.citation_list import CitationList, ShownCitation
from app.ui.passages.page_panel import PagePanel
from app.ui.passages.panel_split import PanelSplit
from app.ui.theme.appearance import Appearance

RAIN = PassagePart(1, "ab", "rain.pdf", "The gauge measured 37 cm.", 12, 5, 30)
WIND = PassagePart(2, "cd", "wind.txt", "The wind comes from the sea.")


@pytest.fixture
def panel(qtbot: QtBot, appearance: Appearance) -> PagePanel:
    made = PagePanel(appearance)
    qtbot.addWidget(made)
    made.resize(400, 500)
    made.show()
    return made


def both(at: int = 0) -> CitationList:
    (check,) = checked("The gauge measured 37 cm [1].", {1: RAIN.text})
    return CitationList((ShownCitation(RAIN, check), ShownCitation(WIND)), at)


def test_it_asks_for_the_page_of_the_citation_and_walks_to_the_next(panel: PagePanel, qtbot: QtBot) -> None:
    with qtbot.waitSignal(panel.page_wanted) as wanted:
        panel.show_citations(both())
    assert wanted.args == [RAIN, 12]
    assert panel.told.text() == "“The gauge measured 37 cm”: These words stand there."
    assert panel.count.text() == "1 of 2" and not panel.previous.isEnabled()
    with qtbot.waitSignal(panel.page_wanted) as wanted:
        panel.following.click()
    assert wanted.args == [WIND, 1] and not panel.following.isEnabled()
    assert panel.told.text() == "This passage was looked at."


def test_pages_are_turned_within_the_document(panel: PagePanel, qtbot: QtBot) -> None:
    panel.show_citations(both())
    panel.show_page(ShownPage(12, 13, QImage(100, 200, QImage.Format.Format_RGB32), ((10.0, 90.0, 50.0, 8.0),)))
    assert panel.place.text() == "Page 12 of 13" and panel.canvas.marks
    with qtbot.waitSignal(panel.page_wanted) as wanted:
        panel.forth.click()
    assert wanted.args == [RAIN, 13]
    panel.show_page(ShownPage(13, 13, QImage(100, 200, QImage.Format.Format_RGB32)))
    assert panel.back.isEnabled() and not panel.forth.isEnabled()


def test_what_is_marked_comes_into_sight(panel: PagePanel, qtbot: QtBot) -> None:
    panel.show_citations(both())
    panel.show_page(ShownPage(12, 13, QImage(400, 4000, QImage.Format.Format_RGB32), ((10.0, 3000.0, 50.0, 8.0),)))
    qtbot.waitUntil(lambda: panel.pages.verticalScrollBar().value() > 1000)
    top = panel.canvas.top_of_marks() - panel.pages.verticalScrollBar().value()
    assert 0 <= top < panel.pages.viewport().height()


@pytest.mark.parametrize("before", ["One.\r\n", "😀 one.\n\n", "字 \r"])
def test_in_a_text_the_very_words_are_marked(panel: PagePanel, before: str) -> None:
    text = f"{before}The wind comes from the sea. 😀 Then more."
    panel.show_citations(both(1))
    panel.show_page(ShownPage(0, text=text, mark=(len(before), len(before) + 28)))
    (selection,) = panel.text.extraSelections()
    assert selection.cursor.selectedText() == "The wind comes from the sea."
    assert panel.back.isHidden() and panel.text.isVisible()


def test_a_problem_is_told_and_escape_closes(panel: PagePanel, qtbot: QtBot) -> None:
    panel.show_citations(both())
    panel.show_page(ShownPage(12, problem="The file is not there any more; this is what was read of it."))
    assert panel.problem.isVisible()
    with qtbot.waitSignal(panel.closed):
        QTest.keyClick(panel, Qt.Key.Key_Escape)


@pytest.fixture
def split(qtbot: QtBot, appearance: Appearance, panel: PagePanel) -> PanelSplit:
    content = QWidget()
    QPushButton("chat", content)
    made = PanelSplit(appearance, content, panel, 460)
    qtbot.addWidget(made)
    made.resize(1200, 600)
    made.show()
    qtbot.waitUntil(made.isVisible)
    return made


def test_the_panel_takes_its_width_beside_the_chat_and_over_it_where_that_is_narrow(
    split: PanelSplit, panel: PagePanel
) -> None:
    content = split._content
    assert content.width() == 1200 and not panel.isVisible()
    split.open()
    assert (panel.width(), content.width()) == (460, 1200 - 460 - split.handle.width())
    split.resize(600, 600)
    assert split.is_over and content.width() == 600 and panel.width() > 500 and not split.handle.isVisible()
    split.resize(1200, 600)
    assert panel.width() == 460
    split.close_panel()
    assert content.width() == 1200


def test_nothing_of_the_chat_shows_through_where_it_lies_over_it(
    split: PanelSplit, panel: PagePanel, appearance: Appearance
) -> None:
    split._content.setPalette(QPalette(QColor("red")))
    split._content.setAutoFillBackground(True)
    split.open()
    split.resize(600, 600)
    picture = split.grab().toImage()
    assert picture.pixelColor(2, 300) == QColor("red")
    window = QColor(appearance.tokens.window)
    # Beside a label, and below the buttons.
    places = [(x, y) for x in (panel.x() + 4, 590) for y in (4, 60, 590)]
    assert [picture.pixelColor(*each) for each in places] == [window] * len(places)


def test_its_width_is_moved_by_keys_and_told(split: PanelSplit, panel: PagePanel, qtbot: QtBot) -> None:
    split.open()
    with qtbot.waitSignal(split.width_chosen) as chosen:
        QTest.keyClick(split.handle, Qt.Key.Key_Left)
    assert panel.width() == 484 and chosen.args == [484]
    for _ in range(40):
        QTest.keyClick(split.handle, Qt.Key.Key_Left)
    assert split._content.width() >= 420, "the chat keeps its room"


def test_mirrored_it_stands_at_the_left(split: PanelSplit, panel: PagePanel) -> None:
    split.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    split.open()
    assert panel.x() == 0 and split._content.x() > panel.width()


def test_a_text_opens_with_what_is_marked_in_its_middle(panel: PagePanel) -> None:
    lines = [f"Line {n} says nothing." for n in range(200)]
    text = "\n".join(lines)
    panel.show_citations(both(at=1))
    panel.show_page(ShownPage(0, text=text, mark=(text.index(lines[100]), text.index(lines[101]))))
    place, height = panel.text.cursorRect().center().y(), panel.text.viewport().height()
    assert 0.3 * height < place < 0.7 * height
