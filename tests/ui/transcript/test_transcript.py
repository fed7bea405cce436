import sys
from pathlib import Path
from types import FrameType

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QScrollBar, QToolButton
from pytestqt.qtbot import QtBot

from app.core.events import PromptProgress
from app.core.messages import Role
from app.core.model_ref import ModelRef
from app.services.engine.states import Generating, Prefilling, Waiting
from app.storage.conversations import MessageState
from app.ui.richtext.block_text import raw_text
from app.ui.richtext.code_block import CodeBlock
from app.ui.richtext.markdown_blocks import Code
from app.ui.richtext.text_block_view import TextBlockView
from app.ui.theme.appearance import Appearance
from app.ui.theme.measures import COLUMN
from app.ui.transcript.message_actions import Regenerate
from app.ui.transcript.message_view import AnswerView, MessageView, UserView
from app.ui.transcript.transcript import Transcript
from app.ui.transcript.welcome import Welcome
from app.ui.widgets.buttons import CopyButton
from tests.ui.fakes import opened, stored

LONG = "\n\n".join(f"Paragraph {number} of a long answer." for number in range(60))


@pytest.fixture
def welcome(appearance: Appearance) -> Welcome:
    return Welcome(appearance, lambda: [ModelRef.of_file(Path("/models/a.gguf"))])


@pytest.fixture
def transcript(qtbot: QtBot, appearance: Appearance, welcome: Welcome) -> Transcript:
    made = Transcript(appearance, welcome)
    qtbot.addWidget(made)
    made.resize(900, 500)
    made.show()
    qtbot.waitUntil(made.isVisible)
    return made


def bar(transcript: Transcript) -> QScrollBar:
    return transcript.scroll_area.verticalScrollBar()


def test_shows_a_welcome_where_nothing_was_said(transcript: Transcript, welcome: Welcome) -> None:
    assert welcome.isVisible()
    transcript.show_conversation(opened("A", stored(Role.USER, "hello")))
    assert not welcome.isVisible()
    transcript.show_conversation(None)
    assert welcome.isVisible()
    assert transcript.views == ()


def test_opens_at_the_end_and_sticks_to_it(qtbot: QtBot, transcript: Transcript) -> None:
    answer = stored(Role.ASSISTANT, LONG, state=MessageState.WRITING)
    transcript.show_conversation(opened("A", stored(Role.USER, "go on"), answer))
    qtbot.waitUntil(lambda: bar(transcript).maximum() > 500)
    for number in range(30):
        before = bar(transcript).maximum()
        transcript.append_text(answer.id, f"\n\nMore {number}")
        qtbot.waitUntil(lambda before=before: bar(transcript).maximum() > before)  # type: ignore[misc]
        assert bar(transcript).value() == bar(transcript).maximum()
    assert not transcript.jump_button.isVisible()


def test_scrolling_up_stops_following_until_the_button_is_used(qtbot: QtBot, transcript: Transcript) -> None:
    answer = stored(Role.ASSISTANT, LONG, state=MessageState.WRITING)
    transcript.show_conversation(opened("A", stored(Role.USER, "go on"), answer))
    qtbot.waitUntil(lambda: bar(transcript).maximum() > 500)
    bar(transcript).setValue(200)
    settled(qtbot, transcript)
    place, before = bar(transcript).value(), bar(transcript).maximum()
    transcript.append_text(answer.id, "\n\nMore")
    qtbot.waitUntil(lambda: bar(transcript).maximum() > before)
    assert bar(transcript).value() == place
    assert transcript.jump_button.isVisible()
    QTest.mouseClick(transcript.jump_button, Qt.MouseButton.LeftButton)
    assert bar(transcript).value() == bar(transcript).maximum()
    assert transcript.scroll_area.follows
    assert not transcript.jump_button.isVisible()


def test_sending_goes_to_the_end(qtbot: QtBot, transcript: Transcript) -> None:
    transcript.show_conversation(opened("A", stored(Role.USER, "a"), stored(Role.ASSISTANT, LONG)))
    qtbot.waitUntil(lambda: bar(transcript).maximum() > 500)
    bar(transcript).setValue(0)
    transcript.add_message(stored(Role.USER, "another"))
    qtbot.waitUntil(lambda: bar(transcript).value() == bar(transcript).maximum())


@pytest.mark.parametrize("width", [520, 900, 1600])
def test_the_height_is_what_the_messages_need(qtbot: QtBot, transcript: Transcript, width: int) -> None:
    transcript.resize(width, 500)
    transcript.show_conversation(opened("A", stored(Role.USER, "word " * 300), stored(Role.ASSISTANT, LONG)))
    qtbot.waitUntil(lambda: bar(transcript).maximum() > 500)
    last = transcript.views[-1]
    viewport = transcript.scroll_area.viewport()
    qtbot.waitUntil(lambda: 0 <= viewport.height() - last.geometry().bottom() < 40)
    assert last.width() <= COLUMN
    assert last.geometry().right() < viewport.width()


