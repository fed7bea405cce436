"""Downloads in the window: real downloads from a small hub on loopback."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import keyring
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox
from pytestqt.qtbot import QtBot

from app.core.model_ref import ModelRef
from app.library.hub import HubChoice, repository
from app.library.hub_layout import HubFile
from app.services.models.download_states import Download, DownloadStage
from app.services.models.models import Models
from app.ui.formatting.line_breaks import BREAK
from app.ui.models.dialog import ModelsDialog, Page
from app.ui.models.download_chip import DownloadChip
from app.ui.models.download_row import DownloadRow
from app.ui.models.downloads_page import DownloadsPage
from app.ui.models.hub_text import percent, progress_line, time_left
from app.ui.models.token_dialog import TokenDialog
from app.ui.theme.appearance import Appearance
from tests.library.hub_fixtures import SMALL_BLOCK, our_hub
from tests.library.hub_server import FakeHub, Fault
from tests.library.test_hub import NoKeyring
from tests.ui.conftest import Stage
from tests.ui.test_accessibility import describe, focusable, name_of
from tests.waits import WAIT

DATA = bytes(range(256)) * 600
HALF = [Fault(break_after=4 * SMALL_BLOCK), Fault(status=429, retry_after="250")]
"""Some of it comes, and then the hub wants to be left alone."""


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    with our_hub(monkeypatch) as served:
        served.add("org/M", "M-Q4_0.gguf", DATA)
        served.add("org/M", "mmproj-M.gguf", b"eyes")
        yield served


@pytest.fixture
def page(models: Models, appearance: Appearance, qtbot: QtBot) -> DownloadsPage:
    made = DownloadsPage(models)
    qtbot.addWidget(made)
    made.resize(800, 600)
    made.show()
    return made


def choice(number: int = 0) -> HubChoice:
    return repository("org/M").choices[number]


def row(page: DownloadsPage) -> DownloadRow:
    (only,) = page.rows.values()
    return only


def reached(page: DownloadsPage, qtbot: QtBot, stage: DownloadStage) -> None:
    qtbot.waitUntil(lambda: [each.download.stage for each in page.rows.values()] == [stage], timeout=WAIT)


def half(page: DownloadsPage, models: Models, hub: FakeHub, qtbot: QtBot) -> Download:
    """Some of it is there, and it waits."""
    hub.faults.extend(HALF)
    made = models.downloads.fetch(choice())
    qtbot.waitUntil(lambda: len(hub.requests) == 2 and row(page).download.done > 0, timeout=WAIT)
    return made


def parts(tmp_path: Path) -> list[str]:
    return [each.name for each in (tmp_path / "hearth").rglob("*.part")]


def pressed(page: DownloadsPage, text: str) -> None:
    (box,) = (each for each in page.findChildren(QMessageBox) if each.isVisible())
    next(each for each in box.buttons() if each.text() == text).click()


def test_without_downloads_it_says_so(page: DownloadsPage) -> None:
    assert page.empty.isVisible() and page.discover_button.isVisible()


def test_a_download_is_shown_until_it_can_be_talked_to(page: DownloadsPage, models: Models, qtbot: QtBot) -> None:
    models.downloads.fetch(choice())
    assert not page.empty.isVisible()
    reached(page, qtbot, DownloadStage.DONE)
    assert not row(page).bar.isVisible()
    with qtbot.waitSignal(page.chosen) as chosen:
        row(page).chat_button.click()
    assert chosen.args[0].file.read_bytes() == DATA
    row(page).remove_button.click()
    assert page.rows == {}
    assert chosen.args[0].is_there, "only the list is cleared"


def test_a_projector_by_itself_is_not_talked_to(page: DownloadsPage, models: Models, qtbot: QtBot) -> None:
    models.downloads.fetch(choice(1))
    reached(page, qtbot, DownloadStage.DONE)
    assert not row(page).chat_button.isVisible()


def test_pause_and_go_on(page: DownloadsPage, models: Models, hub: FakeHub, qtbot: QtBot) -> None:
    half(page, models, hub, qtbot)
    row(page).pause_button.setFocus()
    QTest.keyClick(row(page).pause_button, Qt.Key.Key_Space)
    reached(page, qtbot, DownloadStage.PAUSED)
    assert not row(page).pause_button.isVisible()
    assert row(page).resume_button.hasFocus(), "the keyboard stays in the row"
    assert "Paused" in row(page)._line.text()
    row(page).resume_button.click()
    reached(page, qtbot, DownloadStage.DONE)
    assert row(page).chat_button.hasFocus()


def test_what_stopped_says_why_and_is_tried_again(
    page: DownloadsPage, models: Models, hub: FakeHub, qtbot: QtBot
) -> None:
    hub.faults.extend([Fault(status=503, retry_after="0")] * 3)
    models.downloads.fetch(choice())
    reached(page, qtbot, DownloadStage.FAILED)
    assert "a problem of its own (503)" in row(page)._problem.text().replace(BREAK, "")
    assert row(page)._problem.isVisible()
    assert not row(page).token_button.isVisible()
    row(page).retry_button.click()
    reached(page, qtbot, DownloadStage.DONE)
    assert not row(page)._problem.isVisible()


@pytest.fixture
def asking(page: DownloadsPage, models: Models, hub: FakeHub, qtbot: QtBot) -> TokenDialog:
    """A download was refused, and the row's button asks for a token."""
    wanted = choice()
    hub.repos["org/M"].gated = True
    models.downloads.fetch(wanted)
    reached(page, qtbot, DownloadStage.FAILED)
    row(page).token_button.click()
    (dialog,) = page.findChildren(TokenDialog)
    return dialog


