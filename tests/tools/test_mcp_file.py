"""`mcp.json` as people and other programs write it."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from app.core.errors import UserError
from app.tools.mcp_file import McpFile, ServerEntry, pasted

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
