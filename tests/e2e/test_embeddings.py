"""Vectors and ranks by a real `hearth serve`, with OpenAI's own client."""

import json
import math
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import openai
import pytest
from openai import OpenAI

from app.core.resources import GUIDE_NAME as GUIDE
from tests.e2e.conftest import LIMIT
from tests.hearth_process import HearthProcess
from tests.serve_process import Serving, serving
from tests.tiny_models import llama
from tests.tiny_vectors import bert, decoder
from tests.waits import WAIT

TEXTS = ["paris is a city", "the model", ""]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    home = tmp_path_factory.mktemp("vectors")
    files: list[str | Path] = [
        *("--embedding-model", bert(home / "Mean.gguf", "mean")),
        *("--embedding-model", decoder(home / "Own.gguf", "none")),
        *("--reranking-model", bert(home / "Rank.gguf", "rank")),
    ]
    with serving(HearthProcess(home / "home", qt=True), "-t", "1", *files) as made:
        yield made
        assert made.stop() == (0, b"")


@pytest.fixture
def client(server: Serving) -> Iterator[OpenAI]:
    with OpenAI(base_url=server.address, api_key="any", timeout=LIMIT, max_retries=0) as made:
        yield made


def asked(server: Serving, path: str, **body: Any) -> tuple[int, Any]:
    with server.asked(json.dumps(body), path=path) as response:
        return response.status, json.load(response)


def test_the_client_gets_what_it_asks_for(client: OpenAI) -> None:
    packed = client.embeddings.create(model="Mean", input=TEXTS)
    plain = client.embeddings.create(model="text-embedding-3-small", input=TEXTS, encoding_format="float")
    assert plain.model == "Mean"
    assert [each.embedding for each in packed.data] == [
        np.array(each.embedding, np.float32).tolist() for each in plain.data
    ]
    assert packed.usage.prompt_tokens == packed.usage.total_tokens == 12
    assert [math.fsum(number**2 for number in each.embedding) for each in plain.data] == pytest.approx([1.0] * 3)
    short = client.embeddings.create(model="Mean", input=[[2, 42, 3]], dimensions=8).data[0].embedding
    whole = np.array(client.embeddings.create(model="Mean", input=[[2, 42, 3]]).data[0].embedding[:8])
    np.testing.assert_allclose(short, whole / np.linalg.norm(whole), atol=1e-6)


def test_every_model_is_listed_with_what_it_is_for(client: OpenAI) -> None:
    tasks = [(each.id, getattr(each, "task", "")) for each in client.models.list()]
    assert tasks == [(GUIDE, "chat"), ("Mean", "embedding"), ("Own", "embedding"), ("Rank", "reranking")]
    assert client.models.retrieve("rank.gguf").id == "Rank"


def test_what_cant_be_is_told(client: OpenAI, server: Serving) -> None:
    with pytest.raises(openai.BadRequestError, match="Text 1 has 1,102 tokens") as caught:
        client.embeddings.create(model="Mean", input=["a", "x " * 1100])
    assert (caught.value.code, caught.value.param) == ("context_length_exceeded", "input")
    cut = client.embeddings.create(model="Mean", input=["x " * 1100], extra_body={"truncate": True})
    assert cut.usage.prompt_tokens == 1024
    for body, told in (
        ({"model": "Rank", "input": "a"}, "Rank ranks documents (/v1/rerank), and makes no vectors"),
        ({"model": "Own", "input": "a"}, "This model makes a vector for each token"),
        ({"input": []}, "input must be a text, a list of texts"),
        ({"input": "a", "dimensions": 65}, "dimensions must be up to 64"),
        ({"input": [True]}, "input must hold numbers of tokens"),
        ({"input": "a", "encoding_format": "int8"}, "encoding_format must be one of base64, float"),
    ):
        status, error = asked(server, "/v1/embeddings", **body)
        assert (status, error["error"]["message"][: len(told)]) == (400, told)
    for body, told in (
        ({"model": "Own", "input": "a"}, "This model makes a vector for each token"),
        ({"model": "Mean", "input": "a", "dimensions": 65}, "dimensions must be up to 64"),
    ):
        status, error = asked(server, "/api/embed", **body)
        assert (status, error["error"][: len(told)]) == (400, told)


