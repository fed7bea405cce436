"""Where a conversation or a message is too long for the context, what can be done here is offered as buttons."""

import pytest
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.core.fit import Free
from app.core.messages import Role
from app.core.overflow import Overflow
from app.library.catalogue import LibraryModel
from app.library.model_facts import ModelFacts, ModelKind
from app.library.model_sources import Source
from app.services.engine.token_counts import TokenCount
from app.storage.conversations import MessageState, StoredMessage
from app.ui.composer.composer import Composer
from tests.core.test_fit import BIG
from tests.ui.conftest import Stage
from tests.ui.fakes import MODEL, READY, opened, stored

LONG = "a word or two " * 6_000
DROP = "Leave out the oldest messages"
FREE = Free(64 << 30)


def shown(composer: Composer) -> list[str]:
    return [each.text() for each in composer.line.buttons if not each.isHidden()]


def press(composer: Composer, text: str) -> None:
    next(each for each in composer.line.buttons if each.text() == text and not each.isHidden()).click()


@pytest.fixture
def composer(stage: Stage) -> Composer:
    path, facts = MODEL.ref.file, ModelFacts(ModelKind.MODEL, "", "llama", shape=BIG)
    stage.models.fit._others[MODEL.ref] = LibraryModel(path, "", Source.FOLDER, 0, (path,), 0, facts)
    stage.models.fit._free_now = lambda: FREE
    stage.engine.enter(READY)
    return stage.window.composer


def refused(question: str = "And why?", reason: str = "context_full") -> list[StoredMessage]:
    figures = {
        "error": "This conversation has 24,000 tokens, and the context holds 8,192.",
        "reason": reason,
        "n_prompt": 24_000,
    }
    return [
        stored(Role.USER, LONG),
        stored(Role.ASSISTANT, "Yes."),
        stored(Role.USER, question),
        stored(Role.ASSISTANT, "", state=MessageState.FAILED, figures=figures),
    ]


def test_a_refused_question_offers_what_can_be_done(stage: Stage, composer: Composer) -> None:
    stage.controller.active.open(opened("Long", *refused()))
    assert composer.line.sentence.text() == "This conversation is too long for the model's context."
    drop, larger, fresh = shown(composer)
    assert drop == DROP
    assert larger.startswith("Context of 32k (")
    press(composer, drop)
    assert stage.controller.options.overflow(stage.controller.active.conversation_id) is Overflow.DROP_OLDEST
    assert stage.controller.calls[-1] == ("regenerate",)
    press(composer, larger)
    assert stage.settings.settings.loading.ctx_size == 32_768
    assert stage.engine.calls[-1] == ("reload",)
    assert stage.controller.calls[-1] == ("regenerate",)
    press(composer, fresh)
    assert stage.controller.calls[-2:] == [("new_conversation",), ("send", "And why?")]


def test_it_is_offered_as_long_as_it_holds(stage: Stage, composer: Composer) -> None:
    stage.controller.active.open(opened("Long", *refused()))
    stage.controller.active.open(None)
    assert composer.line.isHidden()
    stage.controller.active.open(opened("Long", *refused()))
    assert len(shown(composer)) == 3
    stage.controller.active.open(opened("Long", *refused(reason="")))
    assert composer.line.isHidden(), "another failure"
    stage.controller.active.open(opened("Long", *refused()[2:]))
    assert [each[:13] for each in shown(composer)] == ["Context of 32"], "nothing older could be left out"
    stage.controller.active.open(opened("Long", *refused(question=LONG)))
    assert [each[:13] for each in shown(composer)] == ["Context of 32"], "the question alone is too long"


def test_a_message_that_will_not_fit_offers_the_same(qtbot: QtBot, stage: Stage, composer: Composer) -> None:
    stage.window.gauge.show_size(TokenCount(8000, exact=True))
    QTest.keyClicks(composer.edit, "hello")
    qtbot.waitUntil(lambda: bool(stage.engine.counting))
    stage.engine.end_count(400)
    assert composer.line.sentence.text().startswith("This message does not fit")
    drop, larger, fresh = shown(composer)
    next(each for each in composer.line.buttons if each.text() == larger).setFocus()
    press(composer, larger)
    assert stage.engine.calls[-1] == ("reload",)
    assert composer.edit.hasFocus(), "the button that was pressed may be gone"
    press(composer, fresh)
    assert stage.controller.calls[-1] == ("new_conversation",)
    assert composer.edit.toPlainText() == "hello"
    press(composer, drop)
    assert stage.controller.options.overflow(stage.controller.active.conversation_id) is Overflow.DROP_OLDEST
    qtbot.waitUntil(lambda: composer.line.sentence.text().startswith("The oldest messages will be left out"))
    assert shown(composer) == []
