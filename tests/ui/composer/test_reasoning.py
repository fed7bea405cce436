"""The switch for reasoning at the message field, and in the palette: for models that can, and for no others."""

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.core.model_ref import GUIDE_REF
from app.core.preset import Preset, Thinking
from app.core.reasoning import Effort, Efforts
from app.services.engine.states import ModelReady, NoModel
from tests.ui.conftest import Stage
from tests.ui.fakes import MODEL, READY, opened

SWITCH: Efforts = {Effort.OFF: {"enable_thinking": False}, Effort.ON: {"enable_thinking": True}}
LEVELS: Efforts = {each: {"reasoning_effort": each.value} for each in (Effort.LOW, Effort.MEDIUM, Effort.HIGH)}


def ready(efforts: Efforts) -> ModelReady:
    return ModelReady(replace(MODEL, efforts=efforts))


def in_palette(stage: Stage) -> list[str]:
    presenter = stage.window.command_palette
    presenter.toggle()
    titles = [row.entry.title for row in presenter.palette.rows if row.entry.key.startswith("reasoning:")]
    presenter.toggle()
    return titles


def test_nothing_is_shown_for_a_model_that_has_nothing_to_choose(stage: Stage) -> None:
    button = stage.window.reasoning.button
    guide = ModelReady(replace(MODEL, ref=GUIDE_REF, efforts=SWITCH))
    for state in (NoModel(), READY, guide):
        stage.engine.enter(state)
        assert button.isHidden() and not in_palette(stage)
    stage.engine.enter(ready(SWITCH))
    assert button.isVisible() and button.text() == "Reasoning"
    assert in_palette(stage) == ["Reasoning: off", "Reasoning: on"]
    stage.engine.enter(READY)
    assert button.isHidden()


def test_the_menu_has_what_the_template_knows_and_keeps_the_choice(stage: Stage) -> None:
    stage.engine.enter(ready(LEVELS))
    button = stage.window.reasoning.button
    menu = button.open_menu()
    assert [each.text() for each in menu.actions()[1:]] == ["Low", "Medium", "High"]
    assert menu.actions()[0].isChecked()
    QTest.keyClick(menu, Qt.Key.Key_Down)
    QTest.keyClick(menu, Qt.Key.Key_Return)
    assert stage.controller.options.effort(None) == "low"
    assert button.text() == "Reasoning: low" == button.accessibleName()
    again = button.open_menu()
    assert [each.isChecked() for each in again.actions()] == [False, True, False, False]
    again.actions()[0].trigger()
    again.close()
    assert button.text() == "Reasoning"


def test_the_palette_chooses_too(stage: Stage) -> None:
    stage.engine.enter(ready(SWITCH))
    next(stage.window.reasoning.entries()).act()
    assert stage.controller.options.effort(None) is Effort.OFF
    assert stage.window.reasoning.button.text() == "Reasoning: off"


def test_what_the_preset_says_is_told_until_the_conversation_says_otherwise(stage: Stage) -> None:
    options, button = stage.controller.options, stage.window.reasoning.button
    options.set_preset(None, options.presets.add(Preset("Quick", thinking=Thinking.OFF)))
    stage.engine.enter(ready(SWITCH))
    assert button.text() == "Reasoning: off"
    options.set_effort(None, Effort.ON)
    assert button.text() == "Reasoning: on"


def test_another_conversation_shows_its_own(stage: Stage) -> None:
    stage.engine.enter(ready(SWITCH))
    stage.controller.options.set_effort(1, Effort.OFF)
    assert stage.window.reasoning.button.text() == "Reasoning"
    stage.controller.active.open(opened("Another", number=1))
    assert stage.window.reasoning.button.text() == "Reasoning: off"
