"""`hearth ask --tools`, with the guide, which calls `get_weather` by itself."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from app.cli import terminal
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