def test_a_gated_download_goes_on_with_a_token(page: DownloadsPage, asking: TokenDialog, qtbot: QtBot) -> None:
    QTest.keyClicks(asking.field, "hf_right")
    asking.keep_button.click()
    reached(page, qtbot, DownloadStage.DONE)


def test_without_a_keyring_it_goes_on_and_says_for_how_long(
    page: DownloadsPage, asking: TokenDialog, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keyring.core, "_keyring_backend", NoKeyring())
    QTest.keyClicks(asking.field, "hf_right")
    asking.keep_button.click()
    reached(page, qtbot, DownloadStage.DONE)
    assert asking.isVisible()
    assert "until Hearth is closed" in asking.status.text()
    asking.close()


def test_forgetting_a_token_fetches_nothing(models: Models, asking: TokenDialog, qtbot: QtBot) -> None:
    seen: list[DownloadStage] = []
    models.downloads.changed.connect(lambda download: seen.append(download.stage))
    with qtbot.waitSignal(asking.accepted, timeout=WAIT):
        asking.forget_button.click()
    assert seen == []


@pytest.mark.parametrize("keeps", [True, False])
def test_cancel_asks_what_becomes_of_the_part(
    page: DownloadsPage, models: Models, hub: FakeHub, qtbot: QtBot, tmp_path: Path, keeps: bool
) -> None:
    half(page, models, hub, qtbot)
    row(page).cancel_button.click()
    assert row(page).download.stage is DownloadStage.PAUSED, "nothing more comes while people think"
    with qtbot.waitSignal(models.downloads.removed, timeout=WAIT):
        pressed(page, "Keep the part" if keeps else "Delete the part")
    assert page.rows == {}
    assert bool(parts(tmp_path)) == keeps
    hub.faults.clear()
    hub.requests.clear()
    models.downloads.fetch(choice())
    reached(page, qtbot, DownloadStage.DONE)
    assert hub.requests[0][1].startswith(f"bytes={4 * SMALL_BLOCK if keeps else 0}-")


