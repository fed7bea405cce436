"""Reasoning and tool calls: split as they stream, and warm in the next prompt. The guide speaks Hermes and <think>."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from app.core.events import DeltaKind, Finished, FinishReason, ReplyEvent, TextDelta, ToolCallDelta, grow_calls
from app.core.messages import Message, Role, TextPart, ToolCall
from app.core.requests import ChatRequest, ToolChoice
from app.core.resources import GUIDE
from app.core.sampling import Sampling
from app.engine.reply.session import Session
from tests.counted import counted
from tests.engine.conftest import OpenTiny
from tests.engine.reply.test_session import user

THINKING: Mapping[str, object] = {"enable_thinking": True}
QUESTION = user("How do I attach a picture?")
WEATHER = user("What is the weather in Paris?")
TOOLS: tuple[Mapping[str, object], ...] = (
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "description": "Tells the weather in a city.",
            "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
        },
    },
)


def events(session: Session, *messages: Message, count: int = 120, **more: object) -> list[ReplyEvent]:
    request = ChatRequest(messages, sampling=Sampling(temperature=0.0, max_tokens=count))
    return list(session.reply(replace(request, **more)))  # type: ignore[arg-type]  # each test names its own


def ask(session: Session, *messages: Message, count: int = 120, **more: object) -> Finished:
    last = events(session, *messages, count=count, **more)[-1]
    assert isinstance(last, Finished)
    return last


def said(finished: Finished) -> Message:
    parts = (TextPart(finished.text),) if finished.text else ()
    thought, calls = finished.reasoning, finished.tool_calls
    return Message(Role.ASSISTANT, parts, finished.generation, reasoning=thought, tool_calls=calls)


def told(finished: Finished) -> Message:
    return Message(Role.TOOL, (TextPart('{"temperature": 21}'),), tool_call_id=finished.tool_calls[0].id)


def joined(deltas: Sequence[ReplyEvent], kind: DeltaKind) -> str:
    return "".join(each.text for each in deltas if isinstance(each, TextDelta) and each.kind is kind)


@pytest.fixture
def guide(open_tiny: OpenTiny) -> Session:
    return open_tiny(str(GUIDE))


def test_reasoning_is_split_as_it_streams(guide: Session) -> None:
    heard = events(guide, QUESTION, template_args=THINKING)
    finished = heard[-1]
    assert isinstance(finished, Finished)
    assert finished.reason is FinishReason.STOP
    assert finished.reasoning == joined(heard, DeltaKind.REASONING) != ""
    assert finished.text == joined(heard, DeltaKind.CONTENT) != ""
    assert "think>" not in finished.reasoning + finished.text
    kinds = [each.kind for each in heard if isinstance(each, TextDelta)]
    assert kinds == sorted(kinds, reverse=True), "reasoning first"
    assert len(kinds) > 20, "it streams"
    assert 0 < counted(finished.reasoning_n) < counted(finished.timings.predicted_n)
    assert 0 < finished.reasoning_ms < finished.timings.predicted_ms


def test_without_reasoning_there_is_none(guide: Session) -> None:
    finished = ask(guide, QUESTION)
    assert (finished.reasoning, finished.reasoning_n, finished.reasoning_ms) == ("", 0, 0.0)
    assert finished.text


def test_a_tool_call_streams_and_ends_the_answer(guide: Session) -> None:
    heard = events(guide, WEATHER, tools=TOOLS)
    finished = heard[-1]
    assert isinstance(finished, Finished)
    assert finished.reason is FinishReason.TOOL_CALLS
    [call] = finished.tool_calls
    assert (call.name, call.arguments) == ("get_weather", '{"city": "Paris"}')
    pieces = [each for each in heard if isinstance(each, ToolCallDelta)]
    assert len(pieces) > 2, "it streams"
    calls: list[ToolCall] = []
    for piece in pieces:
        grow_calls(calls, piece)
    assert tuple(calls) == finished.tool_calls
    assert finished.text == ""


def test_without_tools_the_syntax_of_calls_is_text(guide: Session) -> None:
    call = ask(guide, WEATHER, tools=TOOLS).generation
    prompt = guide.chat.prompt((WEATHER, Message(Role.ASSISTANT, (TextPart("x"),), call)), {})
    assert prompt.thinks is False
    assert not ask(guide, WEATHER, tools=TOOLS, tool_choice=ToolChoice.NONE).tool_calls


def test_what_a_tool_answered_reads_only_itself_and_is_exact(guide: Session, open_tiny: OpenTiny) -> None:
    first = ask(guide, WEATHER, tools=TOOLS)
    held = len(guide.slot)
    history = (WEATHER, said(first), told(first))
    warm = ask(guide, *history, tools=TOOLS)
    cold = ask(open_tiny(str(GUIDE)), *history, tools=TOOLS)
    assert warm.timings.cache_n == held
    assert warm.generation == cold.generation
    assert cold.timings.cache_n == 0
    third = ask(guide, *history, said(warm), user("Thanks."), tools=TOOLS)
    assert third.timings.cache_n == warm.n_past


def test_reasoning_that_the_template_drops_costs_only_itself(guide: Session, open_tiny: OpenTiny) -> None:
    first = ask(guide, QUESTION, template_args=THINKING)
    history = (QUESTION, said(first), user("And then?"))
    warm = ask(guide, *history, template_args=THINKING)
    cold = ask(open_tiny(str(GUIDE)), *history, template_args=THINKING)
    assert warm.generation == cold.generation
    assert counted(warm.timings.cache_n) >= counted(first.timings.prompt_n) - 2
    written = list(guide.chat.prompt(history, THINKING).tokens)
    content = list(first.generation.tokens)[first.reasoning_n :]
    assert any(written[at : at + len(content)] == content for at in range(len(written)))


@pytest.mark.parametrize("count", [1, 5, 12, 18, 20, 21, 22, 25, 30])
def test_an_answer_that_goes_on_from_anywhere_is_the_whole(count: int, guide: Session) -> None:
    whole = ask(guide, QUESTION, template_args=THINKING)
    first = ask(guide, QUESTION, count=count, template_args=THINKING)
    assert first.reason is FinishReason.LENGTH
    second = ask(guide, QUESTION, said(first), template_args=THINKING, continues=True)
    assert second.timings.prompt_n == 1
    assert first.reasoning + second.reasoning == whole.reasoning
    assert first.text + second.text == whole.text
    assert second.generation == whole.generation


@pytest.mark.parametrize("count", [2, 8, 15, 20])
def test_a_tool_call_that_goes_on_is_the_whole_call(count: int, guide: Session) -> None:
    whole = ask(guide, WEATHER, tools=TOOLS)
    first = ask(guide, WEATHER, count=count, tools=TOOLS)
    second = ask(guide, WEATHER, said(first), tools=TOOLS, continues=True)
    assert second.generation == whole.generation
    assert [(each.name, each.arguments) for each in second.tool_calls] == [("get_weather", '{"city": "Paris"}')]
    assert second.reason is FinishReason.TOOL_CALLS


def test_an_edited_answer_goes_on_after_its_reasoning_was_closed(guide: Session) -> None:
    edited = Message(Role.ASSISTANT, (TextPart("Drop a picture on the"),), reasoning="Short.")
    prompt = guide.chat.prompt((QUESTION, edited), THINKING, continues=True)
    assert prompt.begun == "Short.\n</think>\n\nDrop a picture on the"
    finished = ask(guide, QUESTION, edited, template_args=THINKING, continues=True)
    assert (finished.reasoning, finished.generation.tokens) == ("", ())
    assert finished.text


def test_a_stop_string_holds_everywhere(guide: Session) -> None:
    whole = ask(guide, QUESTION, template_args=THINKING)
    # A word of the answer that the thought has not, or the stop would come there.
    word = next(word for word in whole.text.split() if word not in whole.reasoning)
    stopped = ask(guide, QUESTION, template_args=THINKING, stop=(word,))
    assert stopped.text == whole.text[: whole.text.index(word)]
    assert stopped.reasoning == whole.reasoning
    thought = whole.reasoning.split()[2]
    early = ask(guide, QUESTION, template_args=THINKING, stop=(thought,))
    assert (early.text, early.reasoning) == ("", whole.reasoning[: whole.reasoning.index(thought)].rstrip())


def test_what_other_programs_say_of_earlier_calls_is_read_exactly(guide: Session, open_tiny: OpenTiny) -> None:
    """Without tokens, and with other blanks in the arguments: the prompt is the template's."""
    first = ask(guide, WEATHER, tools=TOOLS)
    [call] = first.tool_calls
    foreign = Message(Role.ASSISTANT, tool_calls=(replace(call, arguments='{"city":"Paris"}'),))
    warm = ask(guide, WEATHER, foreign, told(first), tools=TOOLS)
    cold = ask(open_tiny(str(GUIDE)), WEATHER, foreign, told(first), tools=TOOLS)
    assert warm.generation == cold.generation
    reformatted = replace(said(first), tool_calls=foreign.tool_calls)
    partly = guide.chat.prompt((WEATHER, reformatted, told(first)), {}, tools=TOOLS)
    whole = guide.chat.prompt((WEATHER, said(first), told(first)), {}, tools=TOOLS)
    opened = len(guide.chat.prompt((WEATHER,), {}, tools=TOOLS).tokens)
    assert opened + 5 < partly.tokens.common_prefix(whole.tokens) < len(whole.tokens) - 10
