"""A model drafts for itself in the whole program: the words are the same, and the window says what was drafted."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.core.draft_record import drafts_from
from app.core.paths import Paths
from app.core.resources import GUIDE
from app.core.speculation import DrafterKind, DraftFigures, Speculation
from app.program import Program
from app.services.engine.states import ModelReady
from app.storage.conversations import StoredMessage
from app.ui.formatting.numbers import answer_details
from tests.e2e.conftest import answer, ask, write_settings
from tests.engine.drafting.always import Always
from tests.waits import WAIT


@pytest.fixture
def paths(home: Path) -> Paths:
    made = Paths(home, home, home / "logs")
    write_settings(made, max_tokens=60, speculation=Speculation(ngram=False, draft_model=str(GUIDE)))
    return made


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
    drafted = ask(program, "Which keyboard shortcuts are there?", qtbot)
    figures = drafts_of(drafted)
    # What was drafted beyond the end of the answer is not accepted.
    assert figures.drafted - 4 <= figures.accepted > 8
    told = dict(answer_details(drafted.figures or {}))["Drafts"]
    assert told.startswith(f"{figures.accepted} of {figures.drafted} tokens were right (draft model)")
    program.settings.update(Speculation, draft_model="")
    program.engine.reload()
    qtbot.waitUntil(lambda: isinstance(program.engine.state, ModelReady), timeout=WAIT)
    program.controller.regenerate()
    plain = answer(program, qtbot)
    assert plain.id != drafted.id
    assert plain.message.text == drafted.message.text != ""
    assert drafts_of(plain) == DraftFigures(off="Nothing guesses: all ways of it are switched off.")
    assert dict(answer_details(plain.figures or {}))["Drafts"].startswith("off.")
