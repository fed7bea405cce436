"""What the window takes a server's model to be able to do."""

from dataclasses import replace

import pytest

from app.core.events import ModelInfo
from app.core.messages import Message, Role
from app.core.model_ref import ModelRef
from app.core.reasoning import Effort
from app.core.requests import ChatRequest
from app.remote.address import ServerAddress
from app.remote.media import own_bytes
from app.remote.ollama_body import ollama_body
from app.remote.openai_body import openai_body
from app.remote.server import YES, Ability, ServerKind, ServerModel, no
from app.remote.shapes import SHAPES, unlisted
from app.services.remote.remote_info import model_info
from app.services.remote.saved_servers import SavedServer


def told(kind: ServerKind, *models: ServerModel, name: str = "rain") -> ModelInfo:
    saved = SavedServer("a", "Attic", ServerAddress.typed("127.0.0.1:9"), kind, models=models)
    return model_info(ModelRef.of_server("a", name), saved, name)


@pytest.mark.parametrize("kind", [ServerKind.TRANSFORMERS, ServerKind.LLAMA_CPP_PYTHON])
def test_a_model_that_is_not_listed_is_held_to_be_as_its_kind_is(kind: ServerKind) -> None:
    info = told(kind, ServerModel("another"))
    assert not info.sees and not info.continues, "pictures would be left out without a word"
    assert told(ServerKind.VLLM).sees, "whose refusal is a sentence"


def thinker(name: str, reasons: Ability) -> ServerModel:
    made = unlisted(ServerKind.OLLAMA, name)
    return replace(made, abilities=replace(made.abilities, reasons=reasons))


@pytest.mark.parametrize(
    ("name", "reasons", "thinks"),
    [
        ("rain", YES, {Effort.OFF: False, Effort.ON: True}),
        ("gpt-oss:20b", YES, {Effort.LOW: "low", Effort.MEDIUM: "medium", Effort.HIGH: "high"}),
        ("rain", no("It does not."), {}),
        ("rain", Ability(), {}),
    ],
)
def test_how_long_a_model_of_ollama_reasons_can_be_chosen_and_is_sent(
    name: str, reasons: Ability, thinks: dict[Effort, object]
) -> None:
    model = thinker(name, reasons)
    efforts = told(ServerKind.OLLAMA, model, name=name).efforts
    sent = {}
    for effort, wanted in efforts.items():
        request = ChatRequest((Message.of(Role.USER, "Who?"),), template_args=wanted)
        sent[effort] = ollama_body(request, model, SHAPES[ServerKind.OLLAMA], own_bytes, None)["think"]
    assert sent == thinks


@pytest.mark.parametrize(
    ("kind", "reasons", "args"),
    [
        (ServerKind.LLAMA_SERVER, YES, {"enable_thinking": False}),
        (ServerKind.LLAMA_SERVER, Ability(), None),
        (ServerKind.VLLM, YES, None),
    ],
)
def test_reasoning_can_be_switched_off_where_llama_server_shows_a_template_with_a_switch(
    kind: ServerKind, reasons: Ability, args: object
) -> None:
    made = unlisted(kind, "rain")
    model = replace(made, abilities=replace(made.abilities, reasons=reasons))
    wanted = told(kind, model).efforts.get(Effort.OFF)
    assert wanted == args
    if wanted is not None:
        request = ChatRequest((Message.of(Role.USER, "Who?"),), template_args=wanted)
        assert openai_body(request, model, SHAPES[kind], own_bytes)["chat_template_kwargs"] == args
