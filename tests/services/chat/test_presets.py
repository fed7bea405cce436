"""Presets are kept, used by conversations, and reach the engine's request."""

from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.core.errors import UserError
from app.core.messages import Message, Role
from app.core.preset import Preset, Thinking
from app.core.reasoning import Effort, Efforts
from app.core.sampling import Sampling
from app.core.settings import Interface
from app.services.chat.conversation_options import ConversationOptions
from app.services.chat.notices import ChatNotices
from app.services.chat.presets import Presets
from app.services.chat.request_builder import RequestBuilder
from app.services.runtime.settings_service import SettingsService
from app.storage.conversations import ConversationStore
from app.storage.database import Database
from app.storage.options import OptionsStore, Scope
from tests.ui.fakes import MODEL


@pytest.fixture
def options(database: Database) -> ConversationOptions:
    return ConversationOptions(OptionsStore(database), ChatNotices())


@pytest.fixture
def presets(options: ConversationOptions) -> Presets:
    return options.presets


def test_they_are_listed_by_name(presets: Presets, qtbot: QtBot) -> None:
    with qtbot.waitSignal(presets.changed):
        presets.add(Preset("beta"))
    presets.add(Preset("Alpha", "Be brief.", {"top_k": 3}, Thinking.OFF))
    assert [kept.preset.name for kept in presets.all()] == ["Alpha", "beta"]
    assert presets.get(presets.all()[0].id) == Preset("Alpha", "Be brief.", {"top_k": 3}, Thinking.OFF)


def test_no_two_have_one_name(presets: Presets) -> None:
    first = presets.add(Preset("Coder"))
    second = presets.add(Preset("coder"))
    assert [kept.preset.name for kept in presets.all()] == ["Coder", "coder 2"]
    presets.change(second, Preset("Coder"))
    presets.change(first, Preset("Coder", "Same name, own preset"))
    assert [kept.preset.name for kept in presets.all()] == ["Coder", "Coder 2"]
    presets.add(Preset(" \n "))
    assert "Preset" in [kept.preset.name for kept in presets.all()]


def test_deleting_can_be_undone_and_conversations_use_it_again(options: ConversationOptions, presets: Presets) -> None:
    number = presets.add(Preset("Coder", "Code."))
    options.set_preset(7, number)
    kept = presets.delete(number)
    assert kept is not None and presets.all() == ()
    assert options.preset_id(7) == "" and options.preset(7) is None
    assert presets.delete(number) is None
    presets.restore(kept)
    assert options.preset(7) == Preset("Coder", "Code.")


def test_a_new_conversation_begins_with_the_default(options: ConversationOptions, presets: Presets) -> None:
    number, other = presets.add(Preset("Coder")), presets.add(Preset("Other"))
    assert options.preset_id(None) == ""
    presets.set_default(number)
    assert options.preset_id(None) == number
    assert options.preset_id(3) == ""
    options.stored(3)
    presets.set_default(other)
    assert options.preset_id(3) == number
    # Without one, on purpose.
    options.set_preset(None, "")
    assert options.preset_id(None) == ""
    options.stored(4)
    assert options.preset_id(4) == ""
    assert options.preset_id(None) == other
    presets.delete(other)
    assert presets.default_id == "" and options.preset_id(None) == ""


def test_clearing_leaves_nothing_behind(options: ConversationOptions, presets: Presets, database: Database) -> None:
    number = presets.add(Preset("Coder"))
    options.set_preset(7, number)
    options.set_preset(7, "")
    assert OptionsStore(database).get(Scope.CONVERSATION, "7") == {}


def test_a_branch_uses_the_same(options: ConversationOptions, presets: Presets) -> None:
    number = presets.add(Preset("Coder"))
    options.set_preset(7, number)
    options.copy(7, 8)
    assert options.preset_id(8) == number


def test_sampling_stands_between_model_and_conversation(options: ConversationOptions, presets: Presets) -> None:
    options.set_sampling_of_model("m", {"top_k": 1, "top_p": 0.1, "min_p": 0.1})
    options.set_preset(7, presets.add(Preset("Coder", "", {"top_k": 2, "top_p": 0.2})))
    options.set_sampling_of_conversation(7, {"top_k": 3})
    made = options.sampling(Sampling(), "m", 7)
    assert (made.top_k, made.top_p, made.min_p) == (3, 0.2, 0.1)


