"""An answer as it grows: which of its tokens the shown text covers."""

import pytest

from app.engine.output.parser import OutputParser
from app.engine.reply.answer import Answer, PlainText
from tests.engine.output.outputs import TOOLS, family

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


@pytest.mark.parametrize(("stops", "cut"), [((), True), (("no",), False)])
def test_another_call_is_no_text_where_a_limit_or_a_stop_string_ends_it(stops: tuple[str, ...], cut: bool) -> None:
    answer = Answer(stops, OutputParser(family("hermes"), tools=TOOLS))
    for token, piece in enumerate((b'<tool_call>{"name": "weather"}</tool_call>', b'\n<tool_call>\n{"name": "no')):
        answer.add(token, piece)
    answer.end(cut=cut)
    assert answer.text == ""
    assert [each.name for each in answer.tool_calls] == ["weather"]
