from pathlib import Path

import pytest

from tests.hearth_process import HearthProcess

STEPS = ["program", "llama.cpp", "store", "preflight", "model", "picture", "window"]


def lines(output: bytes) -> dict[str, str]:
    """What was said of each step: {"store": "ok", ...}."""
    told = [line.split(maxsplit=2) for line in output.decode().splitlines()[:-1] if not line.startswith(" ")]
    return {name.rstrip(":"): word for word, name, *_ in told}


def test_a_whole_copy_passes_and_leaves_the_users_files_alone(tmp_path: Path) -> None:
    done = HearthProcess(tmp_path).run("selftest")
    assert (done.returncode, done.stderr) == (0, b"")
    assert lines(done.stdout) == dict.fromkeys(STEPS, "ok")
    assert "window: not tried, because Qt is not installed" in done.stdout.decode()
    assert done.stdout.decode().endswith("All of it works.\n")
    assert {each.name for each in tmp_path.rglob("*")} == {"logs", "hearth.log"}


@pytest.mark.parametrize("family", ["gemma3", "qwen35"])
def test_a_model_that_keeps_less_passes_too(hearth: HearthProcess, tiny_models: dict[str, Path], family: str) -> None:
    done = hearth.run("selftest", "-m", tiny_models[family], "-t", "1")
    assert (done.returncode, done.stderr) == (0, b""), done.stdout
    assert lines(done.stdout)["model"] == "ok"


def test_a_damaged_model_fails(hearth: HearthProcess, tiny_models: dict[str, Path], tmp_path: Path) -> None:
    whole = tiny_models["llama"].read_bytes()
    (tmp_path / "half.gguf").write_bytes(whole[: len(whole) // 2])
    done = hearth.run("selftest", "-m", tmp_path / "half.gguf", "-t", "1")
    assert done.returncode == 1
    assert lines(done.stdout) == {**dict.fromkeys(STEPS, "ok"), "preflight": "FAILED", "model": "FAILED"}
    assert "half.gguf is cut off or damaged." in done.stdout.decode()
    assert done.stdout.decode().endswith("Not working: preflight, model.\n")
    assert b"Traceback" not in done.stdout + done.stderr


def test_a_store_that_forgets_fails_also_in_an_optimised_copy(hearth: HearthProcess) -> None:
    prologue = "from app.storage.conversations import ConversationStore\nConversationStore.path = lambda *_: ()"
    done = hearth.run("selftest", prologue=prologue, python=("-O",))
    assert done.returncode == 1
    assert lines(done.stdout) == {**dict.fromkeys(STEPS, "ok"), "store": "FAILED"}


def test_a_step_that_breaks_is_a_line_and_its_traceback(hearth: HearthProcess) -> None:
    prologue = "from app.storage.database import Database\ndel Database.open"
    done = hearth.run("selftest", prologue=prologue)
    assert done.returncode == 1
    assert lines(done.stdout) == {**dict.fromkeys(STEPS, "ok"), "store": "FAILED"}
    assert b"AttributeError" in done.stderr


def test_wrong_usage(hearth: HearthProcess) -> None:
    done = hearth.run("selftest", "-t", "1000")
    assert done.returncode == 2
    assert b"Threads: 1000 is above the largest value, 512." in done.stderr
