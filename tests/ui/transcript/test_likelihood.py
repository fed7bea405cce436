"""How surprising an answer was: the menu under it, the dialog while it waits, and what it tells."""

import math

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtGui import QTextCursor

from app.core.errors import UserError
from app.core.events import PromptProgress
from app.core.likelihood import Likelihood, ScoredToken
from app.core.messages import Role
from app.core.settings import Theme
from app.ui.transcript.likelihood_dialog import LikelihoodDialog
from tests.ui.conftest import Stage
from tests.ui.fakes import READY, opened, stored

ENTRY = "How surprising was this?"
FOUND = Likelihood(
    (
        ScoredToken(0, b"<s>", None),
        ScoredToken(1, b"sure", 0.0),
        ScoredToken(2, b" \xe4\xb8", math.log(0.5)),
        ScoredToken(3, b"\x96", -99.0),
    )
)


def ask(stage: Stage) -> LikelihoodDialog | None:
    question, answer = stored(Role.USER, "Is it?"), stored(Role.ASSISTANT, "Yes.")
    stage.engine.enter(READY)
    stage.controller.active.open(opened("Rain", question, answer))
    views = [stage.window.transcript.view_of(each.id) for each in (question, answer)]
    menus = [[each.text() for each in view.tools.menu().actions()] for view in views if view is not None]
    assert [ENTRY in each for each in menus] == [False, True]
    assert views[1] is not None
    next(each for each in views[1].tools.menu().actions() if each.text() == ENTRY).trigger()
    assert stage.controller.likelihood.asked == [answer.id]
    return next(iter(stage.window.findChildren(LikelihoodDialog)), None)


def marks(dialog: LikelihoodDialog) -> dict[str, float]:
    """How strongly each stretch of the text is marked."""
    cursor, found = QTextCursor(dialog.text.document()), dict[str, float]()
    for place in range(len(dialog.text.toPlainText())):
        cursor.setPosition(place)
        cursor.setPosition(place + 1, QTextCursor.MoveMode.KeepAnchor)
        brush = cursor.charFormat().background()
        found[cursor.selectedText()] = brush.color().alphaF() if brush.style().value else 0.0
    return found


def test_the_figures_and_the_words_that_surprised(stage: Stage) -> None:
    dialog = ask(stage)
    assert dialog is not None
    assert dialog.isVisible() and dialog.close_button.text() == "Stop"
    assert dialog.text.isHidden()
    stage.controller.likelihood.progress(PromptProgress(200, 20, 60, 0.1))
    assert (dialog.progress.value(), dialog.progress.maximum()) == (80, 200)
    stage.controller.likelihood.done(FOUND)
    assert dialog.progress.isHidden() and dialog.close_button.text() == "Close"
    assert FOUND.perplexity > 1e9
    assert dialog.told.text().startswith("Very: ")
    assert dialog.figures.text().startswith(f"Perplexity {FOUND.perplexity:,.2f} ± ")
    assert dialog.figures.text().endswith("3 tokens")
    assert dialog.text.toPlainText() == "<s>sure 世"
    seen = marks(dialog)
    assert seen["s"] == 0.0 and 0.03 < seen[" "] < 0.12 and seen["世"] == pytest.approx(0.45, abs=0.01)
    before = dialog.text.document().toHtml()
    stage.appearance.choose(Theme.DARK if not stage.appearance.tokens.dark else Theme.LIGHT)
    assert dialog.text.document().toHtml() != before
    dialog.close_button.click()
    assert stage.controller.likelihood.cancelled == 1, "which is nothing once it has ended"


@pytest.mark.parametrize(
    ("logprob", "words"), [(-0.1, "Hardly"), (-1.0, "about 3 that"), (-2.0, "about 7 that"), (-5.0, "among 148 at")]
)
def test_perplexity_in_words(stage: Stage, logprob: float, words: str) -> None:
    dialog = ask(stage)
    assert dialog is not None
    stage.controller.likelihood.done(Likelihood((ScoredToken(0, b"a", logprob),)))
    assert words in dialog.told.text()


def test_what_the_context_had_no_room_for_is_told(stage: Stage) -> None:
    dialog = ask(stage)
    assert dialog is not None
    scored, left_out = ScoredToken(0, b"a", -0.1), ScoredToken(0, b"b", None)
    stage.controller.likelihood.done(Likelihood((scored, scored, left_out, left_out)))
    assert dialog.told.text().endswith("The context is full: 2 tokens at the end could not be judged.")
    assert dialog.told.text().startswith("Hardly")


def test_stop_and_escape_cancel_it_and_nothing_comes_after(stage: Stage) -> None:
    dialog = ask(stage)
    assert dialog is not None
    dialog.close_button.click()
    assert stage.controller.likelihood.cancelled == 1
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    stage.controller.likelihood.progress(PromptProgress(200, 20, 60, 0.1))
    stage.controller.likelihood.done(FOUND)
    assert not stage.window.findChildren(LikelihoodDialog)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (UserError("Too little."), "Too little."),
        (None, "stopped"),
        (ValueError("x"), "fault in Hearth"),
    ],
)
def test_what_can_not_be_told_is_said(stage: Stage, said: Exception | None, words: str) -> None:
    dialog = ask(stage)
    assert dialog is not None
    stage.controller.likelihood.done(said)
    assert words in dialog.told.text()
    assert dialog.text.isHidden() and dialog.close_button.text() == "Close"


def test_no_dialog_where_nothing_can_be_asked(stage: Stage) -> None:
    stage.controller.likelihood.takes = False
    ask(stage)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    assert not stage.window.findChildren(LikelihoodDialog)
