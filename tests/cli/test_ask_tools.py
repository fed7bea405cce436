"""`hearth ask --tools`, with the guide, which calls `get_weather` by itself."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from app.cli import terminal
from app.cli.tools import AskedTools, Loop, Offer
from app.core.events import Finished, FinishReason, Timings
from app.core.messages import Generation, ToolCall
from app.core.settings import ToolSettings
from app.tools.built_in.source import Here
from app.tools.examined import Examined
from app.tools.mcp_file import ServerEntry
from app.tools.permissions import Permissions
from app.tools.tool import Tool, ToolResult
from tests.hearth_process import REPOSITORY, HearthProcess

SERVER = Path(__file__).parents[1] / "tools" / "small_server.py"
WEATHER = ("ask", "-t", "1", "--temp", "0", "--json", "What is the weather in Paris?")


@pytest.fixture
def home(tmp_path: Path) -> HearthProcess:
    """With a server of tools."""
    hearth = HearthProcess(tmp_path)
    entry = {"command": sys.executable, "args": [str(SERVER), "good"]}
    (hearth.home / "mcp.json").write_text(json.dumps({"mcpServers": {"weather": entry}}))
    return hearth


def calls(done: "subprocess.CompletedProcess[bytes]") -> list[dict[str, Any]]:
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["calls"]
    assert isinstance(found, list)
    return found


def test_without_a_terminal_nothing_is_allowed(home: HearthProcess) -> None:
    done = home.run(*WEATHER, "--tools")
    (call,) = calls(done)
    assert (call["name"], call["arguments"]) == ("get_weather", '{"city": "Paris"}')
    assert call["allowed"] is False and call["result"] == "The user did not allow this call."
    assert b'hearth: The model calls get_weather {"city": "Paris"}' in done.stderr
    assert b"--allow get_weather" in done.stderr


def test_what_is_allowed_beforehand_runs(home: HearthProcess) -> None:
    (call,) = calls(home.run(*WEATHER, "--tools", "weather,clock", "--allow", "weather"))
    assert call["allowed"] is True and call["result"].startswith("Sunny in Paris")


def test_what_a_model_writes_moves_no_cursor() -> None:
    hostile = "write_file\x1b[2K\x1b[1A\r\u202eAllow nothing? \x9b0m\x07\b"
    told = terminal.harmless(hostile)
    assert all(each.isprintable() for each in told) and told.startswith("write_file") and "Allow nothing?" in told
    assert terminal.harmless("a\n\tb – ü") == "a\n\tb – ü"


def test_a_name_that_nothing_has_is_one_sentence(home: HearthProcess) -> None:
    done = home.run(*WEATHER, "--tools", "whether")
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"There are no tools called whether. There are: chats, clock, documents" in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX terminals")
def test_a_person_at_the_terminal_is_asked(home: HearthProcess) -> None:
    ours, theirs = os.openpty()
    try:
        with subprocess.Popen(
            home.command(*WEATHER, "--tools", "weather"),
            stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=REPOSITORY, env=home.environment(),
        ) as process:  # fmt: skip
            os.write(ours, b"y\n")
            output, errors = process.communicate(timeout=60)
    finally:
        os.close(ours)
        os.close(theirs)
    (call,) = json.loads(output)["calls"]
    assert b"Allow get_weather of weather? [y]es, [a]lways for this question, [N]o: " in errors
    assert call["allowed"] is True


class _Nowhere(Loop):
    def __init__(self) -> None: ...

    def call(self, meant: Examined, here: Here, seconds: float) -> ToolResult:
        return ToolResult("done")


@pytest.mark.parametrize(("names", "allowed"), [("write", False), ("notes_write", True), ("notes", True)])
def test_allowed_is_what_the_name_means_to_the_model(names: str, allowed: bool) -> None:
    """Of two servers that have a `write`, the second."""
    tools = (Tool("first", "g", "write"), Tool("notes", "f", "write"))
    servers = {each.server: (ServerEntry(each.server, "x"), (each,)) for each in tools}
    rules = Permissions((), lambda *_: None)
    asked = AskedTools(Offer((), servers), _Nowhere(), rules, ToolSettings(), frozenset({names}), lambda _: "")
    call = ToolCall("1", "notes_write", "{}")
    timings = Timings(0, 0, 1.0, 1, 1.0)
    finished = Finished(FinishReason.TOOL_CALLS, "", Generation("v", ()), timings, 1, 9, tool_calls=(call,))
    asked.go_on(finished, (), 4096)
    assert asked.told[0]["allowed"] is allowed
