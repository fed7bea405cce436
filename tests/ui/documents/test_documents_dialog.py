"""The documents in the window: collections are made, read, searched and deleted, by mouse and by keyboard."""

from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QAccessible, QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QListWidget, QListWidgetItem
from pytestqt.qtbot import QtBot

from app.core.model_ref import ModelRef
from app.library.model_facts import ModelKind
from app.services.documents.index_states import FoundPassages, IndexProgress
from app.storage.passages.passage import Collection, FileState, Hit, IndexedFile, Passage, Source
from app.ui.documents.dialog import DocumentsDialog
from app.ui.documents.models_dialog import CollectionModelsDialog
from app.ui.documents.progress_line import IndexProgressLine
from app.ui.documents.remove_dialog import RemoveCollectionDialog
from app.ui.documents.rows import hit_row, rows_of
from app.ui.presenters.documents import DocumentsPresenter
from app.ui.widgets.chevron_box import PickBox
from tests.document_files import pdf
from tests.ui.conftest import Stage
from tests.ui.model_home import described
from tests.waits import WAIT


@pytest.fixture
def dialog(stage: Stage, qtbot: QtBot) -> DocumentsDialog:
    stage.window.menu_actions.documents.trigger()
    made = stage.window.findChild(DocumentsDialog)
    assert made is not None
    qtbot.waitUntil(made.isVisible, timeout=WAIT)
    return made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "plant"
    made.mkdir()
    (made / "notes.txt").write_text("Valves are closed by hand.")
    (made / "pumps.pdf").write_bytes(pdf("Nothing", "Prime pumps with water."))
    return made


