"""Pictures through the façade and the controller, on a real engine thread with a tiny model that sees."""

import hashlib
import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app.core.errors import UserError
from app.core.events import Finished, Looking
from app.core.messages import ImagePart, Message, Role, TextPart
from app.core.model_ref import ModelRef
from app.core.program import own_command
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.engine.media.images import Picture, as_png, read_picture
from app.services.engine.plans import MediaPlan, PreflightPlan
from app.services.engine.service import EngineService
from app.services.engine.states import ModelFailed, ModelReady
from app.services.runtime.settings_service import SettingsService
from app.storage.attachments import AttachmentStore
from tests.services.asking import answer, becomes, begin, hear
from tests.services.chatting import Chat
from tests.services.shutdown import shut_down
from tests.waits import WAIT

Pairs = dict[str, tuple[Path, Path]]


@pytest.fixture
def plan(tmp_path: Path) -> MediaPlan:
    return MediaPlan(tmp_path / "attachments", tmp_path / "embeddings", tmp_path / "pairs.json", tmp_path / "models")


@pytest.fixture
def engine(settings: SettingsService, tried: Path, plan: MediaPlan, qtbot: QtBot) -> Iterator[EngineService]:
    service = EngineService(settings, PreflightPlan(tried, own_command()), plan)
    yield service
    shut_down(service, qtbot)


@pytest.fixture
def part(plan: MediaPlan) -> ImagePart:
    return stored(plan, 1)


def stored(plan: MediaPlan, seed: int) -> ImagePart:
    pixels = np.random.default_rng(seed).integers(0, 256, (48, 64, 3), dtype=np.uint8)
    data = as_png(Picture(64, 48, pixels.tobytes(), "", ""))
    seen = read_picture(data)
    content_hash = AttachmentStore(plan.attachments).put(data)
    assert content_hash == hashlib.sha256(data).hexdigest()
    return ImagePart(content_hash, f"{seed}.png", seen.width, seen.height, seen.digest)


def load(engine: EngineService, qtbot: QtBot, model: Path, mmproj: Path | None = None) -> ModelReady:
    with becomes(engine, qtbot, ModelReady, ModelFailed):
        engine.load(ModelRef.of_file(model), mmproj)
    assert isinstance(engine.state, ModelReady)
    return engine.state


def encode(engine: EngineService, qtbot: QtBot, part: ImagePart) -> bool:
    return answer(engine, lambda session, _: session.encode(part), qtbot)


def events(engine: EngineService, qtbot: QtBot, *messages: Message) -> list[object]:
    return hear(engine, ChatRequest(messages, Sampling(temperature=0.0, max_tokens=4)), qtbot).events


def test_the_projector_beside_a_model_is_loaded_with_it(
    engine: EngineService, seeing_models: Pairs, qtbot: QtBot
) -> None:
    model, mmproj = seeing_models["llava"]
    info = load(engine, qtbot, model).info
    assert info.sees
    assert info.mmproj == mmproj
    assert info.projector_problem == ""


def test_a_picture_that_was_encoded_ahead_is_not_looked_at_again(
    engine: EngineService, seeing_models: Pairs, part: ImagePart, qtbot: QtBot
) -> None:
    load(engine, qtbot, seeing_models["llava"][0])
    assert encode(engine, qtbot, part)
    said = events(engine, qtbot, Message(Role.USER, (part, TextPart("what is it?"))))
    assert not [event for event in said if isinstance(event, Looking)]
    assert isinstance(said[-1], Finished)


def test_what_was_encoded_survives_another_model_and_a_restart(
    settings: SettingsService, tried: Path, plan: MediaPlan, seeing_models: Pairs, part: ImagePart, qtbot: QtBot
) -> None:
    question = Message(Role.USER, (part, TextPart("what is it?")))
    looked = []
    for _ in range(2):
        engine = EngineService(settings, PreflightPlan(tried, own_command()), plan)
        load(engine, qtbot, seeing_models["llava"][0])
        looked.append([event for event in events(engine, qtbot, question) if isinstance(event, Looking)])
        load(engine, qtbot, seeing_models["qwen25vl"][0])
        load(engine, qtbot, seeing_models["llava"][0])
        assert not [event for event in events(engine, qtbot, question) if isinstance(event, Looking)]
        shut_down(engine, qtbot)
    assert [len(each) for each in looked] == [1, 0]


def test_a_cancelled_encoding_says_so(
    engine: EngineService, seeing_models: Pairs, part: ImagePart, qtbot: QtBot
) -> None:
    load(engine, qtbot, seeing_models["llava"][0])
    # It waits behind an answer, so that it can't be done before it is cancelled.
    reply, heard = begin(engine, ChatRequest((Message.of(Role.USER, "hello"),), Sampling(temperature=0.0)))
    encoded: list[bool] = []
    looking = engine.ask(lambda session, _: encoded.append(session.encode(part)), lambda _: None)
    looking.cancel()
    reply.cancel()
    qtbot.waitUntil(lambda: heard.has_ended and not engine.is_busy, timeout=WAIT)
    assert encoded == [False]
    assert encode(engine, qtbot, part)


