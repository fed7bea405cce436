"""Presets in the window: chosen by key and mouse, edited in the dialog, with effect on what is kept."""

from pathlib import Path
from typing import cast

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.core.preset import Preset, Thinking
from app.core.sampling import Sampling
from app.services.chat.chat_controller import ChatController
from app.services.runtime.settings_service import SettingsService
from app.ui.commands.actions import Actions
from app.ui.presenters.presets import PresetsPresenter
from app.ui.presets.dialog import PresetDialog
from app.ui.theme.appearance import Appearance
from tests.ui.fakes import FakeController, FakeSettings
from tests.ui.test_accessibility import describe, focusable, name_of


@pytest.fixture
def controller(parent: QWidget) -> FakeController:
    made = FakeController()
    made.setParent(parent)
    for name in ("Coder", "Story teller", "Translator"):
        made.options.presets.add(Preset(name))
    return made


@pytest.fixture
def settings(parent: QWidget) -> FakeSettings:
    made = FakeSettings()
    made.setParent(parent)
    return made


@pytest.fixture
def presenter(
    appearance: Appearance, parent: QWidget, controller: FakeController, settings: FakeSettings
) -> PresetsPresenter:
    return PresetsPresenter(
        appearance, cast(ChatController, controller), cast(SettingsService, settings), Actions(parent), parent
    )


def numbers(controller: FakeController) -> dict[str, str]:
    return {kept.preset.name: kept.id for kept in controller.options.presets.all()}


def test_the_button_says_which_is_used(presenter: PresetsPresenter, controller: FakeController) -> None:
    assert presenter.button.text() == "Preset" and presenter.button.accessibleName() == "No preset"
    number = numbers(controller)["Coder"]
    controller.options.set_preset(None, number)
    assert presenter.button.text() == "Coder" and presenter.button.accessibleName() == "Preset: Coder"
    controller.options.presets.change(number, Preset("Programmer"))
    assert presenter.button.text() == "Programmer"
    controller.options.presets.delete(number)
    assert presenter.button.text() == "Preset"


def test_a_name_from_a_file_is_no_mark_up(presenter: PresetsPresenter, controller: FakeController) -> None:
    controller.options.set_preset(None, controller.options.presets.add(Preset("<b>bold</b><img src='a.png'>")))
    presenter.toggle()
    tips = [
        presenter.button.toolTip(),
        *(presenter.popover.list.item(row).toolTip() for row in range(presenter.popover.list.count())),
    ]
    assert sum("&lt;b&gt;" in each for each in tips) == 2
    assert not any("<b>" in each or "<img" in each for each in tips)


def test_type_to_filter_and_enter(presenter: PresetsPresenter, controller: FakeController, qtbot: QtBot) -> None:
    presenter.toggle()
    popover = presenter.popover
    QTest.keyClicks(popover.search, "TELL")
    assert [popover.list.item(row).isHidden() for row in range(4)] == [True, True, False, True]
    QTest.keyClick(popover.search, Qt.Key.Key_Return)
    assert controller.options.preset_id(None) == numbers(controller)["Story teller"]
    assert not popover.isVisible()
    presenter.toggle()
    assert popover.search.text() == "" and popover.list.currentItem().text() == "Story teller"
    QTest.keyClick(popover.search, Qt.Key.Key_Up)
    QTest.keyClick(popover.search, Qt.Key.Key_Up)
    QTest.keyClick(popover.search, Qt.Key.Key_Return)
    assert controller.options.preset_id(None) == ""


def test_what_does_not_fit_is_not_chosen(presenter: PresetsPresenter, controller: FakeController, qtbot: QtBot) -> None:
    presenter.toggle()
    QTest.keyClicks(presenter.popover.search, "zzz")
    QTest.keyClick(presenter.popover.search, Qt.Key.Key_Return)
    assert controller.options.preset_id(None) == "" and presenter.popover.isVisible()
    presenter.toggle()
    assert not presenter.popover.isVisible()


