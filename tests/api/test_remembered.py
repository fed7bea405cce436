"""How much is remembered, and what an answer that is forgotten leaves behind."""

from app.api.remembered import Conversation, RememberedAnswers, call_ids
from app.core.events import Finished, FinishReason, Timings
from app.core.messages import Generation, Message, Role, ToolCall
from app.core.requests import ChatRequest


def finished(number: int, n_tokens: int) -> Finished:
    calls = (ToolCall(f"call{number}", "f", "{}"),)
    generation = Generation("v", (number,) * n_tokens)
    return Finished(FinishReason.TOOL_CALLS, "", generation, Timings(), 1, 1, tool_calls=calls)


def asked(messages: list[Message]) -> Conversation:
    return Conversation.of(ChatRequest(tuple(messages)), call_ids(messages))


def turns(remembered: RememberedAnswers, count: int, n_tokens: int) -> list[Message]:
    """An agent's conversation, in which every answer calls a tool."""
    messages = [Message.of(Role.USER, "Well?")]
    for number in range(count):
        conversation = asked(messages)
        remembered.recall(conversation)
        answer = finished(number, n_tokens)
        remembered.add(conversation, answer)
        messages.append(Message(Role.ASSISTANT, tool_calls=answer.tool_calls))
        messages.append(Message(Role.TOOL, tool_call_id=f"call{number}"))
    return messages


def known(remembered: RememberedAnswers, messages: list[Message]) -> list[bool]:
    recalled = remembered.recall(asked(messages)).messages
    return [each.generation is not None for each in recalled if each.role is Role.ASSISTANT]


def test_a_long_session_is_remembered_whole() -> None:
    remembered = RememberedAnswers()
    messages = turns(remembered, 300, n_tokens=50)
    assert known(remembered, messages) == [True] * 300


def test_tokens_are_bounded_and_what_is_forgotten_takes_nothing_with_it() -> None:
    remembered = RememberedAnswers()
    messages = turns(remembered, 6, n_tokens=300_000)
    assert known(remembered, messages) == [False, False, False, True, True, True]
    assert len(remembered._names) == 3


def test_an_answer_beyond_the_bound_is_kept_alone() -> None:
    remembered = RememberedAnswers()
    messages = turns(remembered, 2, n_tokens=2_000_000)
    assert known(remembered, messages) == [False, True]
