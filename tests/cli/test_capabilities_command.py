"""`hearth models -m FILE`: what the engine finds that a model can do."""

import json
from pathlib import Path

from tests.hearth_process import HearthProcess


def test_a_model_tells_what_it_can_do(hearth: HearthProcess, tiny_models: dict[str, Path]) -> None:
    done = hearth.run("models", "-m", tiny_models["gemma3"], "-t", "1")
    assert (done.returncode, done.stderr) == (0, b"")
    name, *lines = done.stdout.decode().splitlines()
    assert name == "gemma3"
    assert "    sees pictures: no" in lines
    assert "    memory: sliding-window" in lines
    assert "    guesses with: ngram" in lines
    told = json.loads(hearth.run("models", "--json", "-m", tiny_models["mamba"], "-t", "1").stdout)
    assert (told["name"], told["capabilities"]["memory"], told["capabilities"]["states"]) == (
        "mamba",
        "recurrent",
        True,
    )