def test_a_cancel_that_was_none_goes_on(page: DownloadsPage, models: Models, hub: FakeHub, qtbot: QtBot) -> None:
    half(page, models, hub, qtbot)
    hub.faults.clear()
    row(page).cancel_button.click()
    pressed(page, "Go on")
    reached(page, qtbot, DownloadStage.DONE)


def test_what_was_paused_stays_so(page: DownloadsPage, models: Models, hub: FakeHub, qtbot: QtBot) -> None:
    half(page, models, hub, qtbot)
    row(page).pause_button.click()
    reached(page, qtbot, DownloadStage.PAUSED)
    row(page).cancel_button.click()
    pressed(page, "Leave it paused")
    assert row(page).download.stage is DownloadStage.PAUSED


def test_another_folder_is_used_from_then_on(page: DownloadsPage, models: Models, tmp_path: Path, qtbot: QtBot) -> None:
    assert "which other programs use" in page.folder_label.text()
    assert not page.shared_button.isVisible()
    page.folder_button.click()
    (dialog,) = page.findChildren(QFileDialog)
    dialog.fileSelected.emit(str(tmp_path / "mine"))
    dialog.close()
    assert str(tmp_path / "mine") in page.folder_label.text().replace(BREAK, "")
    assert models.download_folder == tmp_path / "mine"
    page.shared_button.click()
    assert models.download_folder is None


