"""A program wants another model."""

import asyncio
from collections.abc import Callable

import pytest
from PySide6.QtCore import QCoreApplication

from app.services.local_api.other_models import ModelRequest
from app.ui.presenters.model_requests import ModelRequestsPresenter
from app.ui.theme.appearance import Appearance
from app.ui.widgets.notices import Notices


def press_action(notices: Notices) -> None:
    button = notices.bars[0].action_button
    assert button is not None
    assert button.text() == "Load it"
    button.click()


def dismiss(notices: Notices) -> None:
    notices.bars[0].close_button.click()


@pytest.mark.parametrize(("act", "said"), [(press_action, True), (dismiss, False)])
async def test_the_user_says_what_becomes_of_it(
    act: Callable[[Notices], None], said: bool, appearance: Appearance
) -> None:
    notices = Notices(appearance)
    presenter = ModelRequestsPresenter(notices, notices)
    request = ModelRequest("curl/8.5", "Talks", asyncio.get_running_loop().create_future())
    presenter.ask(request)
    assert notices.bars[0].sentence.text() == "curl asks for the model Talks."
    act(notices)
    QCoreApplication.processEvents()
    assert await request._said is said
    presenter.withdraw(request)
    assert not notices.bars
    notices.deleteLater()


async def test_a_question_goes_when_nobody_waits_for_its_answer(appearance: Appearance) -> None:
    notices = Notices(appearance)
    presenter = ModelRequestsPresenter(notices, notices)
    presenter.ask(request := ModelRequest("", "Talks", asyncio.get_running_loop().create_future()))
    assert notices.bars[0].sentence.text() == "A program asks for the model Talks."
    presenter.withdraw(request)
    assert not notices.bars
    notices.deleteLater()
