"""More than three calls fold together once they are done with, and nothing that is to be read is folded away."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import count

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.core.messages import ImagePart, Message, Part, Role, TextPart, ToolCall
from app.storage.conversations import MessageState, StoredMessage
from app.ui.transcript.message_view import AnswerView
from app.ui.transcript.transcript import Transcript
from tests.ui.fakes import opened, stored

_names = count()


def round_of(
    n_calls: int = 1,
    text: str = "",
    gave: Sequence[Part] = (TextPart("37 cm"),),
    *,
    failed: bool = False,
    denied: bool = False,
) -> list[StoredMessage]:
    """An answer with so many calls, and what they gave."""
    calls = tuple(ToolCall(f"c{next(_names)}", "level", '{"at": 1}') for _ in range(n_calls))
    asking = stored(Role.ASSISTANT, text)
    asking = replace(asking, message=replace(asking.message, tool_calls=calls))
    figures = {"ms": 1500, "error": failed, "denied": denied}
    results = [
        replace(
            stored(Role.TOOL, "", figures=figures),
            message=Message(Role.TOOL, tuple(gave), tool_call_id=each.id, name="level"),
        )
        for each in calls
    ]
    return [asking, *results]


def talk(*rounds: list[StoredMessage]) -> list[StoredMessage]:
    told = [each for made in rounds for each in made]
    return [stored(Role.USER, "How high?"), *told, stored(Role.ASSISTANT, "It rises.")]


def shown(transcript: Transcript) -> list[int]:
    return [row.stored.id for row in transcript.scroll_area.rows]


def view(transcript: Transcript, message: StoredMessage) -> AnswerView:
    found = transcript.view_of(message.id)
    assert isinstance(found, AnswerView)
    return found


def line(transcript: Transcript, message: StoredMessage) -> str:
    """Of calls that fold together; empty where none do."""
    run = view(transcript, message).calls.run_line
    return f"{run.head.text()}, {run.head.hint}" if run is not None and not run.isHidden() else ""


def test_a_loop_folds_into_one_line_that_the_keyboard_opens(transcript: Transcript) -> None:
    rounds = [round_of(text="I look."), *(round_of(failed=n == 1, denied=n == 2) for n in range(4))]
    messages = talk(*rounds)
    transcript.show_conversation(opened("t", *messages))
    question, head, *_, last = messages
    assert shown(transcript) == [question.id, head.id, last.id]
    assert line(transcript, head) == "5 tool call(s), 7.5 s · 1 failed · 1 not allowed"
    here = view(transcript, head)
    assert here.calls.run_line is not None and not here.calls.views[0].isVisible()
    assert here.calls.run_line.head.accessibleName() == "5 tool call(s)"
    here.calls.run_line.head.setFocus()
    QTest.keyClick(here.calls.run_line.head, Qt.Key.Key_Return)
    assert shown(transcript) == [question.id, *(each[0].id for each in rounds), last.id]
    assert here.calls.views[0].isVisible() and QApplication.focusWidget() is here.calls.run_line.head
    QTest.keyClick(here.calls.run_line.head, Qt.Key.Key_Space)
    assert shown(transcript) == [question.id, head.id, last.id] and transcript.view_of(head.id) is here


def test_calls_of_one_answer_fold_too(transcript: Transcript) -> None:
    messages = talk(round_of(4))
    transcript.show_conversation(opened("t", *messages))
    here = view(transcript, messages[1])
    assert line(transcript, messages[1]).startswith("4 tool call(s)")
    assert here.calls.run_line is not None and not any(each.isVisible() for each in here.calls.views)
    high = here.height()
    here.calls.run_line.head.click()
    assert all(each.isVisible() for each in here.calls.views) and here.height() > high


PICTURE = ImagePart("ab" * 32, "image/png", width=8, height=8)


@pytest.mark.parametrize(
    "rounds",
    [
        [round_of(3)],
        [round_of(2), round_of(2, text="And there?")],
        [round_of(2), round_of(2, gave=(PICTURE,))],
        [round_of(3), round_of(1)[:1]],
    ],
    ids=["few", "words", "picture", "undecided"],
)
def test_what_is_to_be_seen_is_not_folded(transcript: Transcript, rounds: list[list[StoredMessage]]) -> None:
    messages = talk(*rounds)
    transcript.show_conversation(opened("t", *messages))
    answers = [each for each in messages if each.message.role is not Role.TOOL]
    assert shown(transcript) == [each.id for each in answers]
    assert not any(line(transcript, each) for each in answers[1:])


def test_the_last_ones_stand_until_something_follows(transcript: Transcript) -> None:
    question, *messages = talk(round_of(2), round_of(2))
    transcript.show_conversation(opened("t", question))
    for each in messages[:-1]:
        transcript.add_message(each)
    asking = [each for each in messages if each.message.tool_calls]
    assert shown(transcript) == [question.id, *(each.id for each in asking)]
    transcript.add_message(replace(messages[-1], state=MessageState.WRITING))
    assert shown(transcript) == [question.id, asking[0].id, messages[-1].id]


def test_what_is_being_written_stays_when_calls_above_it_open(transcript: Transcript) -> None:
    question, *messages = talk(round_of(2), round_of(2))
    transcript.show_conversation(opened("t", question))
    last = replace(stored(Role.ASSISTANT, ""), state=MessageState.WRITING)
    for each in (*messages[:-1], last):
        transcript.add_message(each)
    transcript.append_text(last.id, "It is so")
    run = view(transcript, messages[0]).calls.run_line
    assert run is not None
    run.head.click()
    transcript.append_text(last.id, " high.")
    assert transcript.answer_text(last.id) == "It is so high." and len(shown(transcript)) == 4


def test_nothing_folds_under_the_hand(transcript: Transcript) -> None:
    question, *messages = talk(round_of(2), round_of(2))
    transcript.show_conversation(opened("t", question))
    for each in messages[:-1]:
        transcript.add_message(each)
    second = [each for each in messages if each.message.tool_calls][1]
    view(transcript, second).calls.views[0].head.setFocus()
    transcript.add_message(messages[-1])
    assert second.id in shown(transcript)


def test_what_is_searched_for_or_gone_to_is_unfolded(transcript: Transcript) -> None:
    messages = talk(round_of(2), round_of(2))
    second = [each for each in messages if each.message.tool_calls][1]
    transcript.show_conversation(opened("t", *messages))
    assert second.id not in shown(transcript)
    transcript.finding.open()
    assert second.id in shown(transcript)
    transcript.finding.close()
    transcript.show_conversation(opened("t", *messages))
    assert second.id not in shown(transcript)
    transcript.show_message(second.id)
    assert transcript.scroll_area.focused() is view(transcript, second)


def test_calls_stand_below_an_answer_that_is_being_changed(transcript: Transcript) -> None:
    messages = talk(round_of(2, text="I look."))
    transcript.show_conversation(opened("t", *messages))
    here = view(transcript, messages[1])
    here.edit()
    assert here.editor is not None
    first, second = here.calls.views
    assert here.editor.geometry().bottom() < first.y() < second.y() < here.height()
