"""Models of servers on the command line: listed and asked, with a key that stands on no command line."""

import json
from collections.abc import Iterator

import pytest

from tests.hearth_process import HearthProcess
from tests.remote.scripted_server import ScriptedServer, ends, events, says, scripted_server, sending, whole

RAIN = {"id": "Rain-8B", "owned_by": "vllm", "max_model_len": 4096}


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with scripted_server() as made:
        made.routes = {"/v1/models": whole({"data": [RAIN]}), "/version": whole({"version": "0.33"})}
        yield made


def test_a_servers_models_are_listed_and_one_answers(hearth: HearthProcess, server: ScriptedServer) -> None:
    key = {"HEARTH_SERVER_KEY": "sk-secret"}
    listed = hearth.run("models", "--server", server.address.base, "--json", environ=key)
    assert (listed.returncode, listed.stderr) == (0, b"")
    told = json.loads(listed.stdout)
    assert (told["kind"], [each["id"] for each in told["models"]]) == ("vllm", ["Rain-8B"])
    assert told["models"][0]["context"] == 4096 and told["models"][0]["abilities"]["tools"] == "not_told"
    server.scripts.append(sending(events(says("It "), says("rains."), ends(), "[DONE]")))
    done = hearth.run("ask", "How is the weather?", "--server", server.address.base, "-n", "20", environ=key)
    assert (done.returncode, done.stdout.decode(), done.stderr) == (0, "It rains.\n", b"")
    asked = server.asked[-1]
    assert asked.headers["authorization"] == "Bearer sk-secret"
    assert (asked.json["model"], asked.json["max_tokens"]) == ("Rain-8B", 20)


def test_what_can_not_be_had_is_one_sentence(hearth: HearthProcess, server: ScriptedServer) -> None:
    server.routes["/v1/models"] = whole({"data": [RAIN, {"id": "Snow-8B", "owned_by": "vllm"}]})
    server.scripts.append(sending(events(says("It rains"))))
    address = server.address.base
    several = hearth.run("ask", "x", "--server", address)
    assert several.returncode == 1 and b"Name one with --server-model: Rain-8B, Snow-8B" in several.stderr
    broken = hearth.run("ask", "x", "--server", address, "--server-model", "Snow-8B")
    assert broken.returncode == 1 and broken.stdout == b"It rains\n"
    assert b"ended the connection in the middle" in broken.stderr and server.asked[-1].json["model"] == "Snow-8B"
    both = hearth.run("ask", "x", "--server", address, "-m", "a.gguf")
    assert both.returncode == 1 and b"for models here" in both.stderr
