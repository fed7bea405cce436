"""Answer again with another model: the button beside Answer again, the key, the list, and the way back."""

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton

from app.core.messages import Role
from app.core.model_ref import ModelRef
from app.services.chat.answer_with_model import Replaced
from tests.ui.conftest import Stage
from tests.ui.fakes import MODEL, READY, opened, stored

OTHER = ModelRef.of_file(Path("/models/Gemma-3-4b-it-Q4_0.gguf"))


def talk(stage: Stage) -> int:
    answer = stored(Role.ASSISTANT, "Yes.", figures={"model": MODEL.name}, version=2, n_versions=2)
    stage.engine.enter(READY)
    stage.controller.active.open(opened("Rain", stored(Role.USER, "Is it?"), answer))
    return answer.id


def test_the_button_beside_answer_again_lists_the_models(stage: Stage) -> None:
    number = talk(stage)
    view = stage.window.transcript.view_of(number)
    assert view is not None
    names = [each.accessibleName() for each in view.findChildren(QToolButton)]
    place = names.index("Answer again")
    assert names[place + 1] == "Answer again with another model"
    view.findChildren(QToolButton)[place + 1].click()
    popover = stage.window.answer_with.popover
    assert popover.isVisible() and popover.search.placeholderText() == "Answer again with…"
    QTest.keyClicks(popover.search, "gemma")
    QTest.keyClick(popover.search, Qt.Key.Key_Return)
    assert stage.controller.calls == [("answer_with", number, OTHER)]
    assert not stage.engine.calls


def test_the_key_is_for_the_last_answer_and_dim_where_there_is_none(stage: Stage) -> None:
    action = stage.window.menu_actions.answer_with
    assert not action.isEnabled()
    number = talk(stage)
    assert action.isEnabled()
    action.trigger()
    popover = stage.window.answer_with.popover
    QTest.keyClicks(popover.search, "gemma")
    QTest.keyClick(popover.search, Qt.Key.Key_Return)
    assert stage.controller.calls == [("answer_with", number, OTHER)]


def test_the_version_says_who_wrote_it(stage: Stage) -> None:
    view = stage.window.transcript.view_of(talk(stage))
    assert view is not None
    pager = view.tools.pager
    assert pager.text == "2/2" and pager.model == MODEL.name
    assert pager.back.accessibleDescription() == f"Version 2 of 2, by {MODEL.name}"
    pager.show_version(1, 2, "<b>" + "long " * 40)
    assert pager.model.endswith("long ") and "…" in pager.model
    pager.show_version(1, 2)
    assert pager.model == ""


def test_a_long_name_is_shortened_where_the_row_is_narrow(stage: Stage) -> None:
    view = stage.window.transcript.view_of(talk(stage))
    assert view is not None
    pager = view.tools.pager
    name = "Guide (built in, very small)"
    pager.show_version(1, 2, name)
    whole = pager.sizeHint().width()
    pager.resize(whole, pager.height())
    assert pager.model == name
    pager.resize(whole - 60, pager.height())
    assert pager.model != name and "…" in pager.model
    pager.resize(whole, pager.height())
    assert pager.model == name


def test_when_it_has_answered_one_button_leads_back(stage: Stage) -> None:
    stage.controller.answer_with.answered.emit(Replaced(MODEL, replace(MODEL, name="Gemma", ref=OTHER)))
    (bar,) = stage.window.notices.bars
    assert "Gemma has answered" in bar.sentence.text()
    assert bar.action_button is not None and MODEL.name in bar.action_button.text()
    bar.action_button.click()
    assert stage.controller.calls == [("back", MODEL.ref)]
