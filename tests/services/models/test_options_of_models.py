"""What is set for one model holds wherever it is loaded: in the window, and for the local API."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.core.adapters import Adapter
from app.core.errors import UserError
from app.core.loading import Loading
from app.core.messages import Role
from app.core.model_options import key_of
from app.core.model_ref import ModelRef
from app.core.sampling import Sampling
from app.services.chat.chat_controller import ChatController
from app.services.engine.service import EngineService
from app.services.engine.states import Idle, ModelReady
from app.services.local_api.sampling import ApiSampling
from app.services.models.options import OptionsOfModels, stored_options
from app.services.runtime.settings_service import SettingsService
from app.storage.conversations import ConversationStore
from app.storage.database import Database
from app.storage.options import OptionsStore, Scope
from tests.services.conftest import Catalog, Load
from tests.tiny_adapters import make_adapter
from tests.waits import WAIT


@pytest.fixture
def catalog(database: Database) -> Catalog:
    return Catalog(options_of=partial(stored_options, OptionsStore(database)))


@pytest.fixture
def options(database: Database, engine: EngineService, settings: SettingsService) -> Iterator[OptionsOfModels]:
    made = OptionsOfModels(OptionsStore(database), engine, settings)
    yield made
    made.close()


def add(options: OptionsOfModels, qtbot: QtBot, model: ModelRef, adapter: Path) -> str:
    """Let an adapter work on a model of the llama kind; the sentence where it can't."""
    with qtbot.waitSignal(options.adapter_read, timeout=WAIT) as heard:
        options.add_adapter(model, adapter, "llama")
    return str(heard.args[1])


def wait_until_idle(engine: EngineService, qtbot: QtBot) -> ModelReady:
    qtbot.waitUntil(lambda: isinstance(engine.state, ModelReady) and not engine.is_busy, timeout=WAIT)
    assert isinstance(engine.state, ModelReady)
    return engine.state


def answer(controller: ChatController, store: ConversationStore, text: str, qtbot: QtBot) -> str:
    assert controller.send(text)
    qtbot.waitUntil(lambda: isinstance(controller.replies.activity, Idle), timeout=WAIT)
    assert controller.active.conversation is not None
    return store.path(controller.active.conversation.id)[-1].message.text


def test_each_model_is_loaded_as_is_set_for_it(
    options: OptionsOfModels, load: Load, tiny_models: dict[str, Path]
) -> None:
    options.set_section(ModelRef.of_file(tiny_models["llama"]), Loading, {"ctx_size": 512})
    assert load("llama").info.n_ctx == 512
    assert load("gemma3").info.n_ctx == 1024
    options.clear_settings(ModelRef.of_file(tiny_models["llama"]))
    assert load("llama").info.n_ctx == 1024


def test_another_start_knows_it_too(
    options: OptionsOfModels, database: Database, engine: EngineService, settings: SettingsService
) -> None:
    model = ModelRef.of_file(Path("/models/a.gguf"))
    options.set_section(model, Sampling, {"top_k": 7})
    options.set_notes(model, "  mine \n")
    options.set_favourite(model, True)
    again = OptionsOfModels(OptionsStore(database), engine, settings)
    assert again.of(model).of(Sampling) == {"top_k": 7}
    assert again.of(model).notes == "mine"
    assert again.favourites() == {"a"}
    again.set_favourite(model, False)
    assert options.favourites() == frozenset()


def test_a_change_is_told_once_and_what_is_none_is_not(options: OptionsOfModels) -> None:
    told: list[object] = []
    options.changed.connect(told.append)
    model = ModelRef.of_file(Path("/models/a.gguf"))
    for _ in range(2):
        options.set_section(model, Loading, {"threads": 3})
        options.set_notes(model, "x")
    assert told == [model, model]


def test_what_the_disk_refuses_is_told_and_is_no_change(options: OptionsOfModels, database: Database) -> None:
    failed: list[UserError] = []
    options.failed.connect(failed.append)
    database.execute("PRAGMA query_only = ON")
    options.set_notes(ModelRef.of_file(Path("/models/a.gguf")), "x")
    assert len(failed) == 1
    assert options.of(ModelRef.of_file(Path("/models/a.gguf"))).notes == ""


