"""What llama-server tells of itself."""

import asyncio
import re
from typing import Any

from app.core.events import Finished, PromptProgress, TextDelta
from tests.api.test_server import CHAT, QUESTION, Client, FakeReplies, Hang, answer, error, served, told


async def metrics(client: Client) -> dict[str, float]:
    response = await client.get("/metrics")
    assert response.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    text = await response.text()
    found = dict(re.findall(r"^llamacpp:(\w+) (\S+)$", text, re.MULTILINE))
    assert len(re.findall(r"^# TYPE llamacpp:\w+ (?:counter|gauge)$", text, re.MULTILINE)) == len(found)
    return {name: float(value) for name, value in found.items()}


async def test_what_answers_cost_is_added_up() -> None:
    async with served(FakeReplies(answer("a", "b"), answer("c", "d", "e"))) as client:
        assert set((await metrics(client)).values()) == {0.0}
        for stream in (True, False):
            response = await client.post(CHAT, json={**QUESTION, "stream": stream})
            await response.read()
        seen = await metrics(client)
        assert seen["prompt_tokens_total"] == 24
        assert seen["prompt_tokens_cached_total"] == 60
        assert seen["tokens_predicted_total"] == 5
        assert seen["n_tokens_max"] == 46
        assert (seen["requests_processing"], seen["requests_deferred"]) == (0, 0)


async def test_memory_for_conversations_that_were_left_is_told() -> None:
    replies = FakeReplies()
    async with served(replies) as client:
        replies.kept_bytes = 4096
        assert (await metrics(client))["conversations_kept_bytes"] == 4096


async def test_what_is_being_answered_is_told_in_figures() -> None:
    replies = FakeReplies([PromptProgress(42, 30, 12, 0.1), TextDelta("It ", predicted_n=3), Hang()])
    async with served(replies) as client:
        [idle] = await told(await client.get("/slots"))
        assert (idle["n_ctx"], idle["is_processing"], idle["id_task"]) == (1024, False, -1)
        asked = [asyncio.create_task(client.post(CHAT, json=QUESTION)) for _ in range(2)]
        await replies.hanging.wait()
        while (await metrics(client))["requests_deferred"] != 1:
            await asyncio.sleep(0)
        [busy] = await told(await client.get("/slots"))
        assert (busy["is_processing"], busy["n_prompt_tokens"], busy["n_prompt_tokens_cache"]) == (True, 42, 30)
        assert (busy["n_prompt_tokens_processed"], busy["next_token"][0]["n_decoded"]) == (12, 3)
        assert "marmalade" not in str(busy)
        assert (await metrics(client))["requests_processing"] == 1
        for each in asked:
            each.cancel()


async def test_a_prompt_is_told_where_it_is_asked_for() -> None:
    async with served(FakeReplies(answer("a"), answer("b"))) as client:
        shown = await told(await client.post("/apply-template", json=QUESTION))
        for verbose in (True, False):
            answered = await told(await client.post(CHAT, json={**QUESTION, "verbose": verbose}))
            assert answered.get("__verbose") == (shown if verbose else None)


async def test_nothing_is_told_of_what_is_answered_where_that_is_not_wanted() -> None:
    async with served(FakeReplies(), tells_slots=False) as client:
        assert (await error(await client.get("/slots"), 501))["type"] == "not_supported_error"
        assert (await told(await client.get("/props")))["endpoint_slots"] is False
    async with served(FakeReplies(), tells_metrics=False) as client:
        assert (await error(await client.get("/metrics"), 501))["type"] == "not_supported_error"
        assert (await told(await client.get("/props")))["endpoint_metrics"] is False


async def test_a_prompt_is_told_with_each_answer_where_the_server_is_to() -> None:
    async with served(FakeReplies(answer("a")), tells_prompts=True) as client:
        shown = await told(await client.post("/apply-template", json=QUESTION))
        assert (await told(await client.post(CHAT, json=QUESTION)))["__verbose"] == shown


async def test_props() -> None:
    async with served(FakeReplies()) as client:
        props = await told(await client.get("/props"))
        assert props["default_generation_settings"]["n_ctx"] == 1024
        assert props["default_generation_settings"]["params"]["temperature"] == 0.3
        assert (props["model_alias"], props["model_path"]) == ("tiny", "tiny.gguf"), "and not where it lies"
        assert (props["bos_token"], props["eos_token"], props["chat_template"]) == ("<s>", "</s>", "{{ x }}")
        assert props["chat_template_caps"]["supports_tools"] is True
        assert props["chat_template_caps"]["supports_system_role"] is False
        assert props["modalities"]["vision"] is False


async def test_the_prompt_of_a_conversation_is_shown() -> None:
    replies = FakeReplies()
    async with served(replies) as client:
        shown = await told(await client.post("/apply-template", json=QUESTION))
        assert shown == {"prompt": "user: Where is the marmalade?"}
        assert (await error(await client.post("/apply-template", json={}), 400))["param"] == "messages"
    assert replies.asked == []


async def test_all_of_it_needs_the_key_and_a_model() -> None:
    async with served(FakeReplies(), api_key="key") as client:
        for path in ("/props", "/slots", "/metrics"):
            await error(await client.get(path), 401)
    async with served(FakeReplies(model=None)) as client:
        for path in ("/props", "/slots"):
            assert (await error(await client.get(path), 503))["code"] == "model_not_loaded"


async def test_models_are_listed_for_every_dialect() -> None:
    async with served(FakeReplies()) as client:
        models: Any = await told(await client.get("/v1/models"))
        assert (models["has_more"], models["first_id"], models["last_id"]) == (False, "tiny", "tiny")
        assert [each["name"] for each in models["models"]] == ["tiny"]
        [model] = models["data"]
        assert (model["type"], model["display_name"]) == ("model", "tiny")
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", model["created_at"])


async def test_an_answer_that_breaks_off_is_not_counted() -> None:
    broken = [*answer("It ")[:-1], ZeroDivisionError()]
    assert not any(isinstance(each, Finished) for each in broken)
    async with served(FakeReplies(broken)) as client:
        assert (await client.post(CHAT, json=QUESTION)).status == 500
        assert (await metrics(client))["tokens_predicted_total"] == 0
