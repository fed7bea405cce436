import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.hearth_process import HearthProcess

SECRET = "Where did the marmalade go?"
posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals and pipes")


@pytest.fixture(scope="module")
def model(tiny_models: dict[str, Path]) -> Path:
    return tiny_models["llama"]


@pytest.fixture
def ask(hearth: HearthProcess, model: Path) -> Any:
    def ask(*arguments: str, **more: Any) -> "subprocess.CompletedProcess[bytes]":
        return hearth.run("ask", "-m", model, "-t", "1", "-n", "12", *arguments, **more)

    return ask


def figures(done: "subprocess.CompletedProcess[bytes]") -> dict[str, Any]:
    assert (done.returncode, done.stderr) == (0, b"")
    parsed = json.loads(done.stdout)
    assert isinstance(parsed, dict)
    return parsed


def only_line(done: "subprocess.CompletedProcess[bytes]") -> str:
    """The one sentence on standard error."""
    [line] = done.stderr.decode().splitlines()
    assert line.startswith("hearth: ")
    return line.removeprefix("hearth: ")


def test_qt_is_really_not_there(hearth: HearthProcess) -> None:
    done = hearth.run("ask", "x", prologue="import PySide6")
    assert b"PySide6 is not importable" in done.stderr


def test_json_carries_the_text_and_all_figures(ask: Any) -> None:
    told = figures(ask("--json", "--seed", "5", "hello"))
    assert isinstance(told["text"], str)
    assert told["finish_reason"] in ("stop", "length")
    assert told["model"] == "Tiny llama" or told["model"] == "llama"
    assert told["seed"] == 5
    timings = told["timings"]
    assert timings["cache_n"] == 0
    assert timings["prompt_n"] > 5
    assert 0 < timings["predicted_n"] <= 12
    assert timings["prompt_ms"] > 0
    assert timings["predicted_per_second"] > 0
    assert (timings["draft_n"], timings["draft_n_accepted"]) == (0, 0)


def test_the_plain_text_is_the_text_of_the_figures(hearth: HearthProcess, endless: Path) -> None:
    line = ("ask", "-m", endless, "-t", "1", "-n", "12", "--seed", "5", "hello")
    told = figures(hearth.run(*line, "--json"))
    done = hearth.run(*line)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode() == told["text"] + "\n"
    assert told["timings"]["predicted_n"] == 12
    assert told["finish_reason"] == "length"


def test_a_seed_repeats_an_answer_and_another_one_does_not(hearth: HearthProcess, endless: Path) -> None:
    line = ("ask", "-m", endless, "-t", "1", "-n", "20", "--json", "hello")
    drawn = figures(hearth.run(*line))
    again = figures(hearth.run(*line, "--seed", str(drawn["seed"])))
    other = figures(hearth.run(*line, "--seed", str(drawn["seed"] ^ 1)))
    assert again["text"] == drawn["text"]
    assert other["text"] != drawn["text"]


def test_temperature_0_needs_no_seed(hearth: HearthProcess, endless: Path) -> None:
    line = ("ask", "-m", endless, "-t", "1", "-n", "20", "--json", "--temp", "0", "hello")
    assert figures(hearth.run(*line, "--seed", "1"))["text"] == figures(hearth.run(*line, "--seed", "2"))["text"]


def test_a_dash_reads_standard_input(ask: Any) -> None:
    line = ("--json", "--seed", "1")
    given = figures(ask(*line, "Grüße, 世界"))
    piped = figures(ask(*line, "-", text="Grüße, 世界".encode()))
    assert piped["text"] == given["text"]
    assert piped["timings"]["prompt_n"] == given["timings"]["prompt_n"]


def test_bytes_that_are_no_text_are_no_bug(ask: Any) -> None:
    assert ask("-", text=b"a\xff\xfe").returncode == 0


def test_the_system_prompt_is_read(ask: Any) -> None:
    without = figures(ask("--json", "hello"))["timings"]["prompt_n"]
    assert figures(ask("--json", "--system", "Be brief.", "hello"))["timings"]["prompt_n"] > without


