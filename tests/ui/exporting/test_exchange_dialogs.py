"""The dialogs over a real exchange: what people choose is what is in the file or in the database."""

import json
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, cast

import pypdfium2
import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtPrintSupport import QPrinter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QDialog, QPushButton, QWidget
from pytestqt.logging import _QtMessageCapture as LogCapture
from pytestqt.qtbot import QtBot

from app.core.messages import Message, Role
from app.core.paths import Paths
from app.services.chat.chat_controller import ChatController
from app.services.exchange.exchange import Exchange, Exported
from app.services.exchange.export_plans import ExportFormat, Writers
from app.storage.conversations import ConversationStore
from app.storage.database import Database
from app.ui.commands.actions import Actions
from app.ui.exporting.backup_dialogs import BackupDialog, RestoreDialog
from app.ui.exporting.export_dialog import ExportDialog
from app.ui.exporting.html_export import HtmlExport
from app.ui.exporting.import_dialog import ImportDialog
from app.ui.exporting.pdf_export import write_pdf
from app.ui.exporting.printing import PrintJobDialog, ask_printer
from app.ui.presenters.exchange import ExchangePresenter
from app.ui.theme.appearance import Appearance
from app.ui.widgets.notices import Notices
from tests.ui.fakes import FakeController, opened
from tests.waits import WAIT


class Here(NamedTuple):
    exchange: Exchange
    store: ConversationStore
    window: QWidget
    paths: Paths
    talk: int


@pytest.fixture
def here(tmp_path: Path, appearance: Appearance, qtbot: QtBot) -> Iterator[Here]:
    data = tmp_path / "data"
    data.mkdir()
    paths = Paths(data, data, data / "logs")
    window = QWidget()
    qtbot.addWidget(window)
    with Database.open(paths.database) as database:
        store = ConversationStore(database)
        talk = store.create("Cats")
        store.append(talk.id, None, Message.of(Role.USER, "What is a cat?"))
        store.append(store.create("Dogs").id, None, Message.of(Role.USER, "What is a dog?"))
        exchange = Exchange(paths, Writers(HtmlExport, lambda: write_pdf))
        yield Here(exchange, store, window, paths, talk.id)
        exchange.close()


@pytest.fixture
def export(here: Here, qtbot: QtBot) -> ExportDialog:
    dialog = ExportDialog(here.exchange, here.talk, "Cats", 2, here.window)
    dialog.open()
    return dialog


@pytest.mark.parametrize(
    ("format", "start"),
    [
        (ExportFormat.MARKDOWN, b"# Cats"),
        (ExportFormat.HTML, b"<!DOCTYPE html>"),
        (ExportFormat.PDF, b"%PDF"),
        (ExportFormat.JSON, b'{"format":"hearth-conversations"'),
    ],
)
def test_the_open_conversation_in_each_form(
    here: Here, export: ExportDialog, tmp_path: Path, qtbot: QtBot, format: ExportFormat, start: bytes
) -> None:
    export.formats[format].click()
    path = tmp_path / "out"
    with qtbot.waitSignal(export.exported, timeout=WAIT) as told:
        export.write(path)
        assert export.is_running
    assert told.args == [Exported(path, 1)]
    data = path.read_bytes()
    assert data.startswith(start) and b"dog" not in data
    qtbot.waitUntil(lambda: not here.window.findChildren(ExportDialog), timeout=WAIT)


@pytest.mark.parametrize(("name", "start"), [("a.HTML", b"<!DOCTYPE html>"), ("a.txt", b"# Cats"), ("a", b"# Cats")])
def test_the_ending_that_was_typed_is_the_form(
    export: ExportDialog, tmp_path: Path, qtbot: QtBot, name: str, start: bytes
) -> None:
    with qtbot.waitSignal(export.exported, timeout=WAIT):
        export.write_as_named(tmp_path / name)
    assert (tmp_path / name).read_bytes().startswith(start)


def test_many_in_a_zip_are_in_the_form_that_was_chosen(export: ExportDialog, tmp_path: Path, qtbot: QtBot) -> None:
    export.all.click()
    export.formats[ExportFormat.HTML].click()
    with qtbot.waitSignal(export.exported, timeout=WAIT):
        export.write_as_named(tmp_path / "all.zip")
    with zipfile.ZipFile(tmp_path / "all.zip") as made:
        assert "index.html" in made.namelist()


