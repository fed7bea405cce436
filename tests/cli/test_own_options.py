"""What the window keeps for one model holds for the commands too; the command line wins."""

import json
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.core.model_options import key_of
from app.core.model_ref import ModelRef
from app.core.paths import Paths
from app.storage.database import Database
from app.storage.options import OptionsStore, Scope
from tests.hearth_process import HearthProcess
from tests.serve_process import serving
from tests.tiny_adapters import make_adapter


@pytest.fixture
def windowed(tmp_path: Path) -> Iterator[HearthProcess]:
    """The program, with a Qt that the server needs."""
    (tmp_path / "hearth").mkdir()
    yield HearthProcess(tmp_path / "hearth", qt=True)


def keep(hearth: HearthProcess, model: Path, **values: object) -> None:
    """As the window does, which is closed by now."""
    home = hearth.home
    with Database.open(Paths(home, home, home / "logs").database) as database:
        OptionsStore(database).put(Scope.MODEL, key_of(ModelRef.of_file(model)), values)


def ask(hearth: HearthProcess, model: Path, *more: str) -> dict[str, Any]:
    done = hearth.run("ask", "-m", model, "-t", "1", "--temp", "0", "--json", *more, "the rain")
    assert (done.returncode, done.stderr) == (0, b"")
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def test_ask_samples_and_loads_as_is_set_for_the_model(
    hearth: HearthProcess, tiny_models: dict[str, Path], tmp_path: Path
) -> None:
    model = tiny_models["llama"]
    plain = ask(hearth, model, "-n", "12")
    adapter = make_adapter(tmp_path / "style.gguf")
    keep(hearth, model, sampling={"max_tokens": 5}, loading={"ctx_size": 64}, adapters=[])
    few = ask(hearth, model)
    assert few["timings"]["predicted_n"] == 5
    assert plain["text"].startswith(few["text"])
    assert ask(hearth, model, "-n", "12")["text"] == plain["text"], "the command line wins"
    long = hearth.run("ask", "-m", model, "-t", "1", "the rain in the mountains " * 20)
    assert long.returncode == 1
    assert b"the context holds" in long.stderr
    assert hearth.run("ask", "-m", model, "-t", "1", "-c", "1024", "the rain in the mountains " * 20).returncode == 0
    keep(hearth, model, adapters=[{"path": str(adapter), "scale": 1.0}])
    assert ask(hearth, model, "-n", "12")["text"] != plain["text"]
    keep(hearth, model, adapters=[{"path": str(tmp_path / "gone.gguf"), "scale": 1.0}])
    done = hearth.run("ask", "-m", model, "-t", "1", "-n", "2", "x")
    assert done.returncode == 0
    assert b"gone.gguf is not there any more" in done.stderr


def test_serve_offers_the_model_as_it_is_set(
    windowed: HearthProcess, tiny_models: dict[str, Path], tmp_path: Path
) -> None:
    model = tiny_models["llama"]
    adapter = make_adapter(tmp_path / "style.gguf")
    own = {"sampling": {"max_tokens": 4}, "loading": {"ctx_size": 512, "idle_unload": 60}}
    keep(windowed, model, **own, adapters=[{"path": str(adapter), "scale": 1.0}])
    with serving(windowed, "-m", model, "-t", "1", "--temp", "0") as server:
        assert _get(f"{server.address}/models")["data"][0]["meta"]["n_ctx"] == 512
        with_it = _complete(server.address)
        server.stop()
    assert with_it["usage"]["completion_tokens"] == 4
    keep(windowed, model, **own)
    with serving(windowed, "-m", model, "-t", "1", "--temp", "0", "-c", "1024", "-n", "6") as server:
        assert _get(f"{server.address}/models")["data"][0]["meta"]["n_ctx"] == 1024
        without = _complete(server.address)
        server.stop()
    assert without["usage"]["completion_tokens"] == 6
    assert not without["choices"][0]["text"].startswith(with_it["choices"][0]["text"])


def _complete(address: str) -> Any:
    return _get(f"{address}/completions", json.dumps({"prompt": "the rain", "echo": False, "seed": 1}).encode())


def _get(url: str, body: bytes | None = None) -> Any:
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as response:
        return json.loads(response.read())
