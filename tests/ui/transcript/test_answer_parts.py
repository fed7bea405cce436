"""What stands around an answer's text: reasoning, tool calls, figures; and the documents of a question."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.core.events import DeltaKind
from app.core.messages import DocumentPart, Message, Role, TextPart, ToolCall
from app.storage.conversations import MessageState, StoredMessage
from app.ui.richtext.code_file import file_name, save
from app.ui.richtext.markdown_blocks import Code
from app.ui.theme.appearance import Appearance
from app.ui.transcript.document_chips import DocumentDialog
from app.ui.transcript.message_view import AnswerView, UserView
from app.ui.transcript.reasoning_view import ReasoningView
from app.ui.transcript.tool_call_view import pretty
from app.ui.transcript.transcript import Transcript
from tests.ui.fakes import opened, stored

THOUGHT = "First this.\n\nThen **that**."
FIGURES = {"predicted_n": 20, "predicted_ms": 1000.0, "reasoning_ms": 12_300.0, "seed": 7, "model": "Qwen"}


def answer(text: str, **more: object) -> StoredMessage:
    made = stored(Role.ASSISTANT, text, figures=FIGURES)
    return replace(made, message=replace(made.message, **more))  # type: ignore[arg-type]


def writing() -> StoredMessage:
    return stored(Role.ASSISTANT, "", state=MessageState.WRITING)


def shown(transcript: Transcript, *messages: StoredMessage) -> AnswerView:
    transcript.show_conversation(opened("A", stored(Role.USER, "q"), *messages))
    view = transcript.views[1]
    assert isinstance(view, AnswerView)
    return view


def reasoning(view: AnswerView) -> ReasoningView:
    found = view.reasoning_view
    assert found is not None
    return found


def is_running(fold: ReasoningView) -> bool:
    return fold.is_running


def test_reasoning_is_folded_with_its_time_and_length(transcript: Transcript) -> None:
    view = shown(transcript, answer("Hello", reasoning=THOUGHT))
    fold = reasoning(view)
    assert not fold.is_open
    assert fold.head.text() == "Thought for 12 s · 4 words"
    assert fold.head.accessibleName() == fold.head.text()
    assert fold.geometry().bottom() < view.blocks_view.y()


@pytest.mark.parametrize("how", ["click", "Enter", "Space"])
def test_reasoning_opens_by_mouse_and_keys(transcript: Transcript, how: str) -> None:
    view = shown(transcript, answer("Hello", reasoning=THOUGHT))
    fold, closed = reasoning(view), view.height()
    fold.head.setFocus()
    for is_open in (True, False):
        if how == "click":
            QTest.mouseClick(fold.head, Qt.MouseButton.LeftButton)
        else:
            QTest.keyClick(fold.head, Qt.Key.Key_Return if how == "Enter" else Qt.Key.Key_Space)
        assert fold.is_open is is_open
        assert fold.blocks_view.isVisible() is is_open
        assert (view.height() > closed) is is_open
    assert [block.source for block in fold.blocks_view.blocks] == ["First this.", "Then **that**."]


def test_reasoning_streams_when_it_is_open_and_glimmers_when_not(qtbot: QtBot, transcript: Transcript) -> None:
    message = writing()
    view = shown(transcript, message)
    assert view.reasoning_view is None
    transcript.append_text(message.id, "First this.\n\nThen th", DeltaKind.REASONING)
    fold = reasoning(view)
    assert fold.isVisible()
    assert fold.head.text() == "Thinking…"
    assert fold.head.hint == "Then th"
    fold.set_open(True)
    assert fold.head.hint == ""
    transcript.append_text(message.id, "at.", DeltaKind.REASONING)
    qtbot.waitUntil(lambda: fold.blocks_view.blocks[-1].source == "Then that.")
    assert is_running(fold)
    transcript.append_text(message.id, "Hello")
    assert not is_running(fold)
    assert fold.head.text().endswith("4 words")
    assert view.source() == "Hello"
    done = replace(message, state=MessageState.COMPLETE, figures=FIGURES)
    transcript.change_message(replace(done, message=answer("Hello", reasoning=THOUGHT).message))
    assert fold.head.text() == "Thought for 12 s · 4 words"
    assert fold.is_open, "nobody closed it"


def test_the_glimpse_is_the_last_line_alone(qtbot: QtBot, appearance: Appearance) -> None:
    fold = ReasoningView(appearance)
    qtbot.addWidget(fold)
    for number in range(200):
        fold.append(f"line {number}\n")
    assert fold.head.hint == "line 199"
    fold.append("and  more")
    assert fold.head.hint == "and more"
    assert fold.text.count("\n") == 200
    fold.stop()


def test_a_tool_call_has_a_block_with_its_result(transcript: Transcript) -> None:
    calls = (ToolCall("a", "search", '{"q":"x","n":[1,2]}'), ToolCall("b", "clock", "not json"))
    result = replace(stored(Role.TOOL, ""), message=Message(Role.TOOL, (TextPart('{"found":3}'),), tool_call_id="a"))
    view = shown(transcript, answer("Let me see.", tool_calls=calls), result, stored(Role.ASSISTANT, "Three."))
    first, second = view.calls.views
    assert first.head.accessibleName() == "Tool call search"
    assert not first.is_open, "the text says what came of it"
    assert second.is_open, "nothing came of it yet"
    QTest.mouseClick(first.head, Qt.MouseButton.LeftButton)
    assert first.arguments_view is not None
    assert first.arguments_view.code == Code("json", '{\n  "q": "x",\n  "n": [\n    1,\n    2\n  ]\n}')
    assert first.result_view is not None
    assert first.result_view.code.text == '{\n  "found": 3\n}'
    assert second.arguments_view is not None
    assert second.arguments_view.code == Code("", "not json")
    assert second.result_view is None
    assert len(transcript.views) == 3, "the result is no message of its own"
    assert first.y() > view.blocks_view.geometry().bottom() - 1


def test_a_result_that_comes_later_joins_its_call(transcript: Transcript) -> None:
    view = shown(transcript, answer("", tool_calls=(ToolCall("a", "search", "{}"),)))
    (call,) = view.calls.views
    before = view.height()
    late = replace(stored(Role.TOOL, ""), message=Message(Role.TOOL, (TextPart("sunny"),), tool_call_id="a"))
    transcript.add_message(late)
    assert not call.is_open
    assert view.height() < before
    QTest.mouseClick(call.head, Qt.MouseButton.LeftButton)
    assert call.result_view is not None
    assert call.result_view.code == Code("", "sunny")
    assert view.height() > before
    stray = replace(late, id=late.id + 1000, message=replace(late.message, tool_call_id="nobody's"))
    transcript.add_message(stray)
    assert transcript.view_of(stray.id) is not None


def test_a_call_that_somebody_opened_stays_open(transcript: Transcript) -> None:
    view = shown(transcript, answer("", tool_calls=(ToolCall("a", "search", "{}"),)))
    (call,) = view.calls.views
    for _ in range(2):
        QTest.mouseClick(call.head, Qt.MouseButton.LeftButton)
    late = replace(stored(Role.TOOL, ""), message=Message(Role.TOOL, (TextPart("sunny"),), tool_call_id="a"))
    transcript.add_message(late)
    assert call.is_open and call.result_view is not None


def test_a_tool_call_grows_while_it_is_written(transcript: Transcript) -> None:
    message = writing()
    view = shown(transcript, message)
    for arguments in ('{"q"', '{"q":"x"}'):
        transcript.show_calls(message.id, (ToolCall("a", "search", arguments),))
    (call,) = view.calls.views
    assert call.arguments_view is not None
    assert call.arguments_view.code.text == '{"q":"x"}'
    done = replace(message, state=MessageState.COMPLETE)
    done = replace(done, message=replace(message.message, tool_calls=(ToolCall("a", "search", '{"q":"x"}'),)))
    transcript.change_message(done)
    assert call.arguments_view.code.text == '{\n  "q": "x"\n}'


def test_long_arguments_stay_folded_until_opened(transcript: Transcript) -> None:
    long = "[" + ",".join(map(str, range(100))) + "]"
    view = shown(transcript, answer("", tool_calls=(ToolCall("a", "search", long),)))
    (call,) = view.calls.views
    assert not call.is_open
    QTest.mouseClick(call.head, Qt.MouseButton.LeftButton)
    assert call.arguments_view is not None
    assert call.arguments_view.isVisible()
    assert pretty(long).text.count("\n") == 101


def test_figures_are_read_by_keyboard(qtbot: QtBot, transcript: Transcript) -> None:
    view = shown(transcript, answer("Hello", reasoning=THOUGHT))
    button = view.stats_button
    button.setFocus()
    QTest.keyClick(button, Qt.Key.Key_Space)
    sheet = button.sheet
    assert sheet is not None
    assert sheet.isVisible()
    for line in ("Model: Qwen", "20 tokens", "Reasoning: 12 s", "Seed: 7"):
        assert line in sheet.text
    copy = sheet.findChild(QPushButton)
    assert copy is not None
    copy.click()
    assert QGuiApplication.clipboard().text() == sheet.text
    assert not sheet.isVisible()


def test_documents_are_chips_that_show_their_text(qtbot: QtBot, transcript: Transcript) -> None:
    part, pasted = DocumentPart("", "a & <b>.md", "# Notes\n" * 200), DocumentPart("", "", "words")
    question = stored(Role.USER, "what is this?")
    question = replace(question, message=replace(question.message, parts=(part, pasted, *question.message.parts)))
    transcript.show_conversation(opened("A", question))
    view = transcript.views[0]
    assert isinstance(view, UserView)
    assert view.documents is not None
    first, second = view.documents.chips
    assert first.text() == "a && <b>.md · 2 KiB"
    assert second.text().startswith("Pasted text")
    assert view.documents.geometry().bottom() < view.bubble.y()
    QTest.mouseClick(first, Qt.MouseButton.LeftButton)
    dialog = transcript.findChild(DocumentDialog)
    assert dialog is not None
    assert dialog.text.toPlainText() == part.text
    assert dialog.text.isReadOnly()
    dialog.close()


@pytest.mark.parametrize(
    ("language", "name"),
    [
        ("python", "code.py"),
        ("C++", "code.cpp"),
        ("rust", "code.rs"),
        ("Dockerfile", "Dockerfile"),
        ("", "code.txt"),
        ("../etc/passwd", "code.txt"),
        ("js", "code.js"),
        ("bash", "code.sh"),
    ],
)
def test_the_file_of_a_language(language: str, name: str) -> None:
    assert file_name(language) == name


def test_code_is_saved_with_a_last_line_end(qtbot: QtBot, tmp_path: Path) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    save(Code("py", "x = 'é'\r"), tmp_path / "a.py", window)
    assert (tmp_path / "a.py").read_bytes() == "x = 'é'\r\n".encode()