def test_when_it_was_used_is_remembered(options: OptionsOfModels, load: Load, tiny_models: dict[str, Path]) -> None:
    assert options.of(ModelRef.of_file(tiny_models["llama"])).used == 0
    load("llama")
    assert options.of(ModelRef.of_file(tiny_models["llama"])).used > 1_700_000_000
    assert options.of(ModelRef.of_file(tiny_models["gemma3"])).used == 0


def test_the_local_api_samples_as_the_window_does(
    options: OptionsOfModels,
    engine: EngineService,
    settings: SettingsService,
    controller: ChatController,
    load: Load,
    tiny_models: dict[str, Path],
) -> None:
    settings.update(Sampling, temperature=0.8, max_tokens=0)
    sampling = ApiSampling(engine, settings)
    options.changed.connect(sampling.look)
    controller.options.changed.connect(sampling.look)
    info = load("llama").info
    assert sampling(info) == Sampling()
    settings.update(Sampling, top_k=3)
    options.set_section(ModelRef.of_file(tiny_models["llama"]), Sampling, {"top_p": 0.5})
    assert sampling(info) == Sampling(top_k=3, top_p=0.5)
    controller.options.set_sampling_of_model(key_of(info.ref), {"min_p": 0.2})
    assert sampling(info) == Sampling(top_k=3, min_p=0.2)
    assert options.of(ModelRef.of_file(tiny_models["llama"])).of(Sampling) == {"min_p": 0.2}, "one and the same"
    assert sampling(load("gemma3").info) == Sampling(top_k=3)


