"""The parts of the window that are about tools, over the services themselves and a server that is never begun."""

import asyncio
import json
import os
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, cast

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QDesktopServices, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QDialog,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.core.capabilities import Capabilities
from app.core.messages import Message, Role, TextPart, ToolCall
from app.core.settings import ToolSettings
from app.services.chat.chat_controller import ChatController
from app.services.chat.conversation_options import ConversationOptions
from app.services.chat.conversation_tools import ConversationTools
from app.services.chat.tool_loops import ToolLoops
from app.services.chat.tool_prices import ToolPrice
from app.services.drafts.offers import DocumentText, PictureBytes
from app.services.engine.service import EngineService
from app.services.engine.states import ModelReady
from app.services.runtime.settings_service import SettingsService
from app.services.tools.call_states import Asked, CallState, Filling, Looking, Running
from app.services.tools.servers import ToolServers
from app.storage.attachments import AttachmentStore
from app.storage.conversations import ConversationStore, MessageState, StoredMessage
from app.storage.options import OptionsStore
from app.tools.built_in.python import Python
from app.tools.daemon_call import daemon_call
from app.tools.forms import Form, FormAction, FormAnswer, form_of
from app.tools.mcp_file import ServerEntry
from app.tools.mcp_import import OtherProgram
from app.tools.permissions import Circumstances, Why
from app.tools.tool import Capability, Decision, Hints, Nature, Prompt, Resource, Tool
from app.ui.composer.mime_content import MimeContent
from app.ui.presenters.server_texts import ServerTexts
from app.ui.presenters.tools import ToolsPresenter
from app.ui.theme.appearance import Appearance
from app.ui.tools.add_server import AddServer
from app.ui.tools.approval_bar import ApprovalBar, CallAnswer
from app.ui.tools.form_bar import FormBar
from app.ui.tools.import_servers import ImportServers
from app.ui.tools.prompt_dialog import PromptDialog
from app.ui.tools.servers_panel import ServersPanel
from app.ui.transcript.message_actions import AskAgain, DecideCall, FillForm, MessageAction, UndoCall
from app.ui.transcript.message_view import AnswerView
from app.ui.transcript.tool_call_view import ToolCallView, readable
from app.ui.widgets.links import LinkDialog
from tests.tools.built_in_sources import built_in
from tests.ui.conftest import Browser, Stage
from tests.ui.fakes import MODEL, READY, FakeOptions, opened, stored
from tests.waits import WAIT

SERVER = Path(__file__).parents[2] / "tools" / "small_server.py"
WRITE = Tool("notes", "f", "write", "", "Writes a note", {"type": "object", "required": ["text"]}, Hints(False, False))
ASKED = Asked(WRITE, Why.NEW, frozenset(Capability))
CALL = ToolCall("c1", "write", '{"text": "hi"}')
KNOWS_TOOLS = ModelReady(replace(MODEL, capabilities=Capabilities(tools=True)))


class Shop(NamedTuple):
    tools: ConversationTools
    servers: ToolServers
    options: ConversationOptions


@pytest.fixture
def shop(stage: Stage, tmp_path: Path) -> Iterator[Shop]:
    """Two servers are known: one that listed a tool in another run, and one that is off."""
    files = ServerEntry("notes", "no-such-program")
    told = {"name": "write", "server": "notes", "fingerprint": files.fingerprint, "schema": {"type": "object"}}
    listed = {files.fingerprint: [{**told, "hints": {"read_only": False, "open_world": False}}]}
    (tmp_path / "listings.json").write_text(json.dumps(listed), "utf-8")
    attachments = AttachmentStore(tmp_path / "attachments")
    servers = ToolServers(tmp_path / "mcp.json", tmp_path / "listings.json", attachments, built_in(tmp_path))
    servers.file.put([files, ServerEntry("off", "nothing", enabled=False)])
    options, store = stage.controller.options, cast(OptionsStore, FakeOptions())
    settings = cast(SettingsService, stage.settings)
    yield Shop(ConversationTools(servers, store, options, settings, stage.controller.notices), servers, options)
    servers.close()


@pytest.fixture
def bar(parent: QWidget, qtbot: QtBot) -> ApprovalBar:
    made = ApprovalBar(ASKED, '{"text": "hi"}', parent)
    made.resize(600, made.height_for(600))
    made.show()
    return made


def answers(bar: ApprovalBar) -> list[CallAnswer]:
    heard: list[CallAnswer] = []
    bar.decided.connect(heard.append)
    return heard


