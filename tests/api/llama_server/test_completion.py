"""llama-server's own `/completion`, and how far a prompt has been read."""

import json
from dataclasses import replace
from typing import Any

import pytest

from app.core.capabilities import Capabilities
from app.core.errors import ContextFullError
from app.core.events import Finished, FinishReason, LikelyToken, PromptProgress, ReplyEvent, TextDelta, TokenLogprob
from app.core.messages import Generation
from tests.api.test_server import CHAT, MODEL, QUESTION, TEXT, FakeReplies, answer, error, events, served, told

OWN = "/completion"


def likely(token: int, logprob: float = -0.5) -> LikelyToken:
    return LikelyToken(token, bytes([token]), logprob)


def drawn(*texts: str, **more: Any) -> list[ReplyEvent]:
    """An answer whose tokens are told: one for each text, with the number of its first letter."""
    *_, last = answer(*texts)
    assert isinstance(last, Finished)
    chosen = [TokenLogprob(likely(ord(text[0])), (likely(65), likely(66, -2.0))) for text in texts]
    deltas = [TextDelta(text, index + 1, logprobs=(chosen[index],)) for index, text in enumerate(texts)]
    tokens = tuple(each.chosen.token for each in chosen)
    finished = replace(last, generation=Generation("v", tokens), logprobs=tuple(chosen), **more)
    return [PromptProgress(42, 30, 0, 0.0), PromptProgress(42, 30, 12, 0.1), *deltas, finished]


async def test_a_whole_answer() -> None:
    replies = FakeReplies(drawn("It ", "rains.\n", stop="X"), drawn("a", reason=FinishReason.CONTEXT_FULL))
    async with served(replies) as client:
        body = {"prompt": "Why?", "n_predict": 5, "return_tokens": True, "n_probs": 2, "stop": ["X"]}
        first = await told(await client.post(OWN, json=body))
        second = await told(await client.post(OWN, json={"prompt": [87, 104]}))
    assert (first["content"], first["tokens"], first["prompt"]) == ("It rains.\n", [73, 114], "Why?")
    assert (first["stop"], first["stop_type"], first["stopping_word"]) == (True, "word", "X")
    assert (first["tokens_evaluated"], first["tokens_predicted"], first["tokens_cached"]) == (42, 2, 46)
    assert (first["has_new_line"], first["truncated"]) == (True, False)
    settings = first["generation_settings"]
    assert (settings["n_predict"], settings["seed"], settings["n_probs"], settings["stop"]) == (5, 7, 2, ["X"])
    likeliest = first["completion_probabilities"][0]
    assert (likeliest["id"], likeliest["token"], likeliest["bytes"], likeliest["logprob"]) == (73, "I", [73], -0.5)
    assert [each["id"] for each in likeliest["top_logprobs"]] == [65, 66]
    assert (second["tokens"], second["prompt"], second["stop_type"], second["truncated"]) == ([], "Wh", "limit", True)
    assert "completion_probabilities" not in second
    assert [each.prompt for each in replies.asked] == ["Why?", (87, 104)]
    assert [each.top_logprobs for each in replies.asked] == [2, None]


async def test_only_what_is_wanted_of_it() -> None:
    wanted = ["content", "generation_settings/n_predict", "timings/prompt_n", "nothing/there"]
    async with served(FakeReplies(drawn("a"))) as client:
        body = await told(await client.post(OWN, json={"prompt": "b", "n_predict": 9, "response_fields": wanted}))
    assert body == {"content": "a", "generation_settings/n_predict": 9, "timings/prompt_n": 12}


async def test_a_stream_tells_each_tokens_probabilities_by_itself() -> None:
    *_, last = drawn("It ", "rains.")
    assert isinstance(last, Finished)
    both = TextDelta("It rains.", 2, logprobs=last.logprobs)
    async with served(FakeReplies([PromptProgress(42, 30, 12, 0.1), both, last])) as client:
        asked = {"prompt": "Why?", "stream": True, "n_probs": 2, "logit_bias": [[3, 1.5], [4, False]]}
        *chunks, end = events(await (await client.post(OWN, json=asked)).text())
    assert [(each["content"], each["tokens"]) for each in chunks] == [("", [73]), ("It rains.", [114])]
    assert [len(each["completion_probabilities"]) for each in chunks] == [1, 1]
    assert end["generation_settings"]["logit_bias"] == [{"token": 3, "bias": 1.5}, {"token": 4, "bias": None}]


