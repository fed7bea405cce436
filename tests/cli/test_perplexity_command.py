"""`hearth perplexity`, as its users run it."""

from pathlib import Path

import pytest

from tests import tiny_models
from tests.cli.test_ask import Done, figures, only_line, posix
from tests.engine.reply.test_perplexity import TEXT
from tests.hearth_process import HearthProcess

EXACT = ("-t", "1", "-fa", "off", "-ctk", "f32", "-ctv", "f32", "-c", "1024")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "llama.gguf"
    tiny_models.llama(path)
    return path


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text(TEXT + "\n", "utf-8")
    return path


def run(hearth: HearthProcess, model: Path, *arguments: str | Path, text: bytes | None = None) -> Done:
    return hearth.run("perplexity", "-m", model, *EXACT, *arguments, text=text)


def test_a_file_has_the_figures_of_llama_perplexity(hearth: HearthProcess, model: Path, text: Path) -> None:
    told = figures(run(hearth, model, "--json", text))
    assert told["perplexity"] == pytest.approx(1942.4704, rel=1e-6)
    assert told["error"] == pytest.approx(105.53955, rel=1e-5)
    assert (told["model"], told["n_tokens"], told["n_scored"], told["n_windows"]) == ("llama", 2144, 1020, 4)
    strided = run(hearth, model, "--ppl-stride", "128", "-", text=TEXT.encode() + b"\n")
    assert strided.stdout.startswith(b"perplexity 1874.856")
    assert strided.stdout.endswith(b"(1,664 of 2,144 tokens scored in 13 windows of 512, strided by 128)\n")


def test_each_token_is_told(hearth: HearthProcess, model: Path, tmp_path: Path) -> None:
    short = tmp_path / "short.txt"
    short.write_bytes("the river\n runs, 世\n".encode())
    told = figures(run(hearth, model, "--json", "--tokens", short))
    tokens = told["tokens"]
    assert b"".join(bytes(each["bytes"]) for each in tokens) == "<s>the river\n runs, 世".encode()
    assert (tokens[0]["logprob"], told["window"], told["n_scored"]) == (None, 0, len(tokens) - 1)
    mean = sum(-each["logprob"] for each in tokens[1:]) / (len(tokens) - 1)
    assert told["loss"] == pytest.approx(mean)
    *lines, last = run(hearth, model, "--tokens", short).stdout.decode().splitlines()
    assert len(lines) == len(tokens)
    assert lines[0].split()[0] == "-"
    assert lines[1].split()[0] == f"{tokens[1]['logprob']:.6f}"
    assert last.startswith(f"perplexity {told['perplexity']:.4f} ")


def test_what_can_not_be_scored_is_told_in_a_sentence(hearth: HearthProcess, model: Path, tmp_path: Path) -> None:
    picture = tmp_path / "no.txt"
    picture.write_bytes(b"\x89PNG\xff")
    assert only_line(run(hearth, model, picture)) == f"{picture} is no text in UTF-8."
    missing = run(hearth, model, tmp_path / "none.txt")
    assert missing.returncode == 1
    assert "can't be read" in only_line(missing)
    empty = run(hearth, model, "-", text=b"\n")
    assert (empty.returncode, only_line(empty)[:23]) == (1, "There is too little tex")
    stride = run(hearth, model, "--window", "64", "--stride", "64", "-", text=TEXT.encode())
    assert "must be shorter" in only_line(stride)


@posix
def test_an_interrupt_ends_it_before_the_text_does(hearth: HearthProcess, model: Path) -> None:
    # It comes from the very call that tells of progress.
    prologue = (
        "import os, signal\n"
        "from app.cli import models\n"
        "due = ['Reading 1,0', 'Reading 0']\n"
        "def say(self, text):\n"
        "    assert not text.startswith('Reading 1,5'), 'it went on'\n"
        "    if text.startswith(due[-1]) and due.pop().endswith('1,0'):\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "models.ProgressLine.say = say"
    )
    done = hearth.run("perplexity", "-m", model, *EXACT, "-", text=TEXT.encode(), prologue=prologue)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")
