"""Finding words in a conversation: every hit, in order, shown where it stands."""

import json
from dataclasses import replace

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.core.messages import Message, Role, TextPart, ToolCall
from app.storage.conversations import StoredMessage
from app.ui.theme.appearance import Appearance
from app.ui.transcript.finder import Finder
from app.ui.transcript.message_view import AnswerView, UserView
from app.ui.transcript.transcript import Transcript
from tests.ui.fakes import opened, stored


def found(qtbot: QtBot, words: str, *messages: StoredMessage, begin: int = 0) -> list[tuple[int, str, int, int, int]]:
    finder = Finder()
    finder.search(messages, words, begin)
    qtbot.waitUntil(lambda: not finder.is_busy)
    return [(each.index, each.part, each.block, each.start, each.end) for each in finder.hits]


def look_for(qtbot: QtBot, transcript: Transcript, words: str) -> None:
    transcript.finding.open()
    QTest.keyClicks(transcript.finding.bar.field, words)
    qtbot.waitUntil(lambda: bool(transcript.finding.bar.count.text()) and not transcript.finding.finder.is_busy)


def told(transcript: Transcript) -> str:
    return transcript.finding.bar.count.text()


def test_hits_are_places_on_screen(qtbot: QtBot) -> None:
    question = stored(Role.USER, "A 😀 cat, a CAT")
    answer = stored(Role.ASSISTANT, "# Cats\n\nThe c**a**t and the [dog](https://cat.org).\n\n```\nx\ncat\n```\n")
    thought = replace(answer, message=replace(answer.message, reasoning="cat?"))
    assert found(qtbot, "cat", question, thought) == [
        (0, "text", 0, 5, 8),
        (0, "text", 0, 12, 15),
        (1, "reasoning", 0, 0, 3),
        (1, "text", 0, 0, 3),
        (1, "text", 1, 4, 7),
        (1, "text", 2, 2, 5),
    ]


def test_words_are_no_pattern(qtbot: QtBot) -> None:
    assert found(qtbot, ".*", stored(Role.USER, "abc")) == []
    assert found(qtbot, "(a", stored(Role.USER, "x (a)")) == [(0, "text", 0, 2, 4)]


def test_the_search_begins_where_it_is_told_and_goes_around(qtbot: QtBot) -> None:
    messages = [stored(Role.USER, f"word {number}") for number in range(5)]
    finder = Finder()
    order: list[int] = []
    finder.progressed.connect(order.append)
    finder.search(messages, "word", 3)
    qtbot.waitUntil(lambda: not finder.is_busy)
    assert order == [3, 4, 0, 1, 2]
    assert [each.index for each in finder.hits] == [0, 1, 2, 3, 4]


def test_keys_go_from_hit_to_hit(qtbot: QtBot, transcript: Transcript) -> None:
    transcript.show_conversation(
        opened("A", stored(Role.USER, "the word"), stored(Role.ASSISTANT, "a word\n\nno\n\nwords"))
    )
    look_for(qtbot, transcript, "word")
    assert told(transcript) == "1 of 3"
    field = transcript.finding.bar.field
    for key, shift, expected in (
        (Qt.Key.Key_Return, False, "2 of 3"),
        (Qt.Key.Key_Return, False, "3 of 3"),
        (Qt.Key.Key_Return, False, "1 of 3"),
        (Qt.Key.Key_Return, True, "3 of 3"),
    ):
        held = Qt.KeyboardModifier.ShiftModifier if shift else Qt.KeyboardModifier.NoModifier
        QTest.keyClick(field, key, held)
        assert told(transcript) == expected
    transcript.finding.find_next()
    assert told(transcript) == "1 of 3"
    transcript.finding.find_previous()
    assert told(transcript) == "3 of 3"
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert not transcript.finding.is_open
    assert transcript.finding.finder.hits == []


def test_all_hits_are_marked_and_one_more_than_the_others(
    qtbot: QtBot, appearance: Appearance, transcript: Transcript
) -> None:
    transcript.show_conversation(opened("A", stored(Role.USER, "wwww or wwww")))
    view = transcript.views[0]
    assert isinstance(view, UserView)
    look_for(qtbot, transcript, "wwww")
    image = view.blocks_view.grab().toImage()
    colours = {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}
    assert {appearance.tokens.found, appearance.tokens.found_now} <= colours
    transcript.finding.close()
    image = view.blocks_view.grab().toImage()
    colours = {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}
    assert not {appearance.tokens.found, appearance.tokens.found_now} & colours


