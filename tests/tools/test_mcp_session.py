"""Servers of tools over pipes, good ones and bad ones."""

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import psutil
import pytest

from app.core.errors import UserError
from app.tools import mcp_session
from app.tools.connections import Connections, Ended
from app.tools.forms import FieldKind, Form, FormAction, FormAnswer
from app.tools.mcp_file import ServerEntry
from app.tools.mcp_session import Ask, Started, Told
from app.tools.tool import Argument, Prompt, Resource, Tool, ToolResult
from tests.far_servers import far_server
from tests.waits import WAIT

REPORT = Prompt(
    "small", "report", "Weather report", "", (Argument("city", "", True), Argument("tone", "How it sounds"))
)
TODAY = Resource("small", "weather://today", "today", "text/plain")
MAP = Resource("small", "weather://map", "map", "image/png")
SERVER = Path(__file__).with_name("small_server.py")
Result = TypeVar("Result")


def entry(way: str, **more: Any) -> ServerEntry:
    return ServerEntry("small", sys.executable, (str(SERVER), way), **more)


def within(act: Callable[[Connections], Coroutine[Any, Any, Result]]) -> tuple[Result, list[Told | Ended]]:
    """What came of `act`, and what was told of the server meanwhile; nothing of it runs afterwards."""
    heard: list[Told | Ended] = []

    async def run() -> Result:
        connections = Connections(lambda _, what: heard.append(what))
        try:
            return await act(connections)
        finally:
            await connections.close()

    before = {each.pid for each in psutil.Process().children(recursive=True)}
    result = asyncio.run(run())
    left = [each for each in psutil.Process().children(recursive=True) if each.pid not in before]
    assert all_ended(left)
    return result, heard


def all_ended(processes: list[psutil.Process]) -> bool:
    """What was killed needs a moment of the processor to be gone, and may stay a zombie."""
    ends = time.monotonic() + WAIT / 1000
    while not all(map(has_ended, processes)):
        if time.monotonic() > ends:
            return False
        time.sleep(0.01)
    return True