def test_an_answer_streams_and_an_interrupt_ends_it(hearth: HearthProcess, endless: Path) -> None:
    with hearth.start("ask", "-m", endless, "-t", "1", "--seed", "5", "hello") as child:
        assert child.stdout is not None
        assert child.stderr is not None
        first = child.stdout.read(1)
        assert child.poll() is None, "the whole answer came at once"
        child.send_signal(signal.SIGINT)
        text = first + child.stdout.read()
        assert child.stderr.read() == b""
        assert child.wait(10) == 130
    whole = hearth.run("ask", "-m", endless, "-t", "1", "--seed", "5", "-n", "50", "hello").stdout
    shared = min(len(text), len(whole)) - 1
    assert shared > 0
    assert text[:shared] == whole[:shared]
    assert text.endswith(b"\n")


@posix
def test_an_interrupt_before_the_prompt_is_read_is_quiet(hearth: HearthProcess) -> None:
    source, sink = os.pipe()
    script = "import os, signal, threading\n"
    script += "threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()"
    with open(source, "rb") as waiting, open(sink, "wb"):
        done = subprocess.run(
            hearth.command("ask", "-m", "x", "-", prologue=script),
            stdin=waiting,
            capture_output=True,
            cwd=Path(__file__).parents[2],
            env=hearth.environment(),
            timeout=30,
            check=False,
        )
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


@posix
def test_a_reader_that_has_seen_enough_ends_it_quietly(hearth: HearthProcess, endless: Path) -> None:
    with hearth.start("ask", "-m", endless, "-t", "1", "hello") as child:
        assert child.stdout is not None
        assert child.stderr is not None
        assert len(child.stdout.read(5)) > 0
        child.stdout.close()
        assert child.stderr.read() == b""
        assert child.wait(10) == 0


@posix
@pytest.mark.parametrize("line", [("ask", "--json", "-n", "3", "hello"), ("--help",)])
def test_a_reader_that_is_gone_is_met_as_quietly(hearth: HearthProcess, model: Path, line: tuple[str, ...]) -> None:
    source, sink = os.pipe()
    os.close(source)
    more = ("-m", model, "-t", "1") if line[0] == "ask" else ()
    with open(sink, "wb") as output:
        done = hearth.run(*line, *more, output=output)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs Linux's /dev/full")
@pytest.mark.parametrize("line", [("--json",), ()])
def test_a_full_disk_is_the_environments_fault(ask: Any, line: tuple[str, ...]) -> None:
    with open("/dev/full", "wb") as full:
        done = ask(*line, "hello", output=full)
    assert done.returncode == 1
    assert only_line(done).startswith("The output cannot be written: No space left on device.")


@posix
def test_without_an_output_it_ends_well(hearth: HearthProcess, model: Path) -> None:
    command = hearth.command("ask", "-m", model, "-t", "1", "-n", "3", "hello")
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" >&- <&-', "sh", *command],
        cwd=Path(__file__).parents[2],
        env=hearth.environment(),
        stderr=subprocess.PIPE,
        timeout=30,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")


@posix
def test_without_an_input_a_dash_is_told(hearth: HearthProcess, model: Path) -> None:
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" <&-', "sh", *hearth.command("ask", "-m", model, "-")],
        cwd=Path(__file__).parents[2],
        env=hearth.environment(),
        capture_output=True,
        timeout=30,
        check=False,
    )
    assert done.returncode == 1
    assert only_line(done) == "There is no standard input to read from. Write the prompt as an argument."


def test_a_poor_encoding_costs_characters_alone(hearth: HearthProcess, endless: Path) -> None:
    line = ("ask", "-m", endless, "-t", "1", "--seed", "5", "-n", "40", "hello")
    rich = hearth.run(*line)
    assert not rich.stdout.isascii(), "the answer should need more than ASCII"
    poor = hearth.run(*line, environ={"PYTHONIOENCODING": "ascii"})
    assert (poor.returncode, poor.stderr) == (0, b"")
    assert poor.stdout == rich.stdout.decode().encode("ascii", "replace")