def test_a_click_chooses(presenter: PresetsPresenter, controller: FakeController, qtbot: QtBot) -> None:
    presenter.button.click()
    popover = presenter.popover
    place = popover.list.visualItemRect(popover.list.item(1)).center()
    QTest.mouseClick(popover.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert controller.options.preset_id(None) == numbers(controller)["Coder"]


@pytest.fixture
def dialog(presenter: PresetsPresenter, controller: FakeController) -> PresetDialog:
    controller.options.set_preset(None, numbers(controller)["Story teller"])
    return presenter.edit()


def test_the_one_in_use_is_shown_first(dialog: PresetDialog) -> None:
    assert dialog.form.name.text() == "Story teller"
    assert [dialog.list.item(row).text() for row in range(3)] == ["Coder", "Story teller", "Translator"]


def test_changes_are_kept_when_another_is_looked_at_and_at_the_end(
    dialog: PresetDialog, controller: FakeController, qtbot: QtBot
) -> None:
    found = numbers(controller)
    dialog.form.prompt.setPlainText("Tell it slowly.")
    dialog.form.thinking[Thinking.OFF].click()
    field = dialog.form.sampling.fields["temperature"]
    field.editor.setFocus()
    field.editor.selectAll()  # type: ignore[union-attr]
    QTest.keyClicks(field.editor, "1.5")
    dialog.list.setCurrentRow(0)
    wanted = Preset("Story teller", "Tell it slowly.", {"temperature": 1.5}, Thinking.OFF)
    assert controller.options.presets.get(found["Story teller"]) == wanted
    dialog.form.name.selectAll()
    QTest.keyClicks(dialog.form.name, "Programmer")
    assert dialog.list.item(0).text() == "Programmer"
    dialog.reject()
    assert controller.options.presets.get(found["Coder"]) == Preset("Programmer")


def test_reasoning_is_called_as_it_is_at_the_message_field(dialog: PresetDialog) -> None:
    assert [each.text() for each in dialog.form.thinking.values()] == ["As the model does", "On", "Off"]
    assert dialog.form.thinking[Thinking.OFF].accessibleName() == "Reasoning: off"


def test_looking_changes_nothing(dialog: PresetDialog, controller: FakeController, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(controller.options.presets.changed):
        for row in (0, 1, 2, 0):
            dialog.list.setCurrentRow(row)
        dialog.accept()


def test_a_value_that_cannot_be_taken_is_left_out(
    dialog: PresetDialog, controller: FakeController, qtbot: QtBot
) -> None:
    editor = dialog.form.sampling.fields["top_k"].editor
    editor.selectAll()  # type: ignore[union-attr]
    QTest.keyClicks(editor, "-7")
    dialog.form.prompt.setPlainText("x")
    dialog.accept()
    assert controller.options.presets.get(numbers(controller)["Story teller"]) == Preset("Story teller", "x")


def test_new_duplicate_delete_and_undo(dialog: PresetDialog, controller: FakeController) -> None:
    dialog.new_button.click()
    assert dialog.form.name.text() == "New preset" and "New preset" in numbers(controller)
    dialog.list.setCurrentRow(0)
    dialog.form.prompt.setPlainText("Code.")
    dialog.duplicate_button.click()
    assert dialog.form.name.text() == "Coder 2"
    assert controller.options.presets.get(numbers(controller)["Coder 2"]) == Preset("Coder 2", "Code.")
    before = numbers(controller)
    dialog.delete_button.click()
    assert "Coder 2" not in numbers(controller)
    assert dialog.told.text() == "“Coder 2” was deleted." and dialog.form.name.text() == "New preset"
    dialog.undo_button.click()
    assert numbers(controller) == before
    assert dialog.form.name.text() == "Coder 2" and dialog.undo_button.isHidden()


def test_without_any_there_is_a_sentence(dialog: PresetDialog, controller: FakeController) -> None:
    for _ in range(3):
        dialog.delete_button.click()
    tools = (dialog.list, dialog.new_button, dialog.delete_button, dialog.export_button)
    assert dialog.empty.isVisible() and not any(each.isVisible() for each in (*tools, dialog.form))
    assert dialog.focusWidget() is dialog.first_button and dialog.first_button.isDefault()
    dialog.first_button.click()
    assert all(each.isVisible() for each in (*tools, dialog.form)) and not dialog.first_button.isVisible()
    assert dialog.done_button.isDefault() and not dialog.first_button.isDefault()
    assert [kept.preset.name for kept in controller.options.presets.all()] == ["New preset"]
    dialog.accept()


def test_the_first_is_one_key_away(presenter: PresetsPresenter, controller: FakeController) -> None:
    for number in numbers(controller).values():
        controller.options.presets.delete(number)
    dialog = presenter.edit()
    assert dialog.focusWidget() is dialog.first_button
    QTest.keyClick(dialog.first_button, Qt.Key.Key_Space)
    assert dialog.focusWidget() is dialog.form.name and dialog.form.name.selectedText() == "New preset"
    dialog.accept()


def test_the_default(dialog: PresetDialog, controller: FakeController) -> None:
    dialog.form.default.click()
    assert controller.options.presets.default_id == numbers(controller)["Story teller"]
    dialog.list.setCurrentRow(0)
    assert not dialog.form.default.isChecked()
    dialog.list.setCurrentRow(1)
    assert dialog.form.default.isChecked()
    dialog.form.default.click()
    assert controller.options.presets.default_id == ""


def test_files(dialog: PresetDialog, controller: FakeController, tmp_path: Path) -> None:
    path = tmp_path / "s.hearth-preset.json"
    dialog.form.prompt.setPlainText("Slowly.")
    dialog.export_file(path)
    assert "s.hearth-preset.json" in dialog.told.text()
    dialog.import_file(path)
    assert dialog.form.preset() == Preset("Story teller 2", "Slowly.")
    path.write_text("no")
    dialog.import_file(path)
    assert "no preset of Hearth" in dialog.told.text()
    dialog.accept()


def test_every_control_has_a_name(dialog: PresetDialog, presenter: PresetsPresenter) -> None:
    presenter.toggle()
    assert not [
        describe(each) for owner in (dialog, presenter.popover) for each in focusable(owner) if not name_of(each)
    ]


def test_inherited_values_are_those_of_the_settings(
    presenter: PresetsPresenter, settings: FakeSettings, controller: FakeController
) -> None:
    settings.update(Sampling, top_k=11)
    dialog = presenter.edit()
    assert dialog.form.sampling.fields["top_k"].value() == 11
    assert dialog.form.preset().sampling == {}
    dialog.accept()
    assert Sampling().top_k != 11
