"""A transcript by itself."""

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.ui.theme.appearance import Appearance
from app.ui.transcript.transcript import Transcript


@pytest.fixture
def transcript(qtbot: QtBot, appearance: Appearance) -> Transcript:
    welcome = QWidget()
    welcome.setObjectName("welcome")
    made = Transcript(appearance, welcome)
    qtbot.addWidget(made)
    made.resize(800, 600)
    made.show()
    qtbot.waitUntil(made.isVisible)
    made.activateWindow()
    return made