def test_without_a_model_that_sees_an_encoding_fails(
    engine: EngineService, tiny_models: dict[str, Path], part: ImagePart, qtbot: QtBot
) -> None:
    with pytest.raises(UserError, match="No model is loaded"):
        encode(engine, qtbot, part)
    load(engine, qtbot, tiny_models["llama"])
    assert not encode(engine, qtbot, part)


def test_a_projector_that_kills_its_child_costs_the_pictures_alone(
    settings: SettingsService, tried: Path, plan: MediaPlan, seeing_models: Pairs, tmp_path: Path, qtbot: QtBot
) -> None:
    model, mmproj = tmp_path / "m.gguf", tmp_path / "mmproj-m.gguf"
    shutil.copy(seeing_models["lfm2"][0], model)
    engine = EngineService(settings, PreflightPlan(tried, own_command()), plan)
    load(engine, qtbot, model)
    shut_down(engine, qtbot)
    # From now on every child dies; the model has been tried, and the projector has not.
    shutil.copy(seeing_models["lfm2"][1], mmproj)
    dying = (sys.executable, "-c", "import os; os.abort()")
    engine = EngineService(settings, PreflightPlan(tmp_path / "tried.json", dying), plan)
    shutil.copy(tried, tmp_path / "tried.json")
    ready = load(engine, qtbot, model)
    assert not ready.info.sees
    assert ready.info.projector_problem.startswith("mmproj-m.gguf makes llama.cpp crash")
    assert isinstance(events(engine, qtbot, Message.of(Role.USER, "hello"))[-1], Finished)
    shut_down(engine, qtbot)


def test_a_projector_that_lacks_a_tensor_costs_the_pictures_alone(
    engine: EngineService, seeing_models: Pairs, tmp_path: Path, qtbot: QtBot
) -> None:
    folder = tmp_path / "pair"
    folder.mkdir()
    model, mmproj = seeing_models["qwen3vl"]
    shutil.copy(model, folder / "m.gguf")
    # A tensor that the loader takes for optional, and the first encoding crashes without.
    (folder / "mmproj-m.gguf").write_bytes(
        mmproj.read_bytes().replace(b"v.blk.0.attn_out.weight", b"v.blk.0.attn_oux.weight")
    )
    ready = load(engine, qtbot, folder / "m.gguf")
    assert not ready.info.sees
    assert ready.info.projector_problem.startswith("mmproj-m.gguf")
    assert ready.info.projector_problem in ready.notes
    said = events(engine, qtbot, Message.of(Role.USER, "hello"))
    assert isinstance(said[-1], Finished)


def test_a_chosen_projector_is_remembered(
    engine: EngineService, plan: MediaPlan, seeing_models: Pairs, tmp_path: Path, qtbot: QtBot
) -> None:
    model, mmproj = seeing_models["llava"]
    alone, elsewhere = tmp_path / "a" / "alone.gguf", tmp_path / "b" / "mmproj.gguf"
    for source, target in ((model, alone), (mmproj, elsewhere)):
        target.parent.mkdir()
        shutil.copy(source, target)
    assert not load(engine, qtbot, alone).info.sees
    assert load(engine, qtbot, alone, elsewhere).info.sees
    assert load(engine, qtbot, alone).info.mmproj == elsewhere


def test_a_picture_is_asked_about_and_kept(chat: Chat, seeing_models: Pairs, part: ImagePart, qtbot: QtBot) -> None:
    load(chat.engine, qtbot, seeing_models["llava"][0])
    with qtbot.waitSignal(chat.active.message_changed, timeout=WAIT):
        assert chat.controller.send("", (part,))
    assert chat.messages[0].message.parts == (part,)
    assert chat.titles == ["1.png"]
    again = chat.kept()[0].message.parts[0]
    assert isinstance(again, ImagePart)
    assert (again.width, again.height, again.digest) == (64, 48, part.digest)


def test_a_model_that_sees_nothing_takes_no_picture_and_says_why(chat: Chat, part: ImagePart) -> None:
    chat.load("llama")
    assert not chat.controller.send("what is it?", (part,))
    assert "mmproj" in chat.errors[-1].sentence
    assert chat.messages == []


def test_pictures_without_their_size_are_decoded_once(
    engine: EngineService, seeing_models: Pairs, part: ImagePart, qtbot: QtBot
) -> None:
    """As an older version, or another program, may have stored them."""
    load(engine, qtbot, seeing_models["llava"][0])
    bare = replace(part, width=0, height=0, digest="")
    said = events(engine, qtbot, Message(Role.USER, (bare, TextPart("what is it?"))))
    assert [event for event in said if isinstance(event, Looking)]
    said = events(engine, qtbot, Message(Role.USER, (part, TextPart("what is it?"))))
    assert not [event for event in said if isinstance(event, Looking)]
