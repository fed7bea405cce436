from dataclasses import dataclass, fields
from typing import Any

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QLabel, QWidget
from pytestqt.qtbot import QtBot

from app.core.library_settings import LibrarySettings
from app.core.loading import FlashAttention, Loading
from app.core.setting import declaration, setting
from app.core.settings import Settings
from app.ui.settings.field import SettingField
from app.ui.widgets.setting_editors import ChoiceEdit, ListEdit, NumberEdit, TextEdit


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    number: int = setting(3, "Number", "A whole one.", within=(1, 9), unit="tokens", reload=True)
    share: float = setting(0.5, "Share", "A part.", within=(0.0, 1.0))
    switch: bool = setting(False, "Switch", "On or off.")
    choice: FlashAttention = setting(FlashAttention.AUTO, "Choice", "One of some.")
    text: str = setting("", "Text", "Words.")
    several: tuple[str, ...] = setting(("\n", ":"), "Several", "More words.")


OTHERS: dict[str, Any] = {
    "number": 7,
    "share": 0.25,
    "switch": True,
    "choice": FlashAttention.ON,
    "text": "a\nb",
    "several": ("\\", " x", "\t"),
}


def make(parent: QWidget, name: str, *, overrides: bool = False) -> SettingField:
    field = SettingField(Sample, name, parent, overrides=overrides)
    field.show()
    return field


@pytest.mark.parametrize("name", [each.name for each in fields(Sample)])
def test_each_kind_comes_back_as_it_was(parent: QWidget, name: str) -> None:
    field = make(parent, name)
    assert (field.value(), field.is_set) == (getattr(Sample(), name), False)
    field.show_value(OTHERS[name])
    assert (field.value(), field.is_set) == (OTHERS[name], True)
    assert type(field.value()) is type(OTHERS[name])
    field.reset()
    assert field.value() == getattr(Sample(), name)


def test_each_choice_has_room(parent: QWidget) -> None:
    """ "Map and lock (mmap+mlock)" was cut off."""
    editor = SettingField(Loading, "load_mode", parent).editor
    assert isinstance(editor, ChoiceEdit)
    longest = max(editor.fontMetrics().horizontalAdvance(editor.itemText(row)) for row in range(editor.count()))
    assert editor.width() > longest + 20


@pytest.mark.parametrize(
    ("section", "name"),
    [(type(getattr(Settings(), part.name)), each.name) for part in fields(Settings)
     for each in fields(type(getattr(Settings(), part.name)))],
)  # fmt: skip
def test_every_declared_setting_can_be_shown(parent: QWidget, section: type, name: str) -> None:
    field = SettingField(section, name, parent)
    told = declaration(next(each for each in fields(section) if each.name == name))
    texts = [label.text() for label in field.findChildren(QLabel)]
    assert told.label in texts
    assert told.help in texts
    assert field.editor.accessibleName().startswith(told.label)
    assert told.help in field.editor.accessibleDescription()
    assert field.reset_button.accessibleName()
    assert field.value() == getattr(section(), name)


def test_editing_says_so_and_showing_does_not(qtbot: QtBot, parent: QWidget) -> None:
    field = make(parent, "number")
    with qtbot.assertNotEmitted(field.edited):
        field.show_value(4)
    assert isinstance(field.editor, NumberEdit)
    with qtbot.waitSignal(field.edited):
        QTest.keyClicks(field.editor, "2")


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("0", "Number: 0 is below the smallest value, 1."),
        ("10", "Number: 10 is above the largest value, 9."),
        ("x", "Write a whole number, such as 1."),
    ],
)
def test_what_is_refused_is_told_beside_it(parent: QWidget, typed: str, sentence: str) -> None:
    field = make(parent, "number")
    assert isinstance(field.editor, NumberEdit)
    field.editor.setText(typed)
    assert field.problem == field.note == sentence
    assert sentence in field.editor.accessibleDescription()
    assert field.editor.property("refused") == "true"
    assert field.reset_button.isVisible()
    field.reset_button.click()
    assert (field.problem, field.note) == ("", "")
    assert field.editor.property("refused") == "false"


