"""Options of one conversation or one model."""

import pytest

from app.storage.conversations import ConversationStore
from app.storage.database import Database
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
