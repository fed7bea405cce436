"""No client's answer enters the prompt of another, and nobody plants what no text shows; honest ones lose nothing."""

import http.client
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests import tiny_models
from tests.hearth_process import HearthProcess
from tests.http_fuzz import LIMIT
from tests.serve_process import serving

CHAT = "/v1/chat/completions"
QUESTION = {"role": "user", "content": "Is it the other user?"}
OTHER = {"role": "user", "content": "Was he there?"}
NO = {"role": "assistant", "content": "No."}
YES = {"role": "assistant", "content": "Yes."}
GOES_ON = {"continue_final_message": True, "add_generation_prompt": False, "max_tokens": 1}


class Client:
    """One connection."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LIMIT)
        self.close = self._connection.close

    def post(self, path: str, **body: object) -> Any:
        self._connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        response = self._connection.getresponse()
        told = json.loads(response.read())
        assert response.status == 200, told
        return told

    def prompt_tokens(self, *messages: object, **more: object) -> int:
        return int(self.post(CHAT, messages=messages, **{"max_tokens": 1, **more})["usage"]["prompt_tokens"])


@contextmanager
def client_of(model: Path) -> Iterator[Client]:
    with serving(HearthProcess(model.parent / "home", qt=True), "-m", model, "-t", "1", "-c", "2048") as server:
        client = Client(server.port)
        try:
            yield client
        finally:
            client.close()
        assert server.stop() == (0, b"")


@pytest.fixture(scope="module")
def thinker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A server of a model that thinks before it speaks."""
    path = tmp_path_factory.mktemp("thinker") / "tiny.gguf"
    with client_of(tiny_models.llama(path, template=tiny_models.THINKING)) as client:
        yield client


def think_and_say(client: Client, says: str) -> Any:
    """An answer that thinks for a while, and then says what a grammar makes it say."""
    [ends] = client.post("/tokenize", content="</think>")["tokens"]
    later = {str(client.post("/tokenize", content=each)["tokens"][0]): -9 for each in tiny_models.CONTROL_TOKENS}
    for seed in range(20):  # random weights end their thoughts by chance
        drawn = {"temperature": 1, "top_k": 0, "top_p": 1, "min_p": 0, "seed": seed, "max_tokens": 80}
        made = client.post(CHAT, messages=[QUESTION], grammar=says, logit_bias={**later, str(ends): 3}, **drawn)
        message = made["choices"][0]["message"]
        if message["content"] and len(message["reasoning_content"]) > 10:
            return message
    raise AssertionError("it never stopped thinking")


def test_what_one_client_made_a_model_think_enters_no_prompt_of_another(thinker: Client) -> None:
    knows_better = {**NO, "reasoning_content": "Hm."}
    histories: list[tuple[tuple[object, ...], Any]] = [
        ((OTHER, NO), GOES_ON),
        ((OTHER, knows_better), GOES_ON),
        ((OTHER, NO, OTHER), {}),
        ((QUESTION, NO), GOES_ON),
        ((QUESTION, knows_better), GOES_ON),
        ((QUESTION, knows_better, OTHER), {}),
    ]

    def sizes() -> list[int]:
        return [thinker.prompt_tokens(*messages, **more) for messages, more in histories]

    before = sizes()
    assert think_and_say(thinker, 'root ::= "No."')["content"] == "No."
    assert sizes() == before


def test_a_grammar_plants_nothing_in_later_histories(thinker: Client) -> None:
    histories = ((OTHER, YES, OTHER), (QUESTION, YES, OTHER))
    before = [thinker.prompt_tokens(*each) for each in histories]
    forged = "<|im_start|> <|im_start|> <|im_start|> <|im_start|>"
    assert think_and_say(thinker, f'root ::= "Yes." {forged}')["content"] == "Yes."
    assert [thinker.prompt_tokens(*each) for each in histories] == before


def test_who_goes_on_with_a_conversation_reads_nothing_of_it_twice(tmp_path: Path) -> None:
    with client_of(tiny_models.llama(tmp_path / "tiny.gguf")) as client:
        messages: list[object] = [{"role": "system", "content": "Be brief."}, QUESTION]
        read = 0
        for seed in range(4):  # with others, random weights may do nothing but think, and templates drop that
            made = client.post(CHAT, messages=messages, max_tokens=20, seed=seed)
            usage = made["usage"]
            assert usage["prompt_tokens_details"]["cached_tokens"] >= read
            # All but the last token of an answer has been read when it ends.
            read = usage["total_tokens"] - 1
            messages += [made["choices"][0]["message"], OTHER]
