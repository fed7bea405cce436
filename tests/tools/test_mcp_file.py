"""`mcp.json` as people and other programs write it."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from app.core.errors import UserError
from app.tools.mcp_file import McpFile, ServerEntry
from app.tools.mcp_import import is_link, other_programs, pasted

FILES = ServerEntry("files", "npx", ("-y", "server-filesystem", "/home/me"), {"KEY": "secret"})
REMOTE = ServerEntry("remote", url="https://example.org/mcp", headers={"Authorization": "Bearer x"})


@pytest.fixture
def file(tmp_path: Path) -> McpFile:
    return McpFile(tmp_path / "mcp.json")


def test_servers_are_written_and_read_as_other_programs_do(file: McpFile) -> None:
    assert file.read() == ()
    file.put([FILES, replace(REMOTE, enabled=False)])
    told = json.loads(file.path.read_text("utf-8"))["mcpServers"]
    assert told["files"] == {"command": "npx", "args": list(FILES.args), "env": {"KEY": "secret"}}
    assert told["remote"]["disabled"] is True
    assert file.read() == (FILES, replace(REMOTE, enabled=False))
    assert file.path.stat().st_mode & 0o077 == 0, "it may hold secrets"
    file.remove("files")
    assert [each.name for each in file.read()] == ["remote"]


def test_what_hearth_does_not_know_stays(file: McpFile) -> None:
    known = {"mcpServers": {"a": {"command": "x", "disabled": True, "timeout": 60}}, "inputs": [1]}
    file.path.write_text(json.dumps(known), "utf-8")
    (entry,) = file.read()
    file.put([replace(entry, enabled=True)])
    assert json.loads(file.path.read_text("utf-8")) == {
        "mcpServers": {"a": {"command": "x", "timeout": 60}},
        "inputs": [1],
    }


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "is no JSON: line 1"),
        ("[]", "has to be a JSON object"),
        ('{"mcpServers": []}', "has to be an object of servers"),
        ('{"mcpServers": {"a": 1}}', "has to be an object with"),
        ('{"mcpServers": {"a": {}}}', "needs a “command” or a “url”"),
        ('{"mcpServers": {"a": {"command": "x", "url": "http://y"}}}', "and not both"),
        ('{"mcpServers": {"a": {"url": "file:///etc"}}}', "has to begin with http"),
        ('{"mcpServers": {"a": {"command": ["x"]}}}', "“command” of the server “a” has to be a text"),
        ('{"mcpServers": {"a": {"command": "x", "args": "y"}}}', "has to be a list"),
        ('{"mcpServers": {"a": {"command": "x", "env": {"A": null}}}}', "has to be an object of texts"),
        ("[" * 100_000, "nested"),
    ],
)
def test_what_is_wrong_is_one_sentence_and_is_not_written_over(file: McpFile, text: str, told: str) -> None:
    file.path.write_text(text, "utf-8")
    with pytest.raises(UserError, match=told):
        file.read()
    if "mcpServers" not in text:
        with pytest.raises(UserError):
            file.put([FILES])
        assert file.path.read_text("utf-8") == text


@pytest.mark.parametrize(
    "text",
    [
        '{"mcpServers": {"files": {"command": "npx", "args": ["-y"]}}}',
        '{"servers": {"files": {"type": "stdio", "command": "npx", "args": ["-y"]}}}',
        '{"files": {"command": "npx", "args": ["-y"]}}',
        '"files": {"command": "npx", "args": ["-y"]},',
        '// of VS Code\n{"servers": {/* one */ "files": {"command": "npx", "args": ["-y",],},},}',
        "cursor://anysphere.cursor-deeplink/mcp/install?name=files&config=eyJjb21tYW5kIjoibnB4IiwiYXJncyI6WyIteSJdfQ==",
        "lmstudio://add_mcp?name=files&config=eyJjb21tYW5kIjoibnB4IiwiYXJncyI6WyIteSJdfQ",
        "https://cursor.com/install-mcp?name=files&config=%7B%22command%22%3A%22npx%22%2C%22args%22%3A%5B%22-y%22%5D%7D",
        "vscode:mcp/install?%7B%22name%22%3A%22files%22%2C%22command%22%3A%22npx%22%2C%22args%22%3A%5B%22-y%22%5D%7D",
    ],
)
def test_what_pages_give_can_be_pasted(text: str) -> None:
    assert pasted(text) == (ServerEntry("files", "npx", ("-y",)),)


@pytest.mark.parametrize(("key", "value"), [("disabled", True), ("enabled", False), ("active", False)])
def test_off_is_said_in_three_ways(key: str, value: bool) -> None:
    (entry,) = pasted(json.dumps({"a": {"command": "x", key: value}}))
    assert not entry.enabled


def test_a_fingerprint_tells_servers_apart_but_not_their_secrets() -> None:
    assert FILES.fingerprint == replace(FILES, name="other", env={"KEY": "another"}, enabled=False).fingerprint
    others = [
        replace(FILES, args=("-y",)),
        replace(FILES, command="bunx"),
        replace(FILES, cwd="/"),
        replace(FILES, env={"OTHER": "secret"}),
        REMOTE,
        replace(REMOTE, headers={}),
        replace(REMOTE, url="https://example.com/mcp"),
    ]
    assert len({FILES.fingerprint, *(each.fingerprint for each in others)}) == len(others) + 1
    assert "secret" not in repr(FILES)


def test_a_command_is_shown_so_that_it_can_be_read() -> None:
    assert ServerEntry("a", "run it", ("--x", "a b")).where == '"run it" --x "a b"'


@pytest.mark.parametrize(
    "text", ["lmstudio://add_mcp?name=x&config=AAAA", "vscode:mcp/install?nothing", "a://b?config=A", "{}"]
)
def test_a_link_without_a_server_is_one_sentence(text: str) -> None:
    with pytest.raises(UserError):
        pasted(text)


def test_an_address_is_no_link() -> None:
    assert not is_link("http://[") and not is_link("https://example.org/mcp") and not is_link("npx -y config=1")
    assert pasted('{"a": {"command": "x", "args": ["http://y//z", "a,]"]}}')[0].args == ("http://y//z", "a,]")


def test_other_programs_are_looked_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pathlib.Path.home", lambda: tmp_path)
    for name in ("XDG_CONFIG_HOME", "APPDATA"):
        monkeypatch.setenv(name, str(tmp_path / "settings"))
    monkeypatch.setattr("sys.platform", "linux")
    told = {
        "settings/Claude/claude_desktop_config.json": '{"mcpServers": {"a": {"command": "x", "autoApprove": ["all"]}}}',
        "settings/Code/User/mcp.json": '{"servers": {"b": {"type": "http", "url": "https://b"}}, "inputs": [],}',
        ".cursor/mcp.json": "{",
        ".lmstudio/mcp.json": '{"mcpServers": {}}',
    }
    for path, text in told.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, "utf-8")
    claude, cursor, code = other_programs()
    assert claude.entries == (ServerEntry("a", "x"),) and code.entries == (ServerEntry("b", url="https://b"),)
    assert (claude.name, cursor.name, code.name) == ("Claude Desktop", "Cursor", "VS Code")
    assert "is no JSON" in cursor.problem and (tmp_path / ".cursor/mcp.json").read_text("utf-8") == "{"
