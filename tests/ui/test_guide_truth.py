"""What the guide says of Hearth is compared with the program's own tables."""

from argparse import ArgumentParser, _SubParsersAction
from collections.abc import Iterator, Mapping, Set
from dataclasses import fields
from pathlib import Path

import pytest
from guide.intents import load_intents, references
from guide.references import Reference
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QMenu, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.cli.arguments import build_parser
from app.core.paths import Paths
from app.core.setting import declaration
from app.core.settings import Settings
from app.ui.commands.actions import Actions
from app.ui.theme.appearance import Appearance
from app.ui.transcript.welcome import Welcome

Tables = Mapping[str, Set[tuple[str, str]]]
"""For each kind of reference, what is shown and what it stands for."""


@pytest.fixture
def tables(appearance: Appearance, qtbot: QtBot) -> Tables:
    window = QWidget()
    qtbot.addWidget(window)
    actions = Actions(window)
    keys = {
        (action.shortcut().toString(QKeySequence.SequenceFormat.PortableText), _plain(action.text()))
        for action in actions.all()
        if not action.shortcut().isEmpty()
    }
    entries = {(way.replace("/", " > "), way) for way in _ways(actions.menu(window))}
    return {
        "key": keys,
        "menu": entries,
        "setting": _twice(
            declaration(each).label
            for section in fields(Settings)
            for each in fields(getattr(Settings(), section.name))
        ),
        "option": _twice(_options(build_parser())),
        "file": _twice(_files(Paths(Path("data"), Path("config"), Path("logs")))),
        "button": _twice(_shown_buttons(appearance, qtbot)),
    }


def test_all_that_the_guide_names_is_there(tables: Tables) -> None:
    wrong = _wrong(references(), tables)
    assert not wrong, "\n".join(f"{each.where}: {each.kind} {each.target!r}, shown as {each.shown!r}" for each in wrong)


def test_whoever_has_no_model_is_not_sent_to_a_file_of_theirs() -> None:
    """Where the guide cannot help, it says how to get a model; Ctrl+O asks for a file that beginners do not have."""
    limits = {intent.name for intent in load_intents() if intent.group == "limits" and ("larger",) in intent.facts}
    told = {each.where for each in references() if (each.kind, each.shown) == ("button", "Get a model")}
    assert len(limits) > 10
    assert limits <= told
    assert {each.where for each in references() if each.shown == "Ctrl+O"} == {"open_model"}


def test_each_kind_is_named_at_least_once() -> None:
    assert {each.kind for each in references()} == {"key", "menu", "setting", "option", "file", "button"}


@pytest.mark.parametrize(
    ("kind", "shown", "target"),
    [
        ("key", "Ctrl+Shift+N", "New chat"),
        ("key", "Ctrl+N", "New conversation"),
        ("menu", "Chat > Unload the model", "Chat/Unload the model"),
        ("menu", "Unload the model", "Unload the model"),
        ("setting", "KV Cache type K", "KV Cache type K"),
        ("option", "--context-size", "--context-size"),
        ("file", "settings.ini", "settings.ini"),
        ("button", "Buy a model", "Buy a model"),
    ],
)
def test_what_is_gone_is_told(tables: Tables, kind: str, shown: str, target: str) -> None:
    gone = Reference(kind, shown, target, "try")
    good = references()[0]
    assert _wrong((good, gone), tables) == [gone]


def test_the_tables_are_the_programs(tables: Tables) -> None:
    assert ("Ctrl+N", "New chat") in tables["key"]
    assert ("Model > Unload the model", "Model/Unload the model") in tables["menu"]
    assert ("KV cache type K", "KV cache type K") in tables["setting"]
    assert ("--ctx-size", "--ctx-size") in tables["option"]
    assert ("settings.toml", "settings.toml") in tables["file"]


def test_a_shortcut_in_an_answer_is_marked(tables: Tables) -> None:
    """An unmarked one would go stale unseen."""
    shortcuts = {shown for shown, _ in tables["key"] if "+" in shown}
    marked = {(each.where, each.shown) for each in references() if each.kind == "key"}
    found = [
        f"{intent.name}: {shown}"
        for intent in load_intents()
        for reply in intent.replies()
        for shown in shortcuts
        if shown in reply and not any(where == intent.name and shown in other for where, other in marked)
    ]
    assert not found, "\n".join(found)


def _wrong(named: tuple[Reference, ...], tables: Tables) -> list[Reference]:
    return [each for each in named if (each.shown, each.target) not in tables[each.kind]]


def _plain(text: str) -> str:
    return text.replace("&", "").removesuffix("…")


def _ways(menu: QMenu, before: str = "") -> Iterator[str]:
    for action in menu.actions():
        if action.isSeparator():
            continue
        way = before + _plain(action.text())
        yield way
        if (below := action.menu()) is not None:
            assert isinstance(below, QMenu)
            yield from _ways(below, f"{way}/")


def _options(parser: ArgumentParser) -> Iterator[str]:
    for action in parser._actions:
        yield from action.option_strings
        if isinstance(action, _SubParsersAction):
            for command in action.choices.values():
                yield from _options(command)


def _files(paths: Paths) -> Iterator[str]:
    for name, value in vars(Paths).items():
        if isinstance(value, property):
            yield getattr(paths, name).name


def _shown_buttons(appearance: Appearance, qtbot: QtBot) -> Iterator[str]:
    """What a new chat offers while there is no model but the guide."""
    welcome = Welcome(appearance, tuple)
    qtbot.addWidget(welcome)
    welcome.show()
    for button in welcome.findChildren(QPushButton):
        if button.isVisible():
            yield _plain(button.text())


def _twice(texts: Iterator[str]) -> set[tuple[str, str]]:
    return {(text, text) for text in texts}
