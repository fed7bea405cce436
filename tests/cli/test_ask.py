import json
import os
import shutil
import signal
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import pytest

from app.core.resources import GUIDE_NAME
from tests.document_files import pdf
from tests.endless_model import make_repeating, make_saying
from tests.hearth_process import REPOSITORY, HearthProcess
from tests.office_files import docx, paragraph
from tests.tiny_models import dream

QUESTION = "Wo ist die Marmelade, 世界?"
posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals and pipes")
Done = subprocess.CompletedProcess[bytes]


class Ask(Protocol):
    def __call__(self, *arguments: str, **more: Any) -> Done: ...


@pytest.fixture(scope="module")
def ask(hearth: HearthProcess, endless: Path) -> Ask:
    """Asks the endless model for 20 tokens."""

    def ask(*arguments: str, **more: Any) -> Done:
        return hearth.run("ask", "-m", endless, "-t", "1", "-n", "20", *arguments, **more)

    return ask


@pytest.fixture(scope="module")
def answered(ask: Ask) -> Ask:
    """`ask`, which runs each command once for the whole module."""
    return cache(ask)


@pytest.fixture(scope="module")
def drawn(answered: Ask) -> dict[str, Any]:
    """The figures of an answer whose seed was drawn."""
    return figures(answered("--json", QUESTION))


def figures(done: Done) -> dict[str, Any]:
    assert (done.returncode, done.stderr) == (0, b"")
    parsed = json.loads(done.stdout)
    assert isinstance(parsed, dict)
    return parsed


def only_line(done: Done) -> str:
    """The one sentence on standard error."""
    [line] = done.stderr.decode().splitlines()
    assert line.startswith("hearth: ")
    return line.removeprefix("hearth: ")


def test_qt_is_really_not_there(hearth: HearthProcess) -> None:
    done = hearth.run("ask", "x", prologue="import PySide6")
    assert b"PySide6 is not importable" in done.stderr


def test_json_carries_the_text_and_all_figures(drawn: dict[str, Any], endless: Path) -> None:
    assert len(drawn["text"]) > 5
    assert drawn["finish_reason"] == "length"
    assert drawn["model"] == endless.stem
    assert drawn["seed"] >= 0
    timings = drawn["timings"]
    assert timings["cache_n"] == 0
    assert timings["prompt_n"] > len(QUESTION)
    assert timings["predicted_n"] == 20
    assert timings["prompt_ms"] > 0
    assert timings["predicted_per_second"] == pytest.approx(20_000 / timings["predicted_ms"], abs=0.01)
    # By a drawn seed the answer may repeat itself, and then it is drafted.
    assert 0 <= timings["draft_n_accepted"] <= timings["draft_n"] < 20


def test_a_seed_repeats_an_answer(answered: Ask, drawn: dict[str, Any]) -> None:
    done = answered("--seed", str(drawn["seed"]), QUESTION)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode() == drawn["text"] + "\n"


def test_another_seed_gives_another_answer(ask: Ask, drawn: dict[str, Any]) -> None:
    assert figures(ask("--seed", str(drawn["seed"] ^ 1), "--json", QUESTION))["text"] != drawn["text"]


def test_temperature_0_needs_no_seed(ask: Ask) -> None:
    one, two = (figures(ask("--temp", "0", "--json", QUESTION)) for _ in range(2))
    assert one["seed"] != two["seed"]
    assert one["text"] == two["text"]


def test_a_dash_reads_standard_input(ask: Ask, drawn: dict[str, Any]) -> None:
    piped = figures(ask("--json", "--seed", str(drawn["seed"]), "-", text=QUESTION.encode()))
    assert piped["text"] == drawn["text"]
    assert piped["timings"]["prompt_n"] == drawn["timings"]["prompt_n"]


def test_a_diffusion_model_is_one_sentence(hearth: HearthProcess, tmp_path: Path) -> None:
    done = hearth.run("ask", "-m", dream(tmp_path / "night.gguf"), "-t", "1", "x")
    assert (done.returncode, done.stdout) == (1, b"")
    assert only_line(done).startswith("night.gguf is a diffusion model")