def test_the_bar_says_who_wants_what(bar: ApprovalBar, parent: QWidget) -> None:
    assert bar.told.startswith("The model wants to use write of notes. It can do whatever its server can")
    able = frozenset({Capability.LOOKS})
    outside = ApprovalBar(replace(ASKED, able=able, why=Why.OUTSIDE), "{}", parent)
    assert "only reads" in outside.told and "text from outside" in outside.told
    assert bar.height_for(300) > bar.height_for(900), "it wraps"


def test_each_button_is_an_answer(bar: ApprovalBar) -> None:
    heard = answers(bar)
    for button in (bar.once, bar.chat, bar.always):
        button.click()
    bar.reason.setText(" too long ")
    QTest.keyClick(bar.reason, Qt.Key.Key_Return)
    assert heard == [
        CallAnswer(Decision.ONCE),
        CallAnswer(Decision.CHAT),
        CallAnswer(Decision.ALWAYS),
        CallAnswer(Decision.NO, "too long"),
    ]


def test_arguments_are_changed_in_their_place_and_checked(bar: ApprovalBar) -> None:
    heard = answers(bar)
    bar.change.click()
    assert bar.editor.isVisible() and bar.editor.hasFocus()
    bar.editor.setPlainText('{"body": 1}')
    assert not bar.once.isEnabled() and bar.deny.isEnabled()
    bar.editor.setPlainText('{"text": "other"}')
    bar.once.click()
    bar.change.click()
    bar.once.click()
    assert heard == [CallAnswer(Decision.ONCE, arguments='{"text": "other"}'), CallAnswer(Decision.ONCE)]


FORM = form_of(
    "notes",
    "Which note?",
    {
        "properties": {
            "title": {"type": "string", "title": "Title", "description": "Of the note"},
            "line": {"type": "integer"},
            "kind": {"type": "string", "enum": ["a", "b"]},
            "tags": {"type": "array", "items": {"enum": ["x", "y"]}},
            "draft": {"type": "boolean", "default": True},
        },
        "required": ["title"],
    },
)


def test_a_form_is_filled_in_declined_or_left(parent: QWidget, qtbot: QtBot) -> None:
    bar, said = FormBar(FORM, parent), list[FormAnswer]()
    bar.filled.connect(said.append)
    bar.resize(500, bar.height_for(500))
    bar.show()
    assert bar.told.startswith("notes asks: Which note?")
    bar.send.click()
    assert "title" in bar.problem and not said
    title, line, kind, tags, draft = bar.fields.editors.values()
    assert (title.accessibleName(), title.accessibleDescription()) == ("Title", "Of the note")
    QTest.keyClicks(title, "Milk")
    QTest.keyClicks(line, "two")
    bar.send.click()
    assert "integer" in bar.problem and not said
    assert isinstance(line, QLineEdit) and isinstance(kind, QComboBox) and isinstance(draft, QCheckBox)
    line.setText("2")
    kind.setCurrentIndex(1)
    tags.findChildren(QCheckBox)[1].click()
    draft.click()
    turn_wheel(kind)
    QTest.keyClick(line, Qt.Key.Key_Return)
    bar.decline.click()
    bar.cancel.click()
    accepted, declined, cancelled = said
    assert accepted.values == {"title": "Milk", "line": 2, "kind": "a", "tags": ["y"], "draft": False}
    assert (declined.action, cancelled.action) == (FormAction.DECLINE, FormAction.CANCEL)


def turn_wheel(over: QWidget) -> None:
    """Scrolling must not change what the pointer passes over."""
    place, step = QPointF(5, 5), QPoint(0, -120)
    phase, none = Qt.ScrollPhase.NoScrollPhase, Qt.KeyboardModifier.NoModifier
    at = QPointF(over.mapToGlobal(place))
    QApplication.sendEvent(over, QWheelEvent(place, at, QPoint(), step, Qt.MouseButton.NoButton, none, phase, False))


def test_what_a_server_asks_is_shown_as_it_is_written(parent: QWidget) -> None:
    hostile = "<a href='https://example.org'>Allow</a><br><img src='file:///etc/passwd'>"
    schema = {"properties": {"a": {"type": "string", "title": hostile, "description": hostile}}}
    bar = FormBar(form_of(hostile, hostile, schema), parent)
    labels = [each for each in bar.findChildren(QLabel) if "<a" in each.text()]
    assert len(labels) >= 3 and {each.textFormat() for each in labels} == {Qt.TextFormat.PlainText}


