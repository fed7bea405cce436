"""The window keeps what it read for programs over a restart, where its settings say so."""

import json
import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from app.core.api_settings import ApiSettings
from app.core.paths import Paths
from tests.e2e.conftest import write_settings
from tests.hearth_process import HearthProcess

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals")
LIMIT = 120
QUESTION = {"role": "user", "content": "Tell me about the rain in the mountains, and about the river in the valley."}


@contextmanager
def window(paths: Paths) -> Iterator["subprocess.Popen[bytes]"]:
    with HearthProcess(paths.data, qt=True).start() as process:
        try:
            yield process
        finally:
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=LIMIT)


def ask(port: int, *messages: dict[str, Any]) -> Any:
    """Asked again until somebody listens."""
    body = json.dumps({"messages": messages, "max_tokens": 8, "temperature": 0}).encode()
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/v1/chat/completions", body, {"Content-Type": "application/json"}
    )
    limit = time.monotonic() + LIMIT
    while True:
        try:
            with urllib.request.urlopen(request, timeout=LIMIT) as response:
                return json.load(response)
        except urllib.error.HTTPError:
            raise
        except OSError:
            assert time.monotonic() < limit
            time.sleep(0.05)


@pytest.mark.parametrize("room", [64, 0])
def test_what_was_read_for_programs_outlasts_a_restart_where_it_may(
    paths: Paths, tiny_models: dict[str, Path], room: int
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    wanted = ApiSettings(enabled=True, port=port, keep_on_disk=room)
    write_settings(paths, last_model=str(tiny_models["llama"]), local_api=wanted)
    with window(paths):
        first = ask(port, QUESTION)
    answer = first["choices"][0]["message"]
    with window(paths):
        usage = ask(port, QUESTION, {"role": "assistant", "content": answer["content"]}, QUESTION)["usage"]
    cached = usage["prompt_tokens_details"]["cached_tokens"]
    assert (cached >= first["usage"]["prompt_tokens"] - 16) is (room > 0)
    assert cached == 0 or room