def test_shift_and_tab_come_to_the_choice(export: ExportDialog) -> None:
    export.reasoning.setFocus()
    QTest.keyClick(export.reasoning, Qt.Key.Key_Backtab)
    assert export.focusWidget() is export.formats[ExportFormat.MARKDOWN]
    QTest.keyClick(export.formats[ExportFormat.MARKDOWN], Qt.Key.Key_Right)
    assert export.format is ExportFormat.HTML
    QTest.keyClick(export.formats[ExportFormat.HTML], Qt.Key.Key_Backtab)
    assert export.focusWidget() is export.one


def test_all_conversations(here: Here, export: ExportDialog, tmp_path: Path, qtbot: QtBot) -> None:
    export.all.click()
    export.formats[ExportFormat.JSON].click()
    assert not export.reasoning.isEnabled()
    with qtbot.waitSignal(export.exported, timeout=WAIT):
        export.write(tmp_path / "all.json")
    told = json.loads((tmp_path / "all.json").read_text())
    assert [each["title"] for each in told["conversations"]] == ["Cats", "Dogs"]


def test_without_an_open_conversation_all_are_meant(here: Here) -> None:
    dialog = ExportDialog(here.exchange, None, "", 2, here.window)
    assert dialog.all.isChecked() and not dialog.one.isEnabled()
    dialog.reject()


def test_a_failure_is_told_and_can_be_tried_again(
    here: Here, export: ExportDialog, tmp_path: Path, qtbot: QtBot
) -> None:
    export.write(tmp_path / "none" / "a.md")
    qtbot.waitUntil(lambda: not export.is_running, timeout=WAIT)
    assert "cannot use" in export.status.text()
    assert export.export_button.isVisible() and export.one.isEnabled()
    with qtbot.waitSignal(export.exported, timeout=WAIT):
        export.write(tmp_path / "a.md")


def test_escape_stops_and_closes(here: Here, export: ExportDialog, tmp_path: Path, qtbot: QtBot) -> None:
    with qtbot.waitSignal(export.finished, timeout=WAIT):
        export.write(tmp_path / "a.json")
        QTest.keyClick(export, Qt.Key.Key_Escape)


def _json(here: Here, path: Path, qtbot: QtBot) -> Path:
    dialog = ExportDialog(here.exchange, None, "", 2, here.window)
    dialog.formats[ExportFormat.JSON].click()
    with qtbot.waitSignal(dialog.exported, timeout=WAIT):
        dialog.write(path)
    return path


def _read(here: Here, path: Path, qtbot: QtBot) -> ImportDialog:
    dialog = ImportDialog(here.exchange, [path], here.window)
    dialog.open()
    qtbot.waitUntil(lambda: not dialog.is_running, timeout=WAIT)
    return dialog


def test_an_import_says_what_it_would_bring_and_brings_it(here: Here, tmp_path: Path, qtbot: QtBot) -> None:
    path = _json(here, tmp_path / "all.json", qtbot)
    here.store.delete(here.talk)
    dialog = _read(here, path, qtbot)
    assert dialog.summary.text() == "2 conversations with 2 messages, from Hearth."
    assert dialog.known.text() == "One of them is here already."
    assert dialog.import_button.text() == "Import 1"
    assert [each.title for each in here.store.all()] == ["Dogs"]
    with qtbot.waitSignal(dialog.imported, timeout=WAIT) as told:
        dialog.import_button.click()
    (came,) = (each.id for each in here.store.all() if each.title == "Cats")
    assert told.args == ["One conversation was imported.", (came,)]
    assert sorted(each.title for each in here.store.all()) == ["Cats", "Dogs"]


def test_what_is_here_already_comes_only_when_asked_for(here: Here, tmp_path: Path, qtbot: QtBot) -> None:
    path = _json(here, tmp_path / "all.json", qtbot)
    dialog = _read(here, path, qtbot)
    assert dialog.known.text() == "All of that is here already."
    assert not dialog.import_button.isEnabled()
    dialog.again.click()
    assert dialog.import_button.isEnabled() and dialog.import_button.text() == "Import 2"
    with qtbot.waitSignal(dialog.imported, timeout=WAIT) as told:
        dialog.import_button.click()
    assert told.args[0] == "2 conversations were imported."
    assert len(here.store.all()) == 4


