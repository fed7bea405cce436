"""An answer that ends where nobody looks is told once, leads to its chat, and is not told where that is not wanted."""

import gc
import weakref
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.core.messages import Role
from app.core.settings import Interface
from app.services.chat.active_conversation import ActiveConversation
from app.services.chat.chat_controller import ChatController
from app.services.chat.running_replies import RunningReplies
from app.services.conversations.chat_marks import ChatMarks
from app.services.engine.states import Calling
from app.services.runtime.settings_service import SettingsService
from app.storage.conversations import MessageState
from app.ui.presenters.finished_answers import FinishedAnswersPresenter
from app.ui.theme.appearance import Appearance
from app.ui.widgets.notices import Notices
from tests.ui.fakes import FakeController, conversation, opened, stored


class Desk:
    def __init__(self, appearance: Appearance, settings: SettingsService, window: QWidget) -> None:
        self.controller = FakeController()
        self.notices = Notices(appearance, window)
        replies, active = self.controller.replies, self.controller.active
        self.marks = ChatMarks(cast(RunningReplies, replies), cast(ActiveConversation, active), window)
        controller = cast(ChatController, self.controller)
        self.presenter = FinishedAnswersPresenter(self.marks, controller, settings, self.notices, window)
        self.by_system: list[str] = []
        active.listed.emit((conversation("Ships", number=1), conversation("Sky", number=2)))
        active.open(opened("Ships", number=1))

    def end(self, number: int, state: MessageState = MessageState.COMPLETE) -> None:
        self.controller.replies.ended.emit(stored(Role.ASSISTANT, "x", conversation_id=number, state=state))

    @property
    def told(self) -> list[str]:
        return [bar.sentence.text() for bar in self.notices.bars]


@pytest.fixture
def settings(tmp_path: Path, qapp: object) -> SettingsService:
    return SettingsService(tmp_path / "settings.toml")


@pytest.fixture
def desk(appearance: Appearance, settings: SettingsService, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Desk:
    window = QWidget()
    qtbot.addWidget(window)
    made = Desk(appearance, settings, window)
    monkeypatch.setattr(made.presenter.system, "show", lambda _, text: made.by_system.append(text))
    return made


def test_an_answer_elsewhere_is_told_and_leads_there(desk: Desk) -> None:
    desk.end(2)
    desk.end(2)
    assert desk.told == ["“Sky” has an answer."], "once"
    button = desk.notices.bars[0].action_button
    assert button is not None
    button.click()
    assert desk.controller.calls == [("open_conversation", 2)] and not desk.told


def test_who_goes_there_need_not_be_told(desk: Desk) -> None:
    desk.end(2, MessageState.FAILED)
    assert desk.told == ["The answer in “Sky” broke off."]
    desk.controller.active.open(opened("Sky", number=2))
    assert not desk.told


def test_nothing_leads_to_a_chat_that_is_gone(desk: Desk) -> None:
    desk.end(2)
    desk.controller.active.listed.emit((conversation("Ships", number=1),))
    assert not desk.told


def test_the_system_tells_what_the_window_can_not(desk: Desk) -> None:
    desk.end(1)
    assert not desk.told and desk.by_system == ["“Ships” has an answer."], "the window is not in use"
    desk.controller.replies.elsewhere[2] = Calling(asks=True)
    desk.controller.replies.changed.emit()
    assert desk.told == ["“Sky” waits for your permission."] and len(desk.by_system) == 2
    desk.presenter.system.clicked.emit()
    assert desk.controller.calls == [("open_conversation", 2)]


def test_it_can_be_switched_off(desk: Desk, settings: SettingsService) -> None:
    settings.update(Interface, tell_answers=False)
    desk.end(2)
    desk.end(1)
    assert not desk.told and not desk.by_system


def test_what_was_told_and_is_gone_is_not_kept(desk: Desk) -> None:
    desk.end(2)
    bar = weakref.ref(desk.notices.bars[0])
    desk.notices.bars[0].dismiss()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect()
    assert bar() is None
