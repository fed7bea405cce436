"""A second start is heard; garbage, and whoever says nothing, costs nothing."""

import contextlib
import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtNetwork import QLocalSocket
from pytestqt.qtbot import QtBot

from app.services.runtime import single_instance
from app.services.runtime.single_instance import (
    ADDRESS,
    MOST_BYTES,
    MOST_FILES,
    InstanceServer,
    OpenRequest,
    decode,
    encode,
    hand_over,
)

ROOT = Path(__file__).resolve().parents[3]
SECOND = """
import sys
from pathlib import Path
from app.services.runtime.single_instance import OpenRequest, hand_over
folder, *files = map(Path, sys.argv[1:])
sys.exit(0 if hand_over(folder, OpenRequest(tuple(files), "token")) else 1)
"""
FILES = (Path("/models/ä b.gguf").absolute(), Path(os.fsdecode(b"/pictures/\xff.png")).absolute())


@pytest.fixture
def bell(qtbot: QtBot, tmp_path: Path) -> Iterator[InstanceServer]:
    made = InstanceServer(tmp_path)
    made.listen()
    yield made
    made.close()
    made.deleteLater()


@pytest.fixture
def heard(bell: InstanceServer) -> list[OpenRequest]:
    got: list[OpenRequest] = []
    bell.rung.connect(got.append)
    return got


def visit(tmp_path: Path, qtbot: QtBot, said: bytes) -> QLocalSocket:
    """A visitor that has said something; its bytes are on their way."""
    socket = QLocalSocket()
    socket.connectToServer((tmp_path / ADDRESS).read_text("utf-8"))
    assert socket.waitForConnected(5000)
    socket.write(said)
    socket.flush()
    return socket


def is_sent_away(socket: QLocalSocket) -> bool:
    return socket.state() is QLocalSocket.LocalSocketState.UnconnectedState


def test_what_is_asked_for_survives_the_way() -> None:
    request = OpenRequest(FILES, "token_1")
    assert decode(encode(request)) == request


def test_a_message_is_bounded() -> None:
    many = OpenRequest(tuple(Path(f"/{'x' * 5000}/{number}") for number in range(200)))
    data = encode(many)
    assert len(data) <= MOST_BYTES
    kept = decode(data)
    assert kept is not None
    assert kept.files == many.files[: len(kept.files)]
    assert 0 < len(kept.files) <= MOST_FILES


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"GET / HTTP/1.1\r",
        b"\xff\xfe",
        b"[" * 100_000,
        b"null",
        b"[]",
        b'{"files": "/a"}',
        b'{"files": ["/a"]}',
        b'{"files": [1], "activation": ""}',
        b'{"files": ["relative"], "activation": ""}',
        b'{"files": ["/a\\u0000b"], "activation": ""}',
        b'{"files": [], "activation": 1}',
        json.dumps({"files": ["/a"] * (MOST_FILES + 1), "activation": ""}).encode(),
    ],
    ids=range(13),
)
def test_garbage_is_no_request(line: bytes) -> None:
    assert decode(line) is None


def test_a_token_that_is_none_is_dropped() -> None:
    assert decode(b'{"files": [], "activation": "a\\nb"}') == OpenRequest()


def test_a_second_start_is_heard(bell: InstanceServer, heard: list[OpenRequest], tmp_path: Path, qtbot: QtBot) -> None:
    request = OpenRequest(FILES, "token")
    # A process of its own: waiting for a socket holds Python's lock.
    second = subprocess.Popen([sys.executable, "-c", SECOND, str(tmp_path), *map(str, FILES)], cwd=ROOT)
    qtbot.waitUntil(lambda: second.poll() is not None)
    assert second.returncode == 0
    assert heard == [request]


