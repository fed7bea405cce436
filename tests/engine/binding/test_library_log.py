"""llama.cpp's log: faults are told, what was asked of it is not."""

import logging

import pytest

from app.engine.binding.library import LibraryLog

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
