"""Servers of tools that others made, asked through the window by a model whose next words are given to it."""

import json
import shutil
import sys
import threading
import urllib.request
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.core.messages import Role
from app.core.paths import Paths
from app.core.requests import ChatRequest
from app.core.settings import ToolSettings
from app.program import Program
from app.services.chat.request_builder import RequestBuilder
from app.services.engine.states import Calling, Idle
from app.storage.conversations import MessageState, StoredMessage
from app.ui.settings.dialog import SettingsDialog
from app.ui.settings.pages import ToolsPage
from app.ui.tools.approval_bar import ApprovalBar
from app.ui.transcript.message_view import AnswerView
from tests.e2e.conftest import enter
from tests.far_servers import far_server
from tests.ui.conftest import Browser, browser
from tests.waits import WAIT

__all__ = ["browser"]

MODULES = Path(sys.prefix) / "tool-servers" / "node_modules" / "@modelcontextprotocol"
MAINS = {
    "filesystem": "server-filesystem/dist/index.js",
    "memory": "server-memory/dist/index.js",
    "thinking": "server-sequential-thinking/dist/index.js",
    "everything": "server-everything/dist/index.js",
}
with_node = pytest.mark.skipif(
    shutil.which("node") is None or not MODULES.exists(),
    reason="Install Node.js and run `packaging/dev.py setup`: it gets the official servers of tools then.",
)


