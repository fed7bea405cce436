"""What a server is, by the shapes of its answers. Those of llama-server, llama-cpp-python, Transformers and vLLM are
written after what running ones answered, those of SGLang, Ollama and LM Studio after their sources and manuals.
"""

from unittest.mock import patch

import pytest

from app.core.errors import UserError
from app.remote.address import ServerAddress
from app.remote.model_list import list_models
from app.remote.recognise import recognise
from app.remote.server import ServerKind, ServerModel, Verdict
from tests.remote.scripted_server import ScriptedServer, head, whole

NOWHERE = whole({"detail": "Not Found"}, 404)


def listing(owner: str, **more: object) -> bytes:
    return whole({"object": "list", "data": [{"id": "tiny", "object": "model", "owned_by": owner, **more}]})


LLAMA_PROPS = {
    "build_info": "b1-0c1e570",
    "default_generation_settings": {"n_ctx": 2048},
    "modalities": {"vision": True, "audio": False},
    "chat_template_caps": {"supports_tools": True, "supports_tool_calls": True},
}
ROUTES: dict[ServerKind, dict[str, bytes]] = {
    ServerKind.LLAMA_SERVER: {
        "/v1/models": head(200, Server="llama.cpp")
        + b'{"models":[{"name":"tiny"}],"data":[{"id":"tiny","owned_by":"llamacpp","meta":{"n_ctx":2048}}]}',
        "/props": whole(LLAMA_PROPS),
    },
    ServerKind.HEARTH: {
        "/v1/models": listing("hearth", task="chat", status={"value": "loaded"}, meta={"n_ctx": 2048}),
        "/props": whole(LLAMA_PROPS),
    },
    ServerKind.VLLM: {
        "/v1/models": listing("vllm", max_model_len=2048, root="/models/tiny"),
        "/version": whole({"version": "0.32.0"}),
    },
    ServerKind.SGLANG: {
        "/v1/models": listing("sglang", max_model_len=2048),
        "/get_server_info": whole({"version": "0.5.23"}),
        "/model_info": whole({"has_image_understanding": True, "has_audio_understanding": False}),
        "/api/tags": whole({"models": []}),
    },
    ServerKind.LLAMA_CPP_PYTHON: {
        "/v1/models": listing("me", permissions=[]),
        "/openapi.json": whole({"info": {"title": "llama.cpp Python API", "version": "0.3.36"}, "paths": {}}),
    },
    ServerKind.TRANSFORMERS: {
        "/v1/models": head(500, "text/plain") + b"Internal Server Error",
        "/openapi.json": whole(
            {"info": {"title": "FastAPI"}, "paths": {"/load_model": {}, "/v1/chat/completions": {}}}
        ),
    },
    ServerKind.OLLAMA: {
        "/v1/models": listing("library"),
        "/api/version": whole({"version": "0.13.2"}),
        "/api/tags": whole({"models": [{"name": "tiny:latest", "model": "tiny:latest"}]}),
        "/api/ps": whole({"models": [{"model": "tiny:latest", "context_length": 2048}]}),
        "/api/show": whole(
            {"capabilities": ["completion", "vision", "tools"], "model_info": {"qwen3.context_length": 40960}}
        ),
    },
    ServerKind.LM_STUDIO: {
        "/v1/models": listing("organization_owner"),
        "/api/tags": whole({"error": "Unexpected endpoint"}),
        "/api/v1/models": whole(
            {
                "models": [
                    {"type": "embedding", "key": "vectors"},
                    {
                        "type": "llm",
                        "key": "tiny",
                        "display_name": "Tiny",
                        "max_context_length": 2048,
                        "loaded_instances": [],
                        "capabilities": {"vision": True, "trained_for_tool_use": True},
                    },
                ]
            }
        ),
    },
    ServerKind.OTHER: {"/v1/models": listing("somebody")},
}


def found(server: ScriptedServer, kind: ServerKind) -> ServerModel:
    server.routes = {"/api/version": NOWHERE, "/openapi.json": NOWHERE, **ROUTES[kind]}
    recognised = recognise(server.address, "")
    assert recognised.kind is kind
    (model,) = list_models(recognised) or [ServerModel("tiny")]
    return model


@pytest.mark.parametrize("kind", list(ServerKind))
def test_every_kind_is_known_by_harmless_questions(server: ScriptedServer, kind: ServerKind) -> None:
    model = found(server, kind)
    assert model.id.startswith("tiny")
    tells = kind not in (ServerKind.LLAMA_CPP_PYTHON, ServerKind.TRANSFORMERS, ServerKind.OTHER)
    assert model.context == (2048 if tells else None)
    assert {each.method for each in server.asked} <= ({"GET", "POST"} if kind is ServerKind.OLLAMA else {"GET"})
    assert all(each.path not in ("/v1/chat/completions", "/api/chat", "/api/generate") for each in server.asked)


