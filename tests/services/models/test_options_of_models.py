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
from app.services.engine.service import EngineService
from app.services.engine.states import ModelReady
from app.services.local_api.sampling import ApiSampling
from app.services.models.options import OptionsOfModels, stored_options
from app.services.runtime.settings_service import SettingsService
from app.storage.database import Database
from app.storage.options import OptionsStore, Scope
from tests.services.chatting import Chat
from tests.services.conftest import Catalog, Load
from tests.tiny_adapters import make_adapter
from tests.waits import WAIT

OTHER = ModelRef.of_file(Path("/models/a.gguf"))


@pytest.fixture
def catalog(database: Database) -> Catalog:
    return Catalog(options_of=partial(stored_options, OptionsStore(database)))


@pytest.fixture
def options(database: Database, engine: EngineService, settings: SettingsService) -> Iterator[OptionsOfModels]:
    made = OptionsOfModels(OptionsStore(database), engine, settings)
    yield made
    made.close()


@pytest.fixture
def llama(tiny_models: dict[str, Path]) -> ModelRef:
    return ModelRef.of_file(tiny_models["llama"])


def add(options: OptionsOfModels, qtbot: QtBot, model: ModelRef, adapter: Path) -> str:
    """Let an adapter work on a model of the llama kind; the sentence where it can't."""
    with qtbot.waitSignal(options.adapter_read, timeout=WAIT) as heard:
        options.add_adapter(model, adapter, "llama")
    return str(heard.args[1])


def settled(chat: Chat) -> ModelReady:
    chat.until(lambda: isinstance(chat.engine.state, ModelReady) and not chat.engine.is_busy)
    assert isinstance(chat.engine.state, ModelReady)
    return chat.engine.state


def answer(chat: Chat, text: str) -> str:
    """In a new conversation."""
    chat.controller.new_conversation()
    chat.say(text)
    return chat.last.message.text


def test_each_model_is_loaded_as_is_set_for_it(options: OptionsOfModels, load: Load, llama: ModelRef) -> None:
    options.set_section(llama, Loading, {"ctx_size": 512})
    assert load("llama").info.n_ctx == 512
    assert load("gemma3").info.n_ctx == 1024
    options.clear_settings(llama)
    assert load("llama").info.n_ctx == 1024


def test_another_start_knows_it_too(
    options: OptionsOfModels, database: Database, engine: EngineService, settings: SettingsService
) -> None:
    options.set_section(OTHER, Sampling, {"top_k": 7})
    options.set_notes(OTHER, "  mine \n")
    options.set_favourite(OTHER, True)
    again = OptionsOfModels(OptionsStore(database), engine, settings)
    assert again.of(OTHER).of(Sampling) == {"top_k": 7}
    assert again.of(OTHER).notes == "mine"
    assert again.favourites() == {"a"}
    again.set_favourite(OTHER, False)
    assert options.favourites() == frozenset()


def test_a_change_is_told_once_and_what_is_none_is_not(options: OptionsOfModels) -> None:
    told: list[object] = []
    options.changed.connect(told.append)
    for _ in range(2):
        options.set_section(OTHER, Loading, {"threads": 3})
        options.set_notes(OTHER, "x")
    assert told == [OTHER, OTHER]


def test_what_the_disk_refuses_is_told_and_is_no_change(options: OptionsOfModels, database: Database) -> None:
    failed: list[UserError] = []
    options.failed.connect(failed.append)
    database.execute("PRAGMA query_only = ON")
    options.set_notes(OTHER, "x")
    assert len(failed) == 1
    assert options.of(OTHER).notes == ""


def test_when_it_was_used_is_remembered(
    options: OptionsOfModels, load: Load, llama: ModelRef, tiny_models: dict[str, Path]
) -> None:
    assert options.of(llama).used == 0
    load("llama")
    assert options.of(llama).used > 1_700_000_000
    assert options.of(ModelRef.of_file(tiny_models["gemma3"])).used == 0


def test_the_local_api_samples_as_the_window_does(
    chat: Chat, options: OptionsOfModels, settings: SettingsService, llama: ModelRef
) -> None:
    settings.update(Sampling, temperature=0.8, max_tokens=0)
    sampling = ApiSampling(chat.engine, settings)
    options.changed.connect(sampling.look)
    chat.options.changed.connect(sampling.look)
    info = chat.load("llama").info
    assert sampling(info) == Sampling()
    settings.update(Sampling, top_k=3)
    options.set_section(llama, Sampling, {"top_p": 0.5})
    assert sampling(info) == Sampling(top_k=3, top_p=0.5)
    chat.options.set_sampling_of_model(key_of(info.ref), {"min_p": 0.2})
    assert sampling(info) == Sampling(top_k=3, min_p=0.2)
    assert options.of(llama).of(Sampling) == {"min_p": 0.2}, "one and the same"
    assert sampling(chat.load("gemma3").info) == Sampling(top_k=3)


