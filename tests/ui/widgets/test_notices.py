import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from app.core.errors import UserError
from app.ui.theme.appearance import Appearance
from app.ui.widgets.layouts import grow, vbox
from app.ui.widgets.notices import Notices


@pytest.fixture
def notices(qtbot: QtBot, appearance: Appearance) -> Notices:
    made = Notices(appearance)
    qtbot.addWidget(made)
    return made


def sentences(notices: Notices) -> list[str]:
    return [bar.sentence.text() for bar in notices.bars]


def test_an_error_leads_to_its_details(qtbot: QtBot, notices: Notices) -> None:
    error = UserError("It failed.", detail="because")
    notices.show_error(error)
    (bar,) = notices.bars
    assert bar.action_button is not None
    with qtbot.waitSignal(notices.details_wanted) as caught:
        bar.action_button.click()
    assert caught.args == [error]


def test_an_error_without_details_has_no_button(notices: Notices) -> None:
    notices.show_error(UserError("It failed."))
    assert notices.bars[0].action_button is None
    assert notices.isVisible()


def test_dismissing_hides(notices: Notices) -> None:
    notices.show_notice("Read this.")
    notices.bars[0].close_button.click()
    assert notices.bars == []
    assert notices.isHidden()


def test_an_offer_is_taken_once(notices: Notices) -> None:
    taken: list[int] = []
    notices.offer("Deleted.", "Undo", lambda: taken.append(1))
    button = notices.bars[0].action_button
    assert button is not None
    button.click()
    assert taken == [1]
    assert notices.bars == []


def test_three_at_most_and_each_error_once(notices: Notices) -> None:
    for sentence in ("one", "two", "two", "three", "four"):
        notices.show_error(UserError(sentence))
    assert sentences(notices) == ["two", "three", "four"]


def test_in_a_low_window_they_come_one_after_the_other(appearance: Appearance, qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    notices = Notices(appearance, window)
    vbox(notices, grow(QWidget(window)), on=window)
    window.resize(500, 290)
    window.show()
    notices.show_error(UserError("It failed."))
    notices.show_notice("Read this.")
    assert [bar.isVisible() for bar in notices.bars] == [False, True]
    notices.bars[-1].close_button.click()
    assert [bar.isVisible() for bar in notices.bars] == [True]
    window.resize(800, 600)
    notices.show_notice("Read this.")
    assert [bar.isVisible() for bar in notices.bars] == [True, True]


def test_a_notice_goes_by_itself(qtbot: QtBot, notices: Notices, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.ui.widgets.notices._NOTICE_MS", 0)
    notices.show_notice("Soon gone.")
    notices.show_error(UserError("Stays."))
    qtbot.waitUntil(lambda: sentences(notices) == ["Stays."])


def test_markup_stays_text(notices: Notices) -> None:
    notices.show_error(UserError("<img src=file:///etc/passwd>"))
    labels = notices.findChildren(QLabel)
    assert labels
    assert all(label.textFormat() == Qt.TextFormat.PlainText for label in labels)


@pytest.mark.parametrize("width", [360, 520, 900])
def test_a_sentence_takes_the_height_it_needs(qtbot: QtBot, notices: Notices, width: int) -> None:
    notices.resize(width, 200)
    notices.show_error(UserError("A long sentence that has to be wrapped in a narrow window. " * 3, detail="x"))
    notices.show_notice("Short.")
    long, short = (bar.findChild(QLabel) for bar in notices.bars)
    assert long is not None
    assert short is not None
    line = short.fontMetrics().height()
    qtbot.waitUntil(lambda: short.height() < 2 * line <= long.height() < 12 * line)
    needed = (
        long.fontMetrics()
        .boundingRect(QRect(0, 0, long.width(), 9999), Qt.TextFlag.TextWordWrap.value, long.text())
        .height()
    )
    assert long.height() == needed


def test_a_bar_gets_lower_again_where_there_is_more_room(notices: Notices) -> None:
    notices.show_error(UserError("A sentence that takes several lines in a window as narrow as this one is. " * 2))
    heights = []
    for width in (900, 300, 900):
        notices.resize(width, 400)
        (label,) = notices.bars[0].findChildren(QLabel)
        QApplication.processEvents()
        heights.append(label.height())
    assert heights[0] == heights[2] < heights[1]