@pytest.mark.parametrize(
    "said", [b"hello\n", b"\0" * 4096 + b"\n", b'{"files": [], "activation": ""}\nmore'], ids=range(3)
)
def test_garbage_is_sent_away(
    said: bytes, bell: InstanceServer, heard: list[OpenRequest], tmp_path: Path, qtbot: QtBot,
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    socket = visit(tmp_path, qtbot, said)
    qtbot.waitUntil(lambda: is_sent_away(socket))
    assert heard == []
    assert bytes(socket.readAll().data()) == b""
    assert "sent away" in caplog.text


def test_who_never_ends_is_sent_away(
    monkeypatch: pytest.MonkeyPatch, bell: InstanceServer, heard: list[OpenRequest], tmp_path: Path, qtbot: QtBot
) -> None:
    monkeypatch.setattr(single_instance, "_PATIENCE_MS", 600_000)
    socket = visit(tmp_path, qtbot, b"x" * (MOST_BYTES + 1))
    qtbot.waitUntil(lambda: is_sent_away(socket))
    assert heard == []


def test_who_says_nothing_is_sent_away(
    monkeypatch: pytest.MonkeyPatch, bell: InstanceServer, tmp_path: Path, qtbot: QtBot
) -> None:
    monkeypatch.setattr(single_instance, "_PATIENCE_MS", 1)
    socket = visit(tmp_path, qtbot, b'{"files"')
    qtbot.waitUntil(lambda: is_sent_away(socket))


def test_a_message_in_pieces_is_heard(
    bell: InstanceServer, heard: list[OpenRequest], tmp_path: Path, qtbot: QtBot
) -> None:
    data = encode(OpenRequest(FILES))
    socket = visit(tmp_path, qtbot, data[:10])
    qtbot.waitUntil(lambda: any(bell._visitors.values()))
    assert heard == []
    socket.write(data[10:])
    socket.flush()
    qtbot.waitUntil(lambda: heard == [OpenRequest(FILES)])


def test_a_crowd_does_not_keep_the_next_one_out(
    monkeypatch: pytest.MonkeyPatch, bell: InstanceServer, heard: list[OpenRequest], tmp_path: Path, qtbot: QtBot
) -> None:
    monkeypatch.setattr(single_instance, "_PATIENCE_MS", 1)
    crowd = []
    for _ in range(20):
        with contextlib.suppress(AssertionError):
            crowd.append(visit(tmp_path, qtbot, b""))
        qtbot.waitUntil(lambda: len(bell._visitors) <= 8)
    qtbot.waitUntil(lambda: all(map(is_sent_away, crowd)))
    socket = visit(tmp_path, qtbot, encode(OpenRequest()))
    qtbot.waitUntil(lambda: bool(heard))
    socket.abort()


def test_nobody_answers_where_nobody_is(tmp_path: Path) -> None:
    assert not hand_over(tmp_path, OpenRequest())
    (tmp_path / ADDRESS).write_bytes(b"\xff\0")
    assert not hand_over(tmp_path, OpenRequest())
    (tmp_path / ADDRESS).write_text("hearth-gone")
    assert not hand_over(tmp_path, OpenRequest())


@pytest.mark.skipif(os.name != "posix", reason="sockets are files")
def test_only_its_user_may_knock(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, qtbot: QtBot) -> None:
    runtime = Path("/tmp") / f"hearth-test-{os.getpid()}"
    runtime.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    bell = InstanceServer(tmp_path)
    bell.listen()
    try:
        [socket] = runtime.iterdir()
        assert stat.S_ISSOCK(socket.stat().st_mode)
        assert not socket.stat().st_mode & 0o077
        assert not (tmp_path / ADDRESS).stat().st_mode & 0o077
    finally:
        bell.close()
        bell.deleteLater()
    assert not list(runtime.iterdir())
    assert not (tmp_path / ADDRESS).exists()
    runtime.rmdir()


@pytest.mark.skipif(os.name != "posix", reason="sockets are files")
def test_what_a_killed_one_left_is_cleared_up(bell: InstanceServer, tmp_path: Path) -> None:
    name = (tmp_path / ADDRESS).read_text()
    # What a kill leaves: the socket and its address, and nobody behind them.
    left = Path(bell._server.fullServerName())
    assert left.exists()
    other = InstanceServer(tmp_path, bell)
    other.listen()
    assert not left.exists()
    assert (tmp_path / ADDRESS).read_text() != name
    other.close()


@pytest.mark.skipif(os.name != "posix", reason="sockets are files")
def test_a_damaged_address_removes_nothing(tmp_path: Path, qtbot: QtBot) -> None:
    precious = tmp_path / "hearth-precious"
    precious.write_text("mine")
    (tmp_path / ADDRESS).write_text(str(precious))
    bell = InstanceServer(tmp_path)
    bell.listen()
    bell.close()
    bell.deleteLater()
    assert precious.read_text() == "mine"


def test_a_folder_that_can_not_be_written_costs_the_bell_alone(
    tmp_path: Path, qtbot: QtBot, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()
    bell = InstanceServer(tmp_path / "file")
    bell.listen()
    assert "can't find this window" in caplog.text
    assert not bell._server.isListening()
    bell.close()
    bell.deleteLater()


def test_an_address_that_can_not_be_removed_is_no_obstacle_to_the_end(bell: InstanceServer, tmp_path: Path) -> None:
    (tmp_path / ADDRESS).unlink()
    (tmp_path / ADDRESS).mkdir()
    bell.close()
    assert not bell._server.isListening()
