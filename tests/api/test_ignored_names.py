"""What had no effect is named in a header and in the log, and what comes back is an answer all the same."""

import logging

import pytest

from app.api.ignored_names import IGNORED_HEADER
from tests.api.test_server import CHAT, QUESTION, TEXT, FakeReplies, answer, events, served, told

REAL = {
    "store": True,
    "service_tier": "auto",
    "metadata": {"a": "b"},
    "safety_identifier": "me",
    "prompt_cache_key": "k",
    "cache_prompt": False,
    "min_keep": 1,
    "keep_alive": "5m",
    "top_a": 0,
}
"""What programs really send."""


@pytest.mark.parametrize("stream", [True, False])
async def test_an_answer_comes_and_says_what_was_ignored(stream: bool) -> None:
    async with served(FakeReplies(answer("It rains."), answer("It rains."))) as client:
        response = await client.post(CHAT, json={**QUESTION, **REAL, "stream": stream})
        assert response.status == 200
        assert response.headers[IGNORED_HEADER] == "store, keep_alive, top_a"
        body = events(await response.text())[0] if stream else await told(response)
        assert set(body) <= {"id", "object", "created", "model", "choices", "usage", "timings", "system_fingerprint"}
        plain = await client.post(CHAT, json={**QUESTION, "stream": stream})
        assert plain.status == 200
        assert IGNORED_HEADER not in plain.headers


async def test_every_path_says_it() -> None:
    async with served(FakeReplies(answer("b"))) as client:
        bodies: dict[str, dict[str, object]] = {
            TEXT: {"prompt": "a"},
            "/tokenize": {"content": "a"},
            "/detokenize": {"tokens": [1]},
        }
        for path, body in bodies.items():
            response = await client.post(path, json={**body, "whim": 1, "user": "me"})
            assert response.status == 200
            assert response.headers[IGNORED_HEADER] == "whim"


async def test_the_log_says_it_once_and_no_more_than_fits(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    many = {f"whim{number}": 1 for number in range(500)}
    async with served(FakeReplies(*[answer("It rains.")] * 4)) as client:
        headers = []
        for more in ({"whim": 1}, {"whim": 1, "fancy": 2}, many, {"whim500": "never told"}):
            response = await client.post(CHAT, json={**QUESTION, **more})
            assert response.status == 200
            headers.append(response.headers[IGNORED_HEADER])
        assert headers[:2] == ["whim", "whim, fancy"]
        assert len(headers[2]) < 4096
        assert headers[3] == "whim500"
    told = [each.getMessage().partition(": ")[2] for each in caplog.records if "ignored" in each.getMessage()]
    assert told[:2] == ["whim", "fancy"]
    assert len(told) == 3
    assert told[2].endswith(", whim31, ...")


async def test_pages_that_are_allowed_may_read_it() -> None:
    origin = {"Origin": "https://chat.example"}
    async with served(FakeReplies(answer("a")), origins=("https://chat.example",)) as client:
        response = await client.post(CHAT, json={**QUESTION, "whim": 1}, headers=origin)
        exposed = "Hearth-Ignored, Hearth-Model, Hearth-Stripped-Images, Hearth-Reread"
        assert response.headers["Access-Control-Expose-Headers"] == exposed
