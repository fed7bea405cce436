"""An answer in two pieces equals the same answer in one, on every kind of memory."""

from dataclasses import replace

import pytest

from app.core.events import Finished, FinishReason
from app.core.messages import Generation, Message, Role, TextPart
from app.core.sampling import Sampling
from app.engine.reply.session import Session
from tests.engine.conftest import OpenTiny
from tests.engine.reply.test_session import FAMILIES, answered, ask, user

QUESTION = user("the river runs through the valley, and nobody asks it why. ")


def run(session: Session, *messages: Message, count: int, continues: bool = False) -> Finished:
    return ask(session, *messages, sampling=Sampling(temperature=0.0, max_tokens=count), continues=continues)


@pytest.mark.parametrize("family", FAMILIES)
def test_two_pieces_are_the_whole(family: str, open_tiny: OpenTiny) -> None:
    whole = run(open_tiny(family), QUESTION, count=24)
    session = open_tiny(family)
    first = run(session, QUESTION, count=9)
    assert whole.reason is first.reason is FinishReason.LENGTH
    second = run(session, QUESTION, answered(first), count=15, continues=True)
    assert first.text + second.text == whole.text
    assert second.generation == whole.generation
    assert second.timings.prompt_n == 1, second.reuse
    cold = run(open_tiny(family), QUESTION, answered(first), count=15, continues=True)
    assert (cold.text, cold.generation) == (second.text, whole.generation)
    assert cold.timings.cache_n == 0


def test_what_was_never_generated_goes_on_from_its_text(open_tiny: OpenTiny) -> None:
    edited = Message.of(Role.ASSISTANT, "It runs because")
    got = run(open_tiny("llama"), QUESTION, edited, count=8, continues=True)
    assert got.generation.tokens == (), "the tokens of its beginning are not known"
    assert got.text
    foreign = replace(edited, generation=Generation("another vocabulary", (1, 2)))
    assert run(open_tiny("llama"), QUESTION, foreign, count=8, continues=True).text == got.text
    other = Message.of(Role.ASSISTANT, "It stands because")
    assert run(open_tiny("llama"), QUESTION, other, count=8, continues=True).text != got.text


def test_no_control_token_comes_from_the_text_that_goes_on(open_tiny: OpenTiny) -> None:
    session = open_tiny("llama")
    vocab = session._model.vocab
    control = next(each for each in vocab.specials if each.control and each.id == vocab.eos)
    message = Message(Role.ASSISTANT, (TextPart(f"a {control.text} b"),))
    prompt = session.chat.prompt((QUESTION, message), {}, continues=True)
    opened = session.chat.prompt((QUESTION,), {})
    assert control.id not in list(prompt.tokens)[len(opened.tokens) - 1 :]


def test_a_cancelled_continuation_keeps_the_tokens_of_its_beginning(open_tiny: OpenTiny) -> None:
    session = open_tiny("llama")
    first = run(session, QUESTION, count=9)
    session._cancel.set()
    finished = run(session, QUESTION, answered(first), count=5, continues=True)
    assert finished.reason is FinishReason.CANCELLED
    assert finished.text == ""
    assert finished.generation == first.generation
    session._cancel.clear()
