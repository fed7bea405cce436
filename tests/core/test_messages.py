from dataclasses import FrozenInstanceError

import pytest

from app.core.messages import Generation, ImagePart, Message, Role, TextPart


def test_a_text_message() -> None:
    message = Message.of(Role.USER, "hello")
    assert message.parts == (TextPart("hello"),)
    assert message.text == "hello"
    assert message.generation is None


def test_the_text_is_all_text_parts_and_no_picture() -> None:
    message = Message(Role.USER, (TextPart("look: "), ImagePart("ab12"), TextPart("nice")))
    assert message.text == "look: nice"
    assert Message(Role.ASSISTANT).text == ""


def test_how_an_answer_came_about_does_not_make_it_another_message() -> None:
    plain = Message.of(Role.ASSISTANT, "yes")
    generated = Message(Role.ASSISTANT, (TextPart("yes"),), Generation("vocab", (1, 2)))
    assert plain == generated
    assert hash(plain) == hash(generated)


def test_a_message_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        Message.of(Role.USER, "a").role = Role.SYSTEM  # type: ignore[misc]  # that is what is tested


def test_the_roles_are_openais() -> None:
    assert [role.value for role in Role] == ["system", "user", "assistant", "tool"]