async def test_a_stream_tells_its_tokens_and_how_far_it_has_read() -> None:
    replies = FakeReplies(drawn("It ", "rains."))
    async with served(replies) as client:
        asked = {"prompt": "Why?", "stream": True, "return_progress": True}
        *chunks, last = events(await (await client.post(OWN, json=asked)).text())
    assert [each["prompt_progress"]["processed"] for each in chunks[:2]] == [30, 42]
    assert [each["timings"]["prompt_n"] for each in chunks[:2]] == [0, 12]
    assert [(each["content"], each["tokens"]) for each in chunks[2:]] == [("It ", [73]), ("rains.", [114])]
    assert all(each["stop"] is False and "completion_probabilities" not in each for each in chunks)
    assert (last["stop"], last["content"], last["tokens_predicted"]) == (True, "", 2)


@pytest.mark.parametrize(
    ("prompt", "read"),
    [
        ({"prompt_string": "ab"}, ["ab"]),
        (["ab", [97, 98]], ["ab", (97, 98)]),
        ([1, "ab", 2.0, "c"], [(1, 97, 98, 2, 99)]),
        ([[1, "a"], {"prompt_string": "b"}], [(1, 97), "b"]),
    ],
)
async def test_forms_of_a_prompt(prompt: object, read: list[object]) -> None:
    replies = FakeReplies(*[drawn("x")] * len(read))
    async with served(replies) as client:
        body = await told(await client.post(OWN, json={"prompt": prompt}))
    assert [each.prompt for each in replies.asked] == read
    assert [each["index"] for each in (body if isinstance(body, list) else [body])] == list(range(len(read)))


async def test_prompts_that_are_none() -> None:
    async with served(FakeReplies()) as client:
        shown = {"prompt_string": "a", "multimodal_data": ["iVBO"]}
        for prompt in (shown, [1, "a", 999], [1, "a", None], {"other": "a"}, [1, "\ud800"], None):
            assert (await error(await client.post(OWN, json={"prompt": prompt}), 400))["param"] == "prompt"
        assert (await error(await client.post(OWN, json={"prompt": "a", "return_tokens": 1}), 400))[
            "param"
        ] == "return_tokens"


@pytest.mark.parametrize(
    ("path", "body"), [(CHAT, QUESTION), (TEXT, {"prompt": "a"}), ("/v1/responses", {"input": "a"})]
)
async def test_every_stream_may_tell_how_far_it_has_read(path: str, body: dict[str, Any]) -> None:
    async with served(FakeReplies(drawn("a"), drawn("a"))) as client:
        asked = {**body, "stream": True}
        streamed = await (await client.post(path, json={**asked, "return_progress": True})).text()
        plain = await (await client.post(path, json=asked)).text()
    chunks = [json.loads(line[6:]) for line in streamed.splitlines() if line.startswith("data: {")]
    found = [each["prompt_progress"] for each in chunks if "prompt_progress" in each]
    assert found == [
        {"total": 42, "cache": 30, "processed": 30, "time_ms": 0.0},
        {"total": 42, "cache": 30, "processed": 42, "time_ms": 100.0},
    ]
    assert "prompt_progress" not in plain


async def test_the_path_without_v1_is_openais_for_who_names_a_model() -> None:
    bodies: list[dict[str, Any]] = [
        {"prompt": "a"},
        {"prompt": "a", "model": "m", "n_predict": 3},
        {"prompt": "a", "model": "m", "max_tokens": 3},
    ]
    async with served(FakeReplies(*[answer("b")] * 5)) as client:
        found = [await told(await client.post("/completions", json=each)) for each in bodies]
        for path in ("/v1/completions", "/v1//completions"):
            found.append(await told(await client.post(path, json=bodies[0])))
    assert ["content" in each for each in found] == [True, True, False, False, False]
    assert [each.get("object") for each in found[2:]] == ["text_completion"] * 3