def test_llama_servers_own_form(server: Serving) -> None:
    status, told = asked(server, "/embeddings", model="Own", content="hello")
    assert status == 200
    assert np.array(told[0]["embedding"]).shape == (5, 64)
    _, [pooled] = asked(server, "/embedding", input="hello", embd_normalize=0)
    assert np.abs(pooled["embedding"]).max() == 32760


def test_documents_are_ranked(server: Serving) -> None:
    documents = ["the model", {"text": "paris is a city"}, "x"]
    status, told = asked(server, "/v1/rerank", query="which city?", documents=documents, return_documents=True)
    assert (status, told["model"]) == (200, "Rank")
    scores = [each["relevance_score"] for each in told["results"]]
    assert scores == sorted(scores, reverse=True)
    assert {each["index"]: each["document"]["text"] for each in told["results"]}[1] == "paris is a city"
    _, best = asked(server, "/rerank", query="which city?", documents=documents, top_n=1)
    assert [each["index"] for each in best["results"]] == [told["results"][0]["index"]]
    _, teis = asked(server, "/reranking", query="which city?", texts=["the model", "x"], return_text=True)
    assert {each["text"] for each in teis} == {"the model", "x"}
    assert teis[0]["score"] >= teis[1]["score"]


def test_a_server_of_vectors_alone_doesnt_chat(tmp_path: Path) -> None:
    options = ("-m", decoder(tmp_path / "Last.gguf", "last"), "--embeddings", "-t", "1")
    with serving(HearthProcess(tmp_path / "home", qt=True), *options) as server:
        assert asked(server, "/v1/embeddings", input="a")[0] == 200
        with server.asked(None, "GET", "/metrics") as response:
            found = dict(line.rsplit(" ", 1) for line in response.read().decode().splitlines() if line[0] != "#")
        assert float(found["llamacpp:prompt_tokens_total"]) > 0
        assert (found["llamacpp:n_decode_total"], found["llamacpp:tokens_predicted_total"]) == ("1", "0")
        status, error = asked(server, "/v1/chat/completions", messages=[{"role": "user", "content": "a"}])
        assert (status, error["error"]["code"]) == (503, "model_not_loaded")
        status, error = asked(server, "/v1/rerank", query="a", documents=["b"])
        assert (status, error["error"]["type"]) == (501, "not_supported_error")
        with server.asked(None, "GET", "/health") as response:
            assert response.status == 200
        assert server.stop()[0] == 0


def test_a_model_of_this_computer_is_loaded_when_it_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "home" / "models"
    folder.mkdir(parents=True)
    (tmp_path / "home" / "settings.toml").write_text(f'[library]\nfolders = ["{folder.as_posix()}"]\n')
    llama(folder / "Talks.gguf")
    bert(folder / "Mean.gguf", "mean")
    question = [{"role": "user", "content": "hi"}]
    options = ("-t", "1", "-n", "3", "--temp", "0", "--load-models", "always")
    with serving(HearthProcess(tmp_path / "home", qt=True), *options) as server:
        with OpenAI(base_url=server.address, api_key="any", timeout=LIMIT, max_retries=0) as client:
            ends = time.monotonic() + WAIT / 1000
            while len(client.models.list().data) < 3:  # until it has looked
                assert time.monotonic() < ends
                time.sleep(0.05)
            for name in ("Talks", GUIDE, "talks:latest", "gpt-4o"):
                answer = client.chat.completions.create(model=name, messages=question)  # type: ignore[arg-type]
                assert answer.model == (GUIDE if name == GUIDE else "Talks")
            assert client.embeddings.create(model="Mean", input="a").model == "Mean"
        assert server.stop()[0] == 0
