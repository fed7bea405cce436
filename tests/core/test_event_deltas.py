from app.core.events import (
    Delta,
    DeltaKind,
    LikelyToken,
    TextDelta,
    TokenLogprob,
    ToolCallDelta,
    grow_calls,
    joined_deltas,
)
from app.core.messages import ToolCall

THOUGHT = TextDelta("c", 3, DeltaKind.REASONING)
BEGAN, MORE = ToolCallDelta(0, "c1", "f", "", 4), ToolCallDelta(0, arguments="{}", predicted_n=5)


def test_neighbours_of_one_kind_become_one() -> None:
    one, two = (TokenLogprob(LikelyToken(n, b"x", -1.0)) for n in (1, 2))
    texts = TextDelta("a", 1, logprobs=(one,)), TextDelta("b", 2, logprobs=(two,))
    assert joined_deltas(texts) == [TextDelta("ab", 2, logprobs=(one, two))]
    assert joined_deltas((*texts, THOUGHT, THOUGHT))[1:] == [TextDelta("cc", 3, DeltaKind.REASONING)]
    assert joined_deltas((BEGAN, MORE)) == [ToolCallDelta(0, "c1", "f", "{}", 5)]
    assert joined_deltas(()) == []


def test_others_stay_apart_and_in_order() -> None:
    apart: list[Delta] = [THOUGHT, TextDelta("a", 4), THOUGHT, MORE, ToolCallDelta(1, "c2", "g"), THOUGHT]
    assert joined_deltas(apart) == apart


def test_calls_grow_where_they_belong() -> None:
    calls: list[ToolCall] = []
    for delta in (BEGAN, MORE, ToolCallDelta(1, "c2", "g")):
        grow_calls(calls, delta)
    assert calls == [ToolCall("c1", "f", "{}"), ToolCall("c2", "g", "")]