def test_the_request_has_all_of_it(
    options: ConversationOptions, presets: Presets, settings: SettingsService, database: Database
) -> None:
    store = ConversationStore(database)
    talk = store.create("T")
    store.append(talk.id, None, Message.of(Role.USER, "Hi"))
    builder = RequestBuilder(settings, options)
    settings.update(Interface, system_prompt="General.")

    def request() -> tuple[str, dict[str, object], float]:
        made = builder.build(store.path(talk.id), talk.id, MODEL)
        assert [message.role for message in made.messages] == [Role.SYSTEM, Role.USER]
        return made.messages[0].text, dict(made.template_args), made.sampling.temperature

    assert request() == ("General.", {}, 0.0)
    number = presets.add(Preset("Coder", "Code.", {"temperature": 0.25}, Thinking.ON))
    options.set_preset(talk.id, number)
    assert request() == ("Code.", {"enable_thinking": True}, 0.25)
    # Changing the preset holds from the next question on.
    presets.change(number, Preset("Coder", "", {}, Thinking.OFF))
    assert request() == ("General.", {"enable_thinking": False}, 0.0)


def test_a_conversation_says_how_long_the_model_reasons_and_wins_over_its_preset(
    options: ConversationOptions, presets: Presets, settings: SettingsService
) -> None:
    builder = RequestBuilder(settings, options)
    switch: Efforts = {Effort.OFF: {"thinking": False}, Effort.ON: {"thinking": True}}
    levels: Efforts = {each: {"reasoning_effort": each.value} for each in (Effort.LOW, Effort.HIGH)}

    def told(known: Efforts) -> dict[str, object]:
        return dict(builder.build((), 7, replace(MODEL, efforts=known)).template_args)

    assert told(switch) == {}
    options.set_preset(7, presets.add(Preset("Coder", thinking=Thinking.OFF)))
    assert told(switch) == {"thinking": False} and told({}) == {"enable_thinking": False}
    options.set_effort(7, Effort.HIGH)
    assert told(levels) == {"reasoning_effort": "high"} and told(switch) == {"thinking": True}
    options.set_effort(7, None)
    assert told(switch) == {"thinking": False}


def test_the_effort_stays_with_a_conversation_that_begins(options: ConversationOptions) -> None:
    options.set_effort(None, Effort.LOW)
    options.stored(3)
    assert (options.effort(3), options.effort(None), options.effort(4)) == (Effort.LOW, None, None)


def test_an_imported_system_prompt_is_not_doubled(
    options: ConversationOptions, settings: SettingsService, database: Database
) -> None:
    store = ConversationStore(database)
    talk = store.create("T")
    first = store.append(talk.id, None, Message.of(Role.SYSTEM, "Own."))
    store.append(talk.id, first.id, Message.of(Role.USER, "Hi"))
    settings.update(Interface, system_prompt="General.")
    made = RequestBuilder(settings, options).build(store.path(talk.id), talk.id, MODEL)
    assert [message.text for message in made.messages] == ["Own.", "Hi"]


def test_files(presets: Presets, tmp_path: Path) -> None:
    preset = Preset("Coder", "Code.", {"top_k": 2}, Thinking.OFF)
    number = presets.add(preset)
    path = tmp_path / "a.hearth-preset.json"
    presets.export(number, path)
    presets.delete(number)
    assert presets.get(presets.import_file(path)) == preset
    path.write_text("{}")
    with pytest.raises(UserError, match="no preset of Hearth"):
        presets.import_file(path)
    path.write_bytes(b" " * (5 << 20))
    with pytest.raises(UserError, match="no preset of Hearth"):
        presets.import_file(path)
    with pytest.raises(UserError, match="cannot use"):
        presets.import_file(tmp_path / "none")
    path.write_text('{"format": "hearth-preset", "version": 1}')
    assert presets.get(presets.import_file(path)) == Preset("a")


def test_a_preset_that_cannot_be_read_is_none(presets: Presets, database: Database) -> None:
    number = presets.add(Preset("Coder"))
    database.execute("UPDATE options SET value = 'x' WHERE name = ?", (number,))
    assert presets.all() == () and presets.get(number) is None