@pytest.fixture
def folder(paths: Paths, tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """That the server of files may see. The test's own parameter is the server that mcp.json has."""
    made = tmp_path / "documents"
    made.mkdir()
    (made / "notes.txt").write_text("Buy apples", encoding="utf-8")
    name = request.param
    entry: dict[str, Any] = {"command": "node", "args": [str(MODULES / MAINS[name])]}
    if name == "filesystem":
        entry["args"].append(str(made))
    if name == "memory":
        entry["env"] = {"MEMORY_FILE_PATH": str(made / "memory.jsonl")}
    paths.tool_servers.parent.mkdir(parents=True, exist_ok=True)
    paths.tool_servers.write_text(json.dumps({"mcpServers": {name: entry}}), encoding="utf-8")
    return made


class Ask:
    """Types a question; the model answers it with the calls that are wanted, and what they give with its own words."""

    def __init__(self, program: Program, qtbot: QtBot) -> None:
        self._program, self._qtbot = program, qtbot
        self.calls: tuple[tuple[str, dict[str, Any]], ...] = ()

    def __call__(self, *calls: tuple[str, dict[str, Any]]) -> None:
        self.calls = calls
        enter(self._program, "Please")
        self.settle()

    def settle(self) -> None:
        """Until somebody is asked, or the answer has ended."""
        replies = self._program.controller.replies
        self._qtbot.waitUntil(lambda: replies.activity in (Idle(), Calling(asks=True)), timeout=WAIT)

    def results(self, n: int) -> list[StoredMessage]:
        """Of the calls that were wanted last, when the answer has ended; the model may have called more by itself."""
        self.settle()
        path = self._program.controller.active.path
        assert path[-1].message.role is Role.ASSISTANT and path[-1].state is MessageState.COMPLETE
        asked = max(index for index, each in enumerate(path) if each.message.role is Role.USER)
        return [each for each in path[asked:] if each.message.role is Role.TOOL][:n]

    def with_calls(self, request: ChatRequest) -> ChatRequest:
        if request.messages[-1].role is not Role.USER:
            return request
        calls = (json.dumps({"name": name, "arguments": arguments}) for name, arguments in self.calls)
        told = "\n".join(f"<tool_call>\n{call}\n</tool_call>" for call in calls)
        return replace(
            request, grammar=f"root ::= {json.dumps(told)}", sampling=replace(request.sampling, max_tokens=2000)
        )


@pytest.fixture
def ask(program: Program, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot) -> Ask:
    made, build = Ask(program, qtbot), RequestBuilder.build
    monkeypatch.setattr(RequestBuilder, "build", lambda *arguments, **more: made.with_calls(build(*arguments, **more)))
    return made


def bars(program: Program) -> list[ApprovalBar]:
    views = [view for view in program.window.transcript.views if isinstance(view, AnswerView)]
    return [call.approval_bar for call in views[-1].calls.views if call.approval_bar is not None]


@with_node
@pytest.mark.parametrize("folder", ["filesystem"], indirect=True)
def test_files_are_read_when_it_is_allowed_and_not_written_when_not(folder: Path, ask: Ask, program: Program) -> None:
    new = folder / "new.txt"
    ask(
        ("read_text_file", {"path": str(folder / "notes.txt")}),
        ("write_file", {"path": str(new), "content": "mine"}),
        ("read_text_file", {"path": "/etc/hostname"}),
    )
    reads, writes, outside = bars(program)
    assert "Read Text File of filesystem" in reads.told and "change" in writes.told
    reads.once.click()
    writes.deny.click()
    outside.once.click()
    read, refused, failed = ask.results(3)
    assert read.message.text == "Buy apples" and "did not allow" in refused.message.text and not new.exists()
    assert "outside allowed directories" in failed.message.text and (failed.figures or {})["error"]


@with_node
@pytest.mark.parametrize("folder", ["memory"], indirect=True)
def test_what_is_always_allowed_asks_no_more(folder: Path, ask: Ask, program: Program) -> None:
    rain = {"name": "Rain", "entityType": "weather", "observations": ["falls"]}
    ask(("create_entities", {"entities": [rain]}), ("read_graph", {}))
    for bar in bars(program):
        bar.always.click()
    _, read = ask.results(2)
    assert "Rain" in (folder / "memory.jsonl").read_text("utf-8") and "falls" in read.message.text
    rules = program.controller.tools.tools.permissions.rules() if program.controller.tools else ()
    assert [rule.tool for rule in rules] == ["create_entities", "read_graph"]
    program.controller.new_conversation()
    ask(("read_graph", {}))
    assert not bars(program) and "falls" in ask.results(1)[0].message.text


@with_node
@pytest.mark.parametrize("folder", ["everything"], indirect=True)
def test_a_picture_is_shown_and_what_lies_elsewhere_is_named(folder: Path, ask: Ask, program: Program) -> None:
    ask(("get-tiny-image", {}), ("get-resource-links", {"count": 1}))
    for bar in bars(program):
        bar.once.click()
    image, links = ask.results(2)
    assert len(image.message.pictures) == 1 and "demo://resource" in links.message.text
    view = program.window.transcript.views[-2]
    assert isinstance(view, AnswerView)
    ((_, shown),) = view.calls.pictures.items()
    assert [each.part for each in shown.views] == list(image.message.pictures) and shown.height() > 0


@with_node
@pytest.mark.parametrize("folder", ["thinking"], indirect=True)
def test_arguments_are_changed_before_they_are_sent(folder: Path, ask: Ask, program: Program) -> None:
    thought = {"thought": "rain", "nextThoughtNeeded": True, "thoughtNumber": 1, "totalThoughts": 2}
    ask(("sequentialthinking", thought))
    (bar,) = bars(program)
    bar.change.click()
    bar.editor.setPlainText(json.dumps({**thought, "totalThoughts": 9}))
    bar.once.click()
    (told,) = ask.results(1)
    assert "The user changed the arguments" in told.message.text and '"totalThoughts": 9' in told.message.text


def test_a_server_at_an_address_is_signed_in_to(
    ask: Ask, program: Program, tmp_path: Path, qtbot: QtBot, browser: Browser
) -> None:
    visits: list[threading.Thread] = []

    def visit(url: str) -> None:
        visits.append(threading.Thread(target=lambda: urllib.request.urlopen(url, timeout=30).close()))
        visits[-1].start()

    browser.visited.connect(visit)
    with far_server(tmp_path, "sign-in") as far:
        program.window.dialogs.open_tools()
        dialog = program.window.findChild(SettingsDialog)
        page = dialog.page(ToolSettings) if dialog is not None else None
        assert isinstance(page, ToolsPage) and page.servers is not None and dialog is not None
        page.servers.add_button.click()
        QTest.keyClicks(page.servers.form.where, far.entry.url)
        QTest.keyClick(page.servers.form.where, Qt.Key.Key_Return)
        (card,) = page.servers.cards.values()
        qtbot.waitUntil(card.sign_in.isVisible, timeout=WAIT)
        assert not visits, "nothing opens by itself"
        card.sign_in.click()
        qtbot.waitUntil(lambda: card.told == "Ready", timeout=WAIT)
        assert "get_weather" in card.tools_told and card.sign_in.isHidden()
        visits[0].join()
        dialog.close()
        ask(("get_weather", {"city": "Oslo"}))
        (bar,) = bars(program)
        bar.once.click()
        assert ask.results(1)[0].message.text == "Sunny in Oslo"


@with_node
@pytest.mark.parametrize("folder", ["everything"], indirect=True)
def test_what_takes_long_tells_how_far_it_is_and_is_stopped(
    folder: Path, ask: Ask, program: Program, qtbot: QtBot
) -> None:
    ask(("trigger-long-running-operation", {"duration": 60, "steps": 600}))
    (bar,) = bars(program)
    bar.once.click()
    view = program.window.transcript.views[-1]
    assert isinstance(view, AnswerView)
    qtbot.waitUntil(lambda: " / 600" in view.calls.views[0].head.hint, timeout=WAIT)
    QTest.keyClick(program.window.composer.edit, Qt.Key.Key_Escape)
    ask.settle()
    assert "The user stopped this call" in program.controller.active.path[-1].message.text
    ask(("get-sum", {"a": 2, "b": 3}))
    bars(program)[0].once.click()
    assert "5" in ask.results(1)[0].message.text
