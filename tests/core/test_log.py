import contextlib
import logging
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.core.log import start_logging

ROOT = logging.getLogger()
_MIB = 1 << 20


@pytest.fixture(autouse=True)
def root_as_it_was() -> Iterator[None]:
    level, handlers = ROOT.level, ROOT.handlers[:]
    yield
    for handler in set(ROOT.handlers) - set(handlers):
        with contextlib.suppress(OSError):  # on a full disk, as `logging.shutdown` does
            handler.close()
    ROOT.handlers, ROOT.level = handlers, level


def start(folder: Path | None, **more: Any) -> None:
    """As in a fresh program, without pytest's own handlers."""
    ROOT.handlers = []
    start_logging(folder, **more)


def read(folder: Path) -> str:
    return (folder / "hearth.log").read_text("utf-8")


def test_the_file_takes_what_goes_on_and_the_console_warnings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    start(tmp_path / "logs")
    log = logging.getLogger("app.somewhere")
    log.debug("too small")
    log.info("reused 7 of 8")
    log.warning("dünn")
    text = read(tmp_path / "logs")
    assert "INFO    app.somewhere: reused 7 of 8" in text
    assert "WARNING app.somewhere: dünn" in text
    assert "too small" not in text
    assert capsys.readouterr().err == "hearth: dünn\n"


def test_verbose_sends_everything_to_the_console(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    start(tmp_path, verbose=True)
    logging.getLogger("app.somewhere").debug("small")
    logging.getLogger("llama.cpp").warning("technical")
    told = capsys.readouterr().err
    assert "DEBUG   app.somewhere: small" in told
    assert "WARNING llama.cpp: technical" in told


def test_llama_cpps_warnings_stand_in_the_file_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    start(tmp_path)
    logging.getLogger("llama.cpp").warning("technical")
    assert "technical" in read(tmp_path)
    assert capsys.readouterr().err == ""


def test_the_file_is_bounded(tmp_path: Path) -> None:
    start(tmp_path)
    log = logging.getLogger("app.somewhere")
    for number in range(7 * 16):
        log.info("%d %s", number, "x" * (_MIB // 16))
    files = list(tmp_path.iterdir())
    assert len(files) == 4
    assert sum(file.stat().st_size for file in files) <= 4 * _MIB
    assert "111 xxx" in read(tmp_path)


def test_a_folder_that_cannot_be_made_costs_the_file_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "logs").touch()
    start(tmp_path / "logs")
    told = capsys.readouterr().err
    assert told.startswith("hearth: No log file can be kept in ")
    assert "Traceback" not in told


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs Linux's /dev/full")
def test_a_full_disk_costs_records_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "hearth.log").symlink_to("/dev/full")
    start(tmp_path)
    logging.getLogger("app.somewhere").info("lost")
    assert capsys.readouterr().err == ""


def test_a_wrong_call_is_still_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    start(tmp_path)
    logging.getLogger("app.somewhere").info("%d", "no number")
    assert "a real number is required" in capsys.readouterr().err


def test_a_program_without_a_console_logs_to_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    start(tmp_path)
    logging.getLogger("app.somewhere").warning("seen")
    assert "seen" in read(tmp_path)


def test_no_folder_means_no_file(tmp_path: Path) -> None:
    start(None)
    logging.getLogger("app.somewhere").warning("seen")
    assert not any(isinstance(handler, logging.FileHandler) for handler in ROOT.handlers)


@pytest.mark.parametrize("verbose", [False, True])
def test_addresses_that_are_asked_are_not_logged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], verbose: bool
) -> None:
    """What people look for is nobody's business, and an address may carry a key."""
    start(tmp_path, verbose=verbose)
    logging.getLogger("httpx2").info("HTTP Request: GET https://cdn.invalid/a?signature=secret")
    logging.getLogger("httpx2").warning("odd")
    assert "odd" in read(tmp_path)
    assert "secret" not in read(tmp_path) + capsys.readouterr().err