def test_what_the_file_s_neighbour_advises_holds_where_nothing_is_set(
    chat: Chat, options: OptionsOfModels, tiny_models: dict[str, Path], tmp_path: Path
) -> None:
    path = tmp_path / "alone" / "rain.gguf"
    path.parent.mkdir()
    path.write_bytes(tiny_models["llama"].read_bytes())
    (path.parent / "generation_config.json").write_text('{"top_k": 20, "temperature": 0.6}')
    chat.load_file(path)
    assert settled(chat).info.sampling == {"top_k": 20, "temperature": 0.6}


def test_another_model_goes_on_in_the_same_conversation(
    chat: Chat, options: OptionsOfModels, tiny_models: dict[str, Path]
) -> None:
    options.set_section(ModelRef.of_file(tiny_models["gemma3"]), Sampling, {"max_tokens": 3})
    chat.load("llama")
    chat.say("the rain")
    before = chat.active.conversation_id
    chat.load("gemma3")
    chat.say("and the sun?")
    assert chat.active.conversation_id == before
    assert [role for role, _ in chat.talk] == [Role.USER, Role.ASSISTANT] * 2
    figures = [each.figures for each in chat.messages if each.figures]
    assert [each["model"] for each in figures] == ["llama", "gemma3"]
    assert figures[1]["predicted_n"] == 3, "with what is set for that model"


def test_adapters_are_put_on_and_taken_off_while_the_model_stays(
    chat: Chat, options: OptionsOfModels, llama: ModelRef, tmp_path: Path, qtbot: QtBot
) -> None:
    adapter = make_adapter(tmp_path / "style.gguf")
    chat.load("llama")
    plain = answer(chat, "the rain")
    session = chat.engine._worker._session  # that it is the very same cannot be seen from outside
    add(options, qtbot, llama, adapter)
    assert settled(chat).info.adapters == (Adapter(adapter, 1.0),)
    changed = answer(chat, "the rain")
    assert changed != plain
    options.set_adapters(llama, [Adapter(adapter, 0.0)])
    assert settled(chat).info.adapters == ()
    assert answer(chat, "the rain") == plain
    assert chat.engine._worker._session is session
    options.set_adapters(llama, [Adapter(adapter, 1.0)])
    settled(chat)
    assert chat.load("llama").info.adapters == (Adapter(adapter, 1.0),), "and with the next load"
    assert answer(chat, "the rain") == changed


def test_a_wrong_adapter_is_said_at_load_and_the_model_is_there(
    options: OptionsOfModels, load: Load, llama: ModelRef, tmp_path: Path, qtbot: QtBot
) -> None:
    wrong = make_adapter(tmp_path / "wrong.gguf", tensors={"blk.7.attn_q.weight": (64, 64)})
    add(options, qtbot, llama, wrong)
    ready = load("llama")
    assert ready.info.adapters == ()
    (note,) = ready.notes
    assert "wrong.gguf was trained on another model" in note
    assert options.adapter_problem(llama, Adapter(wrong)) == note
    wrong.unlink()
    with qtbot.waitSignal(options.state_changed, timeout=WAIT):
        options.look_for_adapters(llama)
    assert options.adapter_problem(llama, Adapter(wrong)) == "wrong.gguf is not there any more."


def test_what_plainly_is_no_adapter_for_it_is_refused_in_a_sentence(
    options: OptionsOfModels, llama: ModelRef, tiny_models: dict[str, Path], tmp_path: Path, qtbot: QtBot
) -> None:
    assert "is no LoRA adapter" in add(options, qtbot, llama, tiny_models["gemma3"])
    other = make_adapter(tmp_path / "a.gguf", arch="gemma3")
    assert "of the kind “gemma3”" in add(options, qtbot, llama, other)
    assert options.of(llama).adapters == ()


def test_a_reply_that_is_running_ends_with_the_adapters_that_it_began_with(
    chat: Chat, options: OptionsOfModels, llama: ModelRef, tmp_path: Path
) -> None:
    chat.load("llama")
    plain = answer(chat, "the rain")
    chat.controller.new_conversation()
    chat.controller.send("the rain")
    options.set_adapters(llama, [Adapter(make_adapter(tmp_path / "style.gguf"))])
    chat.rest()
    assert chat.last.message.text == plain
    assert len(settled(chat).info.adapters) == 1


def test_a_database_that_can_not_be_read_costs_the_options_only(
    database: Database, engine: EngineService, settings: SettingsService
) -> None:
    class Damaged(OptionsStore):
        def get(self, scope: Scope, name: str) -> dict[str, object]:
            raise UserError("damaged")

    OptionsOfModels(OptionsStore(database), engine, settings).set_favourite(OTHER, True)
    options = OptionsOfModels(Damaged(database), engine, settings)
    assert options.favourites() == frozenset()
    assert options.of(OTHER).favourite is False


def test_an_adapter_with_a_name_that_the_disk_refuses_is_told(options: OptionsOfModels, qtbot: QtBot) -> None:
    adapter = Adapter(Path("/" + "x" * 300 + ".gguf"))
    options.set_adapters(OTHER, [adapter])
    with qtbot.waitSignal(options.state_changed, timeout=WAIT):
        options.look_for_adapters(OTHER)
    problem = options.adapter_problem(OTHER, adapter)
    assert "is not there any more" in problem