def test_hits_in_tool_calls_and_their_results_are_gone_to(
    qtbot: QtBot, appearance: Appearance, transcript: Transcript
) -> None:
    long = json.dumps({f"key {number}": "hay" for number in range(60)} | {"last": "a needle"})
    calls = (ToolCall("a", "search", '{"query": "needle"}'), ToolCall("b", "search", "{}"))
    answer = stored(Role.ASSISTANT, "I look for the needle.")
    answer = replace(answer, message=replace(answer.message, tool_calls=calls))
    result = replace(stored(Role.TOOL, ""), message=Message(Role.TOOL, (TextPart(long),), tool_call_id="b"))
    transcript.show_conversation(opened("A", stored(Role.USER, "q"), answer, result))
    look_for(qtbot, transcript, "needle")
    assert told(transcript) == "1 of 3"
    view = transcript.view_of(answer.id)
    assert isinstance(view, AnswerView)
    first, second = view.calls.views
    was_open = second.is_open
    assert not was_open, "it is long"
    transcript.finding.find_next()
    assert first.arguments_view is not None
    assert appearance.tokens.found_now in colours_of(first.arguments_view.text_view)
    transcript.finding.find_next()
    assert told(transcript) == "3 of 3"
    assert second.is_open
    assert second.result_view is not None
    qtbot.waitUntil(lambda: transcript.scroll_area.verticalScrollBar().value() > 0)
    text = second.result_view.text_view
    port = transcript.scroll_area.viewport()
    place = text.mapTo(port, QPoint(0, text.top_of(second.result_view.code.text.index("needle")))).y()
    assert 0 <= place < port.height()
    assert appearance.tokens.found_now in colours_of(text)
    assert appearance.tokens.found_now not in colours_of(first.arguments_view.text_view)


def colours_of(widget: QWidget) -> set[str]:
    image = widget.grab().toImage()
    return {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}


def test_a_hit_in_folded_reasoning_opens_it(qtbot: QtBot, transcript: Transcript) -> None:
    answer = stored(Role.ASSISTANT, "nothing here")
    thought = "\n\n".join(["Some paragraph."] * 40) + "\n\nthe needle"
    answer = replace(answer, message=replace(answer.message, reasoning=thought))
    transcript.show_conversation(opened("A", stored(Role.USER, "q"), answer))
    look_for(qtbot, transcript, "needle")
    view = transcript.view_of(answer.id)
    assert isinstance(view, AnswerView)
    assert view.reasoning_view is not None
    assert view.reasoning_view.is_open
    blocks = view.reasoning_view.blocks_view
    y = blocks.widget_at(40).mapTo(transcript.scroll_area.viewport(), blocks.rect().topLeft()).y()
    assert 0 <= y < transcript.scroll_area.viewport().height()


def test_a_hit_in_folded_details_opens_them(qtbot: QtBot, transcript: Transcript) -> None:
    text = "\n\n".join(["Some paragraph.", "<details>\n<summary>More</summary>", "the needle", "</details>"])
    answer = stored(Role.ASSISTANT, text)
    transcript.show_conversation(opened("A", stored(Role.USER, "q"), answer))
    look_for(qtbot, transcript, "needle")
    view = transcript.view_of(answer.id)
    assert isinstance(view, AnswerView)
    assert view.blocks_view.widget_at(3).isVisible()


def test_a_far_hit_is_scrolled_to_without_making_all(qtbot: QtBot, transcript: Transcript) -> None:
    filler = "\n\n".join(f"Paragraph {number} says nothing." for number in range(6))
    messages = [stored(Role.ASSISTANT, filler) for _ in range(2000)]
    messages[700] = stored(Role.ASSISTANT, filler + "\n\n```\n" + "line\n" * 200 + "the needle\n```\n")
    transcript.show_conversation(opened("A", *messages))
    look_for(qtbot, transcript, "needle")
    assert told(transcript) == "1 of 1"
    view = transcript.view_of(messages[700].id)
    assert isinstance(view, AnswerView)
    y = view.y() + view.top_of("text", (6, 1000))
    assert 0 <= y < transcript.scroll_area.viewport().height()
    assert len(transcript.views) < 30


def test_what_is_not_there_is_said(qtbot: QtBot, transcript: Transcript) -> None:
    transcript.show_conversation(opened("A", stored(Role.USER, "a")))
    look_for(qtbot, transcript, "zebra")
    assert told(transcript) == "No hits"
    assert not transcript.finding.bar.forth.isEnabled()


def test_new_messages_are_searched_too(qtbot: QtBot, transcript: Transcript) -> None:
    answer = stored(Role.ASSISTANT, "word")
    transcript.show_conversation(opened("A", stored(Role.USER, "word"), answer))
    look_for(qtbot, transcript, "word")
    assert told(transcript) == "1 of 2"
    more = replace(answer, message=stored(Role.ASSISTANT, "word and word").message)
    transcript.change_message(more)
    qtbot.waitUntil(lambda: told(transcript).endswith("3"))


def test_another_conversation_closes_the_search(qtbot: QtBot, transcript: Transcript) -> None:
    transcript.show_conversation(opened("A", stored(Role.USER, "word")))
    look_for(qtbot, transcript, "word")
    transcript.show_conversation(opened("B", stored(Role.USER, "other"), number=2))
    assert not transcript.finding.is_open
