"""A model that two `rpc-server` workers compute, through the window; skipped where `HEARTH_LLAMA_SERVER` names none."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.paths import Paths
from app.core.sampling import Sampling
from app.program import Program
from app.remote.worker import Worker
from app.services.engine.states import Generating, ModelOnServer, Waiting
from app.services.remote.states import ServerState
from app.storage.conversations import MessageState
from app.ui.models.dialog import Page
from app.ui.models.servers_page import ServersPage
from tests.e2e.conftest import answer, ask, enter, opened, write_settings
from tests.endless_model import make_repeating
from tests.rpc_workers import rpc_program, running_worker
from tests.waits import WAIT


def spread(program: Program, model: Path, workers: tuple[Worker, ...], qtbot: QtBot) -> ServersPage:
    """As people do, and choose it."""
    assert program.window.models is not None
    dialog = program.window.models.open(Page.SERVERS)
    page = dialog.servers
    assert page is not None
    page.spread_button.click()
    form = page.spread_form
    typed = ((form.model, str(model)), (form.program, str(rpc_program())), (form.workers, ", ".join(map(str, workers))))
    for field, text in typed:
        field.clear()
        QTest.keyClicks(field, text)
    QTest.keyClick(form.workers, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: [each.state for each in program.model_servers.all] == [ServerState.THERE], timeout=WAIT)
    [card] = page.cards.values()
    assert card.told == "answers" and all(str(each) in card.where.replace("\u200b", "") for each in workers)
    card.chat_button.click()
    dialog.reject()
    assert isinstance(program.engine.state, ModelOnServer)
    return page


def test_a_worker_that_is_killed_in_mid_answer_costs_the_rest_and_the_next_question_is_answered(
    paths: Paths, tmp_path: Path, qapp: QApplication, qtbot: QtBot
) -> None:
    model = make_repeating(tmp_path / "large.gguf")
    write_settings(paths, max_tokens=6000)
    waited: list[object] = []
    with running_worker() as (first, _), running_worker() as (second, process), opened(paths, qapp, qtbot) as program:
        spread(program, model, (first, second), qtbot)
        program.controller.replies.activity_changed.connect(waited.append)
        enter(program, "How is the weather?")
        qtbot.waitUntil(lambda: isinstance(program.controller.replies.activity, Generating), timeout=WAIT)
        process.kill()
        process.wait()
        broken = answer(program, qtbot)
        assert any(isinstance(each, Waiting) and "2 computers" in each.why for each in waited)
        assert broken.state is MessageState.FAILED and broken.message.text
        assert str(second) in str((broken.figures or {})["error"])
        program.settings.update(Sampling, max_tokens=10)
        again = ask(program, "And now?", qtbot)
        assert (again.state, bool(again.message.text)) == (MessageState.COMPLETE, True)
        assert program.controller.active.path[1].message.text == broken.message.text, "what came is kept"
        assert program.window.models is not None
        dialog = program.window.models.open(Page.SERVERS)
        assert dialog.servers is not None
        [card] = dialog.servers.cards.values()
        qtbot.waitUntil(lambda: str(second) in card.problem.replace("\u200b", ""), timeout=WAIT)
        assert card.told == "answers"
        dialog.reject()