def test_what_the_file_s_neighbour_advises_holds_where_nothing_is_set(
    options: OptionsOfModels, engine: EngineService, tiny_models: dict[str, Path], tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "alone" / "rain.gguf"
    path.parent.mkdir()
    path.write_bytes(tiny_models["llama"].read_bytes())
    (path.parent / "generation_config.json").write_text('{"top_k": 20, "temperature": 0.6}')
    engine.load(ModelRef.of_file(path))
    info = wait_until_idle(engine, qtbot).info
    assert info.sampling == {"top_k": 20, "temperature": 0.6}


def test_another_model_goes_on_in_the_same_conversation(
    options: OptionsOfModels,
    controller: ChatController,
    store: ConversationStore,
    load: Load,
    tiny_models: dict[str, Path],
    qtbot: QtBot,
) -> None:
    options.set_section(ModelRef.of_file(tiny_models["gemma3"]), Sampling, {"max_tokens": 3})
    load("llama")
    answer(controller, store, "the rain", qtbot)
    assert controller.active.conversation is not None
    before = controller.active.conversation
    load("gemma3")
    answer(controller, store, "and the sun?", qtbot)
    assert controller.active.conversation.id == before.id
    path = store.path(before.id)
    assert [each.message.role for each in path] == [Role.USER, Role.ASSISTANT] * 2
    figures = [each.figures for each in path if each.figures]
    assert [each["model"] for each in figures] == ["llama", "gemma3"]
    assert figures[1]["predicted_n"] == 3, "with what is set for that model"


def test_adapters_are_put_on_and_taken_off_while_the_model_stays(
    options: OptionsOfModels,
    engine: EngineService,
    controller: ChatController,
    store: ConversationStore,
    load: Load,
    tiny_models: dict[str, Path],
    tmp_path: Path,
    qtbot: QtBot,
) -> None:
    model, adapter = ModelRef.of_file(tiny_models["llama"]), make_adapter(tmp_path / "style.gguf")
    load("llama")
    plain = answer(controller, store, "the rain", qtbot)
    session = engine._worker._session  # that it is the very same cannot be seen from outside
    add(options, qtbot, model, adapter)
    assert wait_until_idle(engine, qtbot).info.adapters == (Adapter(adapter, 1.0),)
    controller.new_conversation()
    changed = answer(controller, store, "the rain", qtbot)
    assert changed != plain
    options.set_adapters(model, [Adapter(adapter, 0.0)])
    assert wait_until_idle(engine, qtbot).info.adapters == ()
    controller.new_conversation()
    assert answer(controller, store, "the rain", qtbot) == plain
    assert engine._worker._session is session
    options.set_adapters(model, [Adapter(adapter, 1.0)])
    wait_until_idle(engine, qtbot)
    assert load("llama").info.adapters == (Adapter(adapter, 1.0),), "and with the next load"
    controller.new_conversation()
    assert answer(controller, store, "the rain", qtbot) == changed


def test_a_wrong_adapter_is_said_at_load_and_the_model_is_there(
    options: OptionsOfModels, load: Load, tiny_models: dict[str, Path], tmp_path: Path, qtbot: QtBot
) -> None:
    model = ModelRef.of_file(tiny_models["llama"])
    wrong = make_adapter(tmp_path / "wrong.gguf", tensors={"blk.7.attn_q.weight": (64, 64)})
    add(options, qtbot, model, wrong)
    ready = load("llama")
    assert ready.info.adapters == ()
    (note,) = ready.notes
    assert "wrong.gguf was trained on another model" in note
    assert options.adapter_problem(model, Adapter(wrong)) == note
    wrong.unlink()
    with qtbot.waitSignal(options.state_changed, timeout=WAIT):
        options.look_for_adapters(model)
    assert options.adapter_problem(model, Adapter(wrong)) == "wrong.gguf is not there any more."


def test_what_plainly_is_no_adapter_for_it_is_refused_in_a_sentence(
    options: OptionsOfModels, tiny_models: dict[str, Path], tmp_path: Path, qtbot: QtBot
) -> None:
    model = ModelRef.of_file(tiny_models["llama"])
    assert "is no LoRA adapter" in add(options, qtbot, model, tiny_models["gemma3"])
    other = make_adapter(tmp_path / "a.gguf", arch="gemma3")
    assert "of the kind “gemma3”" in add(options, qtbot, model, other)
    assert options.of(model).adapters == ()


def test_a_reply_that_is_running_ends_with_the_adapters_that_it_began_with(
    options: OptionsOfModels, engine: EngineService, controller: ChatController, store: ConversationStore,
    load: Load, tiny_models: dict[str, Path], tmp_path: Path, qtbot: QtBot,
) -> None:  # fmt: skip
    load("llama")
    plain = answer(controller, store, "the rain", qtbot)
    controller.new_conversation()
    controller.send("the rain")
    options.set_adapters(ModelRef.of_file(tiny_models["llama"]), [Adapter(make_adapter(tmp_path / "style.gguf"))])
    qtbot.waitUntil(lambda: isinstance(controller.replies.activity, Idle), timeout=WAIT)
    assert controller.active.conversation is not None
    assert store.path(controller.active.conversation.id)[-1].message.text == plain
    assert len(wait_until_idle(engine, qtbot).info.adapters) == 1


def test_a_database_that_can_not_be_read_costs_the_options_only(
    database: Database, engine: EngineService, settings: SettingsService
) -> None:
    class Damaged(OptionsStore):
        def get(self, scope: Scope, name: str) -> dict[str, object]:
            raise UserError("damaged")

    model = ModelRef.of_file(Path("/models/a.gguf"))
    OptionsOfModels(OptionsStore(database), engine, settings).set_favourite(model, True)
    options = OptionsOfModels(Damaged(database), engine, settings)
    assert options.favourites() == frozenset()
    assert options.of(model).favourite is False


def test_an_adapter_with_a_name_that_the_disk_refuses_is_told(options: OptionsOfModels, qtbot: QtBot) -> None:
    model, adapter = ModelRef.of_file(Path("/models/a.gguf")), Adapter(Path("/" + "x" * 300 + ".gguf"))
    options.set_adapters(model, [adapter])
    with qtbot.waitSignal(options.state_changed, timeout=WAIT):
        options.look_for_adapters(model)
    problem = options.adapter_problem(model, adapter)
    assert "is not there any more" in problem
