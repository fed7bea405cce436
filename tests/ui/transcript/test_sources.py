"""What an answer cites: marks in it, chips below it, and the page that a click asks for."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from app.core.messages import DocumentPart, PassagePart, Role
from app.engine.output.support import Support
from app.services.chat.chat_passages import NO_WORDS
from app.storage.conversations import MessageState, StoredMessage
from app.ui.passages.citation_list import CitationList
from app.ui.transcript.answer_view import AnswerView
from app.ui.transcript.transcript import Transcript
from tests.ui.fakes import opened, stored

RAIN = PassagePart(1, "ab", "rain.pdf", "The gauge at Elm Bridge measured 37 cm after two days of rain.", 12)
WIND = PassagePart(2, "cd", "wind.txt", "In autumn the wind comes from the sea, and ships wait in the harbour.")
ANSWER = "It measured 37 cm at Elm Bridge [1]. Nothing else."


def asked(*parts: PassagePart, text: str = "How much?") -> StoredMessage:
    question = stored(Role.USER, text)
    return replace(question, message=replace(question.message, parts=(*parts, *question.message.parts)))


def chips(view: AnswerView) -> list[str]:
    assert view.source_chips is not None
    return [each.text() for each in view.source_chips.chips] if view.source_chips.isVisible() else []


@pytest.fixture
def answer(transcript: Transcript) -> AnswerView:
    transcript.show_conversation(opened("Rain", asked(RAIN, WIND), stored(Role.ASSISTANT, ANSWER)))
    (_, view) = transcript.views
    assert isinstance(view, AnswerView)
    return view


def test_below_an_answer_stand_its_sources_and_what_was_looked_at(answer: AnswerView, qtbot: QtBot) -> None:
    assert chips(answer) == ["1  rain.pdf, page 12", "Looked at 1 more"]
    assert answer.source_chips is not None and answer.source_chips.label.text() == "Sources:"
    answer.source_chips.chips[-1].click()
    assert chips(answer) == ["1  rain.pdf, page 12", "2  wind.txt"]


def test_an_answer_that_cites_nothing_still_says_what_was_looked_at(transcript: Transcript) -> None:
    transcript.show_conversation(opened("Rain", asked(RAIN), stored(Role.ASSISTANT, "It does not stand there.")))
    view = transcript.views[-1]
    assert isinstance(view, AnswerView) and view.source_chips is not None
    assert view.source_chips.label.text() == "Looked at:" and chips(view) == ["1  rain.pdf, page 12"]


def test_a_question_without_words_of_the_documents_is_said_to_be(transcript: Transcript) -> None:
    question, answer = replace(asked(text="Zebras?"), figures={NO_WORDS: True}), stored(Role.ASSISTANT, "Nobody knows.")
    transcript.show_conversation(opened("Rain", question, answer))
    view = transcript.views[-1]
    assert isinstance(view, AnswerView) and view.source_chips is not None and view.source_chips.isVisible()
    assert (
        view.source_chips.label.text() == "Nothing in your documents has words of this question." and chips(view) == []
    )
    assert view.source_chips.label.width() >= view.source_chips.label.sizeHint().width(), "nothing of it is cut"
    transcript.show_conversation(opened("Rain", replace(asked(RAIN), figures={NO_WORDS: True}), answer))
    view = transcript.views[-1]
    assert isinstance(view, AnswerView) and view.source_chips is not None
    assert view.source_chips.label.text() == "Nothing in your documents has words of this question. Looked at:"
    assert chips(view) == ["1  rain.pdf, page 12"]


def test_where_nothing_was_looked_at_for_an_answer_no_heading_stands_alone(transcript: Transcript) -> None:
    first, second = (stored(Role.ASSISTANT, text) for text in (ANSWER, "You are welcome."))
    transcript.show_conversation(opened("Rain", asked(RAIN), first, asked(text="Thanks!"), second))
    view = transcript.views[-1]
    assert isinstance(view, AnswerView) and (view.source_chips is None or not view.source_chips.isVisible())


def test_a_click_asks_for_the_page(transcript: Transcript, answer: AnswerView, qtbot: QtBot) -> None:
    block = answer.blocks_view.widget_at(0)
    with qtbot.waitSignal(transcript.passage_wanted) as wanted:
        block.setFocus(Qt.FocusReason.TabFocusReason)
        QTest.keyClick(block, Qt.Key.Key_Return)
    (shown,) = wanted.args
    assert isinstance(shown, CitationList) and shown.at == 0
    assert [(each.part.number, each.check is not None) for each in shown.citations] == [(1, True), (2, False)]
    assert answer.source_chips is not None
    chip = answer.source_chips.chips[0]
    assert isinstance(chip, QToolButton)
    with qtbot.waitSignal(transcript.passage_wanted) as wanted:
        chip.click()
    assert wanted.args[0].citations[wanted.args[0].at].part == RAIN


def test_what_is_copied_has_no_numbers(answer: AnswerView) -> None:
    assert answer.source() == "It measured 37 cm at Elm Bridge. Nothing else."


def test_passages_that_come_to_a_question_are_known_to_its_answer(transcript: Transcript) -> None:
    question, answer = stored(Role.USER, "How much?"), stored(Role.ASSISTANT, "", state=MessageState.WRITING)
    transcript.show_conversation(opened("Rain", question))
    transcript.add_message(answer)
    parts = (RAIN, *question.message.parts)
    transcript.change_message(replace(question, message=replace(question.message, parts=parts)))
    transcript.append_text(answer.id, ANSWER)
    view = transcript.views[-1]
    assert isinstance(view, AnswerView) and view.source_chips is not None and not view.source_chips.isVisible()
    done = stored(Role.ASSISTANT, ANSWER)
    transcript.change_message(replace(done, id=answer.id))
    assert chips(view) == ["1  rain.pdf, page 12"]


def test_a_later_answer_cites_what_an_earlier_question_brought(transcript: Transcript) -> None:
    above = replace(RAIN, text="")
    transcript.show_conversation(
        opened("Rain", asked(RAIN), stored(Role.ASSISTANT, "37 cm [1]."), asked(above), stored(Role.ASSISTANT, ANSWER))
    )
    view = transcript.views[-1]
    assert isinstance(view, AnswerView) and chips(view) == ["1  rain.pdf, page 12"]


def test_a_page_of_a_whole_document_opens_with_its_lines(transcript: Transcript) -> None:
    text = f"[Page 1]\nNothing here.\n\n[Page 2]\nWeather.\n{RAIN.text}\nShips wait.\n"
    document = DocumentPart("ab" * 32, "rain.pdf", text, starts=(0, text.index("[Page 2]")), number=1)
    question = stored(Role.USER, "How much?")
    question = replace(question, message=replace(question.message, parts=(document, *question.message.parts)))
    transcript.show_conversation(opened("Rain", question, stored(Role.ASSISTANT, ANSWER.replace("[1]", "[2]"))))
    (_, view) = transcript.views
    assert isinstance(view, AnswerView)
    assert chips(view) == ["2  rain.pdf, page 2"], "pages that nobody cites are not listed"
    asked_for: list[CitationList] = []
    transcript.passage_wanted.connect(asked_for.append)
    assert view.source_chips is not None
    view.source_chips.chips[0].click()
    (found,) = asked_for[0].citations
    assert (found.part.page, found.part.text) == (2, RAIN.text)
    assert found.check is not None and found.check.support is Support.FOUND
