"""`hearth ask --state` and `--save-state`: a conversation over several commands; each reads only what is new."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_ask import Done, only_line
from tests.cli.test_ask_pictures import Pairs
from tests.cli.test_ask_pictures import picture as picture
from tests.hearth_process import HearthProcess

QUESTION = "the river runs through the valley, and nobody asks it why. " * 3


def ask(hearth: HearthProcess, model: Path, *arguments: str | Path) -> Done:
    return hearth.run("ask", "-m", model, "-t", "1", "-n", "12", "--temp", "0", "--json", *arguments)


def told(done: Done) -> dict[str, Any]:
    assert (done.returncode, done.stderr) == (0, b"")
    parsed: dict[str, Any] = json.loads(done.stdout)
    return parsed


@pytest.mark.parametrize("family", ["llama", "gemma3", "mamba"])
def test_a_conversation_goes_on_from_its_file(
    family: str, hearth: HearthProcess, tiny_models: dict[str, Path], tmp_path: Path
) -> None:
    model, first, second = tiny_models[family], tmp_path / "a.hearthstate", tmp_path / "b.hearthstate"
    began = told(ask(hearth, model, "--save-state", first, QUESTION))["timings"]
    followed = told(ask(hearth, model, "--state", first, "--save-state", second, "and then?"))
    assert followed["timings"]["cache_n"] >= began["prompt_n"] + began["predicted_n"] - 1
    assert followed["timings"]["prompt_n"] < 40
    ended = told(ask(hearth, model, "--state", second, "and at last?"))
    assert ended["timings"]["cache_n"] > followed["timings"]["cache_n"] + 20
    home = HearthProcess(tmp_path / "home")
    elsewhere = told(ask(home, model, "--state", second, "and at last?"))
    assert (elsewhere["text"], elsewhere["timings"]["cache_n"]) == (ended["text"], ended["timings"]["cache_n"])


def test_pictures_go_along(hearth: HearthProcess, seeing_models: Pairs, picture: Path, tmp_path: Path) -> None:
    model, mmproj = seeing_models["llava"]
    state = tmp_path / "a.hearthstate"
    seen = told(ask(hearth, model, "--mmproj", mmproj, "-i", picture, "--save-state", state, QUESTION))
    picture.unlink()
    home = HearthProcess(tmp_path / "home")
    again = told(ask(home, model, "--mmproj", mmproj, "--state", state, "and then?"))
    assert again["timings"]["cache_n"] >= seen["timings"]["prompt_n"]


def test_what_is_wrong_is_one_sentence(hearth: HearthProcess, tiny_models: dict[str, Path], tmp_path: Path) -> None:
    state = tmp_path / "a.hearthstate"
    model = tiny_models["llama"]
    told(ask(hearth, model, "--save-state", state, QUESTION))
    cold = ask(hearth, tiny_models["moe"], "--state", state, "and then?")
    assert (cold.returncode, json.loads(cold.stdout)["timings"]["cache_n"]) == (0, 0)
    assert json.loads(cold.stdout)["timings"]["prompt_n"] > 60, "the conversation was read anew"
    assert only_line(cold).endswith("so the conversation is read anew.")
    data = bytearray(state.read_bytes())
    data[-99] ^= 1
    state.write_bytes(data)
    damaged = ask(hearth, model, "--state", state, "and then?")
    assert json.loads(damaged.stdout)["timings"]["prompt_n"] > 60
    assert only_line(damaged) == "a.hearthstate is damaged, so the conversation is read anew."
    state.write_bytes(b"something else")
    refused = ask(hearth, model, "--state", state, "and then?")
    assert (refused.returncode, refused.stdout) == (1, b"")
    assert only_line(refused) == "a.hearthstate is damaged, or no state of a conversation."
    unwritten = ask(hearth, model, "--save-state", tmp_path / "none" / "a.hearthstate", "hi")
    assert unwritten.returncode == 1
    assert "can't be written" in only_line(unwritten)
