"""A model that rests looks as if it were there, and says that it has to be loaded first."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QPushButton

from app.core.capabilities import Capabilities
from app.core.events import LoadStage
from app.core.model_ref import GUIDE_REF, ModelRef
from app.services.drafts.offers import PictureBytes
from app.services.engine.states import ModelLoading, ModelReady, ModelResting, NoModel
from tests.ui.conftest import Stage
from tests.ui.fakes import MODEL

RESTING = ModelResting(MODEL)


def test_the_picker_says_that_it_is_unloaded_and_when_it_loads(stage: Stage) -> None:
    stage.engine.enter(RESTING)
    picker = stage.window.picker
    assert picker.button.text() == "Qwen3-8B-Instruct Q4_K_M · unloaded"
    assert "loads when you write" in picker.button.toolTip()
    assert "unloaded" in picker.button.accessibleName()
    picker.open_menu()
    texts = [each.text() for each in picker.popover.findChildren(QPushButton) if each.isVisible()]
    picker.popover.close()
    assert "Unload the model" in texts, "somebody may want to be rid of it for good"


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
