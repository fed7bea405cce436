"""What programs change at the beginning of their conversations: told in a header, and by permission moved."""

from dataclasses import replace
from typing import Any

import pytest

from app.api.agent_sessions import MOVE_HEADER, REREAD_HEADER
from app.api.changing_lines import StableLines
from app.core.events import Finished, PromptProgress, ReplyEvent
from app.core.messages import Generation, Message, Role
from tests.api.openai.test_chat_request import OTHER, TOOL
from tests.api.test_server import CHAT, Client, FakeReplies, answer, served

RULES = "You help.\nToday: {}\nBe brief.\nUse tools.\nName files."
ALLOWED = {MOVE_HEADER: "1"}


def read(reused: int, total: int = 500) -> list[ReplyEvent]:
    """An answer for which so much was warm."""
    *_, last = answer("Done.")
    assert isinstance(last, Finished)
    finished = replace(last, n_past=total + 2, generation=Generation("v", (1, 2)))
    return [PromptProgress(total, reused, 0, 0.0), finished]


def turn(number: int, date: str, **more: Any) -> dict[str, Any]:
    """The request with that many questions, and the answers between them."""
    asked = [{"role": "user", "content": f"Question {each}"} for each in range(number)]
    told = [{"role": "assistant", "content": "Done."}] * (number - 1)
    both = [each for pair in zip(asked, [*told, None], strict=True) for each in pair if each]
    return {"messages": [{"role": "system", "content": RULES.format(date)}, *both], **more}


async def told(client: Client, body: dict[str, Any], path: str = CHAT, **headers: str) -> str:
    response = await client.post(path, json=body, headers=headers)
    await response.read()
    assert response.status == 200
    return response.headers.get(REREAD_HEADER, "")


def texts(messages: tuple[Message, ...]) -> list[str]:
    return [each.text for each in messages if each.role is not Role.ASSISTANT]


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize(
    ("first", "second", "header"),
    [
        (turn(1, "May 1"), turn(2, "May 2"), "system-line; at=2; entries=496"),
        (turn(1, "May 1", tools=[TOOL]), turn(2, "May 1", tools=[TOOL, OTHER]), "tool; at=2; entries=496"),
        (turn(1, "May 1", tools=[TOOL, OTHER]), turn(2, "May 1", tools=[OTHER, TOOL]), "tool-order; at=1; entries=496"),
        (turn(1, "May 1"), turn(2, "May 1", reasoning_effort="low"), "options; at=0; entries=496"),
        (turn(1, "May 1"), turn(2, "May 1"), "not-held; at=0; entries=496"),
        (turn(1, "May 1"), {"messages": [{"role": "user", "content": "Who are you?"}]}, ""),
    ],
)
async def test_what_is_read_again_is_told(
    first: dict[str, Any], second: dict[str, Any], header: str, stream: bool
) -> None:
    async with served(FakeReplies(read(0), read(4))) as client:
        assert await told(client, {**first, "stream": stream}) == ""
        assert await told(client, {**second, "stream": stream}) == header


async def test_what_changes_in_the_midst_is_told_by_its_place() -> None:
    changed = turn(3, "May 1")
    changed["messages"][3] = {"role": "user", "content": "Another question"}
    forgotten = turn(3, "May 1")
    forgotten["messages"][4] = {"role": "assistant", "content": "Something else."}
    async with served(FakeReplies(read(0), read(490), read(100), read(100))) as client:
        assert await told(client, turn(1, "May 1")) == ""
        assert await told(client, turn(2, "May 1")) == "", "it only goes on"
        assert await told(client, changed) == "message; at=3; entries=400"
        assert await told(client, forgotten) == "answer; at=4; entries=400"


async def test_another_conversation_is_no_news() -> None:
    other = {"messages": [{"role": "system", "content": RULES.format("May 1")}, {"role": "user", "content": "Hi"}]}
    async with served(FakeReplies(read(0), read(100), read(0))) as client:
        assert await told(client, turn(1, "May 1")) == ""
        assert await told(client, other) == ""
        assert await told(client, turn(1, "May 2", prompt_cache_key="mine")) == "", "named otherwise"


async def test_every_dialect_tells_it() -> None:
    async with served(FakeReplies(read(0), read(4), read(0), read(4))) as client:
        for path, name in (("/v1/responses", "instructions"), ("/v1/messages", "system")):
            said = {"input": "Hi"} if name == "instructions" else {"messages": [{"role": "user", "content": "Hi"}]}
            session = {"prompt_cache_key": "a"} if name == "instructions" else {"metadata": {"user_id": "b"}}
            bodies = [{**said, **session, name: RULES.format(date)} for date in ("May 1", "May 2")]
            assert await told(client, bodies[0], path) == ""
            assert await told(client, bodies[1], path) == "system-line; at=2; entries=496"