async def test_tokens_that_would_end_an_answer_are_told_where_they_may_not() -> None:
    model = replace(MODEL, ends=(2, 5))
    body = {"prompt": "a", "logit_bias": [[7, 1.0]]}
    async with served(FakeReplies(answer("b"), answer("b"), model=model)) as client:
        free, bound = [
            (await told(await client.post(OWN, json={**body, "ignore_eos": ignored})))["generation_settings"]
            for ignored in (False, True)
        ]
    assert free["logit_bias"] == [{"token": 7, "bias": 1.0}]
    assert bound["logit_bias"] == [{"token": 2, "bias": None}, {"token": 5, "bias": None}, *free["logit_bias"]]


async def test_what_is_too_long_is_told_with_its_figures() -> None:
    async with served(FakeReplies([ContextFullError("Too long a prompt.", n_tokens=50, n_ctx=40)])) as client:
        refused = (await told(await client.post(CHAT, json=QUESTION), 400))["error"]
    assert (refused["type"], refused["code"]) == ("exceed_context_size_error", "context_length_exceeded")
    assert "exceeds the available context size" in refused["message"]
    assert (refused["n_prompt_tokens"], refused["n_ctx"]) == (50, 40)


async def test_the_tokens_of_a_conversation_are_counted() -> None:
    async with served(FakeReplies()) as client:
        for path in ("/v1/chat/completions/input_tokens", "/chat/completions/input_tokens"):
            assert (await told(await client.post(path, json=QUESTION)))["input_tokens"] == 5


async def test_a_gap_is_filled_by_models_that_can() -> None:
    fills = replace(MODEL, n_ctx=8192, capabilities=Capabilities(fills=True))
    replies = FakeReplies(drawn("a", "b"), drawn("c"), model=fills)
    body = {"input_prefix": "x", "input_suffix": "y", "input_extra": [{"text": "z"}], "prompt": "w", "n_predict": 3}
    async with served(replies) as client:
        assert (await told(await client.post("/infill", json=body)))["content"] == "ab"
        [asked] = replies.asked
        assert asked.prompt == tuple(b"z|xw|y"), "as the stand-in lays it out"
        assert asked.sampling.max_tokens == 3
        stream = events(await (await client.post("/infill", json={**body, "stream": True})).text())
        assert stream[-1]["stop"] is True
        refused = await error(await client.post("/infill", json={"input_prefix": "x"}), 400)
        assert refused["param"] == "input_suffix"
    async with served(FakeReplies()) as client:
        refused = await error(await client.post("/infill", json=body), 501)
        assert refused["type"] == "not_supported_error"


async def test_other_files_are_cut_the_same_whatever_an_editor_wants_to_be_written() -> None:
    loading = replace(MODEL.loading, batch_size=256)
    fills = replace(MODEL, n_ctx=1000, loading=loading, capabilities=replace(MODEL.capabilities, fills=True))
    replies = FakeReplies(drawn("a"), drawn("b"), drawn("c"), model=fills)
    body = {"input_prefix": "x", "input_suffix": "y", "input_extra": [{"text": "z" * 5000}]}
    async with served(replies) as client:
        for limit in (0, 200, 600):
            await told(await client.post("/infill", json={**body, "n_predict": limit}))
    warm, cold, long = (each.prompt for each in replies.asked)
    assert warm == cold == tuple(b"z" * 746 + b"|x|y"), "1000 - 256 + 2, as llama-server reckons"
    assert long == tuple(b"z" * 396 + b"|x|y"), "the answer has to fit, too"


@pytest.mark.parametrize("depth", [2, 900])
async def test_lists_in_lists_are_no_prompt(depth: int) -> None:
    nested = "[" * depth + '"a"' + "]" * depth
    async with served(FakeReplies()) as client:
        sent = await client.post(OWN, data=f'{{"prompt": {nested}}}', headers={"Content-Type": "application/json"})
        assert (await error(sent, 400))["param"].startswith("prompt")