def test_bytes_that_are_no_text_are_no_bug(ask: Ask) -> None:
    assert ask("-", text=b"a\xff\xfe").returncode == 0


def test_the_system_prompt_is_read(ask: Ask, drawn: dict[str, Any]) -> None:
    told = figures(ask("--json", "--system", "Be brief.", QUESTION))
    assert told["timings"]["prompt_n"] > drawn["timings"]["prompt_n"] + len("system")


def test_an_answer_streams_and_an_interrupt_ends_it(
    hearth: HearthProcess, endless: Path, answered: Ask, drawn: dict[str, Any]
) -> None:
    seed = str(drawn["seed"])
    with hearth.start("ask", "-m", endless, "-t", "1", "--seed", seed, QUESTION) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        first = child.stdout.read(1)
        assert child.poll() is None, "the whole answer came at once"
        child.send_signal(signal.SIGINT)
        text = first + child.stdout.read()
        assert child.stderr.read() == b""
        assert child.wait(60) == 130
    whole = answered("--seed", seed, QUESTION).stdout
    shared = min(len(text), len(whole)) - 1
    assert shared > 0
    assert text[:shared] == whole[:shared]
    assert text.endswith(b"\n")


@posix
def test_an_interrupt_before_the_prompt_is_read_is_quiet(hearth: HearthProcess) -> None:
    # The interrupt comes from the very call that waits for standard input.
    prologue = (
        "import os, signal, sys\n"
        "class Waiting:\n"
        "    def read(self): os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.stdin = Waiting()"
    )
    done = hearth.run("ask", "-m", "x", "-", prologue=prologue)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


@posix
def test_a_reader_that_has_seen_enough_ends_it_quietly(hearth: HearthProcess, endless: Path) -> None:
    with hearth.start("ask", "-m", endless, "-t", "1", "hello") as child:
        assert child.stdout is not None
        assert child.stderr is not None
        assert len(child.stdout.read(5)) > 0
        child.stdout.close()
        assert child.stderr.read() == b""
        assert child.wait(60) == 0


@posix
@pytest.mark.parametrize("line", [("ask", "--json", "-n", "3", "hello"), ("--help",)])
def test_a_reader_that_is_gone_is_met_as_quietly(hearth: HearthProcess, endless: Path, line: tuple[str, ...]) -> None:
    source, sink = os.pipe()
    os.close(source)
    more = ("-m", endless, "-t", "1") if line[0] == "ask" else ()
    with os.fdopen(sink, "wb") as output:
        done = hearth.run(*line, *more, output=output)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs Linux's /dev/full")
def test_a_full_disk_is_the_environments_fault(ask: Ask) -> None:
    with Path("/dev/full").open("wb") as full:
        done = ask("hello", output=full)
    assert done.returncode == 1
    assert only_line(done) == "The output cannot be written: No space left on device. Send it somewhere else."


@posix
def test_without_an_output_it_ends_well(hearth: HearthProcess, endless: Path) -> None:
    done = through_shell(hearth, '"$@" >&- <&-', "ask", "-m", endless, "-t", "1", "-n", "3", "hello")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@posix
def test_without_an_input_a_dash_is_told(hearth: HearthProcess) -> None:
    done = through_shell(hearth, '"$@" <&-', "ask", "-m", "x", "-")
    assert done.returncode == 1
    assert only_line(done) == "There is no standard input to read from. Write the prompt as an argument."


def through_shell(hearth: HearthProcess, line: str, *arguments: str | Path) -> Done:
    return subprocess.run(
        ["sh", "-c", f"exec {line}", "sh", *hearth.command(*arguments)],
        cwd=REPOSITORY,
        env=hearth.environment(),
        capture_output=True,
        timeout=60,
        check=False,
    )


