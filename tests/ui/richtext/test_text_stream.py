"""A text that is being written, without anything that shows it."""

from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from app.ui.richtext.markdown import parse
from app.ui.richtext.markdown_blocks import Block, Change
from app.ui.richtext.text_stream import TextStream


class Blocks(QObject):
    """What the changes come to."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks: list[Block] = []
        self.stream = TextStream(self._apply, self, typed=False)

    def _apply(self, change: Change) -> None:
        self.blocks[change.keep :] = change.blocks


def test_what_has_come_is_told_at_once_and_shown_with_the_next_frame(qtbot: QtBot) -> None:
    shown = Blocks()
    shown.stream.append("One.\n\n")
    shown.stream.append("Two.")
    assert (shown.stream.streamed, shown.blocks) == ("One.\n\nTwo.", [])
    qtbot.waitUntil(lambda: len(shown.blocks) == 2)


def test_much_that_has_come_is_shown_in_several_frames(qtbot: QtBot) -> None:
    shown = Blocks()
    shown.stream.append("A paragraph.\n\n" * 200)
    qtbot.waitUntil(lambda: bool(shown.blocks))
    assert len(shown.blocks) < 150
    qtbot.waitUntil(lambda: len(shown.blocks) == 200)


def test_a_finished_text_is_whole_and_no_longer_written() -> None:
    shown = Blocks()
    shown.stream.append("One.\n\nTw")
    shown.stream.finish("One.\n\nTwo.")
    assert tuple(shown.blocks) == parse("One.\n\nTwo.")
    assert (shown.stream.is_open, shown.stream.streamed, shown.stream.source) == (False, "", "One.\n\nTwo.")