def test_a_list_with_a_wrong_escape_is_refused(parent: QWidget) -> None:
    field = make(parent, "several")
    assert isinstance(field.editor, ListEdit)
    field.editor.setPlainText("\\q")
    assert "means nothing here" in field.note


def test_the_way_back_shows_only_where_there_is_one(parent: QWidget) -> None:
    field = make(parent, "text")
    assert isinstance(field.editor, TextEdit)
    assert not field.reset_button.isVisible()
    QTest.keyClicks(field.editor, "hi")
    assert field.reset_button.isVisible()
    assert field.reset_button.accessibleName() == "Reset Text to nothing"
    field.reset_button.setFocus()
    field.reset_button.click()
    assert not field.reset_button.isVisible()
    assert parent.focusWidget() is field.editor


def test_the_note_tells_of_a_reload_unless_something_is_wrong(parent: QWidget) -> None:
    field = make(parent, "number")
    field.show_reload(True)
    assert field.note == "Takes effect when the model is loaded again."
    field.show_rule("This does not go with that.")
    assert field.note == field.problem == "This does not go with that."
    field.show_rule("")
    field.show_reload(False)
    assert field.note == ""


def test_an_override_is_inherited_until_it_is_set_here(parent: QWidget) -> None:
    field = make(parent, "number", overrides=True)
    field.show_base(5)
    assert (field.value(), field.is_set, field.state.text()) == (5, False, "Inherited")
    assert isinstance(field.editor, NumberEdit)
    field.editor.setText("6")
    assert (field.is_set, field.state.text()) == (True, "Set here")
    field.show_base(2)
    assert field.value() == 6
    field.reset_button.click()
    assert (field.value(), field.is_set, field.state.text()) == (2, False, "Inherited")


def test_an_override_may_be_set_to_what_it_would_inherit(parent: QWidget) -> None:
    field = make(parent, "number", overrides=True)
    field.show_base(5)
    field.show_value(5, set_here=True)
    assert field.is_set
    field.show_base(2)
    assert field.value() == 5


def test_bounds_are_told(parent: QWidget) -> None:
    field = make(parent, "number")
    assert field.editor.toolTip() == "From 1 to 9."
    assert "From 1 to 9." in field.editor.accessibleDescription()
    assert field.editor.accessibleName() == "Number, tokens"


def browse(field: SettingField, folder: str) -> None:
    assert field.browse is not None
    field.browse.click()
    (dialog,) = (each for each in field.window().findChildren(QFileDialog) if each.isVisible())
    assert dialog.fileMode() is QFileDialog.FileMode.Directory
    dialog.fileSelected.emit(folder)
    dialog.close()


def test_a_folder_is_chosen_and_takes_the_others_place(parent: QWidget) -> None:
    field = SettingField(LibrarySettings, "download_folder", parent)
    field.show_value("/old")
    browse(field, "/models/new")
    assert field.value() == "/models/new"
    assert field.browse is not None and field.browse.accessibleName() == "Downloads go to: choose a folder"


def test_one_more_folder_is_added_once_whatever_its_name_holds(parent: QWidget) -> None:
    field = SettingField(LibrarySettings, "folders", parent)
    for folder in ("/a", "C:\\Users\\ada", "/a"):
        browse(field, folder)
    assert field.value() == ("/a", "C:\\Users\\ada")
    # What somebody is writing and cannot be read yet is not lost.
    assert isinstance(field.editor, ListEdit)
    field.editor.setPlainText("\\q")
    browse(field, "/b")
    assert field.editor.toPlainText() == "\\q\n/b"


def test_other_texts_have_nothing_to_browse(parent: QWidget) -> None:
    assert make(parent, "text").browse is None and make(parent, "several").browse is None
