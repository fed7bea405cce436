"""What is set for one model or one conversation wins over what holds for all."""

import pytest

from app.core.overflow import Overflow
from app.core.sampling import Sampling
from app.services.chat.conversation_options import ConversationOptions
from app.services.chat.notices import ChatNotices
from app.storage.database import Database
from app.storage.options import OptionsStore, Scope


@pytest.fixture
def options(database: Database) -> ConversationOptions:
    return ConversationOptions(OptionsStore(database), ChatNotices())


def test_the_conversation_wins_over_the_model_and_the_model_over_the_rest(options: ConversationOptions) -> None:
    base = Sampling(top_k=1, top_p=0.5, min_p=0.3)
    options.set_sampling_of_model("m", {"top_k": 2, "top_p": 0.6})
    options.set_sampling_of_conversation(7, {"top_k": 3})
    merged = options.sampling(base, "m", 7)
    assert (merged.top_k, merged.top_p, merged.min_p) == (3, 0.6, 0.3)
    assert options.sampling(base, "another", 8) == base


def test_what_is_no_setting_or_out_of_bounds_is_left_out(options: ConversationOptions, database: Database) -> None:
    values = {"sampling": {"top_k": -5, "nonsense": 1, "top_p": 0.4}, "overflow": "whatever"}
    OptionsStore(database).put(Scope.CONVERSATION, "7", values)
    assert options.sampling_of_conversation(7) == {"top_p": 0.4}
    assert options.overflow(7) is Overflow.STOP


def test_a_new_conversation_takes_what_was_set_before_its_first_message(options: ConversationOptions) -> None:
    options.set_overflow(None, Overflow.DROP_MIDDLE)
    options.set_sampling_of_conversation(None, {"top_k": 9})
    assert options.overflow(None) is Overflow.DROP_MIDDLE
    options.stored(4)
    assert options.overflow(4) is Overflow.DROP_MIDDLE
    assert options.sampling_of_conversation(4) == {"top_k": 9}
    assert options.overflow(None) is Overflow.STOP


def test_an_empty_mapping_clears(options: ConversationOptions, database: Database) -> None:
    options.set_sampling_of_model("m", {"top_k": 2})
    options.set_sampling_of_model("m", {})
    assert options.sampling_of_model("m") == {}
    assert not database.query("SELECT * FROM options", ())