def test_nothing_of_what_was_said_is_logged(hearth: HearthProcess, endless: Path) -> None:
    told = figures(hearth.run("ask", "-m", endless, "-t", "1", "-n", "30", "--json", "--seed", "5", SECRET))
    assert "Reused 0 of" in hearth.log
    assert "marmalade" not in hearth.log
    assert told["text"] not in hearth.log


def test_a_missing_file_is_one_sentence(hearth: HearthProcess, tmp_path: Path) -> None:
    done = hearth.run("ask", "-m", tmp_path / "no.gguf", "hi")
    assert (done.returncode, done.stdout) == (1, b"")
    assert "no.gguf is not there" in only_line(done)


def test_a_file_that_is_no_model_is_one_sentence(hearth: HearthProcess, tmp_path: Path) -> None:
    (tmp_path / "letter.gguf").write_text("Dear model,")
    done = hearth.run("ask", "-m", tmp_path / "letter.gguf", "hi")
    assert (done.returncode, done.stdout) == (1, b"")
    assert "letter.gguf is not a GGUF file" in only_line(done)


def test_no_model_at_all_is_one_sentence(hearth: HearthProcess) -> None:
    done = hearth.run("ask", "hi")
    assert done.returncode == 1
    assert only_line(done) == "No model was given. Name a GGUF file with -m FILE."


def test_the_windows_last_model_is_the_default(tmp_path: Path, model: Path) -> None:
    hearth = HearthProcess(tmp_path)
    (tmp_path / "settings.toml").write_text(f"[interface]\nlast_model = {json.dumps(str(model))}\n")
    assert hearth.run("ask", "-t", "1", "-n", "1", "hi").returncode == 0
    (tmp_path / "settings.toml").write_text('[interface]\nlast_model = "/gone/away.gguf"\n')
    done = hearth.run("ask", "hi")
    assert done.returncode == 1
    assert "away.gguf is not there any more" in only_line(done)


def test_damaged_settings_are_told_and_cost_no_answer(tmp_path: Path, model: Path) -> None:
    hearth = HearthProcess(tmp_path)
    (tmp_path / "settings.toml").write_text("[sampling]\ntemperature = 99.0\n")
    done = hearth.run("ask", "-m", model, "-t", "1", "-n", "1", "hi")
    assert done.returncode == 0
    assert done.stderr.decode().startswith("hearth: Temperature: 99.0 is above the largest value, 5.")


def test_an_empty_prompt_is_one_sentence(ask: Any) -> None:
    for done in (ask("  "), ask("-", text=b"\n")):
        assert done.returncode == 1
        assert only_line(done).startswith("There is nothing to ask.")


def test_a_prompt_that_does_not_fit_is_one_sentence(ask: Any) -> None:
    done = ask("-c", "64", "word " * 100)
    assert done.returncode == 1
    assert "the context holds" in only_line(done)


@pytest.mark.parametrize("option", [("--temp", "9"), ("-c", "-1"), ("--nonsense",)])
def test_wrong_usage_is_told_before_anything_is_loaded(hearth: HearthProcess, option: tuple[str, ...]) -> None:
    done = hearth.run("ask", "-m", "no.gguf", *option, "hi")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode().startswith("usage: hearth ask")
    assert "no.gguf" not in done.stderr.decode()


def test_a_bug_ends_with_70_and_its_traceback(ask: Any) -> None:
    prologue = (
        "import app.engine.reuse, app.engine.session\n"
        "def plan(*_): raise ZeroDivisionError('a bug')\n"
        "app.engine.session.plan = plan"
    )
    done = ask("hello", prologue=prologue)
    assert done.returncode == 70
    told = done.stderr.decode()
    assert "ZeroDivisionError: a bug" in told
    assert told.endswith("hearth: This is a fault in Hearth, not in what you did.\n")
