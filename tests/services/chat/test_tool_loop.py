"""A question that needs a tool, from the window's services down: the guide calls `get_weather` by itself."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.core.messages import Message, Role
from app.core.model_ref import GUIDE_REF
from app.core.settings import ToolSettings
from app.services.chat.chat_controller import ChatController
from app.services.chat.reply_controller import _turns
from app.services.chat.tool_loop import ToolLoop
from app.services.engine.service import EngineService
from app.services.engine.states import Calling, Idle, ModelReady, NoModel
from app.services.runtime.settings_service import SettingsService
from app.services.tools.call_states import Asked, Running
from app.services.tools.servers import ServerState, ToolServers
from app.storage.conversations import ConversationStore, MessageState, StoredMessage
from app.storage.database import Database
from app.storage.options import OptionsStore
from app.tools.mcp_file import ServerEntry
from app.tools.permissions import Why
from app.tools.tool import Decision, ToolResult
from tests.waits import WAIT

SERVER = Path(__file__).parents[2] / "tools" / "small_server.py"
WEATHER = "What is the weather in Paris?"
Begin = Callable[..., ToolLoop]


@pytest.fixture
def servers(tmp_path: Path, qapp: object) -> Iterator[ToolServers]:
    made = ToolServers(tmp_path / "mcp.json", tmp_path / "listings.json")
    yield made
    made.close()


@pytest.fixture
def controller(
    database: Database, store: ConversationStore, engine: EngineService, settings: SettingsService, servers: ToolServers
) -> ChatController:
    return ChatController(store, engine, settings, OptionsStore(database), servers)


@pytest.fixture
def begin(controller: ChatController, engine: EngineService, servers: ToolServers, qtbot: QtBot) -> Begin:
    """Loads the guide, adds a server that is as is said, and asks for the weather."""

    def act(way: str = "good", question: str = WEATHER) -> ToolLoop:
        engine.load(GUIDE_REF)
        qtbot.waitUntil(lambda: isinstance(engine.state, ModelReady), timeout=WAIT)
        add(servers, way)
        assert controller.send(question)
        qtbot.waitUntil(lambda: is_settled(controller), timeout=WAIT)
        assert controller.tools is not None
        return controller.tools

    return act


def add(servers: ToolServers, way: str, name: str = "weather") -> None:
    servers.add([ServerEntry(name, sys.executable, (str(SERVER), way))])


def is_settled(controller: ChatController) -> bool:
    return controller.replies.activity in (Idle(), Calling(asks=True))


def decide(controller: ChatController, decision: Decision, qtbot: QtBot, **more: str) -> None:
    assert controller.tools is not None
    (call,) = asked(controller)
    controller.tools.decide(call, decision, **more)
    qtbot.waitUntil(lambda: is_settled(controller), timeout=WAIT)


def asked(controller: ChatController) -> dict[str, Asked]:
    assert controller.tools is not None
    answer = controller.active.path[-1]
    return {call: state for call, state in controller.tools.states(answer.id).items() if isinstance(state, Asked)}


def result(controller: ChatController) -> StoredMessage:
    return next(each for each in reversed(controller.active.path) if each.message.role is Role.TOOL)


def roles(controller: ChatController) -> list[Role]:
    return [each.message.role for each in controller.active.path]


def test_a_call_waits_runs_and_is_answered(controller: ChatController, begin: Begin, qtbot: QtBot) -> None:
    begin()
    (state,) = asked(controller).values()
    assert (state.tool.name, state.why) == ("get_weather", Why.NEW)
    assert roles(controller) == [Role.USER, Role.ASSISTANT]
    call = controller.active.path[-1].message.tool_calls[0]
    assert call.arguments == '{"city": "Paris"}'
    decide(controller, Decision.ONCE, qtbot)
    assert roles(controller) == [Role.USER, Role.ASSISTANT, Role.TOOL, Role.ASSISTANT]
    told = result(controller)
    assert told.message.text.startswith("Sunny in Paris") and told.message.tool_call_id == call.id
    assert told.state is MessageState.COMPLETE and told.figures is not None and "inside" not in told.figures
    answer = controller.active.path[-1]
    assert answer.message.text and answer.state is MessageState.COMPLETE


def test_the_model_reads_only_the_result(controller: ChatController, begin: Begin, qtbot: QtBot) -> None:
    begin()
    called = controller.active.path[-1].figures
    decide(controller, Decision.ONCE, qtbot)
    went_on = controller.active.path[-1].figures
    assert called is not None and went_on is not None
    assert went_on["cache_n"] == called["n_past"], "its call stays as it was written"


def test_once_and_in_this_chat_and_always(controller: ChatController, begin: Begin, qtbot: QtBot) -> None:
    tools = begin("inside")
    decide(controller, Decision.ONCE, qtbot)
    again(controller, qtbot)
    assert asked(controller)
    decide(controller, Decision.CHAT, qtbot)
    again(controller, qtbot)
    assert roles(controller).count(Role.TOOL) == 3
    controller.new_conversation()
    again(controller, qtbot)
    decide(controller, Decision.ALWAYS, qtbot)
    controller.new_conversation()
    again(controller, qtbot)
    assert roles(controller)[-1] is Role.ASSISTANT and roles(controller).count(Role.TOOL) == 1
    (rule,) = tools.tools.permissions.rules()
    tools.tools.permissions.revoke(rule)
    controller.new_conversation()
    again(controller, qtbot)
    assert asked(controller)


def again(controller: ChatController, qtbot: QtBot) -> None:
    assert controller.send(WEATHER)
    qtbot.waitUntil(lambda: is_settled(controller), timeout=WAIT)


def test_no_is_an_answer_too(controller: ChatController, begin: Begin, qtbot: QtBot) -> None:
    begin()
    decide(controller, Decision.NO, qtbot, reason="It is raining.")
    assert result(controller).message.text == "The user did not allow this call. The user says: It is raining."
    assert controller.active.path[-1].message.role is Role.ASSISTANT


def test_arguments_can_be_changed(controller: ChatController, begin: Begin, qtbot: QtBot) -> None:
    begin()
    decide(controller, Decision.ONCE, qtbot, arguments='{"city": "Oslo"}')
    told = result(controller).message.text
    assert told.startswith('The user changed the arguments to {"city": "Oslo"}.\nSunny in Oslo')
    assert controller.active.path[1].message.tool_calls[0].arguments == '{"city": "Paris"}'


def test_stopped_while_it_waits_it_can_be_asked_again(controller: ChatController, begin: Begin, qtbot: QtBot) -> None:
    tools = begin()
    controller.replies.stop()
    assert controller.replies.activity == Idle() and not controller.replies.is_busy
    answer = controller.active.path[-1]
    assert answer.message.tool_calls and tools.can_ask_again(answer.id)
    tools.ask_again(answer.id)
    decide(controller, Decision.ONCE, qtbot)
    assert roles(controller) == [Role.USER, Role.ASSISTANT, Role.TOOL, Role.ASSISTANT]


def test_what_waited_at_the_end_of_the_last_run_is_not_allowed(
    controller: ChatController, begin: Begin, store: ConversationStore, servers: ToolServers, engine: EngineService,
    settings: SettingsService, database: Database, qtbot: QtBot,
) -> None:  # fmt: skip
    begin()
    later = ChatController(store, engine, settings, OptionsStore(database), servers)
    later.start()
    assert later.tools is not None
    assert not asked(later) and later.tools.can_ask_again(later.active.path[-1].id)
    turns = _turns([*(each.message for each in later.active.path), Message.of(Role.USER, "Well?")], continues=False)
    assert [turn.role for turn in turns] == [Role.USER, Role.ASSISTANT, Role.TOOL, Role.USER]
    assert turns[2].text == "The user did not allow this call."


def test_a_running_call_is_stopped_with_the_answer(controller: ChatController, begin: Begin, qtbot: QtBot) -> None:
    tools = begin("waits")
    (call,) = asked(controller)
    answer = controller.active.path[-1]
    tools.decide(call, Decision.ONCE)
    assert isinstance(tools.states(answer.id)[call], Running)
    assert result(controller).state is MessageState.WRITING
    controller.replies.stop()
    told = result(controller)
    assert told.state is MessageState.CANCELLED and "stopped this call" in told.message.text
    assert controller.replies.activity == Idle()


def test_a_model_that_went_while_a_tool_ran_ends_it(
    controller: ChatController, begin: Begin, engine: EngineService, qtbot: QtBot
) -> None:
    tools = begin("waits")
    (call,) = asked(controller)
    tools.decide(call, Decision.ONCE)
    with qtbot.waitSignal(engine.state_changed, timeout=WAIT, check_params_cb=lambda state: isinstance(state, NoModel)):
        engine.unload()
    running = next(iter(tools._open))
    tools._hear(running, ToolResult("late"))
    assert controller.replies.activity == Idle()
    assert controller.active.path[-1].state is MessageState.CANCELLED


def test_a_server_that_dies_is_told_to_the_model(
    controller: ChatController, begin: Begin, servers: ToolServers, qtbot: QtBot
) -> None:
    begin("dies-in-call")
    decide(controller, Decision.ONCE, qtbot)
    told = result(controller)
    assert told.message.text == "weather has ended."
    assert told.figures is not None and told.figures["error"]
    assert "out of cheese" in servers.log_of("weather")


def test_one_that_does_not_start_costs_its_tools_alone(
    controller: ChatController, begin: Begin, servers: ToolServers
) -> None:
    failed: list[str] = []
    controller.notices.failed.connect(lambda error: failed.append(error.sentence))
    begin("dies")
    assert failed and controller.active.path[-1].message.role is Role.ASSISTANT
    assert not controller.active.path[-1].message.tool_calls
    server = servers.get("weather")
    assert server is not None and server.state is ServerState.FAILED


def test_a_long_result_is_cut(
    controller: ChatController, begin: Begin, settings: SettingsService, qtbot: QtBot
) -> None:
    settings.update(ToolSettings, result_chars=500)
    begin("long")
    decide(controller, Decision.ONCE, qtbot)
    assert result(controller).message.text.endswith("[Cut here: characters 0 to 500 of 20000.]")


def test_rounds_have_an_end(
    controller: ChatController, begin: Begin, settings: SettingsService, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    settings.update(ToolSettings, rounds=1)
    noticed: list[str] = []
    controller.notices.noticed.connect(noticed.append)
    tools = begin()
    decide(controller, Decision.ONCE, qtbot)
    path = tuple(controller.active.path)
    # As if the model had called once more instead of answering.
    more = controller._store.append(path[-1].conversation_id, path[2].id, path[1].message)
    controller.active.follow_path()
    controller.replies.hold(more)
    controller.replies.calls_asked.emit((*path[:3], more))
    assert noticed and controller.replies.activity == Idle()
    tools.ask_again(more.id)
    assert asked(controller), "it goes on where that is wanted"


def test_a_conversation_keeps_its_tools_and_refuses_what_is_off(
    controller: ChatController, begin: Begin, servers: ToolServers, qtbot: QtBot
) -> None:
    tools = begin()
    decide(controller, Decision.ONCE, qtbot)
    number = controller.active.conversation_id
    assert number is not None
    known = tools.tools.offered(number)
    tools.tools.switch(number, "weather", False)
    assert tools.tools.offered(number) == known, "the beginning of the prompt stays"
    again(controller, qtbot)
    assert result(controller).message.text == "The user has switched this tool off."
    add(servers, "good", "other")
    assert tools.tools.offered(number) == known, "another server is for other conversations"
    assert tools.tools.on(None) == ("weather", "other")


def test_a_conversation_from_before_has_no_tools(
    controller: ChatController, engine: EngineService, servers: ToolServers, qtbot: QtBot
) -> None:
    engine.load(GUIDE_REF)
    qtbot.waitUntil(lambda: isinstance(engine.state, ModelReady), timeout=WAIT)
    again(controller, qtbot)
    add(servers, "good")
    again(controller, qtbot)
    assert not any(each.message.tool_calls for each in controller.active.path)
