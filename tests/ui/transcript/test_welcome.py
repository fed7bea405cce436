from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel, QProgressBar, QPushButton
from pytestqt.qtbot import QtBot

from app.core.errors import UserError
from app.core.events import LoadStage
from app.core.model_ref import GUIDE_REF, ModelRef
from app.core.resources import GUIDE_NAME
from app.services.engine.states import ModelFailed, ModelLoading, ModelOnServer, NoModel
from app.ui.theme.appearance import Appearance
from app.ui.transcript.welcome import Welcome
from tests.ui.fakes import READY, THERE

RECENT = [ModelRef.of_file(Path(f"/m/model {number}.gguf")) for number in range(5)]


@pytest.fixture
def welcome(qtbot: QtBot, appearance: Appearance) -> Welcome:
    made = Welcome(appearance, lambda: RECENT)
    qtbot.addWidget(made)
    made.resize(700, 600)
    made.show()
    return made


def buttons(welcome: Welcome) -> dict[str, QPushButton]:
    return {each.text(): each for each in welcome.findChildren(QPushButton) if each.isVisible()}


def test_who_asks_a_server_is_told_where_words_go(welcome: Welcome) -> None:
    welcome.show_state(ModelOnServer(THERE))
    told = " ".join(each.text() for each in welcome.findChildren(QLabel) if each.isVisible())
    assert "goes to attic.lan" in told and "Qwen3-32B · Attic" in told and "leaves this machine" not in told
    assert not buttons(welcome)


def test_without_a_model_it_says_how_to_begin(qtbot: QtBot, welcome: Welcome) -> None:
    wanted = {"Get a model…", "Choose a model file…", "model 0", "model 1", "model 2"}
    for state in (NoModel(), ModelFailed(ModelRef.of_file(Path("/m/a.gguf")), UserError("no"))):
        welcome.show_state(state)
        qtbot.waitUntil(lambda: set(buttons(welcome)) == wanted)
    assert buttons(welcome)["Get a model…"] is welcome.get_button
    assert buttons(welcome)["Choose a model file…"] is welcome.open_button
    with qtbot.waitSignal(welcome.recent_clicked) as caught:
        buttons(welcome)["model 1"].click()
    assert caught.args == [RECENT[1]]


def test_while_loading_it_shows_progress(qtbot: QtBot, welcome: Welcome) -> None:
    welcome.show_state(ModelLoading(ModelRef.of_file(Path("/m/a.gguf")), LoadStage.LOADING, 0.42))
    (bar,) = welcome.findChildren(QProgressBar)
    assert bar.isVisible()
    assert bar.value() == 42
    assert buttons(welcome) == {"Cancel": welcome.cancel_button}


def test_with_a_model_it_invites(welcome: Welcome) -> None:
    welcome.show_state(READY)
    assert buttons(welcome) == {}
    shown = " ".join(label.text() for label in welcome.findChildren(QLabel) if label.isVisible())
    assert "Qwen3-8B-Instruct Q4_K_M is ready" in shown


def test_the_guide_says_what_it_is_and_offers_questions_and_the_way_to_a_real_model(
    qtbot: QtBot, welcome: Welcome
) -> None:
    welcome.show_state(replace(READY, info=replace(READY.info, ref=GUIDE_REF, name=GUIDE_NAME)))
    shown = " ".join(label.text() for label in welcome.findChildren(QLabel) if label.isVisible())
    assert "a very small model that comes with Hearth" in shown
    offered = buttons(welcome)
    assert {"Get a model…", "Choose a model file…"} <= set(offered)
    with qtbot.waitSignal(welcome.question_clicked) as caught:
        offered["What can you do?"].click()
    assert caught.args == ["What can you do?"]
    welcome.show_state(READY)
    assert buttons(welcome) == {}
