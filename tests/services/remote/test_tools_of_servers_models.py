"""A server's model that calls tools: each call waits for its permission, and the server reads what came of it."""

import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from app.core.messages import Role
from app.services.chat.chat_controller import ChatController
from app.services.engine.service import EngineService
from app.services.engine.states import Calling
from app.services.runtime.settings_service import SettingsService
from app.services.tools.call_states import Asked
from app.services.tools.servers import ToolServers
from app.storage.attachments import AttachmentStore
from app.storage.conversations import ConversationStore, MessageState
from app.storage.database import Database
from app.storage.options import OptionsStore
from app.tools.mcp_file import ServerEntry
from app.tools.tool import Decision
from tests.remote.scripted_server import ScriptedServer, ends, events, says, sending
from tests.services.chatting import Chat

SMALL_SERVER = Path(__file__).parents[2] / "tools" / "small_server.py"


@pytest.fixture
def tools(tmp_path: Path, qapp: QApplication) -> Iterator[ToolServers]:
    made = ToolServers(tmp_path / "mcp.json", tmp_path / "listings.json", AttachmentStore(tmp_path / "kept"))
    made.add([ServerEntry("weather", sys.executable, (str(SMALL_SERVER), "good"))])
    yield made
    made.close()


@pytest.fixture
def controller(
    database: Database, store: ConversationStore, engine: EngineService, settings: SettingsService, tools: ToolServers
) -> ChatController:
    return ChatController(store, engine, settings, OptionsStore(database), tools)


def calls(*pieces: str, identifier: str = "c1") -> list[dict[str, object]]:
    """Chunks of one call: its name first, and its arguments in pieces."""
    first = {"index": 0, "id": identifier, "type": "function", "function": {"name": "get_weather", "arguments": ""}}
    rest = [{"index": 0, "function": {"arguments": each}} for each in pieces]
    return [{"choices": [{"index": 0, "delta": {"tool_calls": [each]}}]} for each in (first, *rest)]


def roles(talk: Chat) -> list[Role]:
    return [each.message.role for each in talk.controller.active.path]


def decide(talk: Chat, decision: Decision) -> None:
    """About the one call that waits."""
    loops = talk.controller.tools
    assert loops is not None
    talk.until(lambda: talk.replies.activity == Calling(asks=True))
    answer = talk.controller.active.path[-1].id
    [call] = [name for name, state in loops.states(answer).items() if isinstance(state, Asked)]
    loops.decide(answer, call, decision)


def test_a_call_waits_runs_and_the_server_is_told_its_result_behind_the_same_beginning(
    talk: Chat, server: ScriptedServer
) -> None:
    server.scripts.append(sending(events(*calls('{"city": ', '"Paris"}'), ends("tool_calls"), "[DONE]")))
    server.scripts.append(sending(events(*calls('{"city": "Oslo"}', identifier="c2"), ends("stop"), "[DONE]")))
    server.scripts.append(sending(events(says("It is sunny."), ends(), "[DONE]")))
    assert talk.controller.send("What is the weather in Paris?")
    decide(talk, Decision.ONCE)
    assert len(server.asked) == 1, "nothing runs and nobody is asked before it is allowed"
    decide(talk, Decision.NO)
    talk.rest()
    assert roles(talk) == [Role.USER, Role.ASSISTANT, Role.TOOL, Role.ASSISTANT, Role.TOOL, Role.ASSISTANT]
    answer = talk.controller.active.path[-1]
    assert (answer.message.text, answer.state) == ("It is sunny.", MessageState.COMPLETE)
    bodies = [each.json for each in server.asked]
    assert [each["function"]["name"] for each in bodies[0]["tools"]].count("get_weather") == 1
    assert all(each["tools"] == bodies[0]["tools"] for each in bodies)
    for shorter, longer in pairwise(bodies):
        assert longer["messages"][: len(shorter["messages"])] == shorter["messages"]
    call, told, other, refused = bodies[-1]["messages"][-4:]
    assert call["tool_calls"][0]["function"] == {"name": "get_weather", "arguments": '{"city": "Paris"}'}
    assert (told["role"], told["tool_call_id"]) == ("tool", call["tool_calls"][0]["id"])
    assert told["content"].startswith("Sunny in Paris")
    assert (refused["tool_call_id"], other["tool_calls"][0]["id"]) == ("c2", "c2")
    assert "did not allow" in refused["content"]
    assert not talk.errors


def test_a_call_that_breaks_off_asks_nobody_runs_nothing_and_the_conversation_goes_on(
    talk: Chat, server: ScriptedServer
) -> None:
    server.scripts.append(sending(events(says("I look."), *calls('{"city": "Pa'))))
    server.scripts.append(sending(events(says("It is sunny."), ends(), "[DONE]")))
    talk.say("What is the weather in Paris?")
    assert roles(talk) == [Role.USER, Role.ASSISTANT] and talk.state is MessageState.FAILED
    talk.say("And now?")
    assert (talk.last.message.text, talk.state) == ("It is sunny.", MessageState.COMPLETE)
    _, cut, told, _ = server.asked[-1].json["messages"]
    assert cut["content"] == "I look." and cut["tool_calls"][0]["function"]["arguments"] == "{}"
    assert told["tool_call_id"] == cut["tool_calls"][0]["id"]
