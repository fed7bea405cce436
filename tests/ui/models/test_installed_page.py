"""The page with the models of this computer: real files, the real library, a stand-in for the engine."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import gguf
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QPlainTextEdit
from pytestqt.qtbot import QtBot

from app.core.capabilities import Capabilities, MemoryKind
from app.core.fit import Gpu, Verdict
from app.core.loading import Loading
from app.core.model_ref import ModelRef
from app.library.model_sources import Source
from app.services.engine.states import ModelReady, NoModel
from app.ui.formatting.line_breaks import BREAK
from app.ui.models.dialogs import RemoveDialog, TemplateDialog
from app.ui.models.installed_page import InstalledPage
from app.ui.models.list_model import VERDICT
from app.ui.models.rows import Order, Show
from app.ui.theme.appearance import Appearance
from tests.gguf_files import finish
from tests.library import homes
from tests.tiny_models import dream
from tests.tiny_vision import VISION_MAKERS
from tests.ui.fakes import MODEL
from tests.ui.gallery import settle
from tests.ui.model_home import GIB, ModelHome
from tests.waits import WAIT

ALL = ["Fog 2B (F32)", "Rain 8B (Q4_0)", "Seer 4B (F16)", "snow:3b", "Torn 7B (Q8_0)"]


@pytest.fixture
def shown_files() -> list[Path]:
    return []


@pytest.fixture
def page(host: ModelHome, appearance: Appearance, qtbot: QtBot, shown_files: list[Path]) -> Iterator[InstalledPage]:
    made = InstalledPage(appearance, host.models, show_file=lambda path, _: shown_files.append(path))
    qtbot.addWidget(made)
    made.resize(1000, 640)
    made.show()
    yield made
    made.close()


def names(page: InstalledPage) -> list[str]:
    return [row.model.name for row in page.list.rows]


def select(page: InstalledPage, name: str) -> None:
    page.select(next(row.model.ref for row in page.list.rows if row.model.name == name))


def choose(page: InstalledPage, show: Show = Show.CHAT, order: Order = Order.NAME) -> None:
    page.show_box.setCurrentIndex(page.show_box.findData(show))
    page.order_box.setCurrentIndex(page.order_box.findData(order))


def open_again(page: InstalledPage) -> None:
    """Free memory is asked for when the page comes into sight."""
    page.hide()
    page.show()


def menu_of(page: InstalledPage) -> dict[str, QAction]:
    (menu,) = [each for each in page.findChildren(QMenu) if each.isVisible()]
    return {action.text(): action for action in menu.actions()}


def dialogs(kind: type[RemoveDialog] | type[TemplateDialog]) -> list[object]:
    return [each for each in QApplication.topLevelWidgets() if isinstance(each, kind) and each.isVisible()]


def test_models_of_all_programs_are_listed_by_name(page: InstalledPage) -> None:
    assert names(page) == ALL
    lines = {row.model.name: row.line for row in page.list.rows}
    assert lines["snow:3b"].endswith("Ollama")
    assert lines["Fog 2B (F32)"].endswith("LM Studio")
    assert "Q4_0 · llama" in lines["Rain 8B (Q4_0)"]
    assert lines["Torn 7B (Q8_0)"] == "Torn-7B-Q8_0.gguf is cut off. Fetch the rest of it, or fetch it again."


def test_badges_say_what_a_model_can(page: InstalledPage) -> None:
    badges = {row.model.name: row.badges for row in page.list.rows}
    assert "sees" in badges["Seer 4B (F16)"]
    assert "sees" not in badges["Rain 8B (Q4_0)"]
    assert "damaged" in badges["Torn 7B (Q8_0)"]
    choose(page, Show.COMPANIONS)
    assert [row.badges[0] for row in page.list.rows] == ["mmproj"]


def test_every_word_that_is_searched_must_be_there(page: InstalledPage) -> None:
    page.search.setText("ollama")
    assert names(page) == ["snow:3b"]
    page.search.setText("FOG f32")
    assert names(page) == ["Fog 2B (F32)"]
    page.search.setText("fog q4_0")
    assert names(page) == []
    assert page.empty.isVisible()
    assert "Nothing here is like that" in page.empty.text
    page.empty.all_button.click()
    assert len(names(page)) == len(ALL) + 1
    assert not page.empty.isVisible()


def test_only_those_of_a_kind_are_listed(page: InstalledPage, host: ModelHome) -> None:
    for show, wanted in (
        (Show.SEEING, ["Seer 4B (F16)"]),
        (Show.DAMAGED, ["Torn 7B (Q8_0)"]),
        (Show.COMPANIONS, ["mmproj Seer 4B (F16)"]),
        (Show.FITTING, ALL[:4]),
    ):
        choose(page, show)
        assert names(page) == wanted, show
    host.ram = 1 << 20
    open_again(page)
    choose(page)
    choose(page, Show.FITTING)
    assert names(page) == []


def test_the_order_can_be_chosen(page: InstalledPage) -> None:
    choose(page, order=Order.SIZE)
    sizes = [row.model.size for row in page.list.rows]
    assert sizes == sorted(sizes, reverse=True)
    assert names(page) != ALL
    choose(page, order=Order.NEWEST)
    times = [row.model.modified for row in page.list.rows]
    assert times == sorted(times, reverse=True)
    choose(page, order=Order.FIT)
    assert names(page)[-1] == "Torn 7B (Q8_0)"


def test_a_row_says_everything_to_those_who_cannot_see_it(page: InstalledPage) -> None:
    said = [page.list.index(row, 0).data(Qt.ItemDataRole.AccessibleTextRole) for row in range(len(ALL))]
    assert said[2].startswith("Seer 4B (F16), Fits, ")
    assert said[2].endswith("sees")
    assert "is cut off" in said[4]


def test_names_of_files_are_never_rich_text(page: InstalledPage, host: ModelHome, qtbot: QtBot) -> None:
    homes.put(host.own / "<b>bold.gguf", (host.own / "Rain-8B-Q4_0.gguf").read_bytes()[:500])
    host.scan(qtbot)
    index = page.list.index_of(ModelRef.of_file(host.own / "<b>bold.gguf"))
    assert index.isValid()
    assert "<b>" not in index.data(Qt.ItemDataRole.ToolTipRole)


def test_a_thousand_models_cost_as_much_as_those_in_sight(page: InstalledPage, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    verdict = page._models.fit.verdict

    def count(model: object, free: object) -> Verdict | None:
        asked.append("")
        return verdict(model, free)  # type: ignore[arg-type]  # passed on

    monkeypatch.setattr(page._models.fit, "verdict", count)
    rows = tuple(page.list.rows[:4]) * 250
    page.list.show_rows(rows)
    page.grab()
    assert len(page.list.rows) == 1000
    assert 5 < len(asked) < 60


def test_a_new_file_is_there_after_looking_again(page: InstalledPage, host: ModelHome, qtbot: QtBot) -> None:
    homes.put(host.own / "Aaa.gguf", (host.own / "Rain-8B-Q4_0.gguf").read_bytes())
    (host.own / "Rain-8B-Q4_0.gguf").unlink()
    with qtbot.waitSignal(host.models.library.changed, timeout=WAIT):
        page.scan_button.click()
    assert names(page)[0] == "Aaa"
    assert "Rain 8B (Q4_0)" not in names(page)


def test_progress_is_told_while_it_looks(page: InstalledPage, host: ModelHome) -> None:
    host.models.library.progressed.emit(12, 1400)
    assert page.status.text() == "Looking: 12 of 1,400 files"


def test_what_is_selected_stays_so(page: InstalledPage, host: ModelHome, qtbot: QtBot) -> None:
    select(page, "snow:3b")
    homes.put(host.own / "Aaa.gguf", b"GGUF")
    host.scan(qtbot)
    assert page.details.title.text() == "snow:3b"
    page.search.setText("s")
    assert page.details.title.text() == "snow:3b"


def test_where_there_is_nothing_it_says_what_to_do(appearance: Appearance, qtbot: QtBot, tmp_path: Path) -> None:
    host = ModelHome(tmp_path)
    page = InstalledPage(appearance, host.models)
    qtbot.addWidget(page)
    page.show()
    assert "No model was found on this computer but the guide." in page.empty.text
    assert page.empty.discover_button.isVisible()
    with qtbot.waitSignal(page.open_file_wanted):
        page.empty.open_button.click()
    assert not page.details.isVisible()
    page.close()
    host.close()


def test_files_that_are_no_models_do_not_look_like_a_search_without_result(
    appearance: Appearance, qtbot: QtBot, tmp_path: Path
) -> None:
    host = ModelHome(tmp_path)
    _, projector = VISION_MAKERS["gemma3"](tmp_path)
    homes.put(host.own / "mmproj-Seer.gguf", projector.read_bytes())
    host.scan(qtbot)
    page = InstalledPage(appearance, host.models)
    qtbot.addWidget(page)
    page.show()
    assert "No model was found on this computer but the guide." in page.empty.text
    assert page.empty.discover_button.isVisible() and page.empty.all_button.isVisible()
    page.search.setText("rain")
    assert "Nothing here is like that." in page.empty.text
    assert not page.empty.discover_button.isVisible()
    page.empty.all_button.click()
    assert len(page.list.rows) == 1
    page.close()
    host.close()


def test_details_tell_what_the_header_says(page: InstalledPage, host: ModelHome) -> None:
    select(page, "Seer 4B (F16)")
    facts = page.details.facts
    assert facts["Projector"] == "mmproj-Seer-4B-F16.gguf"
    assert facts["Can"].startswith("see pictures")
    assert facts["File"] == str(host.own / "eyes" / "Seer-4B-F16.gguf")
    assert facts["Kept by"] == "Hearth"
    assert "Also in" not in facts
    assert facts["Architecture"] == host.find("Seer 4B (F16)").facts.architecture  # type: ignore[union-attr]
    select(page, "snow:3b")
    assert page.details.facts["Kept by"] == "Ollama"


def test_details_tell_how_much_of_the_loaded_model_lies_on_cards(page: InstalledPage, host: ModelHome) -> None:
    path = host.own / "eyes" / "Seer-4B-F16.gguf"
    select(page, "Seer 4B (F16)")
    assert "Graphics card" not in page.details.facts
    loaded = replace(MODEL, ref=ModelRef.of_file(path), n_offloadable=29)
    for n, told in (
        (29, "All 29 layers are there"),
        (20, "20 of its 29 layers are there"),
        (0, "None of its 29 layers"),
    ):
        host.engine.enter(ModelReady(replace(loaded, n_offloaded=n)))
        assert page.details.facts["Graphics card"].startswith(told)
    host.engine.enter(ModelReady(replace(loaded, n_offloadable=0)))
    assert "Graphics card" not in page.details.facts, "there is none"
    host.engine.enter(ModelReady(replace(loaded, ref=ModelRef.of_file(host.own / "Rain-8B-Q4_0.gguf"), n_offloaded=29)))
    assert "Graphics card" not in page.details.facts, "another model has it"


def test_of_the_loaded_model_it_says_what_the_engine_found(page: InstalledPage, host: ModelHome) -> None:
    select(page, "Seer 4B (F16)")
    assert "Memory" not in page.details.facts, "headers say nothing of it"
    can = Capabilities(tools=True, own_head=True, memory=MemoryKind.HYBRID)
    path = host.own / "eyes" / "Seer-4B-F16.gguf"
    host.engine.enter(ModelReady(replace(MODEL, ref=ModelRef.of_file(path), capabilities=can)))
    assert page.details.facts["Can"] == "call tools, guess further words itself (MTP)"
    assert "hybrid" in page.details.facts["Memory"]
    host.engine.enter(NoModel())
    assert "Memory" not in page.details.facts
    assert page.details.facts["Can"].startswith("see pictures")


def test_a_diffusion_model_is_marked_and_says_what_it_is(page: InstalledPage, host: ModelHome, qtbot: QtBot) -> None:
    dream(host.own / "Night-7B-F32.gguf")
    host.scan(qtbot)
    choose(page, Show.ALL)
    assert {row.model.name: row.badges for row in page.list.rows}["Night 7B (F32)"] == ("diffusion",)
    select(page, "Night 7B (F32)")
    assert "Hearth writes word by word" in page.details.facts["Kind"]
    assert not page.details.chat_button.isVisible()


def test_what_hears_says_so(page: InstalledPage, host: ModelHome, qtbot: QtBot) -> None:
    writer = gguf.GGUFWriter(str(host.own / "mmproj-Rain-8B.gguf"), "clip")
    writer.add_bool("clip.has_audio_encoder", True)
    finish(writer)
    host.scan(qtbot)
    choose(page, Show.ALL)
    badges = {row.model.name: row.badges for row in page.list.rows}
    assert "hears" in badges["Rain 8B (Q4_0)"] and "sees" not in badges["Rain 8B (Q4_0)"]
    assert "hears" not in badges["Seer 4B (F16)"]
    [projector] = [row for row in page.list.rows if row.badges == ("mmproj",) and row.model.path.parent == host.own]
    page.select(projector.model.ref)
    assert page.details.facts["Kind"].endswith("it lets a model hear")
    assert "Can" not in page.details.facts


def test_long_names_break_and_are_told_whole(page: InstalledPage, host: ModelHome) -> None:
    page.resize(480, 640)
    select(page, "snow:3b")
    settle()
    assert page.details.facts["File"] == str(host.find("snow:3b").path)
    assert page.details._inside.width() <= page.details.viewport().width()


def test_a_damaged_file_says_why_and_can_only_be_removed(page: InstalledPage, qtbot: QtBot) -> None:
    select(page, "Torn 7B (Q8_0)")
    assert page.details.problem.text() == "Torn-7B-Q8_0.gguf is cut off. Fetch the rest of it, or fetch it again."
    assert not page.details.chat_button.isVisible()
    assert not page.details.fit_panel.isVisible()
    with qtbot.assertNotEmitted(page.chosen):
        QTest.keyClick(page.view, Qt.Key.Key_Return)
    assert page.details.remove_button.isEnabled()


def test_fit_follows_the_memory_that_is_free(page: InstalledPage, host: ModelHome) -> None:
    select(page, "Rain 8B (Q4_0)")
    assert page.details.fit_panel.sentence.text().startswith("Fits: with a context of")
    assert "8.0 GiB that is free in main memory" in page.details.fit_panel.sentence.text()
    assert not page.details.fit_panel.proposals
    wanted = host.models.fit.of(host.find("Rain 8B (Q4_0)"), host.models.fit.free())
    assert wanted
    host.ram = wanted.total + (1 << 20)
    open_again(page)
    assert page.details.fit_panel.sentence.text().startswith("Tight")
    assert page.view.currentIndex().data(VERDICT) == Verdict.TIGHT
    host.ram = wanted.total // 2
    open_again(page)
    assert page.details.fit_panel.sentence.text().startswith("Too large")


def test_numbers_come_on_request_for_each_memory(page: InstalledPage, host: ModelHome) -> None:
    host.gpus = (Gpu("Card", 4 * GIB),)
    open_again(page)
    select(page, "Rain 8B (Q4_0)")
    panel = page.details.fit_panel
    assert not panel.findChild(type(panel), "numbers")
    table = {row[0]: row[1:] for row in panel.numbers}
    assert table[""] == ("main memory", "Card")
    assert table["Free now"] == ("8.0 GiB", "4.0 GiB")
    assert {"Weights", "KV cache", "Computing", "All together"} <= set(table)
    label = panel._rows[0][1]
    assert not label.isVisible()
    panel.numbers_button.click()
    assert label.isVisible()


def test_a_proposal_is_put_in_force_and_loaded(page: InstalledPage, host: ModelHome, qtbot: QtBot) -> None:
    host.settings.update(Loading, ctx_size=0)
    model = host.find("Rain 8B (Q4_0)")
    whole = host.models.fit.of(model, host.models.fit.free())
    assert whole
    assert model.facts
    # So little that the reserve for the program itself decides: the proposals need more than this to be there.
    host.ram = (256 << 20) + whole.total - whole.rooms[0].needs.kv // 4
    select(page, model.name)
    open_again(page)
    proposals = page.details.fit_panel.proposals
    assert [button.text() for button in proposals if "Context of" in button.text()]
    with qtbot.waitSignal(page.chosen) as caught:
        proposals[0].click()
    assert caught.args == [model.ref]
    assert host.settings.settings.loading.ctx_size > 0
    open_again(page)
    select(page, model.name)
    assert page.details.fit_panel.sentence.text().startswith("Fits")


def test_where_nothing_helps_it_says_so(page: InstalledPage, host: ModelHome) -> None:
    host.ram = 1 << 20
    open_again(page)
    select(page, "Rain 8B (Q4_0)")
    assert not page.details.fit_panel.proposals
    assert "No other setting here makes it fit." in [
        label.text() for label in page.details.fit_panel.findChildren(type(page.status)) if label.isVisible()
    ]


def test_the_template_is_shown(page: InstalledPage, host: ModelHome, qtbot: QtBot) -> None:
    select(page, "Rain 8B (Q4_0)")
    with qtbot.waitSignal(host.models.library.template_read, timeout=WAIT):
        page.details.template_button.click()
    (dialog,) = dialogs(TemplateDialog)
    assert isinstance(dialog, TemplateDialog)
    assert "<|im_start|>" in dialog.findChildren(QPlainTextEdit)[0].toPlainText()
    dialog.close()


def test_chatting_by_button_key_and_double_click(page: InstalledPage, host: ModelHome, qtbot: QtBot) -> None:
    select(page, "snow:3b")
    model = host.find("snow:3b").ref
    with qtbot.waitSignal(page.chosen) as caught:
        page.details.chat_button.click()
    assert caught.args == [model]
    with qtbot.waitSignal(page.chosen) as caught:
        QTest.keyClick(page.view, Qt.Key.Key_Return)
    assert caught.args == [model]
    with qtbot.waitSignal(page.chosen) as caught:
        page.view.doubleClicked.emit(page.view.currentIndex())
    assert caught.args == [model]


def test_the_loaded_one_is_marked(page: InstalledPage, host: ModelHome) -> None:
    host.engine.enter(ModelReady(replace(MODEL, ref=ModelRef.of_file(host.own / "Rain-8B-Q4_0.gguf"))))
    index = page.list.index_of(ModelRef.of_file(host.own / "Rain-8B-Q4_0.gguf"))
    assert "loaded" in index.data(Qt.ItemDataRole.AccessibleTextRole)
    select(page, "Rain 8B (Q4_0)")
    assert page.details.chat_button.text() == "Back to the chat"
    select(page, "snow:3b")
    assert page.details.chat_button.text() == "Chat with it"


def test_files_are_shown_and_their_paths_copied(page: InstalledPage, host: ModelHome, shown_files: list[Path]) -> None:
    select(page, "Rain 8B (Q4_0)")
    page.details.reveal_button.click()
    assert shown_files == [host.own / "Rain-8B-Q4_0.gguf"]
    page.details.copy_button.click()
    assert QGuiApplication.clipboard().text() == str(host.own / "Rain-8B-Q4_0.gguf")


@pytest.fixture
def trash(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    gone: list[str] = []

    def take(path: str) -> None:
        gone.append(path)
        Path(path).unlink()

    monkeypatch.setattr("send2trash.send2trash", take)
    return gone


def test_removing_asks_and_says_what_else_uses_it(
    page: InstalledPage, host: ModelHome, qtbot: QtBot, trash: list[str]
) -> None:
    select(page, "snow:3b")
    path = host.find("snow:3b").path
    QTest.keyClick(page.view, Qt.Key.Key_Delete)
    (dialog,) = dialogs(RemoveDialog)
    assert isinstance(dialog, RemoveDialog)
    said = " ".join(label.text() for label in dialog.findChildren(type(page.status)))
    assert "Move snow:3b to the trash?" in said
    assert "Ollama uses this file as well" in said
    assert not dialog.remove_button.isDefault()
    dialog.reject()
    assert path.exists()
    again = page.ask_removal()
    assert again
    with qtbot.waitSignals([host.models.library.removed, host.models.library.changed], timeout=WAIT):
        again.remove_button.click()
    assert trash == [str(path)]
    # As it was said before: Ollama's own list still has it.
    assert host.find("snow:3b").problem.startswith("Ollama has not finished fetching")


def test_what_is_loaded_is_unloaded_before_it_goes(
    page: InstalledPage, host: ModelHome, qtbot: QtBot, trash: list[str]
) -> None:
    path = host.own / "Rain-8B-Q4_0.gguf"
    host.engine.enter(ModelReady(replace(MODEL, ref=ModelRef.of_file(path))))
    select(page, "Rain 8B (Q4_0)")
    dialog = page.ask_removal()
    assert dialog
    dialog.remove_button.click()
    assert host.engine.calls == [("unload",)]
    assert not trash
    with qtbot.waitSignals([host.models.library.removed, host.models.library.changed], timeout=WAIT):
        host.engine.enter(NoModel())
    assert trash == [str(path)]
    assert "Rain 8B (Q4_0)" not in names(page)
    host.scan(qtbot)
    assert page.status.text().replace(BREAK, "") == "Rain 8B (Q4_0) is in the trash."


def test_a_trash_that_refuses_is_told(
    page: InstalledPage, host: ModelHome, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_path: str) -> None:
        raise PermissionError

    monkeypatch.setattr("send2trash.send2trash", refuse)
    select(page, "Rain 8B (Q4_0)")
    dialog = page.ask_removal()
    assert dialog
    with qtbot.waitSignal(host.models.library.failed, timeout=WAIT):
        dialog.remove_button.click()
    host.scan(qtbot)
    assert "You are not allowed to remove" in page.status.text(), "also when the list has been looked through again"
    assert page.status.property("tone") == "danger"
    page.search.setText("rain")
    assert "shown" in page.status.text()


def test_a_menu_offers_the_same(page: InstalledPage, host: ModelHome, shown_files: list[Path]) -> None:
    select(page, "Torn 7B (Q8_0)")
    page.view.menu_wanted.emit(page.view.currentIndex(), page.view.rect().center())
    actions = menu_of(page)
    assert "Chat with it" not in actions
    assert "Move to the trash…" in actions
    actions["Show in the file manager"].trigger()
    assert shown_files == [host.own / "Torn-7B-Q8_0.gguf"]


def test_a_folder_is_added_and_taken_away(page: InstalledPage, host: ModelHome, qtbot: QtBot, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    homes.put(mine / "Mine.gguf", (host.own / "Rain-8B-Q4_0.gguf").read_bytes() + b"\0")
    with qtbot.waitSignal(host.models.library.changed, timeout=WAIT):
        host.models.add_folder(mine)
    assert "Mine" in names(page)
    assert host.settings.settings.library.folders == (str(mine),)
    assert host.find("Mine").source is Source.FOLDER
    page.folders_button.click()
    with qtbot.waitSignal(host.models.library.changed, timeout=WAIT):
        menu_of(page)[f"No longer look in {mine}"].trigger()
    assert "Mine" not in names(page)
    assert (mine / "Mine.gguf").exists()


def test_the_keyboard_goes_from_the_search_into_the_list(page: InstalledPage, qtbot: QtBot) -> None:
    QTest.keyClicks(page.search, "s")
    QTest.keyClick(page.search, Qt.Key.Key_Down)
    qtbot.waitUntil(page.view.hasFocus)
    before = page.details.title.text()
    QTest.keyClick(page.view, Qt.Key.Key_Down)
    assert page.details.title.text() != before
    page.search.setFocus()
    QTest.keyClick(page.search, Qt.Key.Key_Escape)
    assert page.search.text() == ""
    assert names(page) == ALL


def test_in_a_narrow_window_the_details_stand_below(page: InstalledPage) -> None:
    assert page.splitter.orientation() == Qt.Orientation.Horizontal
    page.resize(520, 640)
    assert page.splitter.orientation() == Qt.Orientation.Vertical


def test_what_stands_below_is_told_of_the_model(page: InstalledPage, host: ModelHome) -> None:
    told: list[object] = []
    page.details.model_shown.connect(told.append)
    select(page, "snow:3b")
    assert told == [host.find("snow:3b")]
