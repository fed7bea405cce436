"""The hub in the window: real services, and a small hub on loopback."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import keyring
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.core.library_settings import LibrarySettings
from app.core.resources import GUIDE
from app.library.recommended import MachineSize, Suggestion
from app.services.models.models import Models
from app.ui.formatting.line_breaks import BREAK
from app.ui.models.discover_page import DiscoverPage
from app.ui.models.discover_rows import GoodRow, Heading, HubRow, InstalledRow, Row
from app.ui.models.token_dialog import TokenDialog
from app.ui.theme.appearance import Appearance
from app.ui.widgets.links import LinkDialog
from tests.library.hub_fixtures import our_hub
from tests.library.test_hub import NoKeyring
from tests.ui.hub_stage import GB, SizedHub, models_over
from tests.ui.test_accessibility import describe, focusable, name_of
from tests.waits import WAIT

SMALL, LARGE = "Qwen/Qwen3-0.6B-GGUF", "ggml-org/gemma-3-27b-it-GGUF"
AnyRow = TypeVar("AnyRow", bound=Row)
RAIN = "org/Rain-7B-GGUF"
CARD = b"""---
license: mit
---
<div><img src='http://127.0.0.1:9/x.png'></div>

# Rain

![p](http://127.0.0.1:9/p.png) [more](https://example.org/more)
"""


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[SizedHub]:
    with our_hub(monkeypatch, SizedHub()) as served:
        assert isinstance(served, SizedHub)
        header = GUIDE.read_bytes()
        for kind, size in (("Q8_0", 600), ("Q4_K_M", 400), ("F16", 1200)):
            served.add(SMALL, f"Qwen3-0.6B-{kind}.gguf", header, likes=5, downloads=1500)
            served.sizes[SMALL, f"Qwen3-0.6B-{kind}.gguf"] = size * GB // 1000
        served.add(RAIN, "Rain-7B-Q4_K_M.gguf", header, gguf={"total": 7 * GB}, likes=50)
        served.add(RAIN, "README.md", CARD)
        served.sizes[RAIN, "Rain-7B-Q4_K_M.gguf"] = 4 * GB
        yield served


@pytest.fixture
def page(models: Models, appearance: Appearance, qtbot: QtBot) -> DiscoverPage:
    made = DiscoverPage(appearance, models)
    qtbot.addWidget(made)
    made.resize(1000, 700)
    return made


def rows(page: DiscoverPage, kind: type[AnyRow]) -> list[AnyRow]:
    return [row for row in page.list.rows.rows if isinstance(row, kind)]


def repos(page: DiscoverPage) -> list[str]:
    return [row.model.repo for row in rows(page, HubRow)]


def show(page: DiscoverPage, qtbot: QtBot) -> None:
    page.show()
    qtbot.waitUntil(lambda: bool(repos(page)), timeout=WAIT)


def choose(page: DiscoverPage, qtbot: QtBot, repo: str) -> None:
    """A row of the list, until its repository is shown."""
    show(page, qtbot)
    at = next(
        number
        for number, row in enumerate(page.list.rows.rows)
        if (isinstance(row, HubRow) and row.model.repo == repo)
        or (isinstance(row, GoodRow) and row.suggestion.repo == repo)
    )
    page.list.setCurrentIndex(page.list.rows.index(at, 0))
    qtbot.waitUntil(lambda: page.repo.repo is not None and page.repo.repo.model.repo == repo, timeout=WAIT)


def told(page: DiscoverPage) -> str:
    return " ".join(label.text() for label in page.findChildren(QLabel) if label.isVisible()).replace(BREAK, "")


def test_good_models_for_this_computer_come_first(page: DiscoverPage, qtbot: QtBot) -> None:
    show(page, qtbot)
    headings = [row.text for row in rows(page, Heading)]
    assert headings[0].startswith("Good models for this computer, which has 14.9 GiB free")
    assert headings[1:] == [
        "Larger ones that fit, and answer more slowly",
        "For computers with more memory",
        "Popular on Hugging Face",
    ]
    good = rows(page, GoodRow)
    assert good[0].best
    assert sum(row.best for row in good) == 1
    places = [row.suggestion.repo for row in good]
    assert places.index(SMALL) < places.index(LARGE)


def test_what_is_recommended_depends_on_the_memory(
    hub: SizedHub, appearance: Appearance, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    best = {}
    for free in (3 * GB, 16 * GB):
        with models_over(tmp_path / str(free), monkeypatch, free) as models:
            page = DiscoverPage(appearance, models)
            qtbot.addWidget(page)
            best[free] = rows(page, GoodRow)[0].suggestion
    assert best[3 * GB].size < 2 * GB < best[16 * GB].size < 6 * GB


def test_a_search_narrows_as_it_is_typed_and_filters(page: DiscoverPage, qtbot: QtBot) -> None:
    show(page, qtbot)
    QTest.keyClicks(page.filters.field, "rain")
    qtbot.waitUntil(lambda: repos(page) == [RAIN], timeout=WAIT)
    assert not rows(page, GoodRow)
    page.filters.parameters.choose((0, 4 * GB + GB // 2))
    qtbot.waitUntil(lambda: not repos(page), timeout=WAIT)
    assert "Nothing was found" in told(page)
    page.filters.parameters.setCurrentIndex(0)
    page.filters.likes.choose(10)
    qtbot.waitUntil(lambda: repos(page) == [RAIN], timeout=WAIT)
    page.filters.field.clear()
    qtbot.waitUntil(lambda: not rows(page, GoodRow) and len(repos(page)) == 1, timeout=WAIT)


def test_files_have_size_fit_and_one_is_recommended(page: DiscoverPage, models: Models, qtbot: QtBot) -> None:
    choose(page, qtbot, SMALL)
    shown = {
        row.choice.quantisation: " ".join(each.text() for each in row.findChildren(QLabel) if each.isVisible())
        for row in page.repo.files.rows
    }
    assert list(shown) == ["Q4_K_M", "Q8_0", "F16"]
    assert "572 MiB" in shown["Q8_0"]
    assert all("Fits" in each for each in shown.values())
    assert [kind for kind, each in shown.items() if "Recommended" in each] == ["Q8_0"]


def test_the_header_makes_the_verdict_exact(page: DiscoverPage, models: Models, qtbot: QtBot) -> None:
    with qtbot.waitSignal(models.shapes.found, timeout=WAIT) as found:
        choose(page, qtbot, SMALL)
    assert found.args[0].repo == SMALL
    assert found.args[0].shape.architecture == "llama"
    row = page.repo.files.rows[0]
    assert "This is an estimate" not in row._fit.toolTip()
    assert "a context of 4k" in row._fit.toolTip(), "the header says how much it was trained with"


def test_the_card_is_shown_without_fetching_anything(page: DiscoverPage, hub: SizedHub, qtbot: QtBot) -> None:
    choose(page, qtbot, RAIN)
    qtbot.waitUntil(page.repo.card.isVisible, timeout=WAIT)
    html = " ".join(getattr(block, "html", "") for block in page.repo.card.blocks.blocks)
    assert "Rain" in html
    assert "<img" not in html
    assert page.repo.card.height() > 40
    page.repo.card.blocks.link_clicked.emit("https://example.org/more")
    (dialog,) = page.findChildren(LinkDialog)
    assert dialog.isVisible()
    dialog.close()
    page.repo.card.blocks.link_clicked.emit("file:///etc/passwd")
    assert not [each for each in page.findChildren(LinkDialog) if each.isVisible()]


def test_one_button_fetches_and_then_chats(page: DiscoverPage, models: Models, hub: SizedHub, qtbot: QtBot) -> None:
    hub.sizes.clear()
    hub.add(RAIN, "mmproj-Rain-F16.gguf", b"eyes")
    choose(page, qtbot, RAIN)
    (row,) = [each for each in page.repo.files.rows if not each.choice.is_projector]
    assert "mmproj-Rain-F16" in told(page)
    with qtbot.waitSignal(models.downloads.finished, timeout=WAIT) as finished:
        row.button.click()
        qtbot.waitUntil(lambda: row.button.text().endswith("%"), timeout=WAIT)
    done = finished.args[0]
    assert [file.path for file in done.files] == ["Rain-7B-Q4_K_M.gguf", "mmproj-Rain-F16.gguf"]
    assert (done.path.parent / "mmproj-Rain-F16.gguf").read_bytes() == b"eyes"
    qtbot.waitUntil(lambda: row.button.text() == "Chat", timeout=WAIT)
    with qtbot.waitSignal(page.chosen) as chosen:
        row.button.click()
    assert chosen.args[0].file.read_bytes() == GUIDE.read_bytes()


def test_the_projector_can_be_left_out(page: DiscoverPage, models: Models, hub: SizedHub, qtbot: QtBot) -> None:
    hub.sizes.clear()
    hub.add(RAIN, "mmproj-Rain-F16.gguf", b"eyes")
    choose(page, qtbot, RAIN)
    page.repo.sight.setChecked(False)
    with qtbot.waitSignal(models.downloads.finished, timeout=WAIT) as finished:
        page.repo.files.rows[0].button.click()
    assert len(finished.args[0].files) == 1


def test_what_is_here_already_is_not_fetched_again(
    page: DiscoverPage, models: Models, hub: SizedHub, tmp_path: Path, qtbot: QtBot
) -> None:
    hub.sizes.clear()
    folder = tmp_path / "hearth" / "models" / "other"
    folder.mkdir(parents=True)
    (folder / "Rain-7B-Q4_K_M.gguf").write_bytes(GUIDE.read_bytes())
    with qtbot.waitSignal(models.library.changed, timeout=WAIT):
        models.library.scan()
    choose(page, qtbot, RAIN)
    row = page.repo.files.rows[0]
    assert row.button.text() == "Chat"
    with qtbot.waitSignal(page.chosen) as chosen:
        row.button.click()
    assert chosen.args[0].file == folder / "Rain-7B-Q4_K_M.gguf"


def test_too_little_room_is_said_before_anything_is_fetched(
    page: DiscoverPage, models: Models, hub: SizedHub, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.library.disk_room._disk", lambda _: (1, GB))
    choose(page, qtbot, RAIN)
    page.repo.files.rows[0].button.click()
    qtbot.waitUntil(lambda: "not enough room for Rain-7B-Q4_K_M" in page.repo.message.sentence, timeout=WAIT)
    assert models.downloads.downloads == ()


def test_offline_says_so_and_shows_what_is_here(
    page: DiscoverPage, models: Models, hub: SizedHub, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "hearth" / "models"
    folder.mkdir(parents=True)
    (folder / "Snow-Q4_0.gguf").write_bytes(GUIDE.read_bytes())
    with qtbot.waitSignal(models.library.changed, timeout=WAIT):
        models.library.scan()
    there = hub.url
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    page.show()
    qtbot.waitUntil(lambda: "can't be reached" in page.problem.sentence, timeout=WAIT)
    assert isinstance(page.list.rows.rows[1], InstalledRow)
    page.list.setCurrentIndex(page.list.rows.index(1, 0))
    with qtbot.waitSignal(page.chosen) as chosen:
        page.here.chat_button.click()
    assert chosen.args[0].file == folder / "Snow-Q4_0.gguf"
    assert page.problem.more_button.isVisible()
    monkeypatch.setenv("HF_ENDPOINT", there)
    page.problem.again_button.click()
    qtbot.waitUntil(lambda: bool(repos(page)), timeout=WAIT)
    assert page.problem.sentence == ""
    assert not rows(page, InstalledRow)


@pytest.mark.parametrize(("status", "sentence"), [(429, "asked too often"), (503, "a problem of its own (503)")])
def test_troubles_of_the_hub_are_told_and_tried_again(
    page: DiscoverPage, hub: SizedHub, qtbot: QtBot, status: int, sentence: str
) -> None:
    hub.api_status, hub.api_wait = status, "900"
    page.show()
    qtbot.waitUntil(lambda: sentence in page.problem.sentence, timeout=WAIT)
    assert page.problem.sentence.endswith("Try again in 15 minutes.")
    hub.api_status = 0
    page.problem.again_button.click()
    qtbot.waitUntil(lambda: bool(repos(page)), timeout=WAIT)


def test_after_a_short_wait_it_asks_again_by_itself(page: DiscoverPage, hub: SizedHub, qtbot: QtBot) -> None:
    hub.api_status, hub.api_wait = 429, "1"
    page.show()
    qtbot.waitUntil(lambda: "Try again in 1 s" in page.problem.sentence, timeout=WAIT)
    hub.api_status = 0
    qtbot.waitUntil(lambda: bool(repos(page)), timeout=WAIT)


def test_a_gated_repository_takes_a_token(page: DiscoverPage, models: Models, hub: SizedHub, qtbot: QtBot) -> None:
    hub.repos[RAIN].gated = True
    hub.sizes.clear()
    choose(page, qtbot, RAIN)
    assert "Accept the terms" in told(page)
    page.repo.token_link.click()
    (dialog,) = page.findChildren(TokenDialog)
    with qtbot.waitSignal(dialog.finished, timeout=WAIT):
        QTest.keyClicks(dialog.field, "hf_right")
        dialog.keep_button.click()
    qtbot.waitUntil(lambda: page.repo.repo is not None, timeout=WAIT)
    with qtbot.waitSignal(models.downloads.finished, timeout=WAIT):
        page.repo.files.rows[0].button.click()


def test_without_a_keyring_the_dialog_says_so_and_the_token_holds(
    page: DiscoverPage, models: Models, hub: SizedHub, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keyring.core, "_keyring_backend", NoKeyring())
    dialog = TokenDialog(models.hub, page)
    qtbot.addWidget(dialog)
    dialog.open()
    with qtbot.waitSignal(models.hub.token_changed, timeout=WAIT):
        QTest.keyClicks(dialog.field, "hf_right")
        dialog.keep_button.click()
    qtbot.waitUntil(dialog.status.isVisible, timeout=WAIT)
    assert "no keyring" in dialog.status.text()
    assert models.hub._token.get() == "hf_right"
    QTest.keyClicks(dialog.field, "!")
    dialog.field.setText("nonsense")
    dialog.keep_button.click()
    qtbot.waitUntil(lambda: "no token" in dialog.status.text(), timeout=WAIT)
    dialog.close()


def test_a_repository_that_is_gone_is_told(page: DiscoverPage, hub: SizedHub, qtbot: QtBot) -> None:
    show(page, qtbot)
    del hub.repos[RAIN]
    at = [getattr(getattr(row, "model", None), "repo", "") for row in page.list.rows.rows].index(RAIN)
    page.list.setCurrentIndex(page.list.rows.index(at, 0))
    qtbot.waitUntil(lambda: "is not on Hugging Face" in page.repo.problem.sentence, timeout=WAIT)
    assert page.repo.problem.again_button.isVisible()


def test_narrow_the_list_and_the_repository_take_turns(page: DiscoverPage, qtbot: QtBot) -> None:
    page.resize(520, 600)
    show(page, qtbot)
    assert page.list.isVisible()
    assert not page.repo.isVisible()
    page.list.setFocus()
    QTest.keyClick(page.list, Qt.Key.Key_Home)
    QTest.keyClick(page.list, Qt.Key.Key_Return)
    assert page.repo.isVisible()
    assert not page.list.isVisible()
    page.back_button.click()
    assert page.list.isVisible()
    page.resize(1000, 600)
    assert page.list.isVisible()
    assert page.repo.isVisible()


def test_the_list_of_good_models_is_updated_from_the_address_in_the_settings(
    page: DiscoverPage, models: Models, hub: SizedHub, qtbot: QtBot
) -> None:
    show(page, qtbot)
    assert not page.update_button.isVisible()
    entry = Suggestion("Rain 7B", RAIN, "Q4_K_M", MachineSize.SMALL, GB, "mit", ("chat",))
    hub.pages["/list.json"] = (
        b'{"format": 1, "date": "2031-01-01", "models": [{"name": "Rain 7B", "repo": "org/Rain-7B-GGUF", '
        b'"quantisation": "Q4_K_M", "machine": "small", "size": 1.0, "licence": "mit", "good_for": ["chat"]}]}'
    )
    models.download_to(None)
    models._settings.update(LibrarySettings, good_models=f"{hub.url}/list.json")
    page._show_rows()
    assert page.update_button.isVisible()
    with qtbot.waitSignal(models.good.changed, timeout=WAIT):
        page.update_button.click()
    assert [row.suggestion for row in rows(page, GoodRow)] == [entry]
    hub.pages["/list.json"] = b"<html>"
    with qtbot.waitSignal(models.good.failed, timeout=WAIT):
        page.update_button.click()
    assert "the old one stays" in page.problem.sentence
    assert [row.suggestion.name for row in rows(page, GoodRow)] == ["Rain 7B"]
    models._settings.update(LibrarySettings, good_models="http://example.org/list.json")
    with qtbot.waitSignal(models.good.failed, timeout=WAIT) as failed:
        page.update_button.click()
    assert "must begin with https" in failed.args[0]


def test_everything_has_a_name_for_who_cannot_see(page: DiscoverPage, hub: SizedHub, qtbot: QtBot) -> None:
    hub.repos[RAIN].gated = True
    hub.add(RAIN, "mmproj-Rain-F16.gguf", b"eyes")
    choose(page, qtbot, RAIN)
    assert not [describe(each) for each in focusable(page) if not name_of(each)]
    said = [page.list.rows.index(row, 0).data(Qt.ItemDataRole.AccessibleTextRole) for row in range(3)]
    assert all(said)
    assert "Recommended" in said[1]


def test_a_row_that_stays_keeps_being_chosen(page: DiscoverPage, qtbot: QtBot) -> None:
    choose(page, qtbot, RAIN)
    chosen = page.list.chosen()
    page._show_rows()
    assert page.list.chosen() == chosen
    row = rows(page, GoodRow)[0]
    assert replace(row, best=not row.best) != row


def test_what_is_shown_is_of_the_list_at_hand(page: DiscoverPage, hub: SizedHub, qtbot: QtBot) -> None:
    choose(page, qtbot, SMALL)
    QTest.keyClicks(page.filters.field, "rain")
    # The first that was found, without a click; who types goes on typing.
    qtbot.waitUntil(lambda: page.repo.repo is not None and page.repo.repo.model.repo == RAIN)
    QTest.keyClicks(page.filters.field, "bow")
    qtbot.waitUntil(lambda: not repos(page))
    assert page.repo.repo is None
    assert "Choose a model on the left" in told(page) and RAIN not in told(page)


def test_what_was_chosen_stays_where_its_figures_are_others(page: DiscoverPage, qtbot: QtBot) -> None:
    choose(page, qtbot, RAIN)
    page.list.show_rows([HubRow(replace(row.model, likes=row.model.likes + 1)) for row in rows(page, HubRow)])
    chosen = page.list.chosen()
    assert isinstance(chosen, HubRow) and chosen.model.repo == RAIN


def test_names_from_the_hub_are_never_rich_text(page: DiscoverPage, hub: SizedHub, qtbot: QtBot) -> None:
    hub.add(RAIN, "<b>x-Q8_0.gguf", b"data")
    choose(page, qtbot, RAIN)
    tips = [each.toolTip() for each in page.repo.files.findChildren(QWidget) if "&lt;b&gt;x-Q8_0" in each.toolTip()]
    assert len(tips) == 2, "of the row, and of its button"
    assert not any("<b>" in each.toolTip() for each in page.findChildren(QWidget))


def test_what_came_and_was_removed_can_be_fetched_again(
    page: DiscoverPage, models: Models, hub: SizedHub, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("send2trash.send2trash", lambda path: Path(path).unlink())
    hub.sizes.clear()
    choose(page, qtbot, RAIN)
    (button,) = (each for each in page.repo.files.findChildren(QPushButton) if each.text() == "Download")
    button.click()
    qtbot.waitUntil(lambda: button.text() == "Chat" and bool(models.library.usable()), timeout=WAIT)
    (model,) = (each for each in models.library.models if "Rain" in each.path.name)
    models.remove(model)
    qtbot.waitUntil(lambda: button.text() == "Download", timeout=WAIT)
    button.click()
    qtbot.waitUntil(lambda: button.text() == "Chat", timeout=WAIT)
