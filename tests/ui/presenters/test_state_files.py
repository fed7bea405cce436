"""Save the state, open a saved one: the menu, the dialogs for files, and what is said of it."""

from pathlib import Path
from typing import cast

import pytest
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit

from app.core.errors import UserError
from app.services.chat.chat_controller import ChatController
from app.services.conversations.state_files import StateFiles
from app.ui.presenters.state_files import StateFilesPresenter
from tests.ui.conftest import Stage
from tests.ui.fakes import opened


class FakeStates(QObject):
    saved = Signal(object)
    opened = Signal(int)
    told = Signal(object)
    failed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[tuple[object, ...]] = []

    def save(self, conversation_id: int, path: Path) -> None:
        self.calls.append(("save", conversation_id, path))

    def open(self, path: Path) -> None:
        self.calls.append(("open", path))


@pytest.fixture
def states(stage: Stage) -> FakeStates:
    made = FakeStates()
    window = stage.window
    controller = cast(ChatController, stage.controller)
    presenter = StateFilesPresenter(cast(StateFiles, made), controller, window.menu_actions, window.notices, window)
    made.setParent(presenter)
    return made


def dialog() -> QFileDialog:
    [found] = [each for each in QApplication.topLevelWidgets() if isinstance(each, QFileDialog) and each.isVisible()]
    return found


def test_the_menu_saves_the_conversation_on_screen_and_opens_others(stage: Stage, states: FakeStates) -> None:
    actions = stage.window.menu_actions
    assert not actions.save_state.isEnabled()
    talk = opened("Rain")
    stage.controller.active.open(talk)
    assert actions.save_state.isEnabled()
    actions.save_state.trigger()
    name = dialog().findChild(QLineEdit, "fileNameEdit")
    assert name is not None
    assert name.text() == "Rain.hearthstate"
    dialog().fileSelected.emit("/tmp/a.hearthstate")
    dialog().close()
    actions.open_state.setEnabled(True)
    actions.open_state.trigger()
    dialog().fileSelected.emit("/tmp/b.hearthstate")
    dialog().close()
    assert states.calls == [
        ("save", talk.conversation.id, Path("/tmp/a.hearthstate")),
        ("open", Path("/tmp/b.hearthstate")),
    ]


def test_what_came_of_it_is_said_and_shown(stage: Stage, states: FakeStates) -> None:
    states.saved.emit(Path("/tmp/a.hearthstate"))
    assert "a.hearthstate" in stage.window.notices.bars[-1].sentence.text()
    states.told.emit("The conversation is back.")
    states.failed.emit(UserError("It is damaged."))
    states.failed.emit(ValueError("x"))
    told = " ".join(bar.sentence.text() for bar in stage.window.notices.bars)
    for words in ("is back", "It is damaged.", "fault in Hearth"):
        assert words in told
    states.opened.emit(5)
    assert stage.controller.calls[-2:] == [("refresh",), ("open_conversation", 5)]


def test_a_state_among_named_files_is_brought_back(stage: Stage, tmp_path: Path) -> None:
    path, wanted = tmp_path / "a.hearthstate", list[Path]()
    path.write_bytes(b"x")
    stage.window.files.state_wanted.connect(wanted.append)
    stage.window.files.open((path,))
    assert wanted == [path]
    assert not stage.window.menu_actions.save_state.isEnabled(), "without conversations there is nothing to save"
