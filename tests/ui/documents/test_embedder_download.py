"""The recommended embedding model: a click fetches it from a small hub on loopback, and the collection is searched with
it.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.services.documents.embedding_models import recommended
from app.services.documents.index_states import FoundPassages, IndexProgress
from app.services.models.embedder_download import EmbedderProgress
from app.ui.documents.dialog import DocumentsDialog
from app.ui.documents.models_dialog import CollectionModelsDialog
from tests.library.hub_fixtures import our_hub
from tests.library.hub_server import FakeHub, Fault
from tests.tiny_vectors import bert
from tests.ui.conftest import Stage
from tests.waits import WAIT


@pytest.fixture
def hub(stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    with our_hub(monkeypatch) as served:
        data = bert(tmp_path / "tiny.gguf", "mean").read_bytes()
        served.add(recommended().repo, recommended().file, data)
        yield served


@pytest.fixture
def dialog(stage: Stage, hub: FakeHub, tmp_path: Path, qtbot: QtBot) -> DocumentsDialog:
    """With a collection that is read."""
    (tmp_path / "plant").mkdir()
    (tmp_path / "plant" / "notes.txt").write_text("Valves are closed by hand.")
    stage.documents.collections.add("Plant", [tmp_path / "plant"])
    qtbot.waitUntil(lambda: [each.n_done for each in stage.documents.collections.collections] == [1], timeout=WAIT)
    stage.window.menu_actions.documents.trigger()
    made = stage.window.findChild(DocumentsDialog)
    assert made is not None
    return made


def click_fetch(dialog: DocumentsDialog) -> None:
    dialog.page.models_button.click()
    asking = dialog.findChildren(CollectionModelsDialog)[-1]
    asking.fetch_button.click()


def test_it_comes_and_passages_are_worked_through_with_it(
    stage: Stage, dialog: DocumentsDialog, hub: FakeHub, qtbot: QtBot
) -> None:
    line, told, worked = dialog.page.fetching, list[str](), list[IndexProgress]()
    stage.models.embedder.changed.connect(lambda _: told.append(line.text.text()))
    stage.documents.collections.progressed.connect(worked.append)
    assert "found by words alone" in dialog.page.state.text()
    click_fetch(dialog)
    assert not line.isHidden() and told == ["Asking Hugging Face for the embedding model…"]
    qtbot.waitUntil(lambda: stage.documents.collections.collections[0].embedder is not None, timeout=WAIT)
    embedder = stage.documents.collections.collections[0].embedder
    assert embedder is not None
    path = embedder.file
    assert path.name == recommended().file and path.is_file()
    assert line.isHidden() and any(each.startswith("Downloading nomic-embed") for each in told)
    qtbot.waitUntil(lambda: IndexProgress(path.name, 1, vectors=True) in worked, timeout=WAIT)
    qtbot.waitUntil(lambda: stage.documents.collections.progress == IndexProgress(), timeout=WAIT)
    with qtbot.waitSignal(stage.documents.search.found, timeout=WAIT) as found:
        stage.documents.search.search("zzz", 1)
    assert found.args is not None
    by_meaning: FoundPassages = found.args[0]
    assert by_meaning.by_vectors and by_meaning.hits[0].passage.name == "notes.txt", "without a word of it"
    assert "found by words alone" not in dialog.page.state.text()
    assert not any(each.action_button for each in stage.window.notices.bars), "nobody can chat with it"


def test_what_speaks_against_it_is_told_and_it_can_be_tried_again(
    stage: Stage, dialog: DocumentsDialog, hub: FakeHub, qtbot: QtBot
) -> None:
    hub.api_status = 503
    line = dialog.page.fetching
    click_fetch(dialog)
    qtbot.waitUntil(lambda: bool(stage.models.embedder.progress.problem), timeout=WAIT)
    assert line.text.text() and not line.again_button.isHidden() and line.bar.isHidden()
    hub.api_status = 0
    files = hub.repos[recommended().repo].files
    data = files.pop(recommended().file)
    line.again_button.click()
    qtbot.waitUntil(lambda: "is no longer at" in line.text.text(), timeout=WAIT)
    files[recommended().file] = data
    line.again_button.click()
    qtbot.waitUntil(lambda: stage.documents.collections.collections[0].embedder is not None, timeout=WAIT)


def test_it_can_be_stopped(stage: Stage, dialog: DocumentsDialog, hub: FakeHub, qtbot: QtBot) -> None:
    hub.faults.append(Fault(silent=True))
    click_fetch(dialog)
    qtbot.waitUntil(lambda: bool(hub.requests), timeout=WAIT)
    dialog.page.fetching.stop_button.click()
    assert dialog.page.fetching.isHidden() and stage.models.embedder.progress == EmbedderProgress()
    qtbot.waitUntil(lambda: not stage.models.downloads.downloads, timeout=WAIT)
    assert stage.documents.collections.collections[0].embedder is None