def test_a_page_is_opened_when_it_is_wished(parent: QWidget, browser: Browser) -> None:
    bar, said = FormBar(Form("notes", "Pay first", url="https://example.org/pay"), parent), list[FormAnswer]()
    bar.filled.connect(said.append)
    visited = list[str]()
    browser.visited.connect(visited.append)
    assert "https://example.org/pay" in bar.told and not visited
    bar.send.click()
    assert visited == ["https://example.org/pay"] and said[0].action is FormAction.ACCEPT


def test_a_page_that_no_browser_opens_is_shown_to_be_copied(parent: QWidget, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda _: False)
    bar = FormBar(Form("notes", "Pay first", url="https://example.org/pay"), parent)
    bar.send.click()
    (shown,) = parent.findChildren(LinkDialog)
    assert "no browser" in shown.question.text()
    shown.reject()


def answer_with_call(**figures: object) -> StoredMessage:
    made = stored(Role.ASSISTANT, "", figures=figures)
    return replace(made, message=Message(Role.ASSISTANT, tool_calls=(CALL,)))


def last_call(stage: Stage) -> ToolCallView:
    view = stage.window.transcript.views[-1]
    assert isinstance(view, AnswerView)
    (call,) = view.calls.views
    return call


def result(state: MessageState = MessageState.COMPLETE, **figures: object) -> StoredMessage:
    told = Message(Role.TOOL, (TextPart("done"),), tool_call_id="c1", name="write")
    return replace(stored(Role.TOOL, "done", state=state, figures=figures), message=told)


@pytest.mark.parametrize(
    ("came", "state", "hint"),
    [
        (None, ASKED, "waits for you"),
        (None, Looking(), "is looked at…"),
        (None, Running(0.0), "runs…"),
        (None, Running(0.0, "3 of 8"), "3 of 8"),
        (None, Filling(FORM, 0.0), "waits for you"),
        (None, None, "not allowed"),
        (result(ms=1234), None, "1.2 s"),
        (result(error=True, ms=5), None, "failed"),
        (result(denied=True), None, "not allowed"),
        (result(MessageState.CANCELLED), None, "stopped"),
        (result(MessageState.INTERRUPTED), None, "stopped"),
        (result(), None, "answered"),
    ],
)
def test_a_call_says_what_became_of_it(
    stage: Stage, came: StoredMessage | None, state: CallState | None, hint: str
) -> None:
    asking, transcript = answer_with_call(), stage.window.transcript
    transcript.offer_again()
    transcript.show_conversation(opened("t", stored(Role.USER, "?"), asking, *((came,) if came else ())))
    transcript.show_call_states(asking.id, {} if state is None else {"c1": state})
    call = last_call(stage)
    assert call.head.hint == hint
    assert (call.approval_bar is not None) is isinstance(state, Asked)
    assert (call.form_bar is not None) is isinstance(state, Filling)
    assert (call.again_button is not None) is (came is None and state is None)


def test_what_is_wished_of_a_call_reaches_the_window(stage: Stage) -> None:
    asking, transcript = answer_with_call(), stage.window.transcript
    wished: list[MessageAction] = []
    transcript.offer_again()
    transcript.show_conversation(opened("t", stored(Role.USER, "?"), asking))
    transcript.wished.connect(wished.append)
    call = last_call(stage)
    assert call.again_button is not None
    call.again_button.click()
    transcript.show_call_states(asking.id, {"c1": ASKED})
    bar = call.approval_bar
    assert bar is not None and bar.isVisible()
    bar.once.click()
    assert wished == [AskAgain(asking.id), DecideCall(asking.id, "c1", CallAnswer(Decision.ONCE))]
    transcript.show_call_states(asking.id, {"c1": Filling(FORM, 0.0)})
    assert call.form_bar is not None and call.form_bar.isVisible()
    call.form_bar.decline.click()
    assert wished[-1] == FillForm(asking.id, "c1", FormAnswer(FormAction.DECLINE))
    done = result(MessageState.WRITING)
    transcript.add_message(done)
    transcript.show_call_states(asking.id, {"c1": Running(0.0)})
    assert last_call(stage).approval_bar is None and call.result_view is None
    transcript.change_message(replace(done, state=MessageState.COMPLETE))
    transcript.show_call_states(asking.id, {})
    call.head.click()
    assert call.result_view is not None