def test_a_users_words_stay_as_they_were_typed(transcript: Transcript) -> None:
    typed = "# a\n  2**3 <b>b</b> $x$\n> __init__\n\n    # c"
    transcript.show_conversation(opened("A", stored(Role.USER, typed)))
    view = transcript.views[0]
    assert isinstance(view, UserView)
    assert "\n\n".join(raw_text(each) for each in view.blocks_view.blocks) == typed


def test_code_in_a_question_is_shown_as_code_and_copied_as_it_was_typed(qtbot: QtBot, transcript: Transcript) -> None:
    typed = "Why?\n- `a`\n- b\n```py\nx = 1\n```\n\n\nend"
    transcript.show_conversation(opened("A", stored(Role.USER, typed)))
    view = transcript.views[0]
    assert isinstance(view, UserView)
    qtbot.waitUntil(lambda: view.width() > 400)
    code = view.blocks_view.widget_at(2)
    assert isinstance(code, CodeBlock)
    assert code.code == Code("py", "x = 1")
    selection = view.blocks_view.selection
    selection.select_all()
    assert selection.text() == typed
    part = view.blocks_view.widget_at(1)
    selection.select(part, 0, 3)
    assert selection.text() == "- `a`\n- b"
    selection.select(part, 0, 1)
    assert selection.text() == "a"
    QTest.mouseMove(view)
    view.setFocus()
    view.tools.findChildren(CopyButton)[0].click()
    assert QGuiApplication.clipboard().text() == typed


def test_a_bubble_is_as_wide_as_its_longest_line(qtbot: QtBot, transcript: Transcript) -> None:
    short, code = stored(Role.USER, "Hm?"), stored(Role.USER, "Hm?\n```\n" + "x" * 300 + "\n```")
    transcript.show_conversation(opened("A", short, code, stored(Role.USER, "word " * 40)))
    qtbot.waitUntil(lambda: all(view.width() > 400 for view in transcript.views))
    first, second, third = (view.bubble.width() for view in transcript.views if isinstance(view, UserView))
    assert first < 80 < 300 < second == third < 0.8 * transcript.views[0].width()


def test_long_words_stay_in_the_bubble(qtbot: QtBot, transcript: Transcript) -> None:
    transcript.show_conversation(opened("A", stored(Role.USER, "x" * 500)))
    view = transcript.views[0]
    assert isinstance(view, UserView)
    qtbot.waitUntil(lambda: view.width() > 400)
    assert 0 < view.bubble.width() < 0.8 * view.width()
    text = view.blocks_view.widget_at(0)
    assert isinstance(text, TextBlockView)
    assert text.scroll_bar is None


@pytest.mark.parametrize(
    ("state", "reason", "sentence"),
    [
        (MessageState.COMPLETE, "stop", ""),
        (MessageState.COMPLETE, "length", "The limit on the answer's length was reached."),
        (MessageState.COMPLETE, "repetition", "The answer only repeated itself, so it was stopped."),
        (MessageState.COMPLETE, "context_full", "The context is full: the answer ends here."),
        (MessageState.CANCELLED, "cancelled", "Stopped."),
        (MessageState.INTERRUPTED, None, "Hearth was closed while this was being written; the rest is missing."),
        (MessageState.FAILED, None, "Something went wrong here, and the answer ends early."),
    ],
)
def test_how_an_answer_ended(transcript: Transcript, state: MessageState, reason: str | None, sentence: str) -> None:
    answer = stored(Role.ASSISTANT, "text", state=state, figures={"reason": reason} if reason else None)
    transcript.show_conversation(opened("A", stored(Role.USER, "q"), answer))
    view = last_answer(transcript)
    assert view.outcome == sentence


def test_before_the_first_word_it_says_what_is_done(transcript: Transcript) -> None:
    answer = stored(Role.ASSISTANT, "", state=MessageState.WRITING)
    transcript.show_conversation(opened("A", stored(Role.USER, "q"), answer))
    view = last_answer(transcript)
    transcript.show_activity(Waiting())
    assert view.outcome == "Waiting for the model…"
    transcript.show_activity(Prefilling(PromptProgress(10, 0, 5, 0.1)))
    assert view.outcome == "Reading…"
    transcript.append_text(answer.id, "Hel")
    transcript.show_activity(Generating(3.0, 12))
    assert view.outcome == ""


def test_what_is_done_instead_of_writing_lays_out_once_for_each_change(qtbot: QtBot, transcript: Transcript) -> None:
    answer = stored(Role.ASSISTANT, "", state=MessageState.WRITING)
    transcript.show_conversation(opened("A", stored(Role.USER, "q"), answer))
    view, changes = last_answer(transcript), list[int]()
    view.resized.connect(lambda: changes.append(1))
    for activity in (Waiting(), Prefilling(PromptProgress(10, 0, 5, 0.1)), Waiting()):
        before = len(changes)
        transcript.show_activity(activity)
        assert len(changes) == before + 1, activity
    transcript.show_activity(Waiting())
    assert len(changes) == 3


