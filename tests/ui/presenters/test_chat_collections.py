"""Behind the plus: which collections a chat's questions are looked up in."""

from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtGui import QAction
from pytestqt.qtbot import QtBot

from app.core.program import own_command
from app.services.chat.chat_controller import ChatController
from app.services.documents.document_collections import DocumentCollections
from app.storage.passages.passage_store import PassageStore
from app.ui.composer.composer import Composer
from app.ui.presenters.chat_collections import ChatCollections
from app.ui.theme.appearance import Appearance
from tests.ui.fakes import FakeController


@pytest.fixture
def collections(tmp_path: Path, qtbot: QtBot) -> Iterator[DocumentCollections]:
    path = tmp_path / "documents.sqlite3"
    store = PassageStore.open(path)
    for name in ("Manuals & more", "Letters"):
        store.collections.add(name)
    store.close()
    made = DocumentCollections(path, own_command())
    with qtbot.waitSignal(made.changed):
        made.start()
    yield made
    made.close()


@pytest.fixture
def chosen(
    qtbot: QtBot, appearance: Appearance, collections: DocumentCollections
) -> tuple[ChatCollections, FakeController, Composer, QAction]:
    composer, controller, manage = Composer(appearance), FakeController(), QAction()
    qtbot.addWidget(composer)
    composer.show()
    made = ChatCollections(appearance, collections, cast(ChatController, controller), composer, manage)
    return made, controller, composer, manage


def test_a_collection_is_chosen_for_a_chat_and_shown(
    chosen: tuple[ChatCollections, FakeController, Composer, QAction], qtbot: QtBot
) -> None:
    made, controller, composer, manage = chosen
    menu = composer.attach_button.collections
    assert made.button.isHidden()
    menu.aboutToShow.emit()
    names = [each.text() for each in menu.actions() if each.isCheckable()]
    assert names == ["Letters", "Manuals && more"]
    menu.actions()[1].trigger()
    assert controller.options.collections(None) == (1,)
    assert not made.button.isHidden() and made.button.text() == "Manuals && more"
    menu.aboutToShow.emit()
    menu.actions()[0].trigger()
    assert controller.options.collections(None) == (1, 2) and made.button.text().startswith("2 collection")
    with qtbot.waitSignal(manage.triggered):
        menu.actions()[-1].trigger()
