"""The window over the real conversation and its store; only the engine is a stand-in, which answers when told."""

from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton
from pytestqt.qtbot import QtBot

from app.core.events import Finished, FinishReason, Timings
from app.core.messages import Generation
from app.core.model_ref import ModelRef
from app.core.requests import ChatRequest
from app.services.chat.chat_controller import ChatController
from app.services.drafts.composing import Composing
from app.services.engine.futures import Hear, Reply
from app.services.engine.service import EngineService
from app.services.engine.states import ReplyUpdate
from app.services.pictures.service import PictureService
from app.services.runtime.settings_service import SettingsService
from app.storage.attachments import AttachmentStore
from app.storage.conversations import ConversationStore
from app.storage.database import Database
from app.storage.options import OptionsStore
from app.ui.richtext.svg_picture import paint_svg
from app.ui.theme.appearance import Appearance
from app.ui.transcript.message_view import MessageView
from app.ui.window.main_window import MainWindow
from tests.ui.fakes import READY, FakeEngine, FakeSettings


class Engine(FakeEngine):
    def __init__(self) -> None:
        super().__init__()
        self.requests: list[ChatRequest] = []
        self._hear: list[Hear] = []

    def generate(self, request: ChatRequest, hear: Hear, *, model: ModelRef) -> Reply:
        self.requests.append(request)
        self._hear.append(hear)
        return Reply(hear, lambda: None)

    def answer(self, text: str, reason: FinishReason = FinishReason.STOP) -> None:
        timings = Timings(cache_n=0, prompt_n=1, prompt_ms=1.0, predicted_n=1, predicted_ms=1.0)
        finished = Finished(reason, text, Generation("v", (1,)), timings, seed=1, n_past=9)
        self._hear[-1](ReplyUpdate(finished))


class Desk:
    """What somebody at the window does and sees."""

    def __init__(self, window: MainWindow, engine: Engine, store: ConversationStore) -> None:
        self.window, self.engine, self.store = window, engine, store

    @property
    def views(self) -> tuple[MessageView, ...]:
        return self.window.transcript.views

    @property
    def shown(self) -> list[str]:
        return [f"{view.stored.message.text} {view.tools.pager.text}".strip() for view in self.views]

    @property
    def kept(self) -> list[str]:
        conversation = self.store.all()[0]
        return [each.message.text for each in self.store.path(conversation.id)]

    def ask(self, text: str, answer: str) -> None:
        self.window.composer.edit.setPlainText(text)
        self.window.composer.submit()
        self.engine.answer(answer)

    def press(self, index: int, name: str) -> None:
        self.views[index].setFocus(Qt.FocusReason.TabFocusReason)
        buttons = self.views[index].findChildren(QAbstractButton)
        (button,) = (each for each in buttons if each.accessibleName() == name and not each.isHidden())
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)

    def choose(self, index: int, name: str) -> None:
        (action,) = (each for each in self.views[index].tools.menu().actions() if each.text() == name)
        action.trigger()

    def reword(self, index: int, name: str, text: str) -> None:
        self.press(index, name)
        editor = self.views[index].editor
        assert editor is not None
        editor.field.setPlainText(text)
        QTest.keyClick(editor.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)


@pytest.fixture
def drafts(qtbot: QtBot, appearance: Appearance, tmp_path: Path) -> Iterator[Desk]:
    engine, settings = Engine(), FakeSettings()
    with Database.open(tmp_path / "hearth.sqlite3") as database:
        store = ConversationStore(database)
        as_engine, as_settings = cast(EngineService, engine), cast(SettingsService, settings)
        controller = ChatController(store, as_engine, as_settings, OptionsStore(database))
        attachments = AttachmentStore(tmp_path / "attachments")
        pictures = PictureService(attachments)
        writing = Composing(database, attachments, as_engine, as_settings, controller, paint_svg)
        window = MainWindow(
            appearance,
            controller,
            as_engine,
            as_settings,
            recent_models=list,
            installed_models=list,
            state_folder=tmp_path,
            pictures=pictures,
            writing=writing,
        )
        qtbot.addWidget(window)
        window.show()
        engine.enter(READY)
        made = Desk(window, engine, store)
        made.ask("first", "one")
        made.ask("second", "two")
        yield made
        writing.close()
        pictures.close()
        controller.deleteLater()


def test_a_question_is_edited_answered_and_found_again(drafts: Desk) -> None:
    assert drafts.shown == drafts.kept == ["first", "one", "second", "two"]
    drafts.reword(2, "Edit question", "third")
    assert [each.text for each in drafts.engine.requests[-1].messages] == ["first", "one", "third"]
    drafts.engine.answer("three")
    assert drafts.shown == ["first", "one", "third 2/2", "three"]
    drafts.press(2, "Previous version")
    assert drafts.shown == ["first", "one", "second 1/2", "two"]
    assert drafts.kept == ["first", "one", "second", "two"]
    drafts.reword(1, "Edit answer", "mine")
    assert drafts.shown == ["first", "mine 2/2"]
    drafts.press(1, "Previous version")
    assert drafts.shown == ["first", "one 1/2", "second 1/2", "two"]


def test_versions_of_an_answer_and_going_on(drafts: Desk) -> None:
    drafts.press(3, "Answer again")
    drafts.engine.answer("two and", FinishReason.LENGTH)
    assert drafts.shown[-1] == "two and 2/2"
    drafts.press(3, "Continue the answer")
    assert drafts.engine.requests[-1].continues
    assert drafts.engine.requests[-1].messages[-1].text == "two and"
    drafts.engine.answer(" a half")
    assert drafts.shown == ["first", "one", "second", "two and a half 2/2"]
    assert drafts.kept[-1] == "two and a half"
    QTest.keySequence(drafts.window, "Alt+Left")
    assert drafts.shown[-1] == "two 1/2"


def test_deletion_undo_and_a_branch(drafts: Desk) -> None:
    drafts.choose(2, "Delete")
    assert drafts.shown == drafts.kept == ["first", "one"]
    undo = drafts.window.notices.bars[-1].action_button
    assert undo is not None
    undo.click()
    assert drafts.shown == drafts.kept == ["first", "one", "second", "two"]
    drafts.choose(1, "Branch from here")
    assert [each.title for each in drafts.store.all()] == ["first (branch)", "first"]
    assert drafts.window.windowTitle() == "first (branch) – Hearth"
    drafts.ask("elsewhere", "yes")
    assert drafts.shown == drafts.kept == ["first", "one", "elsewhere", "yes"]


def test_nothing_is_lost_where_an_answer_is_being_written(drafts: Desk) -> None:
    drafts.window.composer.edit.setPlainText("third")
    drafts.window.composer.submit()
    drafts.reword(2, "Edit question", "no")
    editor = drafts.views[2].editor
    assert editor is not None
    assert editor.field.toPlainText() == "no"
    assert "being written" in drafts.window.notices.bars[-1].sentence.text()
    drafts.engine.answer("three")
    QTest.keyClick(editor.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    drafts.engine.answer("no to you too")
    assert drafts.shown == ["first", "one", "no 2/2", "no to you too"]
