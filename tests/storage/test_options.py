"""Options of one conversation or one model."""

from pathlib import Path

import pytest

from app.core.loading import Loading
from app.core.model_options import ModelOptions
from app.core.model_ref import ModelRef
from app.storage.conversations import ConversationStore
from app.storage.database import Database
from app.storage.model_options import stored_options
from app.storage.options import OptionsStore, Scope


@pytest.fixture
def options(database: Database) -> OptionsStore:
    return OptionsStore(database)


def test_what_is_put_is_found_and_an_empty_one_removes_it(options: OptionsStore) -> None:
    assert options.get(Scope.MODEL, "a") == {}
    options.put(Scope.MODEL, "a", {"sampling": {"top_k": 3}})
    options.put(Scope.CONVERSATION, "a", {"overflow": "stop"})
    assert options.get(Scope.MODEL, "a") == {"sampling": {"top_k": 3}}
    options.put(Scope.MODEL, "a", {"other": 1})
    assert options.get(Scope.MODEL, "a") == {"other": 1}
    options.put(Scope.MODEL, "a", {})
    assert options.get(Scope.MODEL, "a") == {}
    assert options.get(Scope.CONVERSATION, "a") == {"overflow": "stop"}


@pytest.mark.parametrize("damaged", ["", "{", "[1]", "null"])
def test_damage_is_nothing(damaged: str, options: OptionsStore, database: Database) -> None:
    database.execute("INSERT INTO options (scope, name, value) VALUES ('model', 'a', ?)", (damaged,))
    assert options.get(Scope.MODEL, "a") == {}


def test_a_purged_conversation_takes_its_options_along(options: OptionsStore, database: Database) -> None:
    store = ConversationStore(database, clock=lambda: 1000.0)
    conversation = store.create("x")
    options.put(Scope.CONVERSATION, str(conversation.id), {"overflow": "drop_oldest"})
    options.put(Scope.MODEL, str(conversation.id), {"a": 1})
    store.delete(conversation.id)
    assert options.get(Scope.CONVERSATION, str(conversation.id))
    store.purge_deleted(0.0)
    assert options.get(Scope.CONVERSATION, str(conversation.id)) == {}
    assert options.get(Scope.MODEL, str(conversation.id)) == {"a": 1}


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
