"""A model that rests looks as if it were there, and says that it has to be loaded first."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QMenu, QPushButton

from app.core.capabilities import Capabilities
from app.core.events import LoadStage
from app.core.model_ref import GUIDE_REF, ModelRef
from app.services.drafts.offers import PictureBytes
from app.services.engine.states import EngineState, ModelLoading, ModelReady, ModelResting, NoModel
from tests.ui.conftest import Stage
from tests.ui.fakes import MODEL, READY

RESTING = ModelResting(MODEL)
IN_MEMORY = ModelResting(MODEL, in_memory=True)


def test_a_word_beside_the_name_says_how_much_of_it_is_in_memory(stage: Stage) -> None:
    picker = stage.window.picker
    for state, word in ((READY, "ready"), (IN_MEMORY, "in memory"), (RESTING, "on disk")):
        stage.engine.enter(state)
        assert (picker.button.text(), picker.states.text()) == (MODEL.name, word)
        assert word in picker.states.accessibleName()
    assert "loads when you write" in picker.states.toolTip()
    stage.engine.enter(NoModel())
    assert not picker.states.isVisible()


def menu_of(stage: Stage) -> QMenu:
    stage.window.picker.states.click()
    return next(each for each in stage.window.picker.states.findChildren(QMenu) if each.isVisible())


@pytest.mark.parametrize(
    ("state", "steps"),
    [
        (READY, {"Free the context": "deactivate", "Unload and keep it chosen": "rest"}),
        (IN_MEMORY, {"Activate": "wake", "Unload and keep it chosen": "rest"}),
        (RESTING, {"Load into memory": "load_ahead", "Activate": "wake"}),
    ],
    ids=["ready", "in memory", "on disk"],
)
def test_its_menu_has_each_step_by_itself(stage: Stage, state: EngineState, steps: dict[str, str]) -> None:
    stage.engine.enter(state)
    for text, call in steps.items():
        menu = menu_of(stage)
        assert [each.text() for each in menu.actions() if each.isEnabled() and each.text()] == list(steps)
        next(each for each in menu.actions() if each.text() == text).trigger()
        menu.close()
        assert stage.engine.calls[-1] == (call,)
    offered = [entry.title for entry in stage.window.picker.states.entries()]
    assert offered == list(steps), "the command palette has them, too"


def test_what_is_used_is_not_freed(stage: Stage) -> None:
    stage.engine.enter(READY)
    stage.engine.is_busy = True
    menu = menu_of(stage)
    assert not [each for each in menu.actions() if each.isEnabled() and each.text()]
    assert "It is being used." in [each.text() for each in menu.actions()]
    menu.close()


def test_what_the_ways_took_is_told(stage: Stage) -> None:
    stage.engine.enter(ModelReady(replace(MODEL, load_ms=2410.0, activate_ms=84.2)))
    told = stage.window.picker.states.toolTip()
    assert "Reading it from disk took 2.4 s" in told
    assert "Activating it took 84 ms" in told


def test_it_can_still_be_got_rid_of_for_good(stage: Stage) -> None:
    stage.engine.enter(RESTING)
    picker = stage.window.picker
    picker.open_menu()
    texts = [each.text() for each in picker.popover.findChildren(QPushButton) if each.isVisible()]
    picker.popover.close()
    assert "Unload the model" in texts


def test_one_can_write_as_if_it_were_there(stage: Stage) -> None:
    stage.engine.enter(RESTING)
    asleep = stage.window.composer.edit.placeholderText()
    stage.engine.enter(ModelReady(MODEL))
    assert stage.window.composer.edit.placeholderText() == asleep
    stage.engine.enter(NoModel())
    assert stage.window.composer.edit.placeholderText() != asleep
    assert not stage.window.menu_actions.unload_model.isEnabled()


def test_the_gauge_keeps_the_size_of_the_context(stage: Stage) -> None:
    for state in (RESTING, ModelLoading(MODEL.ref, LoadStage.LOADING, 0.5, MODEL)):
        stage.engine.enter(state)
        assert stage.window.gauge.n_ctx == MODEL.n_ctx
    assert not stage.window.menu_actions.show_context.isEnabled(), "for it holds nothing"
    stage.engine.enter(ModelLoading(MODEL.ref, LoadStage.LOADING, 0.5))
    assert stage.window.gauge.n_ctx == 0


def test_a_way_back_can_be_cancelled(stage: Stage) -> None:
    stage.engine.enter(ModelLoading(ModelRef.of_file(Path("/models/a.gguf")), LoadStage.LOADING, 0.42, MODEL))
    assert "42 %" in stage.window.picker.button.text()
    stage.window.picker.cancel_button.clicked.emit()
    assert ("cancel_load",) in stage.engine.calls


def test_the_welcome_page_says_it_too(stage: Stage) -> None:
    stage.engine.enter(RESTING)
    shown = stage.window.welcome.grab()
    assert not shown.isNull()
    assert "It loads again when you write." in _texts(stage)
    stage.engine.enter(ModelResting(replace(MODEL, ref=GUIDE_REF)))
    assert "The guide is ready" in _texts(stage), "it comes back before anybody notices"


@pytest.mark.parametrize(("sees", "obstacle"), [(True, False), (False, True)])
def test_pictures_are_taken_where_it_sees(stage: Stage, sees: bool, obstacle: bool) -> None:
    stage.engine.enter(ModelResting(replace(MODEL, capabilities=Capabilities(sees=sees))))
    stage.writing.attachments.add(PictureBytes(b""))
    assert bool(stage.writing.attachments.obstacle) is obstacle


def _texts(stage: Stage) -> str:
    from PySide6.QtWidgets import QLabel

    return " ".join(label.text() for label in stage.window.welcome.findChildren(QLabel))
