"""Unknown files are tried in a child; what kills the child is a sentence here."""

import json
import os
import queue
import shutil
import sys
import threading
import time
from pathlib import Path
from typing import IO

import psutil
import pytest

from app.core.cancel import CancelFlag
from app.core.errors import ModelError
from app.core.events import LoadProgress, LoadStage
from app.core.loading import Loading
from app.core.program import own_command
from app.engine.preflight import preflight as module
from app.engine.preflight.preflight import Preflight

LOADING = Loading(threads=1, gpu_layers=0)


def command(script: str) -> list[str]:
    return [sys.executable, "-c", script]


GOOD = command("print('{\"ok\": true}')")
"""A child that has loaded the file, or says so."""


def abort_with(words: str) -> list[str]:
    return command(f"import os, sys; sys.stderr.write({words!r}); sys.stderr.flush(); os.abort()")


def test_a_good_file_is_tried_once(tiny_models: dict[str, Path], tmp_path: Path) -> None:
    record = tmp_path / "tried.json"
    told: list[LoadProgress] = []
    preflight = Preflight(record, own_command())
    assert preflight.ensure(tiny_models["llama"], LOADING, cancel=CancelFlag(), report=told.append)
    assert {each.stage for each in told} == {LoadStage.CHECKING}
    assert len(json.loads(record.read_text())) == 1
    told.clear()
    again = Preflight(record, command("raise SystemExit('must not run')"))
    copy = tmp_path / "a copy.gguf"
    shutil.copy(tiny_models["llama"], copy)
    assert again.ensure(tiny_models["llama"], LOADING, cancel=CancelFlag(), report=told.append)
    assert again.ensure(copy, LOADING, cancel=CancelFlag()), "the same content under another name is known"
    assert not told


def test_another_content_is_tried_again(tiny_models: dict[str, Path], tmp_path: Path) -> None:
    preflight = Preflight(tmp_path / "tried.json", GOOD)
    assert preflight.ensure(tiny_models["llama"], LOADING, cancel=CancelFlag())
    with pytest.raises(ModelError):
        Preflight(tmp_path / "tried.json", abort_with("")).ensure(tiny_models["gemma3"], LOADING, cancel=CancelFlag())


def test_an_abort_becomes_a_sentence_with_the_last_words(tiny_models: dict[str, Path], tmp_path: Path) -> None:
    preflight = Preflight(tmp_path / "tried.json", abort_with("GGML_ASSERT(n > 0) failed"))
    with pytest.raises(ModelError, match=r"makes llama\.cpp crash") as caught:
        preflight.ensure(tiny_models["llama"], LOADING, cancel=CancelFlag())
    assert "GGML_ASSERT(n > 0) failed" in caught.value.detail
    assert not (tmp_path / "tried.json").exists(), "a file that crashed is not remembered as good"


def test_a_file_that_really_aborts_llama_cpp_is_survived(tiny_models: dict[str, Path], tmp_path: Path) -> None:
    """A head size of zero divides by zero or fails an assertion inside llama.cpp, in the child."""
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(without_heads(tiny_models["llama"].read_bytes()))
    with pytest.raises(ModelError) as caught:
        Preflight(tmp_path / "tried.json", own_command()).ensure(broken, LOADING, cancel=CancelFlag())
    assert caught.value.sentence.startswith("broken.gguf")


def without_heads(data: bytes) -> bytes:
    """The same file with llama.attention.head_count set to 3, which fits no tensor."""
    key = b"llama.attention.head_count\x04\0\0\0"
    at = data.index(key) + len(key)
    return data[:at] + (3).to_bytes(4, "little") + data[at + 4 :]


def test_what_the_child_refuses_is_its_sentence(tiny_models: dict[str, Path], tmp_path: Path) -> None:
    cut = tmp_path / "cut.gguf"
    cut.write_bytes(tiny_models["llama"].read_bytes()[:5000])
    with pytest.raises(ModelError, match="cut off or damaged"):
        Preflight(tmp_path / "tried.json", own_command()).ensure(cut, LOADING, cancel=CancelFlag())


def test_a_cancelled_childs_words_are_read_to_their_end(
    tiny_models: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python fails where a pipe is closed under who reads it."""
    pump, ended = module._pump, list[bool]()

    def slow(stream: IO[bytes], lines: "queue.Queue[bytes | None]") -> None:
        pump(stream, lines)
        time.sleep(0.3)
        ended.append(stream.closed)

    monkeypatch.setattr(module, "_pump", slow)
    flag = CancelFlag()
    flag.set()
    tried = Preflight(tmp_path / "tried.json", command("import time; time.sleep(60)"))
    assert not tried.ensure(tiny_models["llama"], LOADING, cancel=flag)
    assert ended == [False]


def test_cancelling_ends_the_child(tiny_models: dict[str, Path], tmp_path: Path) -> None:
    flag = CancelFlag()
    pid_file = tmp_path / "pid"
    script = f"import os, time; open({str(pid_file)!r}, 'w').write(str(os.getpid())); time.sleep(60)"
    threading.Thread(target=set_when_there, args=(pid_file, flag), daemon=True).start()
    began = time.monotonic()
    assert not Preflight(tmp_path / "tried.json", command(script)).ensure(tiny_models["llama"], LOADING, cancel=flag)
    assert time.monotonic() - began < 30
    assert not psutil.pid_exists(int(pid_file.read_text()))


def set_when_there(path: Path, flag: CancelFlag) -> None:
    while not (path.exists() and path.read_text()):
        threading.Event().wait(0.01)
    flag.set()


@pytest.mark.parametrize("content", [b"", b"{", b'{"a": 1}', b"[1, null]", os.urandom(50)])
def test_a_damaged_record_is_no_obstacle(content: bytes, tiny_models: dict[str, Path], tmp_path: Path) -> None:
    record = tmp_path / "tried.json"
    record.write_bytes(content)
    preflight = Preflight(record, GOOD)
    assert preflight.ensure(tiny_models["llama"], LOADING, cancel=CancelFlag())
    assert len(json.loads(record.read_text())) == 1