def test_what_is_left_out_is_told(here: Here, tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "conversations.json"
    message = {"author": {"role": "user"}, "content": {"content_type": "text", "parts": ["Hi"]}}
    good = {"title": "Good", "mapping": {"a": {"message": message}}}
    path.write_text(json.dumps([good, {"mapping": {}}, 1, 2]))
    dialog = _read(here, path, qtbot)
    assert dialog.summary.text() == "One conversation with one message, from ChatGPT."
    assert dialog.skipped.text() == "Left out: 2 that are damaged, one without a message."
    dialog.reject()
    assert len(here.store.all()) == 2


def test_a_foreign_file_is_refused_in_a_sentence(here: Here, tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "x.json"
    path.write_text("hello")
    dialog = _read(here, path, qtbot)
    assert dialog.status.text().startswith("x.json is damaged, or no export")
    assert [each.text() for each in dialog.buttons] == ["Cancel"]
    with qtbot.waitSignal(dialog.finished):
        dialog.cancel_button.click()
    assert not list(here.paths.data.glob(".import-*"))


def test_a_backup_and_its_way_back(here: Here, tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "a.hearth-backup"
    backup = BackupDialog(here.exchange, path, here.window)
    with qtbot.waitSignal(backup.backed_up, timeout=WAIT) as told:
        backup.open()
    assert told.args is not None and "a.hearth-backup" in told.args[1]
    dialog = RestoreDialog(here.exchange, path, here.window)
    dialog.open()
    qtbot.waitUntil(lambda: not dialog.is_running, timeout=WAIT)
    assert "2 conversations with 2 messages" in dialog.summary.text()
    assert (here.paths.data / "restore").is_dir()
    with qtbot.waitSignal(dialog.restart_wanted):
        dialog.now_button.click()
    assert (here.paths.data / "restore").is_dir()
    again = RestoreDialog(here.exchange, path, here.window)
    again.open()
    qtbot.waitUntil(lambda: not again.is_running, timeout=WAIT)
    again.discard_button.click()
    assert not (here.paths.data / "restore").exists()


def test_a_damaged_backup_is_told(here: Here, tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "a.hearth-backup"
    path.write_bytes(b"PK")
    dialog = RestoreDialog(here.exchange, path, here.window)
    dialog.open()
    qtbot.waitUntil(lambda: not dialog.is_running, timeout=WAIT)
    assert "no backup of Hearth" in dialog.status.text()
    assert [each.text() for each in dialog.buttons] == ["Close"]
    dialog.close_button.click()


@pytest.fixture
def presenter(here: Here, appearance: Appearance) -> ExchangePresenter:
    notices = Notices(appearance, here.window)
    controller = FakeController()
    controller.setParent(here.window)
    made = ExchangePresenter(
        here.exchange, cast(ChatController, controller), Actions(here.window), notices, here.window
    )
    controller.active.listed.emit(here.store.all())
    return made


def test_the_menu_leads_to_the_dialogs(here: Here, presenter: ExchangePresenter, tmp_path: Path, qtbot: QtBot) -> None:
    actions = here.window.findChild(Actions)
    assert actions is not None
    assert not actions.print_chat.isEnabled() and actions.export.isEnabled()
    controller = here.window.findChild(FakeController)
    assert controller is not None
    controller.active.open(opened("A", number=here.talk))
    assert actions.print_chat.isEnabled()
    actions.export.trigger()
    (dialog,) = here.window.findChildren(ExportDialog)
    assert dialog.one.isChecked()
    with qtbot.waitSignal(dialog.exported, timeout=WAIT):
        dialog.write(tmp_path / "a.md")
    notices = here.window.findChild(Notices)
    assert notices is not None and [bar.sentence.text() for bar in notices.bars] == ["The conversation is in a.md."]


def test_what_came_in_is_listed_and_one_is_a_click_away(
    here: Here, presenter: ExchangePresenter, tmp_path: Path, qtbot: QtBot
) -> None:
    path = _json(here, tmp_path / "all.json", qtbot)
    here.store.delete(here.talk)
    dialog = presenter.import_files([path])
    qtbot.waitUntil(lambda: not dialog.is_running, timeout=WAIT)
    with qtbot.waitSignal(here.exchange.imported, timeout=WAIT):
        dialog.import_button.click()
    controller = here.window.findChild(FakeController)
    assert controller is not None and controller.calls == [("refresh",)]
    notices = here.window.findChild(Notices)
    assert notices is not None
    button = notices.bars[0].action_button
    assert button is not None
    button.click()
    (came,) = (each.id for each in here.store.all() if each.title == "Cats")
    assert controller.calls[-1] == ("open_conversation", came)


def test_closing_for_a_restore_is_passed_on(
    here: Here, presenter: ExchangePresenter, tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "a.hearth-backup"
    with qtbot.waitSignal(presenter.back_up(path).backed_up, timeout=WAIT):
        pass
    dialog = presenter.restore(path)
    qtbot.waitUntil(lambda: not dialog.is_running, timeout=WAIT)
    here.window.show()
    dialog.now_button.click()
    assert not here.window.isVisible()


def test_every_control_has_a_name(here: Here, export: ExportDialog, tmp_path: Path) -> None:
    for button in export.findChildren(QAbstractButton):
        assert button.accessibleName(), button
    export.reject()


def test_printing_fills_pages_and_closes(here: Here, tmp_path: Path, qtbot: QtBot) -> None:
    last = here.store.path(here.talk)[-1]
    here.store.append(
        here.talk, last.id, Message.of(Role.ASSISTANT, "\n\n".join(f"Cat {n} purrs." for n in range(150)))
    )
    printer = QPrinter(QPrinter.PrinterMode.HighResolution)
    printer.setOutputFormat(QPrinter.OutputFormat.PdfFormat)
    printer.setOutputFileName(str(tmp_path / "printed.pdf"))
    dialog = PrintJobDialog(here.exchange, here.talk, printer, here.window)
    with qtbot.waitSignal(dialog.accepted, timeout=WAIT):
        dialog.open()
    document = pypdfium2.PdfDocument(tmp_path / "printed.pdf")
    # Without blanks, which a reader of PDF files guesses.
    told = ["".join(page.get_textpage().get_text_bounded().split()) for page in document]
    document.close()
    assert len(told) > 2
    assert "Cats" in told[0]
    assert all(f"Cat{number}purrs." in "".join(told) for number in range(150))


def test_a_printer_that_fails_is_told(here: Here, tmp_path: Path, qtbot: QtBot) -> None:
    printer = QPrinter(QPrinter.PrinterMode.HighResolution)
    printer.setOutputFormat(QPrinter.OutputFormat.PdfFormat)
    printer.setOutputFileName(str(tmp_path / "none" / "printed.pdf"))
    dialog = PrintJobDialog(here.exchange, here.talk, printer, here.window)
    dialog.open()
    qtbot.waitUntil(lambda: dialog.buttons == [dialog.close_button], timeout=WAIT)
    assert dialog.status.text().endswith(".")
    with qtbot.waitSignal(dialog.finished, timeout=WAIT):
        dialog.close_button.click()


@pytest.mark.parametrize(("title", "name"), [("Friday.", "Friday"), ("a/b?", "a b"), ("", "Hearth")])
def test_what_is_printed_has_a_name_that_a_file_can_have(here: Here, title: str, name: str) -> None:
    """Qt adds ".pdf" to it."""
    dialog = ask_printer(here.exchange, here.talk, title, here.window)
    assert dialog.printer().docName() == name
    dialog.reject()


@pytest.mark.skipif(sys.platform != "linux", reason="Other systems have dialogs of their own")
def test_the_properties_of_a_printer_can_be_painted(here: Here, qtbot: QtBot, qtlog: LogCapture) -> None:
    """Qt reckons with the application's font in points there."""
    dialog = ask_printer(here.exchange, here.talk, "Cats", here.window)
    (properties,) = [each for each in dialog.findChildren(QPushButton) if each.text() == "P&roperties"]
    seen: list[str] = []

    def put_away() -> None:
        shown = QApplication.activeModalWidget()
        assert isinstance(shown, QDialog)
        shown.grab()
        seen.append(shown.metaObject().className())
        shown.reject()

    QTimer.singleShot(0, put_away)
    # Returns when it is put away: Qt shows it in a loop of its own.
    properties.click()
    dialog.reject()
    assert seen == ["QPrintPropertiesDialog"]
    assert not [each.message for each in qtlog.records if "QFont" in (each.message or "")]
