"""A question that needs a tool, from the window's services down: the guide calls `get_weather` by itself."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.core.events import Finished, Peeked
from app.core.messages import Message, Role, ToolCall
from app.core.model_ref import GUIDE_REF, ModelRef
from app.core.requests import ChatRequest
from app.core.settings import ToolSettings
from app.services.chat.chat_controller import ChatController
from app.services.chat.request_builder import turns_of
from app.services.chat.running_replies import AskedCalls
from app.services.chat.tool_loops import ToolLoops
from app.services.engine.futures import Hear, Reply
from app.services.engine.service import EngineService
from app.services.engine.states import Calling, Idle, ModelReady, NoModel, ReplyFailed, ReplyUpdate
from app.services.runtime.settings_service import SettingsService
from app.services.tools.call_states import Asked, Filling, Running
from app.services.tools.servers import ServerState, ToolServers
from app.storage.attachments import AttachmentStore
from app.storage.conversations import ConversationStore, MessageState, StoredMessage
from app.storage.database import Database
from app.storage.options import OptionsStore
from app.tools.forms import FormAction, FormAnswer
from app.tools.mcp_file import ServerEntry
from app.tools.permissions import Why
from app.tools.tool import Decision, ToolResult
from tests.waits import WAIT

SERVER = Path(__file__).parents[2] / "tools" / "small_server.py"
WEATHER = "What is the weather in Paris?"
Begin = Callable[..., ToolLoops]


@pytest.fixture
def servers(tmp_path: Path, qapp: object) -> Iterator[ToolServers]:
    made = ToolServers(tmp_path / "mcp.json", tmp_path / "listings.json", AttachmentStore(tmp_path / "attachments"))
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

    def act(way: str = "good", question: str = WEATHER) -> ToolLoops:
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
    controller.tools.decide(controller.active.path[-1].id, call, decision, **more)
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


def test_what_a_server_asks_is_filled_in(controller: ChatController, begin: Begin, qtbot: QtBot) -> None:
    tools = begin("asks")
    decide(controller, Decision.ONCE, qtbot)
    answer = controller.active.path[1]
    ((call, state),) = tools.states(answer.id).items()
    assert isinstance(state, Filling) and controller.replies.activity == Calling(asks=True)
    tools.fill(answer.id, call, FormAnswer(FormAction.ACCEPT, {"city": "Oslo"}))
    qtbot.waitUntil(lambda: is_settled(controller), timeout=WAIT)
    assert '"city": "Oslo"' in result(controller).message.text


def test_a_stop_leaves_no_form(controller: ChatController, begin: Begin, qtbot: QtBot) -> None:
    tools = begin("asks")
    decide(controller, Decision.ONCE, qtbot)
    answer = controller.active.path[1]
    controller.replies.stop()
    assert controller.replies.activity == Idle() and not tools.states(answer.id)
    assert result(controller).message.text.startswith("The user stopped this call")


def test_a_picture_is_kept_and_what_is_none_is_told(
    controller: ChatController, begin: Begin, qtbot: QtBot, tmp_path: Path
) -> None:
    begin("picture")
    decide(controller, Decision.ONCE, qtbot)
    told = result(controller).message
    picture, other = told.pictures
    assert (picture.name, picture.width, picture.height) == ("get_weather 1", 2, 2) and not picture.data
    assert other.name == "get_weather 3"
    assert AttachmentStore(tmp_path / "attachments").has(picture.content_hash)
    assert told.text.startswith("Sunny in Paris\n[Map: ") and "\n[get_weather 2 " in told.text


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


def test_a_stop_that_meets_a_call_that_is_complete_holds(
    controller: ChatController, begin: Begin, engine: EngineService, monkeypatch: pytest.MonkeyPatch
) -> None:
    generate = engine.generate

    def stopped_late(request: ChatRequest, hear: Hear, *, model: ModelRef | None = None) -> Reply:
        def hear_late(said: ReplyUpdate | ReplyFailed) -> None:
            if isinstance(said, ReplyUpdate) and isinstance(said.event, Finished):
                controller.replies.stop()  # its end is on its way already
            hear(said)

        return generate(request, hear_late, model=model)

    monkeypatch.setattr(engine, "generate", stopped_late)
    ended = list[StoredMessage]()
    controller.replies.ended.connect(ended.append)
    tools = begin()
    assert not controller.replies.is_busy and not asked(controller), "nothing is asked, and nothing runs"
    answer = controller.active.path[-1]
    assert answer.message.tool_calls and tools.can_ask_again(answer.id)
    assert [each.state for each in ended] == [MessageState.CANCELLED], "what is queued does not go on"


def test_what_waited_at_the_end_of_the_last_run_is_not_allowed(
    controller: ChatController, begin: Begin, store: ConversationStore, servers: ToolServers, engine: EngineService,
    settings: SettingsService, database: Database, qtbot: QtBot,
) -> None:  # fmt: skip
    begin()
    later = ChatController(store, engine, settings, OptionsStore(database), servers)
    later.start()
    assert later.tools is not None
    assert not asked(later) and later.tools.can_ask_again(later.active.path[-1].id)
    turns = turns_of([*(each.message for each in later.active.path), Message.of(Role.USER, "Well?")], continues=False)
    assert [turn.role for turn in turns] == [Role.USER, Role.ASSISTANT, Role.TOOL, Role.USER]
    assert turns[2].text == "The user did not allow this call."


def test_a_running_call_is_stopped_with_the_answer(controller: ChatController, begin: Begin, qtbot: QtBot) -> None:
    tools = begin("waits")
    (call,) = asked(controller)
    answer = controller.active.path[-1]
    tools.decide(controller.active.path[-1].id, call, Decision.ONCE)
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
    tools.decide(controller.active.path[-1].id, call, Decision.ONCE)
    with qtbot.waitSignal(engine.state_changed, timeout=WAIT, check_params_cb=lambda state: isinstance(state, NoModel)):
        engine.unload()
    (loop,) = tools._loops.values()
    loop._hear(next(iter(loop._open)), ToolResult("late"))
    assert controller.replies.activity == Idle()
    assert controller.active.path[-1].state is MessageState.CANCELLED


def test_calls_of_two_chats_wait_each_for_its_own_word(
    controller: ChatController, begin: Begin, store: ConversationStore, qtbot: QtBot
) -> None:
    tools = begin()
    first = controller.active.path[-1]
    ((call, _),) = asked(controller).items()
    controller.new_conversation()
    assert controller.replies.activity == Idle(), "the other one waits, and not this one"
    again(controller, qtbot)
    second = controller.active.path[-1]
    assert set(controller.replies.conversations.values()) == {Calling(asks=True)}
    tools.decide(first.id, call, Decision.ONCE)
    qtbot.waitUntil(lambda: not controller.replies.is_writing_in(first.conversation_id), timeout=WAIT)
    path = store.path(first.conversation_id)
    assert [each.message.role for each in path] == [Role.USER, Role.ASSISTANT, Role.TOOL, Role.ASSISTANT]
    assert path[2].message.text.startswith("Sunny in Paris") and path[3].message.text
    assert roles(controller) == [Role.USER, Role.ASSISTANT] and asked(controller), "this one still waits"
    controller.open_conversation(first.conversation_id)
    assert roles(controller) == [each.message.role for each in path]
    controller.replies.stop()
    assert controller.replies.is_writing_in(second.conversation_id), "a stop means the one on screen"
    controller.open_conversation(second.conversation_id)
    decide(controller, Decision.NO, qtbot)
    assert result(controller).message.text == "The user did not allow this call."


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
    controller.replies.calls_asked.emit(AskedCalls(controller.replies.hold(more), (*path[:3], more)))
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


@pytest.fixture
def read_ahead(engine: EngineService, monkeypatch: pytest.MonkeyPatch) -> list[ChatRequest]:
    """What was asked of the engine to read ahead."""
    asked: list[ChatRequest] = []
    generate = engine.generate

    def noted(request: ChatRequest, hear: Hear, *, model: ModelRef | None = None, idle: bool = False) -> Reply:
        if request.only_read:
            assert idle
            asked.append(request)
        return generate(request, hear, model=model, idle=idle)

    monkeypatch.setattr(engine, "generate", noted)
    return asked


def test_what_the_next_question_follows_is_read_ahead(
    controller: ChatController, begin: Begin, engine: EngineService, read_ahead: list[ChatRequest], qtbot: QtBot
) -> None:
    begin()
    assert controller.read_ahead is not None
    calm = controller.read_ahead.calm
    assert not calm.isActive(), "the loop is not over"
    decide(controller, Decision.ONCE, qtbot)
    qtbot.waitUntil(calm.isActive, timeout=WAIT)
    calm.flush()
    engine.ask(lambda session, _: len(session.slot), lambda _: None)
    qtbot.waitUntil(calm.isActive, timeout=WAIT)
    assert len(read_ahead) == 1, "it was cancelled, and is tried again when that is done"
    calm.flush()
    qtbot.waitUntil(lambda: not engine.is_busy, timeout=WAIT)
    assert len(read_ahead) == 2 and not calm.isActive()
    assert [each.role for each in read_ahead[1].messages[-3:]] == [Role.TOOL, Role.ASSISTANT, Role.USER]


def test_read_ahead_is_only_what_tools_made_long(
    controller: ChatController, begin: Begin, settings: SettingsService, read_ahead: list[ChatRequest], qtbot: QtBot
) -> None:
    begin(question="Hello")
    assert controller.read_ahead is not None
    controller.read_ahead.calm.flush()
    settings.update(ToolSettings, read_ahead=False)
    again(controller, qtbot)
    decide(controller, Decision.ONCE, qtbot)
    qtbot.waitUntil(controller.read_ahead.calm.isActive, timeout=WAIT)
    controller.read_ahead.calm.flush()
    assert not read_ahead


def test_nothing_is_read_ahead_of_a_conversation_that_was_deleted(
    controller: ChatController, begin: Begin, engine: EngineService, read_ahead: list[ChatRequest], qtbot: QtBot
) -> None:
    begin()
    decide(controller, Decision.ONCE, qtbot)
    assert controller.read_ahead is not None and controller.active.conversation_id is not None
    qtbot.waitUntil(controller.read_ahead.calm.isActive, timeout=WAIT)
    controller.delete(controller.active.conversation_id)
    qtbot.waitUntil(lambda: not engine.is_busy, timeout=WAIT)
    controller.read_ahead.calm.flush()
    assert not read_ahead


def test_many_tools_wait_to_be_found(
    controller: ChatController, begin: Begin, engine: EngineService, store: ConversationStore, servers: ToolServers,
    qtbot: QtBot,
) -> None:  # fmt: skip
    loop = begin("many")
    first = request(controller, engine)
    (search,) = first.tools
    assert "weather (500)" in str(search) and not first.found_tools

    def let_it_call(name: str, arguments: str) -> None:
        head = controller.active.path[-1]
        asking = Message(Role.ASSISTANT, tool_calls=(ToolCall(f"call{head.id}", name, arguments),))
        stored = store.append(head.conversation_id, head.id, asking, MessageState.COMPLETE)
        controller.open_conversation(head.conversation_id)
        loop.ask_again(stored.id)
        qtbot.waitUntil(lambda: is_settled(controller), timeout=WAIT)

    let_it_call("search_tools", '{"query": "tool7"}')
    # The model may have searched before, and searches on by itself.
    ours = [each.message.text for each in controller.active.path if each.message.tool_call_id.startswith("call")]
    assert ours[0].startswith("These may be called now:\n") and not asked(controller)
    found = request(controller, engine)
    assert found.tools == first.tools, "the beginning of the prompt stays"
    assert [each["function"]["name"] for each in found.found_tools] == ["tool7"]  # type: ignore[index]
    let_it_call("tool7", "{}")
    assert asked(controller)
    controller.replies.stop()
    add(servers, "good", "more")
    loop.tools.switch(controller.active.conversation_id, "more", True)
    servers.begin("more", lambda _: None)
    qtbot.waitUntil(lambda: loop.tools.tools_of("more") is not None, timeout=WAIT)
    assert request(controller, engine).tools == first.tools, "and what is switched on is found, too"
    assert loop.tools.offered(controller.active.conversation_id)[-1].waits


def test_what_switching_on_costs_is_what_is_read_then(
    controller: ChatController, begin: Begin, servers: ToolServers, qtbot: QtBot
) -> None:
    loop, prices = begin("inside"), controller.prices
    decide(controller, Decision.ONCE, qtbot)
    add(servers, "good", "more")
    servers.begin("more", lambda _: None)
    qtbot.waitUntil(lambda: loop.tools.tools_of("more") is not None, timeout=WAIT)
    assert prices is not None
    with qtbot.waitSignal(prices.changed, timeout=WAIT):
        prices.look()
    price, known = prices.of("more"), prices.of("weather")
    assert price is not None and known is not None
    assert known.tokens == price.tokens > 100 and known.again == 0
    assert price.again > price.tokens and price.again_seconds > price.seconds > 0
    usual = next_reads(controller, qtbot)
    loop.tools.switch(controller.active.conversation_id, "more", True)
    assert next_reads(controller, qtbot) - usual == price.again


def next_reads(controller: ChatController, qtbot: QtBot) -> int:
    with qtbot.waitSignal(controller.peeked, timeout=WAIT) as heard:
        controller.peek("?")
    told: Peeked = heard.args[0]
    return told.total - told.keep


def request(controller: ChatController, engine: EngineService) -> ChatRequest:
    """What the next question would ask."""
    assert isinstance(engine.state, ModelReady)
    question = Message.of(Role.USER, "Well?")
    return controller.requests.build(
        controller.active.path, controller.active.conversation_id, engine.state.info, question
    )
