from dataclasses import replace
from typing import cast

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.core.model_options import key_of
from app.core.sampling import Sampling
from app.services.chat.active_conversation import ActiveConversation
from app.services.chat.conversation_options import ConversationOptions
from app.services.chat.notices import ChatNotices
from app.services.runtime.settings_service import SettingsService
from app.storage.options import OptionsStore
from app.ui.settings.field import SettingField
from app.ui.settings.pages import LoadedModel
from app.ui.settings.sampling_page import SamplingPage, Scope
from app.ui.theme.appearance import Appearance
from app.ui.widgets.setting_editors import NumberEdit
from tests.ui.fakes import MODEL, FakeActive, FakeOptions, FakeSettings

KEY = key_of(MODEL.ref)


@pytest.fixture
def settings() -> FakeSettings:
    return FakeSettings()


@pytest.fixture
def options() -> ConversationOptions:
    made = ConversationOptions(cast(OptionsStore, FakeOptions()), ChatNotices())
    made.set_sampling_of_model(KEY, {"temperature": 0.3})
    made.set_sampling_of_conversation(None, {"top_k": 7})
    return made


@pytest.fixture
def page(qtbot: QtBot, appearance: Appearance, settings: FakeSettings, options: ConversationOptions) -> SamplingPage:
    made = SamplingPage(
        appearance,
        cast(SettingsService, settings),
        options,
        cast(ActiveConversation, FakeActive()),
        "Sampling",
        None,
    )
    qtbot.addWidget(made)
    settings.changed.connect(made.show_settings)
    made.resize(600, 600)
    made.show()
    made.show_model(LoadedModel(replace(MODEL, name="Qwen3")))
    return made


def of(page: SamplingPage, scope: Scope, name: str) -> SettingField:
    return page.form(scope).fields[name]


def write(page: SamplingPage, scope: Scope, name: str, text: str) -> None:
    editor = of(page, scope, name).editor
    assert isinstance(editor, NumberEdit)
    editor.setText(text)


def test_each_scope_inherits_from_the_one_before(page: SamplingPage) -> None:
    temperature = of(page, Scope.MODEL, "temperature")
    assert (temperature.value(), temperature.state.text()) == (0.3, "Set here")
    assert of(page, Scope.MODEL, "top_k").state.text() == "Inherited"
    temperature = of(page, Scope.CONVERSATION, "temperature")
    assert (temperature.value(), temperature.state.text()) == (0.3, "Inherited")
    top_k = of(page, Scope.CONVERSATION, "top_k")
    assert (top_k.value(), top_k.state.text()) == (7, "Set here")
    assert not page.is_changed()


def test_what_is_written_above_arrives_below(page: SamplingPage) -> None:
    for scope in Scope:
        page.form(scope)
    write(page, Scope.ALL, "min_p", "0.2")
    assert of(page, Scope.MODEL, "min_p").value() == of(page, Scope.CONVERSATION, "min_p").value() == 0.2
    write(page, Scope.MODEL, "min_p", "0.1")
    assert of(page, Scope.CONVERSATION, "min_p").value() == 0.1
    assert of(page, Scope.ALL, "min_p").value() == 0.2
    of(page, Scope.MODEL, "min_p").reset()
    assert of(page, Scope.CONVERSATION, "min_p").value() == 0.2


def test_apply_sets_each_where_it_was_written(
    page: SamplingPage, settings: FakeSettings, options: ConversationOptions
) -> None:
    write(page, Scope.ALL, "min_p", "0.2")
    write(page, Scope.MODEL, "top_p", "0.5")
    write(page, Scope.CONVERSATION, "temperature", "0")
    assert page.is_changed()
    page.apply()
    assert settings.settings.sampling == Sampling(min_p=0.2)
    assert options.sampling_of_model(KEY) == {"temperature": 0.3, "top_p": 0.5}
    assert options.sampling_of_conversation(None) == {"top_k": 7, "temperature": 0.0}
    assert not page.is_changed()


def test_an_override_is_cleared(page: SamplingPage, options: ConversationOptions) -> None:
    of(page, Scope.MODEL, "temperature").reset_button.click()
    of(page, Scope.CONVERSATION, "top_k").reset_button.click()
    page.apply()
    assert options.sampling_of_model(KEY) == {}
    assert options.sampling_of_conversation(None) == {}


def test_what_nobody_touched_is_not_written(page: SamplingPage, options: ConversationOptions) -> None:
    told: list[None] = []
    options.changed.connect(lambda: told.append(None))
    write(page, Scope.ALL, "min_p", "0.2")
    page.form(Scope.MODEL)
    page.apply()
    assert told == []


def test_the_scopes_are_switched_by_key(page: SamplingPage) -> None:
    page.buttons[Scope.ALL].setFocus()
    QTest.keyClick(page.buttons[Scope.ALL], Qt.Key.Key_Right)
    assert [scope for scope in Scope if page.form(scope).isVisible()] == [Scope.MODEL]
    QTest.keyClick(page.buttons[Scope.MODEL], Qt.Key.Key_Right)
    assert [scope for scope in Scope if page.form(scope).isVisible()] == [Scope.CONVERSATION]
    assert page.scope is Scope.CONVERSATION


def test_without_a_model_there_is_nothing_of_its_own(page: SamplingPage) -> None:
    page.choose(Scope.MODEL)
    page.form(Scope.CONVERSATION)
    page.show_model(None)
    assert page.scope is Scope.ALL
    assert not page.buttons[Scope.MODEL].isEnabled()
    assert of(page, Scope.CONVERSATION, "temperature").value() == 0.8


def test_a_model_that_comes_back_costs_no_edit(page: SamplingPage) -> None:
    write(page, Scope.MODEL, "top_p", "0.5")
    page.show_model(LoadedModel(replace(MODEL, name="Qwen3")))
    assert of(page, Scope.MODEL, "top_p").value() == 0.5


def test_a_problem_is_found_in_its_scope(page: SamplingPage) -> None:
    write(page, Scope.CONVERSATION, "top_p", "2")
    assert page.problem() == ("Top-p", "Top-p: 2.0 is above the largest value, 1.")
    page.go_to_problem()
    assert page.scope is Scope.CONVERSATION