def test_streamed_answer_ends_with_buttons_and_figures(qtbot: QtBot, transcript: Transcript) -> None:
    answer = stored(Role.ASSISTANT, "", state=MessageState.WRITING)
    transcript.show_conversation(opened("A", stored(Role.USER, "q"), answer))
    view = last_answer(transcript)
    assert buttons(view) == []
    transcript.append_text(answer.id, "Hello **there**")
    figures = {"predicted_n": 20, "predicted_ms": 1000.0, "seed": 7, "reuse": "Kept <b>all</b>."}
    done = type(answer)(
        answer.id, 1, None, stored(Role.ASSISTANT, "Hello **there**").message, MessageState.COMPLETE, 0.0, figures
    )
    transcript.change_message(done)
    again = ["Answer again", "Answer again with another model"]
    assert buttons(view) == ["Copy answer", *again, "Edit answer", "More", "About this answer"]
    assert view.stats_button.accessibleDescription() == "20 tokens in 1.0 s, 20 tokens/s"
    copy = view.findChildren(QToolButton)[0]
    QTest.mouseClick(copy, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == "Hello **there**"


def test_every_answer_can_be_made_again_and_the_last_goes_on(transcript: Transcript) -> None:
    first, second = stored(Role.ASSISTANT, "one"), stored(Role.ASSISTANT, "two")
    transcript.show_conversation(opened("A", stored(Role.USER, "q"), first, stored(Role.USER, "r"), second))
    answers = [view for view in transcript.views if isinstance(view, AnswerView)]
    wishes: list[object] = []
    transcript.wished.connect(wishes.append)
    for view in answers:
        press(view, "Answer again")
    assert wishes == [Regenerate(first.id), Regenerate(second.id)]
    names = [[action.text() for action in view.tools.menu().actions()] for view in answers]
    others = ["Two answers side by side", "How surprising was this?", "Branch from here", "Delete"]
    assert names == [others, ["Continue", *others]]


def test_keys_scroll(qtbot: QtBot, transcript: Transcript) -> None:
    transcript.show_conversation(opened("A", stored(Role.USER, "q"), stored(Role.ASSISTANT, LONG)))
    qtbot.waitUntil(lambda: bar(transcript).maximum() > 500)
    QTest.keyClick(transcript.scroll_area, Qt.Key.Key_PageUp)
    assert bar(transcript).value() < bar(transcript).maximum()


def settled(qtbot: QtBot, transcript: Transcript) -> None:
    """Wait until all that is near is laid out."""
    qtbot.waitUntil(lambda: transcript.scroll_area.is_settled)


def last_answer(transcript: Transcript) -> AnswerView:
    answer = transcript.last_answer()
    assert answer is not None
    view = transcript.view_of(answer.id)
    assert isinstance(view, AnswerView)
    return view


def press(view: MessageView, name: str) -> None:
    (button,) = (each for each in view.findChildren(QToolButton) if each.accessibleName() == name and each.isVisible())
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def buttons(view: MessageView) -> list[str]:
    return [each.accessibleName() for each in view.findChildren(QToolButton) if each.isVisible()]


def test_a_message_that_was_searched_for_is_shown(qtbot: QtBot, transcript: Transcript) -> None:
    messages = [stored(Role.USER if number % 2 == 0 else Role.ASSISTANT, f"{number} {LONG}") for number in range(12)]
    transcript.show_conversation(opened("A", *messages))
    settled(qtbot, transcript)
    assert transcript.view_of(messages[2].id) is None, "far from the end, it has no widget yet"
    transcript.show_message(messages[2].id)
    settled(qtbot, transcript)
    view = transcript.view_of(messages[2].id)
    assert view is not None
    top = view.mapTo(transcript.scroll_area.viewport(), QPoint()).y()
    assert 0 <= top < transcript.scroll_area.viewport().height()
    transcript.show_message(987_654)


def test_a_long_conversation_opens_with_few_views_and_calls(transcript: Transcript) -> None:
    """A call of a function costs about the same on any machine, and what is done for each message adds up."""
    texts = ("Why?", "Because **it** does.\n\nAnd so on.")
    roles = (Role.USER, Role.ASSISTANT)
    long = opened("Long", *(stored(roles[n % 2], texts[n % 2]) for n in range(10_000)))
    transcript.show_conversation(opened("Short", *(stored(roles[n % 2], texts[n % 2]) for n in range(40))))
    calls = 0

    def count(frame: FrameType, event: str, what: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        transcript.show_conversation(long)
    finally:
        sys.setprofile(None)
    assert len(transcript.views) < 20
    assert calls < 11 * 10_000