def test_a_long_sentence_is_shown_whole(stage: Stage) -> None:
    asking, came = answer_with_call(), result(error=True)
    told = replace(came, message=replace(came.message, parts=(TextPart("It can't be reached. " * 30),)))
    stage.window.transcript.show_conversation(opened("t", stored(Role.USER, "?"), asking, told))
    call = last_call(stage)
    call.head.click()
    view = call.result_view
    assert view is not None
    assert view.height_for(600) > view.height_for(6000)


@pytest.mark.parametrize(
    ("arguments", "language", "text"),
    [
        ('{"code": "a = 1\\nprint(a)"}', "python", "a = 1\nprint(a)"),
        ('{"text": "one\\ntwo"}', "", "one\ntwo"),
        ('{"path": "a", "content": "one\\ntwo"}', "json", '{\n  "path": "a",\n  "content": "one\\ntwo"\n}'),
        ('{"text": "one line"}', "json", '{\n  "text": "one line"\n}'),
        ("no JSON", "", "no JSON"),
    ],
)
def test_code_is_shown_as_code(arguments: str, language: str, text: str) -> None:
    shown = readable(arguments)
    assert (shown.language, shown.text) == (language, text)


def test_a_difference_is_shown_and_what_was_written_is_undone(stage: Stage) -> None:
    asking, transcript = answer_with_call(), stage.window.transcript
    wished: list[MessageAction] = []
    transcript.wished.connect(wished.append)
    transcript.show_conversation(opened("t", stored(Role.USER, "?"), asking))
    transcript.show_call_states(asking.id, {"c1": replace(ASKED, preview="-old\n+new\n")})
    call = last_call(stage)
    assert call.arguments_view is not None and call.arguments_view.text_view.plain_text().strip() == "-old\n+new"
    done = result(written={"file": "a"})
    transcript.add_message(done)
    transcript.show_call_states(asking.id, {})
    call.head.click()
    assert call.undo_button is not None and call.undo_button.isVisible()
    assert "hi" in call.arguments_view.text_view.plain_text()
    call.undo_button.click()
    assert wished == [UndoCall(done.id)]
    transcript.change_message(replace(done, figures={"written": {}, "undone": True}))
    assert call.undo_button is None


@pytest.mark.parametrize("name", ["search_chats", "write_file", "read_page", "python"])
def test_what_is_built_in_is_asked_about_in_its_own_words(name: str, parent: QWidget) -> None:
    nature = Nature(asks=name != "python")
    bar = ApprovalBar(replace(ASKED, tool=Tool("example.org", "", name, nature=nature)), "{}", parent)
    words = {"search_chats": "your other chats", "write_file": "this file", "read_page": "a page of example.org"}
    assert bar.told.startswith("The model wants to") and words.get(name, "use python") in bar.told
    assert bar.always.isHidden() is not nature.asks


def test_the_page_shows_servers_and_switches_them(
    shop: Shop, appearance: Appearance, parent: QWidget, qtbot: QtBot
) -> None:
    panel = ServersPanel(appearance, shop.tools, parent)
    panel.show()
    notes, off = panel.cards["notes"], panel.cards["off"]
    assert (notes.told, off.told) == ("Starts when it is needed", "Off")
    assert notes.tools_told == "write: " and not off.switch.isChecked()
    off.switch.click()
    assert shop.servers.file.read()[1].enabled
    off.remove.click()
    assert "off" not in panel.cards and [each.name for each in shop.servers.file.read()] == ["notes"]
    notes.believe.click()
    notes_entry = shop.servers.all[0].entry
    assert shop.tools.permissions.believes(notes_entry.fingerprint)
    shop.servers.file.put([replace(notes_entry, command="other")])
    shop.servers.look()
    qtbot.waitUntil(lambda: notes.where.startswith("other"), timeout=WAIT)
    assert panel.cards["notes"].where == shop.servers.all[0].entry.where