def has_ended(process: psutil.Process) -> bool:
    try:
        return bool(process.status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


def tools_of(way: str) -> tuple[Tool, ...]:
    return within(lambda connections: connections.tools(entry(way)))[0]


async def decline(_: Form) -> FormAnswer:
    return FormAnswer(FormAction.DECLINE)


async def ask(
    connections: Connections,
    server: ServerEntry,
    name: str,
    seconds: float = 20.0,
    tell: Callable[[str], None] = lambda _: None,
    answer: Ask = decline,
    **arguments: object,
) -> ToolResult:
    tool = next(each for each in await connections.tools(server) if each.name == name)
    return await connections.call(server, tool, arguments, seconds, tell, answer)


def call(
    way: str, name: str, *, seconds: float = 20.0, said: list[str] | None = None, **arguments: object
) -> ToolResult:
    tell = (said if said is not None else []).append
    return within(lambda connections: ask(connections, entry(way), name, seconds, tell, decline, **arguments))[0]


def test_a_server_tells_its_tools_and_answers() -> None:
    weather, write, _ = tools_of("good")
    assert weather.hints.read_only and not write.hints.read_only and write.hints.open_world
    result = call("good", "get_weather", city="Oslo")
    assert result.text == "Sunny in Oslo" and not result.is_error
    failed = call("good", "write", text="fail")
    assert failed.is_error and failed.text == "the disk is full"


def test_a_result_has_texts_and_pictures() -> None:
    result = call("picture", "get_weather", city="Oslo")
    assert result.text == "Sunny in Oslo\n[Map: file:///map]\nA long report\n[file:///data, which is no text.]"
    assert [picture.data[:4] for picture in result.pictures] == [b"\x89PNG", b"no!", b"\x89PNG"]


def test_a_server_made_with_the_sdk_answers(tmp_path: Path) -> None:
    program = tmp_path / "server.py"
    program.write_text(
        "from mcp.server import MCPServer\n"
        "server = MCPServer('sums')\n"
        "@server.tool()\n"
        "def add(a: int, b: int) -> int:\n"
        "    'Adds.'\n"
        "    return a + b\n"
        "server.run()\n"
    )
    made = ServerEntry("sums", sys.executable, (str(program),))
    result, _ = within(lambda connections: ask(connections, made, "add", 60.0, a=2, b=3))
    assert result.text == "5"


GOOD = "Sunny in Oslo"
BAD = {
    "dies": "small has ended.",
    "hangs": "small did not answer within 1 seconds.",
    "rubbish": "small writes what is no message, and was stopped.",
    "endless-line": "small sent a message that is too large, and was stopped.",
    "old": "small failed: Unsupported protocol version from the server: 1999-01-01",
    "initialized-wrong": "small failed: ",
    "all-are-none": "small failed: ",
    "one-is-none": GOOD,
    "endless-pages": GOOD,
    "pages": "There is no tool get_weather",
    "many": "There is no tool get_weather",
    "twice": GOOD,
    "stderr-flood": GOOD,
    "no-utf8": GOOD,
    "breaks-schema": "fine",
    "dies-in-call": "small has ended.",
    "dies-in-a-line": "small has ended.",
    "stops-talking": "small has ended.",
    "huge": "small sent a message that is too large, and was stopped.",
    "deep": "get_weather took longer than 1 seconds and was stopped.",
    "other-id": "get_weather took longer than 1 seconds and was stopped.",
    "no-result": "get_weather took longer than 1 seconds and was stopped.",
    "error": "small failed: no luck no luck",
    "no-content": "small failed: ",
    "asks-a-lot": GOOD,
    "log-flood": GOOD,
    "progress-flood": GOOD,
    "changes": GOOD,
    "child": GOOD,
    "stubborn": GOOD,
}
"""Ways to be bad, and how the one sentence begins that comes of each: what the server gave, or what is wrong."""
_MOST_STALL = 0.3
"""Seconds. On an idle machine it is a hundredth."""


def watched(act: Callable[[], Result]) -> tuple[Result, float]:
    """What came of it in another thread, and how long at most that kept this one from running.

    In the work that this process did meanwhile: how busy the machine is hardly counts. It does where this thread waits
    for a core that it could have, while the other one has one.
    """
    longest, last = 0.0, time.process_time()
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(act)
        while not future.done():
            time.sleep(0.001)
            last, before = time.process_time(), last
            longest = max(longest, last - before)
    return future.result(), longest


@pytest.mark.parametrize(("way", "told"), BAD.items(), ids=BAD)
def test_a_bad_server_is_one_sentence_stalls_nobody_and_leaves_nothing(
    way: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # It is imported while the window is there, in pieces that are measured elsewhere.
    import mcp.client.streamable_http  # noqa: F401

    if way == "hangs":
        monkeypatch.setattr(mcp_session, "START_WITHIN", 1.0)
    seconds = 1.0 if "took longer" in told else 60.0

    async def act(connections: Connections) -> str:
        tools = {tool.name: tool for tool in await connections.tools(entry(way))}
        assert len(tools) <= 500
        if "get_weather" not in tools:
            return "There is no tool get_weather"
        return (await ask(connections, entry(way), "get_weather", seconds, city="Oslo")).text

    def outcome() -> str:
        try:
            return within(act)[0]
        except UserError as error:
            return error.sentence

    stalls: list[float] = []
    while len(stalls) < 3 and not any(stall < _MOST_STALL for stall in stalls):
        said, stall = watched(outcome)
        assert said.startswith(told) and "\n" not in said
        stalls.append(stall)
    assert min(stalls) < _MOST_STALL, stalls


@pytest.mark.parametrize(("way", "log"), [("dies", "no such database"), ("rubbish", "hello")])
def test_what_it_said_last_is_told(way: str, log: str) -> None:
    with pytest.raises(UserError) as caught:
        tools_of(way)
    assert log in caught.value.detail


def test_one_that_is_not_there_is_named() -> None:
    missing = ServerEntry("gone", "no-such-program-here")
    with pytest.raises(UserError, match="no-such-program-here was not found"):
        within(lambda connections: connections.tools(missing))


def test_listings_have_an_end() -> None:
    assert [tool.name for tool in tools_of("endless-pages")] == ["get_weather"]
    assert len(tools_of("many")) == len(tools_of("pages")) == 500
    assert len(tools_of("twice")) == len(tools_of("one-is-none")) == 3


def test_one_that_dies_in_a_call_ends_it_with_what_it_said_last() -> None:
    async def act(connections: Connections) -> UserError:
        with pytest.raises(UserError) as caught:
            await ask(connections, entry("dies-in-call"), "get_weather", city="Oslo")
        return caught.value

    error, heard = within(act)
    assert error.sentence == "small has ended." and "out of cheese" in error.detail
    assert isinstance(heard[-1], Ended)


def test_progress_is_told_a_few_times_a_second() -> None:
    said: list[str] = []
    call("progress-flood", "get_weather", said=said, city="Oslo")
    assert 1 <= len(said) < 2000


def test_a_call_that_takes_too_long_is_stopped_and_the_server_goes_on() -> None:
    async def act(connections: Connections) -> str:
        with pytest.raises(UserError, match="took longer than 1 seconds"):
            await ask(connections, entry("good"), "slow", 1.0)
        return (await ask(connections, entry("good"), "get_weather", city="Oslo")).text

    assert within(act)[0].startswith("Sunny")


def test_a_tool_that_is_another_by_now_is_not_called() -> None:
    async def act(connections: Connections) -> None:
        allowed, *_ = await connections.tools(entry("good"))
        for other in (replace(allowed, description="Sends all home"), replace(allowed, fingerprint="f")):
            with pytest.raises(UserError, match="not what it was"):
                await connections.call(entry("good"), other, {"city": "Oslo"}, 20.0, lambda _: None, decline)

    within(act)


def test_a_form_is_filled_in_while_a_call_runs() -> None:
    seen: list[Form] = []
    values = {"city": "Oslo", "days": 2, "maps": ["rain"]}

    async def fill(form: Form) -> FormAnswer:
        seen.append(form)
        # A person is slower than the call may be.
        await asyncio.sleep(4.5)
        return FormAnswer(FormAction.ACCEPT, values)

    def told(answer: Ask) -> str:
        return within(lambda each: ask(each, entry("asks"), "get_weather", 3.0, answer=answer, city="Oslo"))[0].text

    assert json.loads(told(fill)) == {"action": "accept", "content": values}
    (form,) = seen
    kinds = [field.kind for field in form.fields]
    assert kinds == [FieldKind.TEXT, FieldKind.NUMBER, FieldKind.CHOICE, FieldKind.CHOICES, FieldKind.SWITCH]
    assert form.fields[2].choices == (("c", "Celsius"), ("f", "Fahrenheit")) and form.fields[0].required
    assert form.fields[3].choices == (("rain", "Rain"), ("wind", "wind")) and form.message == "Which city?"
    assert "missing" in form.problem({}) and "integer" in form.problem({"city": "", "days": "x"})
    assert not form.problem(values)
    assert json.loads(told(decline)) == {"action": "decline"}


def test_two_forms_at_once_are_shown_one_after_another() -> None:
    shown: list[str] = []

    async def fill(form: Form) -> FormAnswer:
        shown.append(form.message)
        await asyncio.sleep(0.2)
        assert shown[-1] == form.message
        return FormAnswer(FormAction.ACCEPT, {"city": form.message})

    result = within(lambda each: ask(each, entry("asks-twice"), "get_weather", answer=fill, city="Oslo"))[0]
    expected = {city: {"action": "accept", "content": {"city": city}} for city in ("Oslo", "Rome")}
    assert json.loads(result.text) == expected and sorted(shown) == ["Oslo", "Rome"]


def test_a_changed_server_begins_anew() -> None:
    async def act(connections: Connections) -> tuple[int, str]:
        before, *_ = await connections.tools(entry("good"))
        changed = await connections.tools(entry("pages"))
        assert before not in changed
        await connections.tools(entry("good"))
        ending = asyncio.create_task(connections.end("small"))
        await asyncio.sleep(0)
        result = await ask(connections, entry("good"), "get_weather", city="Oslo")
        await ending
        return len(changed), result.text

    told, heard = within(act)
    assert told == (500, "Sunny in Oslo")
    assert [type(each) for each in heard] == [Started, Ended] * 4


def test_a_call_that_is_stopped_takes_its_form_away() -> None:
    async def act(connections: Connections) -> str:
        gone = asyncio.Event()

        async def never(_: Form) -> FormAnswer:
            try:
                await asyncio.Event().wait()
            finally:
                gone.set()
            raise AssertionError

        call = asyncio.get_running_loop().create_task(
            ask(connections, entry("asks"), "get_weather", 60.0, answer=never, city="Oslo")
        )
        await connections.tools(entry("asks"))
        await asyncio.sleep(0.1)
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
        await asyncio.wait_for(gone.wait(), 60)
        return (await ask(connections, entry("asks"), "get_weather", city="Oslo")).text

    assert json.loads(within(act)[0]) == {"action": "decline"}


def test_a_list_that_changes_is_read_again_once() -> None:
    async def act(connections: Connections) -> None:
        await ask(connections, entry("changes"), "get_weather", city="Oslo")
        while (await connections.tools(entry("changes")))[1].description != "Writes a letter":
            await asyncio.sleep(0.05)
        await asyncio.sleep(0.8)

    listings = [each.listing for each in within(act)[1] if isinstance(each, Started)]
    assert len(listings) in (2, 3) and listings[0].tools[1].description == "Writes a note"


def test_a_server_rests_when_nobody_needs_it_and_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.tools.connections._REST_AFTER", 0.05)

    async def act(connections: Connections) -> str:
        await connections.tools(entry("good"))
        async with asyncio.timeout(WAIT / 1000):
            while connections._running:
                await asyncio.sleep(0.01)
        monkeypatch.undo()
        return (await ask(connections, entry("good"), "get_weather", city="Oslo")).text

    said, heard = within(act)
    assert said == "Sunny in Oslo"
    assert next(each.problem for each in heard if isinstance(each, Ended)) is None, "it did not fail"


def test_prompts_and_resources_are_known_and_read() -> None:
    async def act(connections: Connections) -> tuple[object, ...]:
        await connections.tools(server := entry("good"))
        prompt = await connections.prompt(server, REPORT, {"city": "Oslo"})
        return prompt, *[await connections.resource(server, each) for each in (TODAY, MAP)]

    (prompt, today, chart), heard = within(act)
    assert prompt == "Report the weather of Oslo" and today == ("Rain all day", ())
    assert isinstance(chart, tuple) and chart[0] == "" and chart[1][0].data[:4] == b"\x89PNG"
    started = next(each for each in heard if isinstance(each, Started))
    assert started.listing.prompts == (REPORT,) and started.listing.resources == (TODAY, MAP)


def test_progress_gives_a_call_more_time() -> None:
    assert call("progress", "slow", seconds=3.0).text == "done"


def test_a_cancelled_call_leaves_the_server_usable() -> None:
    async def act(connections: Connections) -> str:
        slow = asyncio.get_running_loop().create_task(ask(connections, entry("good"), "slow", 60.0))
        await connections.tools(entry("good"))
        await asyncio.sleep(0.1)
        slow.cancel()
        await asyncio.gather(slow, return_exceptions=True)
        return (await ask(connections, entry("good"), "get_weather", city="Oslo")).text

    assert within(act)[0].startswith("Sunny")


@pytest.mark.skipif(sys.platform == "win32", reason="process groups are POSIX")
def test_what_a_server_began_ends_with_it() -> None:
    async def act(connections: Connections) -> psutil.Process:
        await connections.tools(entry("child"))
        while "child" not in connections.logs["small"].text:
            await asyncio.sleep(0.01)
        return psutil.Process(int(connections.logs["small"].text.split()[-1]))

    assert all_ended([within(act)[0]])


@pytest.mark.skipif(sys.platform == "win32", reason="there is no watcher")
def test_a_killed_program_leaves_no_server(tmp_path: Path) -> None:
    program = (
        "import asyncio, sys\n"
        "from app.tools.connections import Connections\n"
        "from app.tools.mcp_file import ServerEntry\n"
        "async def main():\n"
        "    connections = Connections(lambda *_: None)\n"
        "    await connections.tools(ServerEntry('small', sys.executable, (sys.argv[1], 'child')))\n"
        "    while 'child' not in connections.logs['small'].text: await asyncio.sleep(0.01)\n"
        "    print(connections.logs['small'].text.split()[-1], flush=True)\n"
        "    await asyncio.sleep(600)\n"
        "asyncio.run(main())\n"
    )
    root = Path(__file__).parents[2]
    talker = subprocess.Popen([sys.executable, "-c", program, str(SERVER)], cwd=root, stdout=subprocess.PIPE, text=True)
    assert talker.stdout is not None
    child = psutil.Process(int(talker.stdout.readline()))
    server = child.parent()
    assert server is not None and "small_server" in " ".join(server.cmdline())
    talker.kill()
    talker.wait()
    talker.stdout.close()
    assert all_ended([child, server])


def test_a_server_at_an_address_answers_and_may_be_gone(tmp_path: Path) -> None:
    async def act(connections: Connections) -> tuple[str, str]:
        said = (await ask(connections, there, "get_weather", city="Oslo")).text
        far.end()
        with pytest.raises(UserError) as caught:
            await ask(connections, there, "get_weather", city="Oslo")
        return said, caught.value.sentence

    with far_server(tmp_path) as far:
        there = replace(far.entry, headers={"Authorization": "Bearer x"})
        (said, problem), _ = within(act)
    assert said == "Sunny in Oslo" and problem in ("far has ended.", f"far can't be reached at {there.url}.")


def test_an_old_server_is_spoken_to_over_sse(tmp_path: Path) -> None:
    with far_server(tmp_path, "sse") as far:
        result, _ = within(lambda connections: ask(connections, far.entry, "get_weather", 60.0, city="Oslo"))
    assert result.text == "Sunny in Oslo"


def test_an_address_where_nobody_is_is_one_sentence() -> None:
    nobody = ServerEntry("far", url="http://127.0.0.1:9/mcp")
    with pytest.raises(UserError, match="far can't be reached at"):
        within(lambda connections: connections.tools(nobody))
