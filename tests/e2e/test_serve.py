"""`hearth serve` as a process of its own, spoken to as any other program would."""

import http.client
import json
import os
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
from tests.serve_process import Serving, serving
from tests.tiny_models import dream, llama

LIMIT = 60.0
QUESTION = "Where did the marmalade go? " * 4


def get(server: Serving, path: str) -> Any:
    return told(server, "GET", path, None)


def ask(server: Serving, **more: object) -> Any:
    return told(server, "POST", "/v1/chat/completions", _body(**more))


def told(server: Serving, method: str, path: str, body: str | None) -> Any:
    with server.asked(body, method, path, limit=LIMIT) as response:
        said = json.loads(response.read())
        assert response.status == 200, said
        return said


@contextmanager
def stream(server: Serving, **more: object) -> Iterator[http.client.HTTPResponse]:
    with server.asked(_body(stream=True, **more), limit=LIMIT) as response:
        assert response.status == 200
        yield response


def _body(**more: object) -> str:
    return json.dumps({"messages": [{"role": "user", "content": QUESTION}], **more})


def events(response: http.client.HTTPResponse) -> Iterator[Any]:
    """The payloads of a stream, as they come; the last one is "[DONE]", where it comes to its end."""
    for line in response:
        if line.strip():
            payload = line.decode().removeprefix("data: ").strip()
            yield payload if payload == "[DONE]" else json.loads(payload)


Serve = Callable[..., AbstractContextManager[Serving]]


@pytest.fixture(scope="module")
def endless(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_endless(tmp_path_factory.mktemp("endless") / "endless.gguf")


@pytest.fixture(scope="module")
def hearth(tmp_path_factory: pytest.TempPathFactory) -> HearthProcess:
    return HearthProcess(tmp_path_factory.mktemp("home"), qt=True)


@pytest.fixture(scope="module")
def serve(hearth: HearthProcess, endless: Path) -> Serve:
    return lambda *options: serving(hearth, "-m", endless, "-t", "1", *options)


@pytest.fixture(scope="module")
def server(serve: Serve) -> Iterator[Serving]:
    """One for all tests that do not end it."""
    with serve("-c", "4096", "-n", "9", "--temp", "0") as running:
        yield running


def test_it_answers_plainly_and_streamed_alike_and_reads_nothing_twice(server: Serving) -> None:
    first = ask(server, max_tokens=20)
    text = first["choices"][0]["message"]["content"]
    assert text
    assert first["usage"]["completion_tokens"] == 20
    with stream(server, max_tokens=20, stream_options={"include_usage": True}) as response:
        opening, *deltas, end, usage, done = events(response)
    assert opening["choices"][0]["delta"] == {"role": "assistant", "content": None}
    assert "".join(delta["choices"][0]["delta"]["content"] for delta in deltas) == text
    assert end["choices"][0]["finish_reason"] == "length"
    assert usage["usage"]["prompt_tokens_details"]["cached_tokens"] == usage["usage"]["prompt_tokens"] - 1 > 0
    assert usage["timings"]["prompt_n"] == 1
    assert done == "[DONE]"


def test_the_command_line_is_in_force_and_not_written_down(server: Serving, hearth: HearthProcess) -> None:
    [model] = get(server, "/v1/models")["data"]
    assert (server.model, model["id"], model["meta"]["n_ctx"]) == ("endless", "endless", 4096)
    assert ask(server)["usage"]["completion_tokens"] == 9
    assert not list(hearth.home.glob("settings*"))


def test_clients_that_leave_midway_hold_up_nobody(server: Serving) -> None:
    for _ in range(5):
        with stream(server, max_tokens=-1) as response:
            heard = events(response)
            assert next(heard)["choices"][0]["delta"]["role"] == "assistant"
            assert next(heard)["choices"][0]["delta"]["content"]
    assert ask(server, max_tokens=3)["usage"]["completion_tokens"] == 3


def test_nothing_of_what_was_said_is_logged(server: Serving, hearth: HearthProcess) -> None:
    text = ask(server, max_tokens=20)["choices"][0]["message"]["content"]
    assert "Reused" in hearth.log
    assert "marmalade" not in hearth.log
    assert text not in hearth.log


@pytest.mark.skipif(os.name != "posix", reason="POSIX signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_in_the_midst_of_an_answer(serve: Serve, number: signal.Signals) -> None:
    with serve() as server, stream(server) as response:
        heard = events(response)
        next(heard)
        server.process.send_signal(number)
        *_, last = heard
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


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("-m", "letter.gguf"), "letter.gguf is not a GGUF file"),
        (("-m", "night.gguf"), "night.gguf is a diffusion model"),
        (("--api-key", " "), "No program can send this API key."),
        (("--host", "0.0.0.0"), "Set a key with --api-key"),
    ],
)
def test_what_can_not_be_served_is_one_sentence(
    hearth: HearthProcess, endless: Path, tmp_path: Path, options: tuple[str, str], told: str
) -> None:
    (tmp_path / "letter.gguf").write_text("Dear model,")
    dream(tmp_path / "night.gguf")
    placed = [tmp_path / each if each.endswith(".gguf") else each for each in options]
    assert told in sentence(hearth.run("serve", "-m", endless, "--port", "0", *placed))


def test_pages_are_let_in_by_the_settings_alone(tmp_path: Path, endless: Path) -> None:
    hearth = HearthProcess(tmp_path, qt=True)
    (tmp_path / "settings.toml").write_text('[local_api]\nallowed_origin = "https://chat.example"\n')
    with serving(hearth, "-m", endless, "-t", "1", "-n", "3") as server:
        for origin, expected in (("https://chat.example", 200), ("https://evil.example", 403)):
            with server.asked(_body(), limit=LIMIT, Origin=origin) as response:
                assert response.status == expected
                assert response.headers.get("Access-Control-Allow-Origin") == (origin if expected == 200 else None)


def test_a_grammar_that_is_none_is_told_by_its_name(server: Serving) -> None:
    with server.asked(_body(grammar="(((("), limit=LIMIT) as response:
        assert (response.status, json.loads(response.read())["error"]["param"]) == (400, "grammar")


def test_what_is_wrong_with_a_projector_is_told_once(hearth: HearthProcess, endless: Path) -> None:
    with serving(hearth, "-m", endless, "-t", "1", "--mmproj", endless) as server:
        _, errors = server.stop()
    [line] = errors.decode().splitlines()
    assert "endless.gguf is a language model, not an encoder for pictures" in line


@pytest.mark.parametrize("keeps", [True, False])
def test_what_was_read_for_programs_outlasts_a_restart_where_it_may(
    hearth: HearthProcess, tmp_path: Path, keeps: bool
) -> None:
    model = llama(tmp_path / "model.gguf")
    options = ("-m", model, "-c", "1024", "--temp", "0", *(("--keep-on-disk", "64") if keeps else ()))
    asked = [{"role": "user", "content": QUESTION}]
    with serving(hearth, *options) as server:
        first = ask(server, messages=asked, max_tokens=8)
        assert server.stop()[0] == 0
    answer = {"role": "assistant", "content": first["choices"][0]["message"]["content"]}
    with serving(hearth, *options) as server:
        usage = ask(server, messages=[*asked, answer, *asked], max_tokens=8)["usage"]
        cached = usage["prompt_tokens_details"]["cached_tokens"]
        assert server.stop()[0] == 0
    assert (cached >= first["usage"]["prompt_tokens"] - 16) is keeps
    assert cached == 0 or keeps
