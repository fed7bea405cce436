"""Ollama's own Python client against a real `hearth serve` with the built-in guide."""

import base64
import json
from collections.abc import Iterator
from typing import Any

import ollama
import pytest
from ollama import Client

from app.core.resources import GUIDE_NAME as GUIDE
from tests.e2e.conftest import LIMIT, drawn
from tests.hearth_process import HearthProcess
from tests.serve_process import Serving, serving
from tests.tiny_vectors import bert

QUESTION: list[Any] = [{"role": "user", "content": "How do I attach a picture?"}]
WEATHER: list[Any] = [{"role": "user", "content": "What is the weather in Paris?"}]


def get_weather(city: str) -> str:
    """
    Tells the weather in a city.

    Args:
      city: The city
    """
    return json.dumps({"temperature": 21 if city == "Paris" else 0})


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    home = tmp_path_factory.mktemp("ollama")
    vectors = bert(home / "Mean.gguf", "mean")
    options = ("-t", "1", "--temp", "0", "-n", "200", "--embedding-model", vectors)
    with serving(HearthProcess(home / "home", qt=True), *options) as made:
        yield made
        assert made.stop() == (0, b"")


@pytest.fixture
def client(server: Serving) -> Iterator[Client]:
    with Client(host=f"http://127.0.0.1:{server.port}", timeout=LIMIT) as made:
        yield made


def test_an_answer_and_its_stream_are_one(client: Client) -> None:
    whole = client.chat(GUIDE, QUESTION)
    assert "picture" in (whole.message.content or "")
    assert (whole.done, whole.done_reason, whole.model) == (True, "stop", GUIDE)
    assert whole.prompt_eval_count
    assert whole.eval_count
    lines = list(client.chat(f"{GUIDE}:latest", QUESTION, stream=True))
    assert "".join(each.message.content or "" for each in lines) == whole.message.content
    assert [each.done for each in lines].count(True) == 1
    assert lines[-1].eval_count == whole.eval_count
    cut = client.chat(GUIDE, QUESTION, options={"num_predict": 3, "num_ctx": 512, "temperature": "0"})
    assert (cut.done_reason, cut.eval_count) == ("length", 3)


def test_a_text_goes_on(client: Client) -> None:
    asked = client.generate(GUIDE, QUESTION[0]["content"])
    assert "picture" in (asked.response or "")
    assert (
        "".join(each.response or "" for each in client.generate(GUIDE, QUESTION[0]["content"], stream=True))
        == asked.response
    )
    raw = client.generate(GUIDE, "How do I", raw=True, options={"num_predict": 4})
    assert raw.eval_count == 4
    assert client.generate(GUIDE, "").done_reason == "load"


def test_thoughts_are_told_apart(client: Client) -> None:
    thought = client.chat(GUIDE, QUESTION, think=True)
    assert thought.message.thinking
    assert thought.message.thinking not in (thought.message.content or "")
    lines = list(client.chat(GUIDE, QUESTION, think=True, stream=True))
    assert "".join(each.message.thinking or "" for each in lines) == thought.message.thinking
    assert not client.chat(GUIDE, QUESTION, think=False).message.thinking


def test_a_tool_is_called_answers_and_is_spoken_of(client: Client) -> None:
    asked = client.chat(GUIDE, WEATHER, tools=[get_weather])
    [call] = asked.message.tool_calls or []
    assert (call.function.name, dict(call.function.arguments)) == ("get_weather", {"city": "Paris"})
    [told] = [each for each in client.chat(GUIDE, WEATHER, tools=[get_weather], stream=True) if each.message.tool_calls]
    assert (told.message.tool_calls or [])[0].function == call.function
    result = {"role": "tool", "tool_name": "get_weather", "content": get_weather("Paris")}
    spoken = client.chat(GUIDE, [*WEATHER, asked.message, result], tools=[get_weather])
    assert "21" in (spoken.message.content or "")


def test_a_picture_and_a_schema(client: Client) -> None:
    picture = base64.b64encode(drawn("circle", "red")).decode()
    seen = client.chat(GUIDE, [{"role": "user", "content": "What colour is the shape?", "images": [picture]}])
    assert "red" in (seen.message.content or "").lower()
    schema = {"type": "object", "properties": {"colour": {"enum": ["red", "blue"]}}, "required": ["colour"]}
    told = client.chat(GUIDE, QUESTION, format=schema)
    assert json.loads(told.message.content or "")["colour"] in ("red", "blue")
    assert (client.generate(GUIDE, "A JSON object.", format="json").response or "").startswith("{")


def test_models_are_told(client: Client, server: Serving) -> None:
    assert [each.model for each in client.list().models] == [GUIDE, "Mean"]
    assert [each.model for each in client.ps().models] == [GUIDE]
    shown = client.show(GUIDE)
    assert set(shown.capabilities or []) >= {"completion", "tools", "vision"}
    assert (shown.modelinfo or {})["general.architecture"] == "llama"
    assert client.show("Mean").capabilities == ["embedding"]
    with pytest.raises(ollama.ResponseError, match="'gpt' not found") as caught:
        client.show("gpt")
    assert caught.value.status_code == 404
    for path, told in (("/", "Hearth is running"), ("/api/version", '{"version": "')):
        with server.asked(None, "GET", path) as response:
            assert response.read().decode().startswith(told)


def test_vectors(client: Client) -> None:
    made = client.embed("Mean", ["paris is a city", "x " * 1100])
    assert [len(each) for each in made.embeddings] == [64, 64]
    assert made.prompt_eval_count == 6 + 1024
    assert client.embeddings("Mean", "paris is a city").embedding == made.embeddings[0]
    with pytest.raises(ollama.ResponseError, match="Text 0 has 1,102 tokens"):
        client.embed("Mean", "x " * 1100, truncate=False)
    with pytest.raises(ollama.ResponseError, match="temperature must be a number from 0"):
        client.chat(GUIDE, QUESTION, options={"temperature": -1})


def test_memory_is_freed_when_it_is_asked_for(client: Client) -> None:
    assert client.generate(GUIDE, "", keep_alive=0).done_reason == "unload"
    assert not client.ps().models
    assert client.chat(GUIDE, QUESTION).message.content
