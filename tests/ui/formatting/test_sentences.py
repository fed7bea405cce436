"""What the layers below the window say is said in the window's language."""

import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QApplication

from app.core.errors import UserError
from app.core.sentence import Sentence
from app.ui.formatting.sentences import translated
from app.ui.widgets.notices import Notices
from tests.ui.conftest import Stage
from tests.ui.pseudo import PseudoTranslator, pseudo

GONE = "{path} is not there any more. Choose another file."
PLAIN = "No model is loaded. Choose one first."


@pytest.fixture
def pseudo_language(qapp: QApplication) -> Iterator[None]:
    translator = PseudoTranslator()
    QCoreApplication.installTranslator(translator)
    yield
    QCoreApplication.removeTranslator(translator)


def test_in_english_everything_is_said_as_it_came() -> None:
    for sentence in ("", PLAIN, Sentence(GONE, path="a.gguf")):
        assert translated(sentence) == sentence


@pytest.mark.usefixtures("pseudo_language")
def test_a_sentence_is_translated_with_what_is_filled_in() -> None:
    assert translated(PLAIN) == pseudo(PLAIN)
    told = Sentence(GONE, path="{x}.gguf")
    assert translated(told) == pseudo(GONE).replace("{path}", "{x}.gguf")
    assert translated(pickle.loads(pickle.dumps(told))) == translated(told)


@pytest.mark.usefixtures("pseudo_language")
def test_sentences_in_a_row_and_within_others_are_translated_each() -> None:
    inner = Sentence(GONE, path="a.gguf")
    assert translated(Sentence.joined(PLAIN, inner)) == f"{pseudo(PLAIN)} {translated(inner)}"
    grammar = "The grammar can't be used: {reason}."
    assert translated(Sentence(grammar, reason=inner)) == pseudo(grammar).replace("{reason}", translated(inner))


@pytest.mark.usefixtures("pseudo_language")
def test_what_nobody_listed_stays_as_it_came() -> None:
    assert translated("errno 5 from the driver") == "errno 5 from the driver"


@pytest.mark.usefixtures("pseudo_language")
def test_errors_and_notices_are_shown_in_the_language_of_the_window(stage: Stage) -> None:
    notices: Notices = stage.window.notices
    gone = pseudo(GONE).replace("{path}", "m.gguf")
    notices.show_error(UserError(GONE, path=Path("m.gguf")))
    assert notices.bars[-1].sentence.text() == gone
    stage.controller.notices.noticed.emit(Sentence(GONE, path="n.gguf"))
    assert notices.bars[-1].sentence.text() == gone.replace("m.gguf", "n.gguf")
