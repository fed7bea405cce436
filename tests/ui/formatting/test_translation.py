"""Every text of the interface can be translated, and has room to be longer or to run the other way."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QLocale, Qt, QTranslator
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QWidget,
)

from app.core.resources import RESOURCES
from app.ui.formatting.translation import TRANSLATIONS, install_translations
from tests.ui.conftest import Stage
from tests.ui.cut_text import cut
from tests.ui.gallery import scenes
from tests.ui.pseudo import FIRST, LAST, PseudoTranslator, pseudo

UI = Path(__file__).resolve().parents[3] / "app" / "ui"
_SETTERS = {
    *("setText", "setToolTip", "setAccessibleName", "setAccessibleDescription", "setWindowTitle", "setTitle"),
    *("setPlaceholderText", "setStatusTip", "setWhatsThis", "setInformativeText", "setPrefix", "setSuffix", "say"),
}
_MADE_WITH_TEXT = {
    "QLabel",
    "QPushButton",
    "QToolButton",
    "QAction",
    "QCheckBox",
    "QRadioButton",
    "QMenu",
    "IconButton",
    "push_button",
    "plain_label",
    "add_action",
}
_ADDERS = {"addItem", "addAction", "addMenu", "addButton", "button", "show_notice", "offer", "setNameFilters"}
_NAMES = {"Hearth", " – Hearth", "<p>", "</p>"}
"""What is the same in all languages."""
_ICONS = {path.stem for path in (RESOURCES / "icons").glob("*.svg")}
_TONES = set(re.findall(r'tone="(\w+)"', (RESOURCES / "themes" / "hearth.qss").read_text("utf-8")))


@pytest.fixture
def pseudo_language(qapp: QApplication) -> Iterator[PseudoTranslator]:
    translator = PseudoTranslator()
    QCoreApplication.installTranslator(translator)
    yield translator
    QCoreApplication.removeTranslator(translator)


@pytest.fixture
def pseudo_stage(pseudo_language: PseudoTranslator, request: pytest.FixtureRequest) -> Stage:
    made: Stage = request.getfixturevalue("stage")
    return made


def test_no_widget_is_given_words_that_cannot_be_translated() -> None:
    found = [f"{path.name}:{line}: {text!r}" for path in sorted(UI.rglob("*.py")) for line, text in _bare(path)]
    assert not found, "\n".join(found)


def test_everything_on_screen_is_translated_and_longer_words_are_not_cut_off(pseudo_stage: Stage) -> None:
    window = pseudo_stage.window
    window.resize(1180, 820)
    bare, cut_off = set(), set()
    for scene, root in scenes(pseudo_stage):
        bare |= {f"{scene}: {text!r}" for text in _words(root) if FIRST not in text}
        cut_off |= {f"{scene}: {problem}" for problem in cut(root)}
    bare = {each for each in bare if not any(theirs in each for theirs in _THEIRS)}
    assert not bare, "\n".join(sorted(bare))
    assert not cut_off, "\n".join(sorted(cut_off))
    for menu in window.findChildren(QMenu):
        for action in menu.actions():
            known = action.isSeparator() or FIRST in action.text() or any(each in action.text() for each in _THEIRS)
            assert known, action.text()


def test_from_right_to_left_nothing_is_cut_off_and_all_is_mirrored(mirrored: None, stage: Stage) -> None:
    stage.window.resize(1180, 820)
    found = {f"{scene}: {problem}" for scene, root in scenes(stage) for problem in cut(root)}
    assert not found, "\n".join(sorted(found))
    window = stage.window
    assert window.sidebar.mapTo(window, window.sidebar.rect().topLeft()).x() > window.width() // 2
    assert window.header.menu_button.x() < window.picker.x()
    assert window.composer.send_button.x() < window.gauge.x()


def test_the_systems_language_is_loaded_with_qts_own_words(qapp: QApplication, tmp_path: Path) -> None:
    (tmp_path / "hearth_de.qm").write_bytes((TRANSLATIONS / "hearth_en.qm").read_bytes())
    installed = install_translations(qapp, QLocale("de_AT"), tmp_path)
    try:
        assert [Path(each.filePath()).name for each in installed][-1] == "hearth_de.qm"
        assert any("qtbase" in each.filePath() for each in installed)
        assert qapp.layoutDirection() is Qt.LayoutDirection.LeftToRight
    finally:
        _remove(installed)


def test_a_language_that_is_not_there_is_english_from_left_to_right(qapp: QApplication) -> None:
    installed = install_translations(qapp, QLocale("ar_EG"))
    try:
        assert Path(installed[-1].filePath()).name == "hearth_en.qm"
        assert qapp.layoutDirection() is Qt.LayoutDirection.LeftToRight
    finally:
        _remove(installed)


def test_a_language_that_runs_from_the_right_mirrors_the_window(qapp: QApplication, tmp_path: Path) -> None:
    (tmp_path / "hearth_ar.qm").write_bytes((TRANSLATIONS / "hearth_en.qm").read_bytes())
    installed = install_translations(qapp, QLocale("ar_EG"), tmp_path)
    try:
        assert qapp.layoutDirection() is Qt.LayoutDirection.RightToLeft
    finally:
        _remove(installed)
        qapp.setLayoutDirection(Qt.LayoutDirection.LeftToRight)


@pytest.mark.parametrize(("n", "said"), [(0, "0 words"), (1, "1 word"), (2, "2 words"), (21, "21 words")])
def test_english_counts_properly(qapp: QApplication, n: int, said: str) -> None:
    installed = install_translations(qapp, QLocale("en_GB"))
    try:
        text = QCoreApplication.translate("Announcer", "The answer is there, %n word(s).", "", n)
        assert text == f"The answer is there, {said}."
    finally:
        _remove(installed)


def test_pseudo_keeps_what_is_filled_in() -> None:
    made = pseudo("Load &model {model} with %n layers")
    assert made.startswith(FIRST) and made.endswith(LAST)
    assert "{model}" in made and "%n" in made and "&m" in made
    assert len(made) >= 1.4 * len("Load &model {model} with %n layers")


_THEIRS = (
    *("Hearth", "Rain", "Snow in Oslo", "What is it?", "It failed.", "The chat was deleted.", "Undo", "line 1", "No."),
    *("why", "https://example.org", "Qwen3-8B", "Gemma-3-4b", "guide", "python", "a.gguf", "127.0.0.1"),
    *("bf16", "iq4_nl", "Guide (built in", "Hugging Face", "LM Studio", "Ollama", "Jan", "Qwen3 VL", "Mistral"),
    *("u200bmodels/", "snow:3b", "Llama 3", "qwen3", "apache-2.0", "Apache 2.0", "MIT", "Gemma", "CC BY"),
    *("mmproj-", "/nobody/", "Plant", "The model that ranks"),
)
"""Names, and what people, models and this test wrote."""


def _words(root: QWidget) -> Iterator[str]:
    """What is read on a widget, and what is said of it."""
    for widget in (root, *root.findChildren(QWidget)):
        if not widget.isVisible() or widget.objectName().startswith("qt_"):
            continue
        texts = [widget.accessibleName(), widget.toolTip()]
        if isinstance(widget, QLabel | QAbstractButton):
            texts.append(widget.text())
        if isinstance(widget, QComboBox):
            texts += [widget.itemText(number) for number in range(widget.count())]
        if isinstance(widget, QLineEdit | QPlainTextEdit):
            texts.append(widget.placeholderText())
        yield from (text for text in texts if re.search(r"[^\W\d_]{2}", text))


def _bare(path: Path) -> Iterator[tuple[int, str]]:
    """Literal words that are put on a widget, with their lines."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call) and _shows_text(node.func):
            for argument in (*node.args, *(each.value for each in node.keywords if each.arg in ("text", "action"))):
                for text in _literals(argument):
                    if text not in _NAMES | _ICONS | _TONES and any(letter.isalpha() for letter in text):
                        yield node.lineno, text


def _shows_text(called: ast.expr) -> bool:
    if isinstance(called, ast.Attribute):
        return called.attr in _SETTERS | _ADDERS
    return isinstance(called, ast.Name) and called.id in _MADE_WITH_TEXT


def _literals(argument: ast.expr) -> Iterator[str]:
    """Words in an argument that no call takes first: `tr` would."""
    if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
        yield argument.value
    elif isinstance(argument, ast.JoinedStr | ast.IfExp | ast.BinOp | ast.List | ast.Tuple):
        for child in ast.iter_child_nodes(argument):
            if isinstance(child, ast.expr):
                yield from _literals(child)


def _remove(installed: tuple[QTranslator, ...]) -> None:
    for each in installed:
        QCoreApplication.removeTranslator(each)
