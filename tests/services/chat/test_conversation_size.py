"""What a conversation takes: counted where that is known, reckoned where it is not, and never nothing."""

from dataclasses import replace

import pytest

from app.core.messages import DocumentPart, Message, Role, TextPart
from app.services.chat.conversation_size import conversation_size
from app.services.engine.token_counts import TokenCount
from app.storage.conversations import MessageState
from tests.ui.fakes import MODEL, stored

LONG = "the rain in the mountains is heard on another hill. " * 200
READ = {"n_past": 4000, "model": MODEL.name}


def test_nothing_is_known_to_take_nothing() -> None:
    assert conversation_size((), MODEL) == TokenCount(0, exact=True)
    assert conversation_size((stored(Role.ASSISTANT, "", state=MessageState.WRITING),), MODEL).n == 0


def test_what_was_read_is_counted_and_what_came_after_it_is_reckoned() -> None:
    talk = (stored(Role.USER, LONG), stored(Role.ASSISTANT, "Yes.", figures=READ))
    assert conversation_size(talk, MODEL) == TokenCount(4000, exact=True)
    more = conversation_size((*talk, stored(Role.USER, LONG)), MODEL)
    assert not more.exact
    assert more.n == pytest.approx(4000 + len(LONG) / 3.5, rel=0.01)


def test_a_conversation_that_nobody_read_here_is_reckoned() -> None:
    talk = [stored(Role.USER, LONG), stored(Role.ASSISTANT, LONG)] * 20
    size = conversation_size(talk, MODEL)
    assert not size.exact
    assert size.n == pytest.approx(40 * len(LONG) / 3.5, rel=0.01)
    document = Message(Role.USER, (DocumentPart("hash", "a.txt", LONG), TextPart("Why?")))
    assert conversation_size((replace(talk[0], message=document),), MODEL).n > len(LONG) / 4


def test_an_answer_that_failed_tells_no_size() -> None:
    """Its figures are its error; the gauge once took that for nothing."""
    refused = stored(Role.ASSISTANT, "", state=MessageState.FAILED, figures={"error": "It is too long."})
    assert conversation_size((stored(Role.USER, LONG), refused), MODEL).n > len(LONG) / 4


def test_a_refusal_tells_what_was_counted() -> None:
    figures = {"error": "It is too long.", "n_prompt": 9000, "counted_by": MODEL.name}
    refused = stored(Role.ASSISTANT, "", state=MessageState.FAILED, figures=figures)
    assert conversation_size((stored(Role.USER, LONG), refused), MODEL) == TokenCount(9000, exact=True)
    other = replace(MODEL, name="another")
    assert conversation_size((stored(Role.USER, LONG), refused), other) == TokenCount(9000, exact=False)


def test_an_edited_answer_comes_on_top_of_its_prompt() -> None:
    figures = {"n_prompt": 300, "counted_by": MODEL.name}
    edited = conversation_size((stored(Role.USER, "Why?"), stored(Role.ASSISTANT, LONG, figures=figures)), MODEL)
    assert not edited.exact
    assert edited.n == pytest.approx(300 + len(LONG) / 3.5, rel=0.01)


def test_another_models_count_is_about_right() -> None:
    talk = (stored(Role.USER, LONG), stored(Role.ASSISTANT, "Yes.", figures={**READ, "model": "another"}))
    assert conversation_size(talk, MODEL) == TokenCount(4000, exact=False)
    assert conversation_size(talk, None) == TokenCount(4000, exact=False)