def test_no_disk_is_waited_for(
    page: DownloadsPage, models: Models, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The window goes on while a disk wakes up, and tells what it said as soon as it does."""
    qtbot.waitUntil(lambda: "is free there" in page.folder_label.text(), timeout=WAIT)
    awake, asked = threading.Event(), threading.Event()

    def free(path: Path) -> tuple[int, int]:
        asked.set()
        assert threading.current_thread() is not threading.main_thread()
        assert awake.wait(WAIT / 1000)
        return 1, 3 << 30

    monkeypatch.setattr("app.library.disk_room._disk", free)
    models.download_to(tmp_path / "asleep")
    assert asked.wait(WAIT / 1000)
    assert "asleep" in page.folder_label.text() and "free there" not in page.folder_label.text()
    awake.set()
    qtbot.waitUntil(lambda: "3.0 GiB is free there" in page.folder_label.text(), timeout=WAIT)


def test_a_look_that_does_not_come_back_holds_no_other_up(
    page: DownloadsPage, models: Models, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    awake = threading.Event()

    def free(path: Path) -> tuple[int, int]:
        if path.name == "asleep":
            awake.wait(WAIT / 1000)
            return 1, 1 << 30
        return 2, 5 << 30

    monkeypatch.setattr("app.library.disk_room._disk", free)
    models.download_to(tmp_path / "asleep")
    models.download_to(tmp_path / "here")
    qtbot.waitUntil(lambda: "5.0 GiB is free there" in page.folder_label.text(), timeout=WAIT)
    awake.set()
    assert "5.0 GiB is free there" in page.folder_label.text()


def test_everything_has_a_name_for_who_cannot_see(
    page: DownloadsPage, models: Models, hub: FakeHub, qtbot: QtBot
) -> None:
    half(page, models, hub, qtbot)
    assert not [describe(each) for each in focusable(page) if not name_of(each)]
    assert row(page).pause_button.accessibleName() == "Pause: M-Q4_0"
    assert row(page).bar.accessibleName().startswith("M-Q4_0: ")


def test_words(qapp: QApplication) -> None:
    file = HubFile("org/M", "c", "M-Q4_0.gguf", 4 << 30)
    one = Download("1", "M", (file,), None, DownloadStage.RUNNING, 1 << 30, float(10 << 20))
    assert progress_line(one) == "1.0 GiB of 4.0 GiB · 10 MiB a second · 5 minutes left"
    assert percent(one) == 25
    assert percent(replace(one, done=(4 << 30) - 1)) == 99
    assert time_left(20) == "less than a minute left"
    assert time_left(60) == "1 minute left"
    assert time_left(7300) == "2 hours left"
    rests = "1.0 GiB of 4.0 GiB · it rests, and goes on in 4 min"
    assert progress_line(replace(one, wait=250.0)) == rests
    assert progress_line(replace(one, stage=DownloadStage.WAITING, done=0)) == "Waiting for its turn · 4.0 GiB"


def test_the_chip_says_how_far_it_is(qtbot: QtBot, appearance: Appearance) -> None:
    chip = DownloadChip()
    qtbot.addWidget(chip)
    assert chip.isHidden()
    file = HubFile("org/M", "c", "M-Q4_0.gguf", 1000)
    one = Download("1", "One", (file,), None, DownloadStage.RUNNING, 500)
    chip.show_downloads((one, replace(one, id="2", name="Two", done=0), replace(one, stage=DownloadStage.DONE)))
    assert chip.text() == "↓ 25 %"
    assert "Two" in chip.toolTip()
    chip.show_downloads((replace(one, stage=DownloadStage.FAILED, problem="The disk is full."),))
    assert "The disk is full." in chip.toolTip()
    chip.show_downloads((replace(one, name="<b>One</b>"),))
    assert "&lt;b&gt;One" in chip.toolTip(), "names of others are no rich text"
    chip.show_downloads((replace(one, stage=DownloadStage.PAUSED),))
    assert chip.isHidden()


@pytest.fixture
def wired(hub: FakeHub, stage: Stage, monkeypatch: pytest.MonkeyPatch) -> Stage:
    """The whole window, with the small hub."""
    monkeypatch.setenv("HF_ENDPOINT", hub.url)
    return stage


def shown(stage: Stage, page: Page) -> ModelsDialog:
    assert stage.window.models is not None
    dialog = stage.window.models.dialog
    assert dialog is not None and dialog.page is page
    return dialog


def test_the_window_says_when_one_has_come(wired: Stage, qtbot: QtBot) -> None:
    downloads, window = wired.models.downloads, wired.window
    with qtbot.waitSignal(downloads.finished, timeout=WAIT) as finished:
        downloads.fetch(choice())
        assert window.header.downloads.isVisible()
    assert not window.header.downloads.isVisible()
    assert wired.press_notice() == "M-Q4_0 is on this computer now."
    assert wired.engine.calls == [("load", ModelRef.of_file(finished.args[0].path))]


def test_the_chip_leads_to_the_downloads_and_the_dialog_to_the_chat(wired: Stage, hub: FakeHub, qtbot: QtBot) -> None:
    hub.faults.append(Fault(status=429, retry_after="250"))
    wired.models.downloads.fetch(choice())
    wired.window.header.downloads.click()
    dialog = shown(wired, Page.DOWNLOADS)
    hub.faults.clear()
    row(dialog.downloads).pause_button.click()
    with qtbot.waitSignal(wired.models.downloads.finished, timeout=WAIT):
        row(dialog.downloads).resume_button.click()
    assert wired.window.notices.bars == [], "the dialog says it"
    with qtbot.waitSignal(dialog.finished):
        row(dialog.downloads).chat_button.click()
    assert [call[0] for call in wired.engine.calls] == ["load"]


def test_what_stops_while_nobody_looks_is_told(wired: Stage, hub: FakeHub, qtbot: QtBot) -> None:
    wanted = choice()
    hub.repos.clear()
    wired.models.downloads.fetch(wanted)
    qtbot.waitUntil(lambda: bool(wired.window.notices.bars), timeout=WAIT)
    assert "M-Q4_0 stopped" in wired.press_notice()
    shown(wired, Page.DOWNLOADS)


def test_the_welcome_page_leads_to_the_hub(wired: Stage, qtbot: QtBot) -> None:
    wired.window.welcome.get_button.clicked.emit()
    dialog = shown(wired, Page.DISCOVER)
    qtbot.waitUntil(lambda: bool(dialog.discover._results), timeout=WAIT)
    dialog.close()
