"""What is copied on screen, instead of being painted, is what would be painted."""

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.core.messages import Role
from app.storage.conversations import MessageState
from app.ui.richtext.text_block_view import TextBlockView
from app.ui.transcript.message_view import AnswerView
from app.ui.transcript.transcript import Transcript
from tests.ui.fakes import opened, stored
from tests.ui.transcript.test_message_list import bar, settle, talk

_TEXT = (
    "Some words of a paragraph, which goes on for more than one line so that it wraps. " * 2
    + "\n\n- one\n- two of `them`\n\n1. first\n2. second\n\n```py\nx = 1\ny = 2\nprint(x + y)\n```\n\n"
    + "| a | b |\n|---|---|\n| one | two |\n| three | four |\n\n## Heading\n\n> quoted\n\n"
)


@pytest.fixture
def streaming(qtbot: QtBot, transcript: Transcript) -> AnswerView:
    """An answer that begins below others."""
    transcript.resize(500, 300)
    answer = stored(Role.ASSISTANT, "", state=MessageState.WRITING)
    transcript.show_conversation(opened("A", *talk(7), answer))
    settle(qtbot, transcript)
    view = transcript.view_of(answer.id)
    assert isinstance(view, AnswerView)
    return view


def on_screen(widget: QWidget) -> QImage:
    return widget.screen().grabWindow(widget.winId()).toImage().convertToFormat(QImage.Format.Format_RGB32)


def painted(widget: QWidget) -> QImage:
    return widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)


def show_more(view: AnswerView, text: str) -> None:
    view.append(text)
    view.blocks_view.flush()
    QCoreApplication.processEvents()


def check(qtbot: QtBot, transcript: Transcript) -> None:
    """What is on screen; colours of code come a little later."""
    qtbot.waitUntil(lambda: on_screen(transcript) == painted(transcript))


@pytest.mark.parametrize("direction", [Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft])
def test_an_answer_that_grows_at_the_end(
    qtbot: QtBot, transcript: Transcript, streaming: AnswerView, direction: Qt.LayoutDirection
) -> None:
    transcript.setLayoutDirection(direction)
    for begin in range(0, len(_TEXT), 50):
        show_more(streaming, _TEXT[begin : begin + 50])
        check(qtbot, transcript)


def test_a_reader_who_scrolls_to_and_fro(qtbot: QtBot, transcript: Transcript, streaming: AnswerView) -> None:
    show_more(streaming, _TEXT)
    for step in (-60, -7, 30, 500):
        bar(transcript).setValue(bar(transcript).value() + step)
        check(qtbot, transcript)


def test_the_ring_of_the_keyboard_stays_where_it_is(
    qtbot: QtBot, transcript: Transcript, streaming: AnswerView
) -> None:
    transcript.scroll_area.clearFocus()
    transcript.scroll_area.setFocus(Qt.FocusReason.TabFocusReason)
    for _ in range(3):
        show_more(streaming, "A paragraph.\n\n" * 2)
        check(qtbot, transcript)


class PaintWatch(QObject):
    """Which blocks of text are painted."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.painted: set[QObject] = set()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint and isinstance(watched, TextBlockView):
            self.painted.add(watched)
        return False


def test_what_has_not_changed_is_not_painted_again(
    qapp: QApplication, transcript: Transcript, streaming: AnswerView
) -> None:
    show_more(streaming, "\n\n".join(["A paragraph."] * 30))
    watch = PaintWatch(transcript)
    qapp.installEventFilter(watch)
    show_more(streaming, "\n\nThe next.")
    # The new one, the one above it, and those that the upper fade lies over, now and before.
    assert 1 <= len(watch.painted) <= 5