def test_a_disk_that_takes_its_time_holds_up_no_page(
    shop: Shop, appearance: Appearance, parent: QWidget, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(shop.servers.all) == 2
    stat, threads = Path.stat, list[threading.Thread]()

    def noted(path: Path, **more: bool) -> os.stat_result:
        if path == shop.servers.file.path:
            threads.append(threading.current_thread())
        return stat(path, **more)

    shop.servers.file.put([ServerEntry("third", "no-such-program")])
    monkeypatch.setattr(Path, "stat", noted)
    panel = ServersPanel(appearance, shop.tools, parent)
    panel.show()
    panel.refresh()
    qtbot.waitUntil(lambda: "third" in panel.cards, timeout=WAIT)
    assert threads and threading.main_thread() not in threads


def test_the_page_lists_rules_and_takes_them_back(shop: Shop, appearance: Appearance, parent: QWidget) -> None:
    tool = shop.tools.tools_of("notes")
    assert tool is not None
    shop.tools.permissions.decide(tool[0], Circumstances(1, 1), Decision.ALWAYS)
    panel = ServersPanel(appearance, shop.tools, parent)
    assert panel.rules == ("write · notes",)
    panel._revoke(shop.tools.permissions.rules()[0])
    assert not [*panel.rules, *shop.tools.permissions.rules()]


def test_a_file_that_is_wrong_is_told_and_left_alone(
    shop: Shop, appearance: Appearance, parent: QWidget, qtbot: QtBot
) -> None:
    assert len(shop.servers.all) == 2
    shop.servers.file.path.write_text("{", "utf-8")
    panel = ServersPanel(appearance, shop.tools, parent)
    panel.show()
    qtbot.waitUntil(lambda: "is no JSON" in panel.problem, timeout=WAIT)
    assert set(panel.cards) == {"notes", "off"}, "those of before"
    panel.cards["notes"].remove.click()
    assert "is no JSON" in panel.problem and shop.servers.file.path.read_text("utf-8") == "{"


def test_another_servers_secret_is_not_asked_for(shop: Shop, appearance: Appearance, parent: QWidget) -> None:
    panel = ServersPanel(appearance, shop.tools, parent)
    panel.form.pasted.setPlainText('{"thief": {"command": "x", "env": {"A": "${keyring:notes/API_KEY}"}}}')
    panel.form.add.click()
    assert "thief asks for a secret" in panel.problem and len(shop.servers.file.read()) == 2


def test_enter_adds_a_server_and_leaves_the_dialog_open(qtbot: QtBot) -> None:
    dialog = QDialog()
    qtbot.addWidget(dialog)
    form, accept = AddServer(tuple, dialog), QPushButton("OK", dialog)
    accept.setDefault(True)
    accept.clicked.connect(dialog.accept)
    dialog.show()
    form.where.setText("/usr/bin/server")
    with qtbot.waitSignal(form.added):
        QTest.keyClick(form.name, Qt.Key.Key_Return)
    assert dialog.isVisible()


def test_adding_shows_first_what_would_run(parent: QWidget, qtbot: QtBot) -> None:
    form = AddServer(tuple, parent)
    added: list[ServerEntry] = []
    form.show()
    form.added.connect(added.extend)
    assert not form.add.isEnabled()
    form.where.setText('npx -y @scope/server-files "/my files"')
    form.variables.setPlainText("KEY=a=b\n\nnothing")
    told = form.told.splitlines()
    assert told[0] == 'files runs on this computer, with all that you may do: npx -y @scope/server-files "/my files"'
    assert told[1] == "Its environment has KEY=•••."
    form.add.click()
    form.where.setText("https://example.org/mcp")
    form.name.setText("remote")
    assert form.told.splitlines()[0] == "remote is asked at https://example.org/mcp"
    QTest.keyClick(form.where, Qt.Key.Key_Return)
    form.where.setText('npx "unfinished')
    assert form.told == "A quotation mark is missing in the command." and not form.add.isEnabled()
    for text in ('{"mcpServers": {"notes": {"command": "uvx"}}}', '"notes": {"command": "uvx"}'):
        form.where.setText(text)
        assert form.told == "notes runs on this computer, with all that you may do: uvx", "where the cursor stands"
    form.pasted.setPlainText('"other": {"url": "https://other", "headers": {"X": "${env:MINE}"}}')
    assert form.told.splitlines() == [
        "other is asked at https://other",
        "Each request has the headers X=${env:MINE}.",
        "It is told MINE of your environment.",
    ]
    form.pasted.setPlainText(
        '"x": {"command": "y", "cwd": "/bin", "env": {"LD_PRELOAD": "/z.so", "A_TOKEN": "secret"}}'
    )
    _, *decides = form.told.splitlines()
    assert decides == ["It begins in the folder /bin.", "Its environment has LD_PRELOAD=/z.so, A_TOKEN=•••."]
    form.pasted.setPlainText('"other": {"command": "uvx", "args": ["x"]}')
    form.add.click()
    first, second, third = added
    assert (first.name, first.args, first.env) == ("files", ("-y", "@scope/server-files", "/my files"), {"KEY": "a=b"})
    assert (second.url, second.headers) == ("https://example.org/mcp", {"KEY": "a=b"})
    assert third == ServerEntry("other", "uvx", ("x",))


def test_one_that_takes_anothers_place_says_so(
    shop: Shop, appearance: Appearance, parent: QWidget, qtbot: QtBot
) -> None:
    tool = shop.tools.tools_of("notes")
    assert tool is not None
    shop.tools.permissions.decide(tool[0], Circumstances(1, 1), Decision.ALWAYS)
    panel = ServersPanel(appearance, shop.tools, parent)
    panel.show()
    panel.add_button.click()
    form = panel.form
    QTest.keyClicks(form.where, "no-such-program --other")
    assert form.add.text() == "Add"
    QTest.keyClicks(form.name, "notes")
    assert form.told.endswith("There is a server notes: this one takes its place.") and form.add.text() == "Replace"
    QTest.keyClick(form.name, Qt.Key.Key_Return)
    assert shop.servers.file.read()[0].args == () and form.add.hasFocus(), "not by a key that was meant for the field"
    QTest.keyClick(form.add, Qt.Key.Key_Space)
    assert shop.servers.file.read()[0].args == ("--other",) and form.isHidden()
    assert not shop.tools.permissions.rules(), "what was allowed to the one is not allowed to the other"


def test_servers_of_other_programs_are_taken_over_after_a_look(
    shop: Shop, appearance: Appearance, parent: QWidget, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel = ServersPanel(appearance, shop.tools, parent)
    panel.show()
    monkeypatch.setattr("app.services.tools.servers.other_programs", tuple)
    panel.import_button.click()
    assert not panel.import_button.isEnabled()
    qtbot.waitUntil(panel.import_button.isEnabled, timeout=WAIT)
    assert "were found" in panel.problem and not panel.findChildren(ImportServers)
    new = ServerEntry("new", "no-such-program", ("--all",), {"API_KEY": "abc"})
    other = OtherProgram("Cursor", (new, ServerEntry("notes", "x"), ServerEntry("unwanted", "y")))
    found = (other, OtherProgram("VS Code", (), "No."))
    monkeypatch.setattr("app.services.tools.servers.other_programs", lambda: found)
    panel.import_button.click()
    qtbot.waitUntil(panel.import_button.isEnabled, timeout=WAIT)
    imports = panel.imports
    assert imports is not None
    told = [label.text() for label in imports.findChildren(QLabel)]
    whole = (
        "new runs on this computer, with all that you may do: no-such-program --all\nIts environment has API_KEY=•••."
    )
    assert whole in told and "No." in told
    boxes = [box for _, box in imports.boxes]
    assert [box.isEnabled() for box in boxes] == [True, False, True]
    boxes[2].click()
    imports.add.click()
    qtbot.waitUntil(lambda: "new" in panel.cards, timeout=WAIT)
    assert not panel.import_button.isHidden() and "unwanted" not in panel.cards
    entry = shop.servers.file.read()[-1]
    assert entry.env == {"API_KEY": "${keyring:new/API_KEY}"} and entry.fingerprint == new.fingerprint


def test_prompts_and_resources_of_servers_come_into_the_message(shop: Shop, stage: Stage, qtbot: QtBot) -> None:
    window, taken = stage.window, list[MimeContent]()
    texts = ServerTexts(shop.servers, window.composer.attach_button, window.notices, window)
    texts.taken.connect(taken.append)
    assert not list(texts.entries())
    shop.servers.add([ServerEntry("small", sys.executable, (str(SERVER), "good"))])
    qtbot.waitUntil(lambda: len(list(texts.entries())) == 3, timeout=WAIT)
    report, *_ = texts.entries()
    assert (report.title, report.kind) == ("Weather report", "Prompt of small")
    report.act()
    dialog = window.findChild(PromptDialog)
    assert dialog is not None and not dialog.insert.isEnabled()
    city = dialog.fields.editors["city"]
    QTest.keyClicks(city, "Oslo")
    QTest.keyClick(city, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: len(taken) == 1, timeout=WAIT)
    choices = window.composer.attach_button.choices
    choices.aboutToShow.emit()
    menu = choices.actions()[-1].menu()
    assert isinstance(menu, QMenu) and menu.menuAction().isVisible()
    for action in menu.actions():
        action.trigger()
    qtbot.waitUntil(lambda: len(taken) == 3, timeout=WAIT)
    prompt, today, chart = taken
    assert prompt.text == "Report the weather of Oslo" and today.offers == (DocumentText("Rain all day", "today"),)
    assert isinstance(chart.offers[0], PictureBytes) and chart.offers[0].name == "map"


def test_what_a_server_had_that_is_gone_is_told(shop: Shop, qtbot: QtBot) -> None:
    heard: list[object] = []
    shop.servers.prompt(Prompt("gone", "report"), {}, heard.append)
    shop.servers.resource(Resource("off", "weather://today", "today"), heard.append)
    qtbot.waitUntil(lambda: len(heard) == 2, timeout=WAIT)
    assert [str(each) for each in heard] == ["There is no server gone.", "There is no server off."]


def test_python_is_prepared_when_it_is_switched_on(
    shop: Shop, stage: Stage, appearance: Appearance, parent: QWidget, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Compiling takes long; here, it takes until it is enough."""
    enough, done = threading.Event(), list[str]()

    async def prepare(_: Python) -> None:
        try:
            await daemon_call(enough.wait)
            done.append("done")
        except asyncio.CancelledError:
            done.append("left")
            raise

    monkeypatch.setattr(Python, "prepare", prepare)
    panel = ServersPanel(appearance, shop.tools, parent)
    panel.show()
    told = next(each for each in panel.findChildren(QLabel) if each.text().startswith("Python is being prepared"))
    stage.settings.update(ToolSettings, python=True)
    assert told.isVisible()
    stage.settings.update(ToolSettings, python=False)
    assert told.isHidden()
    qtbot.waitUntil(lambda: done == ["left"], timeout=WAIT)
    stage.settings.update(ToolSettings, python=True)
    enough.set()
    qtbot.waitUntil(told.isHidden, timeout=WAIT)
    assert done == ["left", "done"]


@pytest.fixture
def tools(stage: Stage, shop: Shop) -> ToolsPresenter:
    controller, engine = cast(ChatController, stage.controller), cast(EngineService, stage.engine)
    store = cast(ConversationStore, None)
    loops = ToolLoops(
        store, shop.tools, controller.replies, controller.active, controller.notices, engine, stage.window
    )
    made = ToolsPresenter(stage.appearance, loops, controller, engine, stage.window.transcript, stage.window)
    stage.window.composer.add_tool(made.button)
    return made


def test_the_button_counts_and_the_popover_switches(tools: ToolsPresenter, shop: Shop, stage: Stage) -> None:
    stage.engine.enter(KNOWS_TOOLS)
    assert tools.button.isVisible() and tools.button.text() == "1 tool(s)"
    QTest.keyClick(tools.button, Qt.Key.Key_Space)
    popover = tools.popover
    assert popover.isVisible() and set(popover.switches) == {"notes"} and popover.switches["notes"].isChecked()
    QTest.keyClick(popover.switches["notes"], Qt.Key.Key_Space)
    assert tools.button.text() == "0 tool(s)" and shop.tools.on(None) == ()
    assert stage.controller.prices.looks == 2, "switched, things cost something else"
    stage.controller.prices.tell(notes=ToolPrice(2054, 3.0, 9373, 14.2))
    assert popover.switches["notes"].accessibleName() == (
        "notes, 1 tool(s), 2,054 tokens, 3.0 s, Switched on now, 9,373 tokens are read again: 14 s."
    )
    stage.settings.update(ToolSettings, clock=True, files=True)
    assert list(popover.switches) == [":clock", ":files", "notes"], "what is built in comes first"
    assert popover.switches[":clock"].accessibleName().startswith("Date and time, 1 tool(s)")
    popover.close()


def test_without_servers_there_is_no_button(tools: ToolsPresenter, shop: Shop) -> None:
    for server in shop.servers.all:
        shop.servers.remove(server.entry.name)
    assert tools.button.isHidden()


def test_a_model_that_knows_no_tools_is_told_before_the_send(tools: ToolsPresenter, stage: Stage) -> None:
    stage.engine.enter(READY)
    assert tools.button.text() == "No tools"
    assert tools.button.accessibleDescription() == (
        f"{MODEL.name} does not know how to use tools. It answers without them."
    )