@pytest.mark.parametrize(
    "kind",
    [ServerKind.LLAMA_SERVER, ServerKind.HEARTH, ServerKind.SGLANG, ServerKind.OLLAMA, ServerKind.LM_STUDIO],
)
def test_who_tells_of_pictures_is_believed(server: ScriptedServer, kind: ServerKind) -> None:
    assert found(server, kind).abilities.pictures.verdict is Verdict.YES


@pytest.mark.parametrize(
    ("told", "verdict"),
    [
        ({"capabilities": {"reasons": False}}, Verdict.NO),
        ({"capabilities": {"reasons": True}}, Verdict.YES),
        ({"chat_template": "{% if enable_thinking %}"}, Verdict.YES),
    ],
)
def test_a_hearth_is_believed_about_reasoning(
    server: ScriptedServer, told: dict[str, object], verdict: Verdict
) -> None:
    """The guide of a paired computer would have a button for what it can't do."""
    with patch.dict(ROUTES[ServerKind.HEARTH], {"/props": whole({**LLAMA_PROPS, **told})}):
        assert found(server, ServerKind.HEARTH).abilities.reasons.verdict is verdict


@pytest.mark.parametrize("kind", [ServerKind.LLAMA_CPP_PYTHON, ServerKind.TRANSFORMERS])
def test_who_drops_pictures_in_silence_is_not_sent_any(server: ScriptedServer, kind: ServerKind) -> None:
    pictures = found(server, kind).abilities.pictures
    assert pictures.verdict is Verdict.NO or kind is ServerKind.TRANSFORMERS
    assert pictures.why or kind is ServerKind.TRANSFORMERS


def test_a_routers_models_are_listed_and_none_is_woken(server: ScriptedServer) -> None:
    data = [{"id": f"m{n}", "status": {"value": "unloaded" if n else "loaded"}} for n in range(3)]
    server.routes = {"/v1/models": head(200, Server="llama.cpp") + _json({"data": data}), "/props": whole({})}
    recognised = recognise(server.address, "")
    server.asked.clear()
    assert [(each.id, each.is_loaded) for each in list_models(recognised)] == [
        ("m0", True),
        ("m1", False),
        ("m2", False),
    ]
    assert [each.path for each in server.asked] == ["/v1/models"]


def test_an_ollamas_cloud_models_are_marked(server: ScriptedServer) -> None:
    server.routes = {
        "/v1/models": listing("library"),
        "/api/version": whole({"version": "0.13.2"}),
        "/api/tags": whole({"models": [{"model": "big:cloud"}]}),
        "/api/ps": whole({"models": []}),
        "/api/show": whole({"capabilities": ["completion"], "remote_host": "https://ollama.com"}),
    }
    (model,) = list_models(recognise(server.address, ""))
    assert model.is_cloud and model.is_loaded is False


@pytest.mark.parametrize(
    ("listed", "sentence"),
    [
        (whole({"error": {"message": "no"}}, 401), "wants a key"),
        (head(200, "text/html") + b"<html>Log in</html>", "web page"),
        (whole({}, 302, Location="http://elsewhere.example/v1/models"), "leads on to http://elsewhere.example"),
        (NOWHERE, "no engine that Hearth knows"),
        (head(500, "text/plain") + b"boom", "boom"),
        (b"SSH-2.0-OpenSSH_9.6\r\n", "broke off"),
    ],
)
def test_what_is_no_engine_is_told_in_a_sentence(server: ScriptedServer, listed: bytes, sentence: str) -> None:
    server.routes = {"/v1/models": listed, "/api/version": NOWHERE, "/openapi.json": NOWHERE}
    with pytest.raises(UserError) as caught:
        recognise(server.address, "")
    assert sentence in caught.value.sentence


def test_a_key_goes_with_every_question_and_to_nobody_else(server: ScriptedServer) -> None:
    server.routes = {"/api/version": NOWHERE, "/openapi.json": NOWHERE, **ROUTES[ServerKind.LLAMA_SERVER]}
    recognised = recognise(server.address, "geheim")
    list_models(recognised)
    assert {each.headers["authorization"] for each in server.asked} == {"Bearer geheim"}
    assert "geheim" not in repr(recognised)


def test_addresses_that_differ_only_in_how_they_were_typed_are_one(server: ScriptedServer) -> None:
    typed = [f"127.0.0.1:{server.port}", f"http://127.0.0.1:{server.port}/v1/"]
    assert len({ServerAddress.typed(each) for each in typed}) == 1


def _json(said: object) -> bytes:
    return whole(said).split(b"\r\n\r\n", 1)[1]
