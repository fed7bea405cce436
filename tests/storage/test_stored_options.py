"""What commands read of a model's options, past the window that may be open."""

from pathlib import Path

from app.core.loading import Loading
from app.core.model_options import ModelOptions
from app.core.model_ref import ModelRef
from app.storage.database import Database
from app.storage.model_options import stored_options
from app.storage.options import OptionsStore, Scope

MODEL = ModelRef.of_file(Path("/models/Rain-8B.gguf"))


def test_what_the_window_keeps_is_read_while_it_is_open(tmp_path: Path) -> None:
    path = tmp_path / "hearth.sqlite3"
    with Database.open(path) as database:
        OptionsStore(database).put(Scope.MODEL, "Rain-8B", {"loading": {"ctx_size": 512}, "notes": "x"})
        assert stored_options(path, MODEL) == ModelOptions({Loading: {"ctx_size": 512}}, notes="x")
        assert stored_options(path, ModelRef.of_file(Path("/models/Other.gguf"))) == ModelOptions()
    assert stored_options(path, MODEL).of(Loading) == {"ctx_size": 512}


def test_nothing_is_made_where_nothing_is(tmp_path: Path) -> None:
    assert stored_options(tmp_path / "hearth.sqlite3", MODEL) == ModelOptions()
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_cannot_be_read_costs_the_options_alone(tmp_path: Path) -> None:
    path = tmp_path / "hearth.sqlite3"
    path.write_bytes(b"no database" * 1000)
    assert stored_options(path, MODEL) == ModelOptions()
    assert path.read_bytes() == b"no database" * 1000


def test_damaged_values_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "hearth.sqlite3"
    with Database.open(path) as database:
        for value in ("{", "[1]", '{"loading": 3}'):
            OptionsStore(database).put(Scope.MODEL, "Rain-8B", {"favourite": True})
            database.execute("UPDATE options SET value = ?", (value,))
            assert stored_options(path, MODEL) == ModelOptions()
