"""An answer as it grows: which of its tokens the shown text covers."""

import pytest

from app.engine.answer import Answer, PlainText

PIECES = [b"so ", b"\xff", b"\xff", b"\xc3", b"\xa9", b"", b"!\n", b"\n", b"User"]


@pytest.mark.parametrize(
    ("stop", "text", "count"),
    [
        ("\n\n", "so \ufffd\ufffdé!", 6),  # bytes that are no text are shown by more bytes than they are
        ("é", "so \ufffd\ufffd", 3),  # half of it is none of the shown text
        ("\ufffdé", "so \ufffd", 2),
        ("none", "so \ufffd\ufffdé!\n\nUser", 9),
    ],
)
def test_what_a_stop_string_cut_off_is_not_covered(stop: str, text: str, count: int) -> None:
    answer = Answer((stop,), PlainText())
    for token, piece in enumerate(PIECES):
        if not answer.is_over:
            answer.add(token, piece)
    answer.end()
    assert answer.text == text
    assert answer.covered_tokens() == tuple(range(count))