def test_a_poor_encoding_costs_characters_alone(ask: Ask, answered: Ask, drawn: dict[str, Any]) -> None:
    line = ("--seed", str(drawn["seed"]), QUESTION)
    poor = ask(*line, environ={"PYTHONIOENCODING": "ascii"})
    assert (poor.returncode, poor.stderr) == (0, b"")
    rich = answered(*line).stdout.decode()
    assert not rich.isascii(), "the answer should need more than ASCII"
    assert poor.stdout == rich.encode("ascii", "replace")


def test_nothing_of_what_was_said_is_logged(hearth: HearthProcess, drawn: dict[str, Any]) -> None:
    assert "Reused 0 of" in hearth.log
    assert "Marmelade" not in hearth.log
    assert drawn["text"] not in hearth.log


@pytest.mark.parametrize(("content", "told"), [(None, "is not there"), (b"Dear model,", "is not a GGUF file")])
def test_a_file_that_is_no_model_is_one_sentence(
    hearth: HearthProcess, tmp_path: Path, content: bytes | None, told: str
) -> None:
    model = tmp_path / "letter.gguf"
    if content is not None:
        model.write_bytes(content)
    done = hearth.run("ask", "-m", model, "hi")
    assert (done.returncode, done.stdout) == (1, b"")
    assert f"letter.gguf {told}" in only_line(done)


def test_without_a_model_the_built_in_one_answers(hearth: HearthProcess) -> None:
    done = hearth.run("ask", "-t", "1", "--json", "hi")
    assert figures(done)["model"] == GUIDE_NAME


def test_no_model_at_all_is_one_sentence(hearth: HearthProcess) -> None:
    prologue = "from pathlib import Path\nfrom app.core import resources\nresources.GUIDE = Path('/nowhere.gguf')"
    done = hearth.run("ask", "hi", prologue=prologue)
    assert done.returncode == 1
    assert only_line(done) == "No model was given. Name a GGUF file with -m FILE."


def test_the_windows_last_model_is_the_default_and_damaged_settings_cost_no_answer(
    hearth: HearthProcess, tmp_path: Path, endless: Path, drawn: dict[str, Any]
) -> None:
    shutil.copy(hearth.home / "tried-models.json", tmp_path)
    settings = f"[interface]\nlast_model = {json.dumps(str(endless))}\n[sampling]\ntemperature = 99.0\n"
    (tmp_path / "settings.toml").write_text(settings)
    done = HearthProcess(tmp_path).run("ask", "-t", "1", "-n", "1", "hi")
    assert done.returncode == 0
    told = done.stderr.decode()
    assert told.startswith("hearth: Temperature: 99.0 is above the largest value, 5. The default is used.")
    assert "Traceback" not in told


def test_an_empty_prompt_is_one_sentence(ask: Ask) -> None:
    done = ask("-", text=b" \n")
    assert done.returncode == 1
    assert only_line(done).startswith("There is nothing to ask.")


def test_a_prompt_that_does_not_fit_is_one_sentence(ask: Ask) -> None:
    done = ask("-c", "64", "word " * 100)
    assert (done.returncode, done.stdout) == (1, b"")
    assert "the context holds" in only_line(done)


def test_wrong_usage_is_told_before_anything_is_loaded(hearth: HearthProcess) -> None:
    done = hearth.run("ask", "-m", "no.gguf", "--temp", "9", "hi")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode().startswith("usage: hearth ask")
    assert "no.gguf" not in done.stderr.decode()


def test_a_bug_ends_with_70_and_its_traceback(ask: Ask) -> None:
    prologue = (
        "from app.engine.reply.session import Session\n"
        "def reply(*_): raise ZeroDivisionError('a bug')\nSession.reply = reply"
    )
    done = ask("hello", prologue=prologue)
    assert done.returncode == 70
    told = done.stderr.decode()
    assert "ZeroDivisionError: a bug" in told
    assert told.endswith("hearth: This is a fault in Hearth, not in what you did.\n")


