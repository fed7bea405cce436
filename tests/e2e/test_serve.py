"""`hearth serve` as a process of its own, spoken to as any other program would."""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.endless_model import make_endless
from tests.hearth_process import HearthProcess
from tests.tiny_models import dream

LIMIT = 15.0
"""Seconds; the endless model's whole answer takes longer."""
QUESTION = "Where did the marmalade go? " * 4


class Server:
    """A running `hearth serve`."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.process = process
        assert process.stdout is not None
        self.line = process.stdout.readline().decode()
        found = re.fullmatch(r"Listening on http://127\.0\.0\.1:(\d+)/v1 \(model endless\)\n", self.line)
        assert found, (self.line, process.stderr and process.stderr.read())
        self.port = int(found[1])

    def get(self, path: str) -> Any:
        return self._json("GET", path, None)

    def ask(self, **more: object) -> Any:
        return self._json("POST", "/v1/chat/completions", _body(**more))

    def _json(self, method: str, path: str, body: str | None) -> Any:
        with self._connection() as connection:
            connection.request(method, path, body, {"Content-Type": "application/json"})
            response = connection.getresponse()
            told = json.loads(response.read())
            assert response.status == 200, told
            return told

    @contextmanager
    def stream(self, **more: object) -> Iterator[http.client.HTTPResponse]:
        with self._connection() as connection:
            headers = {"Content-Type": "application/json"}
            connection.request("POST", "/v1/chat/completions", _body(stream=True, **more), headers)
            response = connection.getresponse()
            assert response.status == 200
            yield response

    @contextmanager
    def _connection(self) -> Iterator[http.client.HTTPConnection]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LIMIT)
        try:
            yield connection
        finally:
            connection.close()


def _body(**more: object) -> str:
    return json.dumps({"messages": [{"role": "user", "content": QUESTION}], **more})


def events(response: http.client.HTTPResponse) -> Iterator[Any]:
    """The payloads of a stream, as they come; the last one is "[DONE]", where it comes to its end."""
    for line in response:
        if line.strip():
            payload = line.decode().removeprefix("data: ").strip()
            yield payload if payload == "[DONE]" else json.loads(payload)


Serve = Callable[..., AbstractContextManager[Server]]


@pytest.fixture(scope="module")
def endless(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_endless(tmp_path_factory.mktemp("endless") / "endless.gguf")


@pytest.fixture(scope="module")
def hearth(tmp_path_factory: pytest.TempPathFactory) -> HearthProcess:
    return HearthProcess(tmp_path_factory.mktemp("home"), qt=True)


@pytest.fixture(scope="module")
def serve(hearth: HearthProcess, endless: Path) -> Serve:
    @contextmanager
    def serve(*options: str) -> Iterator[Server]:
        with hearth.start("serve", "-m", endless, "-t", "1", "--port", "0", *options) as process:
            try:
                yield Server(process)
            finally:
                process.kill()

    return serve


@pytest.fixture(scope="module")
def server(serve: Serve) -> Iterator[Server]:
    """One for all tests that do not end it."""
    with serve("-c", "4096", "-n", "9", "--temp", "0") as running:
        yield running


def test_it_answers_plainly_and_streamed_alike_and_reads_nothing_twice(server: Server) -> None:
    first = server.ask(max_tokens=20)
    text = first["choices"][0]["message"]["content"]
    assert text
    assert first["usage"]["completion_tokens"] == 20
    with server.stream(max_tokens=20, stream_options={"include_usage": True}) as response:
        opening, *deltas, end, usage, done = events(response)
    assert opening["choices"][0]["delta"] == {"role": "assistant", "content": ""}
    assert "".join(delta["choices"][0]["delta"]["content"] for delta in deltas) == text
    assert end["choices"][0]["finish_reason"] == "length"
    assert usage["usage"]["prompt_tokens_details"]["cached_tokens"] == usage["usage"]["prompt_tokens"] - 1 > 0
    assert usage["timings"]["prompt_n"] == 1
    assert done == "[DONE]"


def test_the_command_line_is_in_force_and_not_written_down(server: Server, hearth: HearthProcess) -> None:
    [model] = server.get("/v1/models")["data"]
    assert (model["id"], model["meta"]["n_ctx"]) == ("endless", 4096)
    assert server.ask()["usage"]["completion_tokens"] == 9
    assert not list(hearth.home.glob("settings*"))


def test_clients_that_leave_midway_hold_up_nobody(server: Server) -> None:
    for _ in range(5):
        with server.stream(max_tokens=-1) as response:
            told = events(response)
            assert next(told)["choices"][0]["delta"]["role"] == "assistant"
            assert next(told)["choices"][0]["delta"]["content"]
    assert server.ask(max_tokens=3)["usage"]["completion_tokens"] == 3


def test_nothing_of_what_was_said_is_logged(server: Server, hearth: HearthProcess) -> None:
    text = server.ask(max_tokens=20)["choices"][0]["message"]["content"]
    assert "Reused" in hearth.log
    assert "marmalade" not in hearth.log
    assert text not in hearth.log


@pytest.mark.skipif(os.name != "posix", reason="POSIX signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_in_the_midst_of_an_answer(serve: Serve, number: signal.Signals) -> None:
    with serve() as server, server.stream() as response:
        told = events(response)
        next(told)
        server.process.send_signal(number)
        *_, last = told
        assert last["error"]["message"] == "Hearth is being closed."
        _, errors = server.process.communicate(timeout=LIMIT)
        assert (server.process.returncode, errors) == (0, b"")


def sentence(done: "subprocess.CompletedProcess[bytes]") -> str:
    assert (done.returncode, done.stdout) == (1, b"")
    [line] = done.stderr.decode().splitlines()
    return line.removeprefix("hearth: ")


def test_a_port_in_use_is_one_sentence(hearth: HearthProcess, endless: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = hearth.run("serve", "-m", endless, "--port", port)
    assert sentence(done) == f"Port {port} is in use by another program. Choose another port, or 0 for any free one."


def test_a_model_that_cannot_be_loaded_is_one_sentence(hearth: HearthProcess, tmp_path: Path) -> None:
    (tmp_path / "letter.gguf").write_text("Dear model,")
    told = sentence(hearth.run("serve", "-m", tmp_path / "letter.gguf", "--port", "0"))
    assert "letter.gguf is not a GGUF file" in told


def test_a_diffusion_model_is_one_sentence(hearth: HearthProcess, tmp_path: Path) -> None:
    told = sentence(hearth.run("serve", "-m", dream(tmp_path / "night.gguf"), "--port", "0"))
    assert told.startswith("night.gguf is a diffusion model")


def test_a_key_that_no_program_can_send_is_one_sentence(hearth: HearthProcess, endless: Path) -> None:
    told = sentence(hearth.run("serve", "-m", endless, "--port", "0", "--api-key", " "))
    assert told.startswith("No program can send this API key.")


def test_pages_are_let_in_by_the_settings_alone(tmp_path: Path, endless: Path) -> None:
    hearth = HearthProcess(tmp_path, qt=True)
    (tmp_path / "settings.toml").write_text('[local_api]\nallowed_origin = "https://chat.example"\n')
    with hearth.start("serve", "-m", endless, "-t", "1", "--port", "0", "-n", "3") as process:
        try:
            server = Server(process)
            for origin, expected in (("https://chat.example", 200), ("https://evil.example", 403)):
                connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=LIMIT)
                headers = {"Content-Type": "application/json", "Origin": origin}
                connection.request("POST", "/v1/chat/completions", _body(), headers)
                response = connection.getresponse()
                assert response.status == expected
                assert response.headers.get("Access-Control-Allow-Origin") == (origin if expected == 200 else None)
                connection.close()
        finally:
            process.kill()


def test_a_grammar_that_is_none_is_told_by_its_name(server: Server) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=LIMIT)
    connection.request("POST", "/v1/chat/completions", _body(grammar="(((("), {"Content-Type": "application/json"})
    response = connection.getresponse()
    assert (response.status, json.loads(response.read())["error"]["param"]) == (400, "grammar")
    connection.close()


def test_other_computers_need_a_key(hearth: HearthProcess, endless: Path) -> None:
    told = sentence(hearth.run("serve", "-m", endless, "--port", "0", "--host", "0.0.0.0"))
    assert "Set a key with --api-key" in told


def test_what_is_wrong_with_a_projector_is_told_once(hearth: HearthProcess, endless: Path) -> None:
    with hearth.start("serve", "-m", endless, "-t", "1", "--mmproj", endless, "--port", "0") as process:
        Server(process)
        process.terminate()
        _, errors = process.communicate(timeout=LIMIT)
    [line] = errors.decode().splitlines()
    assert "endless.gguf is a language model, not an encoder for pictures" in line