async def test_conversations_are_named_by_their_beginning_where_they_are_kept() -> None:
    replies = FakeReplies(*(read(0) for _ in range(4)))
    async with served(replies, keeps_sessions=True) as client:
        for body in (turn(1, "May 1"), turn(3, "May 2"), {**turn(1, "May 1"), "prompt_cache_key": "a"}):
            await told(client, body)
    first, later, other = (each.conversation for each in replies.asked[:3])
    assert first
    assert first == later != other
    async with served(replies) as client:
        await told(client, turn(1, "May 1"))
    assert replies.asked[3].conversation == ""


@pytest.mark.parametrize("by_setting", [True, False])
async def test_lines_that_change_are_moved_by_permission_and_stay_where_they_were_told(by_setting: bool) -> None:
    replies = FakeReplies(read(0), read(4), read(490), read(490), read(4))
    headers = {} if by_setting else ALLOWED
    async with served(replies, moves_changes=by_setting) as client:
        assert await told(client, turn(1, "May 1"), **headers) == ""
        assert await told(client, turn(2, "May 2"), **headers) == "system-line; at=2; entries=496; moved=1"
        assert await told(client, turn(3, "May 2"), **headers) == "not-held; at=0; entries=10; moved=1"
        assert await told(client, turn(4, "May 3"), **headers) == "system-line; at=2; entries=10; moved=1"
        await told(client, turn(5, "May 4"), **{MOVE_HEADER: "0"})
    stable = "You help.\nBe brief.\nUse tools.\nName files."
    two = [stable, "Question 0", "Question 1\n\nToday: May 2"]
    assert texts(replies.asked[0].messages) == [RULES.format("May 1"), "Question 0"]
    assert texts(replies.asked[1].messages) == two
    assert texts(replies.asked[2].messages) == [*two, "Question 2"], "it is the same date"
    assert texts(replies.asked[3].messages) == [*two, "Question 2", "Question 3\n\nToday: May 3"]
    assert texts(replies.asked[4].messages)[0] == RULES.format("May 4")
    answers = [each.generation for each in replies.asked[3].messages if each.role is Role.ASSISTANT]
    assert answers[1:] == [Generation("v", (1, 2))] * 2, "as their own tokens"


async def test_lines_go_before_an_answer_that_was_begun() -> None:
    replies = FakeReplies(read(0), read(4))
    begun = turn(2, "May 2", continue_final_message=True)
    begun["messages"].append({"role": "assistant", "content": "It"})
    async with served(replies, moves_changes=True) as client:
        await told(client, turn(1, "May 1"))
        await told(client, begun)
    assert [each.text for each in replies.asked[1].messages[-2:]] == ["Question 1\n\nToday: May 2", "It"]


async def test_without_permission_nothing_is_moved() -> None:
    replies = FakeReplies(read(0), read(4))
    async with served(replies) as client:
        for number, date in ((1, "May 1"), (2, "May 2")):
            await told(client, turn(number, date))
    assert texts(replies.asked[1].messages)[0] == RULES.format("May 2")


async def test_tools_keep_their_order_by_permission() -> None:
    replies = FakeReplies(read(0), read(490))
    async with served(replies) as client:
        await told(client, turn(1, "May 1", tools=[TOOL, OTHER]), **ALLOWED)
        await told(client, turn(2, "May 1", tools=[OTHER, TOOL]), **ALLOWED)
    assert replies.asked[1].tools == replies.asked[0].tools


def test_lines_that_stay() -> None:
    more = "\n".join("fghijklm")
    first = StableLines.of(f"a\nb\nat 1\nc\n\nd\n3 tokens\ne\n{more}")
    found = first.compared(f"a\nb\nat 2\nc\n\nd\n44 tokens\nmore\ne\n{more}")
    assert found is not None
    stable, others = found
    assert (stable.text, others) == (f"a\nb\nc\n\nd\ne\n{more}", ("at 2", "44 tokens", "more"))
    again = stable.compared(f"a\nb\nat 2\nc\n\nd\n5 tokens\ne\n{more}")
    assert again is not None
    assert again == (stable, ("at 2", "5 tokens")), "what has changed once may change again"
    assert stable.compared("something\nelse\naltogether\na") is None
    assert stable.compared("a\nb") is None, "most of it is gone"
    assert StableLines.of("a\n" * 5000).compared("a\n" * 5000) is None
