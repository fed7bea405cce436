import pickle

import pytest

from app.core.errors import ContextFullError, ModelError, UserError


@pytest.mark.parametrize("kind", [UserError, ModelError, ContextFullError])
def test_an_error_crosses_processes_whole(kind: type[UserError]) -> None:
    error = kind("It is broken.", detail="line 1\nline 2")
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is kind
    assert (copy.sentence, copy.detail) == ("It is broken.", "line 1\nline 2")


def test_what_an_error_was_made_of_crosses_with_it() -> None:
    error = ContextFullError("{what} has {size:,} tokens.", what="{This}", size=4096, n_tokens=4096)
    copy = pickle.loads(pickle.dumps(error))
    assert copy.sentence == "{This} has 4,096 tokens."
    assert vars(copy.sentence) == vars(error.sentence)
    assert copy.n_tokens == 4096


def test_an_error_reads_as_its_sentence() -> None:
    error = ModelError("It is broken.")
    assert str(error) == "It is broken."
    assert error.detail == ""
    assert isinstance(error, UserError)


def test_the_log_gets_the_details_that_there_are() -> None:
    assert ModelError("It is broken.", detail="tensor 7").logged == "It is broken. (tensor 7)"
    assert ModelError("It is broken.").logged == "It is broken."
