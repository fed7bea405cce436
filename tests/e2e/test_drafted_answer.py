"""A model drafts for itself in the whole program: the words are the same, and the window says what was drafted."""

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.bootstrap import Program
from app.core.draft_record import drafts_from
from app.core.paths import Paths
from app.core.resources import GUIDE
from app.core.speculation import DrafterKind, DraftFigures, Speculation
from app.services.engine.states import Idle, ModelReady
from app.storage.conversations import StoredMessage
from app.storage.settings_file import load_settings, save_settings
from app.ui.formatting.numbers import answer_details
from tests.engine.drafting.always import Always
from tests.services.shutdown import shut_down
from tests.waits import WAIT


@pytest.fixture
def program(home: Path, qapp: QApplication, qtbot: QtBot) -> Iterator[Program]:
    paths = Paths(home, home, home / "logs")
    settings = load_settings(paths.settings).settings
    settings = dataclasses.replace(
        settings,
        loading=dataclasses.replace(settings.loading, threads=1, gpu_layers=0),
        sampling=dataclasses.replace(settings.sampling, max_tokens=60, temperature=0.0),
        speculation=Speculation(ngram=False, draft_model=str(GUIDE)),
    )
    save_settings(paths.settings, settings)
    made = Program(qapp, paths)
    qtbot.addWidget(made.window)
    made.window.resize(1600, 800)
    made.window.show()
    made.begin()
    qtbot.waitUntil(lambda: isinstance(made.engine.state, ModelReady), timeout=WAIT)
    yield made
    shut_down(made.engine, qtbot)
    made.close()


def last_answer(program: Program, qtbot: QtBot) -> StoredMessage:
    controller = program.controller
    qtbot.waitUntil(
        lambda: (
            isinstance(controller.replies.activity, Idle)
            and bool(controller.active.path)
            and bool(controller.active.path[-1].figures)
        ),
        timeout=WAIT,
    )
    return controller.active.path[-1]


def drafts_of(answer: StoredMessage) -> DraftFigures:
    found = drafts_from((answer.figures or {}).get("drafting"))
    assert found is not None
    return found


def draft_always(program: Program) -> None:
    """What pays depends on the machine, and on what else it does."""
    session = program.engine._worker._session
    assert session is not None
    assert session.drafting is not None
    session.drafting.policy = Always()


def test_an_answer_with_drafts_is_the_answer(program: Program, qtbot: QtBot) -> None:
    state = program.engine.state
    assert isinstance(state, ModelReady)
    assert state.info.drafting.ready == (DrafterKind.DRAFT_MODEL,)
    draft_always(program)
    edit = program.window.composer.edit
    QTest.keyClicks(edit, "Which keyboard shortcuts are there?")
    QTest.keyClick(edit, Qt.Key.Key_Return)
    drafted = last_answer(program, qtbot)
    figures = drafts_of(drafted)
    # What was drafted beyond the end of the answer is not accepted.
    assert figures.drafted - 4 <= figures.accepted > 8
    told = dict(answer_details(drafted.figures or {}))["Drafts"]
    assert told.startswith(f"{figures.accepted} of {figures.drafted} tokens were right (draft model)")
    program.settings.update(Speculation, draft_model="")
    program.engine.reload()
    qtbot.waitUntil(lambda: isinstance(program.engine.state, ModelReady), timeout=WAIT)
    program.controller.regenerate()
    plain = last_answer(program, qtbot)
    assert plain.id != drafted.id
    assert plain.message.text == drafted.message.text != ""
    assert drafts_of(plain) == DraftFigures(off="Nothing guesses: all ways of it are switched off.")
    assert dict(answer_details(plain.figures or {}))["Drafts"].startswith("off.")
