"""Everything that the window can show, to walk through: the window with content, its popovers, and its dialogs."""

from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu, QWidget

from app.core.errors import UserError
from app.core.events import LoadStage
from app.core.messages import Role
from app.core.model_ref import ModelRef
from app.core.settings import SECTIONS
from app.services.documents.index_states import FoundPassages, IndexProgress
from app.services.engine.states import ModelLoading
from app.storage.passages.passage import Collection, FileState, Hit, IndexedFile, Passage, Source
from app.ui.commands.dialogs import DetailsDialog
from app.ui.documents.dialog import DocumentsDialog
from app.ui.models.dialog import ModelsDialog, Page
from app.ui.models.rows import Show
from app.ui.settings.dialog import SettingsDialog
from app.ui.widgets.links import LinkDialog
from tests.ui.conftest import Stage
from tests.ui.fakes import READY, conversation, opened, stored
from tests.ui.model_home import SHOWN

ANSWER = """Here is what you asked for, with **everything** in it.

| Step | Shape |
|---|---|
| one | n × n |

```python
def answer() -> int:
    return 42
```

- a [link](https://example.org) and `code`
"""
_NOT_OPENED = ("quit", "stop", "rename_chat", "delete_chat", "larger_text", "smaller_text", "usual_text")
"""Actions that end something, edit in place, or change how everything looks."""

Scene = tuple[str, QWidget]


def scenes(stage: Stage) -> Iterator[Scene]:
    """Each by name while it is on screen. The settings come once for each page."""
    window = stage.window
    settle()
    yield "welcome", window
    stage.engine.enter(ModelLoading(ModelRef.of_file(Path("/models/a.gguf")), LoadStage.LOADING, 0.3))
    settle()
    yield "loading", window
    fill(stage)
    yield "conversation", window
    window.notices.show_error(UserError("It failed.", detail="line 1"))
    window.notices.offer("The chat was deleted.", "Undo", lambda: None)
    settle()
    yield "notices", window
    yield from _what_actions_open(stage)
    for dialog in (LinkDialog("https://example.org", window), DetailsDialog(UserError("No.", detail="why"), window)):
        dialog.open()
        settle()
        yield type(dialog).__name__, dialog
        dialog.close()
    settle()


def fill(stage: Stage) -> None:
    """Chats, a loaded model, and a conversation with what answers hold."""
    chats = tuple(conversation(title, number=number) for number, title in enumerate(("Rain", "Snow in Oslo"), 1))
    stage.controller.active.listed.emit(chats)
    stage.engine.enter(READY)
    stage.models.library._models = SHOWN
    figures = {"n_past": 4100, "predicted_n": 200, "predicted_ms": 5000.0}
    answer = stored(Role.ASSISTANT, ANSWER, figures=figures, version=2, n_versions=3)
    stage.controller.active.open(opened("Rain", stored(Role.USER, "What is it?"), answer))
    settle()


def settle() -> None:
    """Let layouts, polishing and deletions happen."""
    for _ in range(6):
        QApplication.processEvents()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


def _what_actions_open(stage: Stage) -> Iterator[Scene]:
    for name, action in stage.window.menu_actions.named().items():
        if name in _NOT_OPENED or not action.isEnabled():
            continue
        before = _on_screen()
        action.trigger()
        settle()
        for widget in _on_screen():
            if widget not in before and not isinstance(widget, QFileDialog):
                yield from _pages(name, widget)
        if stage.window.command_palette.palette.isVisible():
            yield name, stage.window.command_palette.palette.panel
            stage.window.command_palette.palette.hide()
        for widget in _on_screen():
            if widget not in before:
                widget.close()
        settle()
    # Some of the actions have changed what is shown.
    fill(stage)


def _pages(name: str, widget: QWidget) -> Iterator[Scene]:
    if isinstance(widget, ModelsDialog):
        yield from _models_pages(name, widget)
        return
    if isinstance(widget, DocumentsDialog):
        yield from _documents_pages(name, widget)
        return
    if not isinstance(widget, SettingsDialog):
        yield name, widget
        return
    for page in SECTIONS:
        widget.show_page(page)
        for form in widget.page(page).forms():
            form.advanced_toggle.setChecked(True)
        settle()
        yield f"{name}: {page}", widget


def _documents_pages(name: str, dialog: DocumentsDialog) -> Iterator[Scene]:
    yield name, dialog
    for each in dialog.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly):
        each.setVisible(each in (dialog.page, dialog.close_button))
    page, passage = (
        dialog.page,
        Passage("0", "Manual of pumps.pdf", 12, 0, 9, "Pumps", "Pumps > Priming", "Prime them."),
    )
    page.show_collection(Collection(1, "Plant", n_files=3, n_done=1, n_failed=1, n_passages=412))
    page.progress.show_progress(IndexProgress("/plant/Manual of pumps.pdf", 2))
    files = (
        IndexedFile(1, "/plant/locked.pdf", FileState.FAILED, "It is locked with a password.", "", 9, 0, 0),
        IndexedFile(2, "/plant/Manual of pumps.pdf", FileState.DONE, "", "0", 9, 300, 412),
        IndexedFile(3, "/plant/notes.txt", FileState.GONE, "", "", 9, 0, 0),
    )
    page.show_files((Source(1, 1, "/plant", True),), files)
    settle()
    yield f"{name}: files", dialog
    page.show_found(FoundPassages("prime", (Hit(passage, 1.0),), {"0": "/plant/Manual of pumps.pdf"}))
    settle()
    yield f"{name}: found", dialog
    page.show_found(FoundPassages("prime", problem="The model that ranks is not there any more."))
    settle()
    yield f"{name}: nothing found", dialog


def _models_pages(name: str, dialog: ModelsDialog) -> Iterator[Scene]:
    here = dialog.here
    here.show_box.setCurrentIndex(here.show_box.findData(Show.ALL))
    here.details.fit_panel.numbers_button.setChecked(True)
    for number, model in enumerate(SHOWN):
        here.select(model.ref)
        settle()
        yield f"{name}: {number}", dialog
    here.search.setText("nothing")
    settle()
    yield f"{name}: nothing", dialog
    here.search.clear()
    for page in Page:
        dialog.show_page(page)
        settle()
        yield f"{name}: {page.name}", dialog


def _on_screen() -> list[QWidget]:
    return [widget for widget in QApplication.topLevelWidgets() if widget.isVisible()]


def menus_of(root: QObject) -> list[QMenu]:
    return root.findChildren(QMenu)
