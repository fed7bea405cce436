"""llama.cpp as a library of the process."""

import logging
import subprocess
import sys
from pathlib import Path

import pytest

from app.engine.binding import graphics, library
from app.engine.binding.library import LibraryLog
from tests.hearth_process import REPOSITORY

PROGRAM = """
import sys
from pathlib import Path
from app.core.cancel import CancelFlag
from app.core.loading import Loading
from app.engine.loading.loader import open_session
session, _ = open_session(Path(sys.argv[1]), Loading(threads=1, gpu_layers=0, ctx_size=256), cancel=CancelFlag())
session.try_one_token()
session.close()
"""


def test_a_program_that_has_loaded_a_model_leaves_nothing_open(tiny_models: dict[str, Path]) -> None:
    command = [sys.executable, "-X", "dev", "-W", "error::ResourceWarning", "-c", PROGRAM, str(tiny_models["llama"])]
    done = subprocess.run(command, capture_output=True, timeout=60, cwd=REPOSITORY, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


HOLES = """
import os, psutil
from app.engine.binding import library
library.start()
large = bytearray(os.urandom(1 << 20) * 30)  # What glibc learns from.
del large
before = psutil.Process().memory_info().rss
kept = []
for _ in range(100):
    large = [bytearray(b"a" * (2 << 20)) for _ in range(2)]
    kept.append((bytearray(90_000), large))
kept = [small for small, _ in kept]
del large
print(psutil.Process().memory_info().rss - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do it by themselves")
def test_what_was_freed_is_the_systems_again() -> None:
    done = subprocess.run([sys.executable, "-c", HOLES], capture_output=True, cwd=REPOSITORY, check=True)
    assert int(done.stdout) < 100 << 20


ERROR = 4


@pytest.mark.parametrize(
    "line",
    [
        b"graph_compute: ggml_backend_sched_graph_compute_async failed with error 1\n",
        b"llama_decode: failed to decode, ret = 2\n",
    ],
)
def test_an_abort_that_was_asked_for_is_no_error(line: bytes, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        LibraryLog().take(ERROR, line)
    assert not caplog.records


def test_every_other_failure_is_told(caplog: pytest.LogCaptureFixture) -> None:
    line = "graph_compute: ggml_backend_sched_graph_compute_async failed with error -1"
    with caplog.at_level(logging.DEBUG):
        LibraryLog().take(ERROR, f"{line}\n".encode())
        LibraryLog().take(ERROR, line.replace("-1", "12").encode() + b"\n")
    assert [record.message for record in caplog.records] == [line, line.replace("-1", "12")]


CPU = ("libggml.so", "libggml-base.so", "libggml-cpu-haswell.so", "libllama.so", "libmtmd.so")


@pytest.mark.parametrize(
    ("files", "way"),
    [
        (("libggml-vulkan.so",), "Vulkan"),
        (("ggml-cuda.dll",), "NVIDIA's CUDA"),
        (("libggml-metal.dylib",), "Metal"),
        (("libggml-hip.so.0", "libggml-vulkan.so.0"), "AMD's ROCm or Vulkan"),
    ],
)
def test_a_card_that_is_not_there_is_told(files: tuple[str, ...], way: str) -> None:
    told = graphics.sentence((*CPU, *files), found=False)
    assert told.startswith(f"No graphics card was found that can be used through {way}, so the processor")


def test_nothing_is_told_where_a_card_is_there_or_none_was_ever_wanted() -> None:
    assert graphics.sentence((*CPU, "libggml-vulkan.so"), found=True) == ""
    assert graphics.sentence(CPU, found=False) == ""


def test_this_build_knows_its_devices() -> None:
    if not library.graphics_devices():
        assert library.device_memory() == 0
