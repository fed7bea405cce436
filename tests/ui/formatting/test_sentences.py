"""What the layers below the window say is said in the window's language."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QApplication

from app.core.errors import UserError
from app.ui.formatting.sentences import LIST, translated
from app.ui.widgets.notices import Notices
from tests.ui.conftest import Stage
from tests.ui.pseudo import FIRST, PseudoTranslator, pseudo

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def pseudo_language(qapp: QApplication) -> Iterator[None]:
    translator = PseudoTranslator()
    QCoreApplication.installTranslator(translator)
    yield
    QCoreApplication.removeTranslator(translator)


def _listed() -> list[str]:
    return LIST.read_text("utf-8").splitlines()


def test_the_list_is_what_the_sources_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(ROOT / "packaging"), *sys.path])
    from sentences import sentences

    assert _listed() == list(sentences(ROOT / "app")), "Run packaging/translations.py."


def test_in_english_everything_is_said_as_it_came() -> None:
    for sentence in ("", "No model is loaded. Choose one first.", "a.gguf is not there any more. Choose another file."):
        assert translated(sentence) == sentence


@pytest.mark.usefixtures("pseudo_language")
def test_every_listed_sentence_is_recognised_with_what_is_filled_in() -> None:
    for line in _listed():
        sentence = line
        for number in range(1, 6):
            sentence = sentence.replace(f"%{number}", f"“value {number}.gguf”")
        shown = translated(sentence)
        assert shown.startswith(FIRST), sentence
        for number in range(1, 6):
            assert (f"“value {number}.gguf”" in shown) == (f"%{number}" in line), sentence


@pytest.mark.usefixtures("pseudo_language")
def test_sentences_in_a_row_and_within_others_are_translated_each() -> None:
    first, second = (
        "No model is loaded. Choose one first.",
        "This model has no chat template of its own; ChatML stands in.",
    )
    assert translated(f"{second} {first}") == f"{pseudo(second)} {pseudo(first)}"
    inner = "It broke off because of a fault in Hearth. What is there is kept."
    shown = translated(f"The grammar can't be used: {inner}.")
    assert pseudo(inner) in shown
    assert shown.startswith(FIRST)


@pytest.mark.usefixtures("pseudo_language")
def test_what_nobody_listed_stays_as_it_came() -> None:
    assert translated("errno 5 from the driver") == "errno 5 from the driver"


@pytest.mark.usefixtures("pseudo_language")
def test_an_error_is_shown_in_the_language_of_the_window(stage: Stage) -> None:
    notices: Notices = stage.window.notices
    notices.show_error(UserError("m.gguf is not there any more. Choose another file."))
    assert notices.bars[-1].sentence == pseudo("%1 is not there any more. Choose another file.").replace("%1", "m.gguf")