def test_an_answer_that_only_repeats_itself_is_stopped_with_a_sentence(hearth: HearthProcess, tmp_path: Path) -> None:
    model = make_repeating(tmp_path / "repeating.gguf")
    arguments = ("ask", "-m", model, "-t", "1", "-n", "800", "--temp", "0", "hello")
    stopped = hearth.run(*arguments)
    assert stopped.returncode == 0
    assert only_line(stopped).startswith("The answer only repeated itself, so it was stopped.")
    assert 600 <= len(stopped.stdout) < 700
    whole = hearth.run(*arguments, "--no-stop-repetition")
    assert (whole.returncode, whole.stderr) == (0, b"")
    assert whole.stdout.startswith(stopped.stdout.rstrip())
    assert len(whole.stdout.rstrip()) == 800


def test_a_document_that_is_too_long_goes_by_its_best_passages(
    hearth: HearthProcess, tiny_models: dict[str, Path], tmp_path: Path
) -> None:
    pages = [f"Chapter {n}. River, stone and bridge. " * 4 for n in range(1, 30)]
    pages[16] = "The gauge measured 37 cm of rain."
    (tmp_path / "record.pdf").write_bytes(pdf(*pages))
    options = ("-m", tiny_models["llama"], "-t", "1", "-n", "5", "-c", "2048", "How much rain, by the gauge?")
    asked = hearth.run("ask", "-d", tmp_path / "record.pdf", *options)
    told = asked.stderr.decode()
    assert asked.returncode == 0 and "best passages are read: record.pdf" in told
    assert "Looked at [1] record.pdf, page 17" in told


def test_what_has_no_words_of_the_question_is_begun_and_said_so(
    hearth: HearthProcess, tiny_models: dict[str, Path], tmp_path: Path
) -> None:
    words = ["river", "stone", "bridge", "water", "field", "morning", "village", "road"]
    pages = (f"Of {first} and {second}. " * 8 for first in words for second in words if first != second)
    (tmp_path / "record.pdf").write_bytes(pdf(*pages))
    options = ("-m", tiny_models["llama"], "-t", "1", "-n", "5", "-c", "2048", "Zusammenfassung?")
    told = hearth.run("ask", "-d", tmp_path / "record.pdf", *options).stderr.decode()
    assert "Nothing in record.pdf has words of the question, so the first 1 passages of record.pdf are read." in told
    assert "Looked at [1] record.pdf, page 1\n" in told.replace("\r", "")


def test_pages_of_a_document_that_goes_whole_are_cited(hearth: HearthProcess, tmp_path: Path) -> None:
    model = make_saying(tmp_path / "says.gguf", "Wind [2].")
    (tmp_path / "year.pdf").write_bytes(pdf("It rains in May.", "Wind blows in autumn."))
    asked = hearth.run("ask", "-m", model, "-t", "1", "-d", tmp_path / "year.pdf", "What blows?")
    assert (asked.returncode, asked.stdout.decode().strip()) == (0, "Wind [2].")
    assert asked.stderr.decode().splitlines() == ["hearth: [2] year.pdf, page 2"]


def test_documents_go_with_the_prompt(hearth: HearthProcess, tiny_models: dict[str, Path], tmp_path: Path) -> None:
    (tmp_path / "a.docx").write_bytes(docx(paragraph("alpha beta " * 20)))
    options = ("-m", tiny_models["llama"], "-t", "1", "-n", "2", "--json", "what is it?")
    alone = hearth.run("ask", *options)
    read = hearth.run("ask", "-d", tmp_path / "a.docx", *options)
    assert (read.returncode, read.stderr) == (0, b"")
    more = [json.loads(done.stdout)["timings"]["prompt_n"] for done in (alone, read)]
    assert more[1] > more[0] + 40
    (tmp_path / "a.docx").write_bytes(b"PK\x03\x04")
    refused = hearth.run("ask", "-d", tmp_path / "a.docx", *options)
    assert refused.returncode == 1
    assert refused.stderr.decode().strip().endswith("a.docx is damaged, or not what its name says; use another copy.")