def drop(dialog: DocumentsDialog, *paths: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(each)) for each in paths])
    place, left = QPointF(200, 200), Qt.MouseButton.LeftButton
    enter = QDragEnterEvent(place.toPoint(), Qt.DropAction.CopyAction, data, left, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(dialog, enter)
    assert enter.isAccepted()
    event = QDropEvent(place, Qt.DropAction.CopyAction, data, left, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(dialog, event)


def names(dialog: DocumentsDialog) -> list[str]:
    return [row.name for row in dialog.page.files.list.rows]


def test_a_folder_is_dropped_read_and_searched(dialog: DocumentsDialog, folder: Path, qtbot: QtBot) -> None:
    assert dialog.first_button.isVisible()
    assert dialog.first_button.hasFocus()
    assert not dialog.page.isVisible()
    drop(dialog, folder)
    qtbot.waitUntil(dialog.page.search.hasFocus, timeout=WAIT)
    qtbot.waitUntil(lambda: dialog.page.state.text() == "2 file(s) · 3 passage(s) · found by words alone", timeout=WAIT)
    read = [("plant", f"Folder · {folder}"), ("notes.txt", "1 passage(s)"), ("pumps.pdf", "2 page(s) · 2 passage(s)")]
    qtbot.waitUntil(lambda: [(row.name, row.line) for row in dialog.page.files.list.rows] == read, timeout=WAIT)
    dialog.page.search.setFocus()
    QTest.keyClicks(dialog.page.search, "how do I prime a pump")
    qtbot.waitUntil(
        lambda: [row.name for row in dialog.page.hits.list.rows][:1] == ["pumps.pdf · page 2"], timeout=WAIT
    )
    QTest.keyClick(dialog.page.search, Qt.Key.Key_Down)
    assert dialog.page.hits.hasFocus()
    dialog.page.search.setText("zebras")
    qtbot.waitUntil(lambda: "has any of these words" in dialog.page.nothing.text(), timeout=WAIT)
    dialog.page.search.clear()
    qtbot.waitUntil(dialog.page.files.isVisible, timeout=WAIT)


def test_what_cannot_be_read_says_what_can_be_done_in_a_collection(
    dialog: DocumentsDialog, folder: Path, qtbot: QtBot
) -> None:
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 junk")
    (folder / "letter.doc").write_bytes(b"\xd0\xcf\x11\xe0")
    (folder / "scanned.pdf").write_bytes(pdf(""))
    drop(dialog, folder)
    qtbot.waitUntil(lambda: "3 of them not read" in dialog.page.state.text(), timeout=WAIT)
    assert "a better copy in its place is read by itself" in dialog.page.state.text()
    told = {
        "broken.pdf is no PDF file that can be read, or it is damaged; use another copy.",
        "letter.doc is locked with a password, or of an old Office; save it anew without one, and use that.",
        "scanned.pdf has no text, only pictures of it; attach it to a chat, for a model that sees.",
    }
    rows = dialog.page.files.list
    qtbot.waitUntil(lambda: {row.line for row in rows.rows if row.tone == "warning"} == told, timeout=WAIT)


def test_a_found_passage_opens_its_page_beside_the_chat(
    stage: Stage, dialog: DocumentsDialog, folder: Path, qtbot: QtBot
) -> None:
    dialog.add_paths([folder])
    qtbot.waitUntil(lambda: "3 passage(s)" in dialog.page.state.text(), timeout=WAIT)
    dialog.page.search.setText("prime valves")
    qtbot.waitUntil(lambda: len(dialog.page.hits.list.rows) == 2, timeout=WAIT)
    at = next(n for n, row in enumerate(dialog.page.hits.list.rows) if row.name.startswith("pumps.pdf"))
    dialog.page.hits.setCurrentIndex(dialog.page.hits.list.index(at, 0))
    (folder / "notes.txt").unlink()  # what was read of it is shown all the same
    with qtbot.waitSignal(dialog.finished):
        dialog.page.open_button.click()
    panel = stage.window.page_panel
    qtbot.waitUntil(lambda: panel.place.text() == "Page 2 of 2", timeout=WAIT)
    assert panel.isVisible() and panel.canvas.marks
    assert panel.count.text() == f"{at + 1} of 2"
    (panel.previous if at else panel.following).click()
    qtbot.waitUntil(lambda: panel.text.toPlainText() == "Valves are closed by hand.", timeout=WAIT)
    assert [each.cursor.selectedText() for each in panel.text.extraSelections()] == ["Valves are closed by hand."]


def test_what_people_named_can_be_taken_out_and_nothing_else(
    dialog: DocumentsDialog, folder: Path, qtbot: QtBot, tmp_path: Path
) -> None:
    single = tmp_path / "single.txt"
    single.write_text("alone")
    drop(dialog, folder, single)
    qtbot.waitUntil(lambda: names(dialog) == ["plant", "notes.txt", "pumps.pdf", "single.txt"], timeout=WAIT)
    view = dialog.page.files
    view.setCurrentIndex(view.list.index(1, 0))
    assert not dialog.page.remove_button.isEnabled()
    view.setCurrentIndex(view.list.index(3, 0))
    dialog.page.remove_button.click()
    qtbot.waitUntil(lambda: "single.txt" not in names(dialog), timeout=WAIT)
    view.setCurrentIndex(view.list.index(0, 0))
    QTest.keyClick(view, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: "There is nothing in this collection yet" in dialog.page.nothing.text(), timeout=WAIT)


def test_collections_are_made_named_and_deleted(dialog: DocumentsDialog, folder: Path, qtbot: QtBot) -> None:
    drop(dialog, folder)
    qtbot.waitUntil(lambda: dialog.list.count() == 1, timeout=WAIT)
    dialog.new_button.click()
    qtbot.waitUntil(lambda: dialog.list.count() == 2, timeout=WAIT)
    # It is named at once, where it stands.
    editor = QApplication.focusWidget()
    assert editor is not None
    QTest.keyClicks(editor, "Books")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: dialog.page.heading.text() == "Books", timeout=WAIT)
    assert [dialog.list.item(n).text() for n in range(2)] == ["Books", "plant"]
    dialog.delete_button.click()
    asking = dialog.findChild(RemoveCollectionDialog)
    assert asking is not None
    asking.remove_button.click()
    qtbot.waitUntil(lambda: [each.name for each in dialog.collections] == ["plant"], timeout=WAIT)
    qtbot.waitUntil(lambda: dialog.page.heading.text() == "plant", timeout=WAIT)


def test_what_goes_wrong_is_told_in_the_dialog_and_else_in_the_window(
    stage: Stage, dialog: DocumentsDialog, folder: Path, qtbot: QtBot
) -> None:
    dialog.add_paths([folder / "nowhere"])
    qtbot.waitUntil(lambda: "There is nothing at" in dialog.told.text(), timeout=WAIT)
    assert not stage.window.notices.bars
    dialog.reject()
    presenter = stage.window.findChild(DocumentsPresenter)
    assert presenter is not None
    stage.documents.collections.failed.emit("It went wrong.")
    assert [bar.sentence.text() for bar in stage.window.notices.bars] == ["It went wrong."]


def test_progress_says_what_is_read_and_can_be_paused(stage: Stage, qtbot: QtBot) -> None:
    line = IndexProgressLine(stage.window)
    line.show_progress(IndexProgress())
    assert line.isHidden()
    line.show_progress(IndexProgress("/plant/pumps.pdf", 3))
    assert (line.text.text(), line.button.text()) == ("Reads pumps.pdf; 3 more wait", "Pause")
    assert (line.bar.value(), line.bar.maximum()) == (1, 4)
    line.show_progress(IndexProgress("/plant/last.pdf"))
    assert (line.text.text(), line.bar.value(), line.bar.maximum()) == ("Reads last.pdf", 4, 4)
    line.show_progress(IndexProgress("e5.gguf", 1200, vectors=True))
    assert line.text.text() == "Works through the passages with e5.gguf; 1,200 wait"
    assert (line.bar.value(), line.bar.maximum()) == (1, 1201), "another thing is counted"
    with qtbot.waitSignal(line.pause_clicked, check_params_cb=lambda rests: rests):
        line.button.click()
    line.show_progress(IndexProgress("", 3, paused=True))
    assert (line.text.text(), line.button.text(), line.isHidden()) == ("Reading is paused.", "Go on", False)
    with qtbot.waitSignal(line.pause_clicked, check_params_cb=lambda rests: not rests):
        line.button.click()


def test_models_are_chosen_for_a_collection(
    stage: Stage, dialog: DocumentsDialog, folder: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    models = [
        described("embeds", kind=ModelKind.EMBEDDER),
        described("ranks", kind=ModelKind.RERANKER),
        described("talks"),
    ]
    chosen: list[tuple[int, ModelRef | None, ModelRef | None]] = []
    monkeypatch.setattr(stage.documents.collections, "set_models", lambda *told: chosen.append(told))
    away = ModelRef.of_file(Path("/away/old.gguf"))
    asking = CollectionModelsDialog(Collection(1, "Plant", reranker=away), models, dialog)
    boxes = {each.accessibleName(): each for each in asking.findChildren(PickBox)}
    listed = {name: [box.itemText(n) for n in range(box.count())] for name, box in boxes.items()}
    assert listed == {"Embedding model": ["None", "embeds"], "Reranking model": ["None", "ranks", "old.gguf"]}
    assert (asking.embedder, asking.reranker) == (None, away)
    boxes["Embedding model"].setCurrentIndex(1)
    assert asking.embedder == ModelRef.of_file(Path("/models/embeds.gguf"))
    assert asking.fetch_button.text() == "Download it (139 MiB)"
    with qtbot.waitSignal(asking.fetch_wanted):
        asking.fetch_button.click()
    drop(dialog, folder)
    qtbot.waitUntil(lambda: dialog.list.count() == 1, timeout=WAIT)
    dialog.page.models_button.click()
    (opened,) = (each for each in dialog.findChildren(CollectionModelsDialog) if each is not asking)
    opened.use_button.click()
    assert chosen == [(1, None, None)]


def test_rows_say_what_screen_readers_need() -> None:
    files = (
        IndexedFile(1, "/plant/a/b.pdf", FileState.FAILED, "It is locked.", "", 9, 0, 0),
        IndexedFile(2, "/notes.txt", FileState.GONE, "", "", 9, 0, 0),
        IndexedFile(3, "/plant/c.txt", FileState.DONE, "", "", 9, 0, 1),
    )
    sources = (Source(1, 1, "/plant", True), Source(2, 1, "/notes.txt", False), Source(3, 1, "/new.txt", False))
    rows = rows_of(sources, files)
    assert [row.said for row in rows] == [
        "plant, Folder · /plant",
        "new.txt, File · /new.txt",
        f"{Path('a/b.pdf')}, It is locked.",
        "notes.txt, Not there now; nothing of it is found until it is back",
        "c.txt, 1 passage(s)",
    ]
    assert [row.source is not None for row in rows] == [True, True, False, True, False]


def test_a_found_row_shows_the_place(dialog: DocumentsDialog) -> None:
    body = "words " * 40 + "prime the pump " + "more " * 200
    found = FoundPassages("prime", (Hit(Passage("0", "a.txt", None, 0, 9, "", "Pumps", body), 1.0),), {})
    dialog.page.show_found(found)
    (row,) = dialog.page.hits.list.rows
    assert row.line.startswith("… words words")
    assert "prime the pump" in row.line
    assert len(row.line) < 320
    assert dialog.page.open_button.isEnabled()  # its file is not there, but what was read of it
    interface = QAccessible.queryAccessibleInterface(dialog.page.hits)
    assert interface.text(QAccessible.Text.Name) == "Passages found"
    assert hit_row(found.hits[0], found).name == "a.txt · Pumps"


def test_files_that_come_after_it_was_closed_are_nobodys(
    stage: Stage, dialog: DocumentsDialog, folder: Path, qtbot: QtBot
) -> None:
    dialog.add_paths([folder])
    qtbot.waitUntil(lambda: len(names(dialog)) == 3, timeout=WAIT)
    collections = stage.documents.collections
    with qtbot.waitSignal(collections.files_told, timeout=WAIT):
        collections.changed.emit(collections.collections)  # asks for them
        dialog.close()
        dialog.deleteLater()
        QCoreApplication.sendPostedEvents(dialog, QEvent.Type.DeferredDelete.value)


def test_a_name_that_is_being_edited_is_not_edited_anew(
    dialog: DocumentsDialog, folder: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialog.add_paths([folder])
    qtbot.waitUntil(lambda: dialog.current is not None, timeout=WAIT)
    edited: list[QListWidgetItem] = []

    def edit(item: QListWidgetItem) -> None:
        edited.append(item)
        QListWidget.editItem(dialog.list, item)

    monkeypatch.setattr(dialog.list, "editItem", edit)
    for _ in range(2):
        dialog.rename_button.click()
    assert len(edited) == 1, "Qt warns at the second"
